package pseudo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/evaluate"
)

// candidates returns settings; some are bad on some mixtures.
func candidates(heldOut []bool) (list []Config) {
	for _, c := range []Config{{Landmarks: -1}, {Trim: 0.6}, {Landmarks: 10}, {Folds: 1}, {}} {
		c.Seed, c.HeldOut = 1, heldOut
		list = append(list, c)
	}
	return list
}

// The choice without negatives is nearly as good as the best candidate on all mixtures, and far better than a bad worst
// one.
func TestChooseOnMixtures(t *testing.T) {
	expect.Slow(t)
	var lock sync.Mutex
	saved := 0.0
	t.Run("mixtures", func(t *testing.T) { // two at a time
		for name, m := range mixtures {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				x, labeled, truth := m.draw(7, 300, 3000)
				list := candidates(labeled)
				chosen := expect.Must(Choose(x, labeled, list...))(t)
				got := accuracy(chosen.Labels.Positive, truth, labeled)
				best, worst := 0.0, 1.0
				for _, l := range chosen.All {
					right := accuracy(l.Positive, truth, labeled)
					best, worst = max(best, right), min(worst, right)
				}
				t.Logf("candidate %d, accuracy %.3f of %.3f to %.3f; risks %.4f", chosen.Best, got, worst, best, chosen.Risks)
				expect.That(t, got >= best-0.02, "candidate %d has accuracy %.3f, the best of them %.3f", chosen.Best, got, best)
				lock.Lock()
				defer lock.Unlock()
				saved = max(saved, got-worst)
			})
		}
	})
	expect.That(t, saved >= 0.2,
		"nowhere is the worst candidate more than %.3f behind: these mixtures need no choice", saved)
}

// Risks equal the risks that package evaluate computes from the logits, with the median of the priors; P is HeldOut if
// given.
func TestChooseByRiskOfEvaluate(t *testing.T) {
	expect.Slow(t)
	m := mixtures["two that overlap"]
	x, labeled, _ := m.draw(3, 100, 900)
	held := make([]bool, len(labeled))
	for i := range 40 {
		held[i] = true
	}
	for _, heldOut := range [][]bool{nil, held} {
		list := candidates(heldOut)
		chosen := expect.Must(Choose(x, labeled, list...))(t)
		var priors []float64
		for i, c := range list {
			l := expect.Must(Label(x, labeled, c))(t)
			priors = append(priors, l.Prior)
			var logits []float64
			var of []bool
			for row, p := range l.Probability {
				if heldOut != nil && labeled[row] && !heldOut[row] {
					continue
				}
				logits, of = append(logits, math.Log(p/(1-p))), append(of, labeled[row])
			}
			want := expect.Must(evaluate.ScorePU(logits, of, 0, evaluate.ScoreConfig{Prior: chosen.Prior}))(t).Risk()
			expect.That(t, math.Abs(chosen.Risks[i]-want) <= 1e-9 && chosen.Errors[i] == nil,
				"candidate %d: risk %g, error %v; want %g", i, chosen.Risks[i], chosen.Errors[i], want)
		}
		best := slices.Index(chosen.Risks, slices.Min(chosen.Risks))
		expect.That(t, chosen.Best == best, "candidate %d is chosen, %d has the lowest risk", chosen.Best, best)
		slices.Sort(priors)
		expect.That(t, chosen.Prior == priors[2], "prior %g, the median of %g is %g", chosen.Prior, priors, priors[2])
	}
}

// A candidate that cannot label is skipped and its error stored; without any other candidate Choose returns an error.
func TestChooseSaysWhatCannotLabel(t *testing.T) {
	m := mixtures["two clusters"]
	x, labeled, _ := m.draw(3, 20, 200)
	chosen := expect.Must(Choose(x, labeled, Config{Folds: 21}, Config{}))(t)
	expect.That(t, chosen.Best == 1 && math.IsNaN(chosen.Risks[0]) && chosen.Errors[1] == nil,
		"candidate %d, risks %g, errors %v", chosen.Best, chosen.Risks, chosen.Errors)
	refusal.Check(t, chosen.Errors[0], "20 labeled and 200 unlabeled rows; 21 folds … give more, or set Folds lower")
	_, err := Choose(x, labeled, Config{Folds: 21}, Config{Trim: 2})
	refusal.Check(t, err, "21 folds … give more, or set Folds lower")
	refusal.Check(t, refusal.Err(Choose(x, labeled)), "no candidates … give one Config or more")
	refusal.Check(t, refusal.Err(Choose(x, labeled, Config{}, Config{Prior: 0.3})), "candidate 1 has another HeldOut or Prior … give all the same")
	nan := Config{Prior: math.NaN()}
	for _, list := range [][]Config{{nan}, {nan, nan}} {
		refusal.Check(t, refusal.Err(Choose(x, labeled, list...)), "a prior of NaN … or 0 to have it estimated")
	}
	refusal.Check(t, refusal.Err(Choose(x, labeled, Config{}, nan)), "candidate 1 has another HeldOut or Prior … give all the same")
	refusal.Check(t, refusal.Err(Choose(x, labeled, Config{HeldOut: labeled}, Config{})), "candidate 1 has another HeldOut or Prior … give all the same")
}

// Each candidate except the first differs from the base in one of three fields, with defaults set. No two are equal,
// and Choose accepts them all, because HeldOut and Prior do not differ.
func TestSettings(t *testing.T) {
	expect.Slow(t)
	m := mixtures["two clusters"]
	x, labeled, _ := m.draw(3, 40, 200)
	held := make([]bool, len(labeled))
	for i := range 20 {
		held[i] = true
	}
	for _, tt := range []struct {
		base Config
		want int
	}{
		{Config{}, 13}, {Config{HeldOut: held, Seed: 7}, 13}, {Config{Prior: 0.4, Seed: 2}, 13},
		{Config{Landmarks: 50, Trim: 0.3, Folds: 2}, 10}, {Config{Landmarks: -7}, 12}, {Config{Trim: -0.5, HeldOut: held}, 12},
	} {
		base, all := tt.base, Settings(tt.base)
		expect.Require(t, len(all) == tt.want && reflect.DeepEqual(all[0], base),
			"%d candidates, the first is %+v", len(all), all[0])
		standard, seen := base.withDefaults(), map[string]bool{}
		for i, c := range all {
			c = c.withDefaults()
			seen[fmt.Sprintf("%+v", c)] = true
			differ := 0
			for _, same := range []bool{c.Landmarks == standard.Landmarks, c.Trim == standard.Trim, c.Folds == standard.Folds} {
				if !same {
					differ++
				}
			}
			expect.That(t, differ == min(i, 1), "candidate %d differs from the first in %d fields", i, differ)
		}
		expect.That(t, len(seen) == len(all), "%d of %d candidates are different", len(seen), len(all))
		chosen := expect.Must(Choose(x, labeled, all...))(t)
		for i, err := range chosen.Errors {
			expect.That(t, err == nil, "candidate %d: %v", i, err)
		}
	}
}

// For normal scores with positives two deviations above negatives the prior is known. The log-odds of the class are
// linear in the score, and nearly linear in the log-odds of the rank.
func TestCurvePriorOfNormalScores(t *testing.T) {
	expect.Slow(t)
	for _, prior := range []float64{0.1, 0.5, 0.9} {
		rng := rand.New(rand.NewPCG(1, uint64(100*prior)))
		var unlabeled, places []float64
		for range 20_000 {
			x := rng.NormFloat64()
			if rng.Float64() < prior {
				x += 2
			}
			unlabeled = append(unlabeled, x)
		}
		place := placesAmong(unlabeled)
		for range 5_000 {
			places = append(places, place(2+rng.NormFloat64()))
		}
		expect.Near(t, expect.Must(curvePrior(places))(t), prior, 0.02)
	}
}

// The estimate maximizes the likelihood: a search over a grid of curves finds the same maximum.
func TestCurvePriorAgainstAGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var places []float64
	for range 300 { // mostly high ranks
		places = append(places, 1-0.5*rng.Float64()*rng.Float64())
	}
	best, want := math.Inf(-1), 0.0
	for a := -4.0; a <= 4; a += 0.1 {
		for b := 0.0; b <= 5; b += 0.1 {
			mean, log := 0.0, 0.0
			for i := range 1000 {
				u := (float64(i) + 0.5) / 1000
				mean += 1 / (1 + math.Exp(-a)*math.Pow(u/(1-u), -b)) / 1000
			}
			for _, u := range places {
				log -= math.Log1p(math.Exp(-a)*math.Pow(u/(1-u), -b)) / 300
			}
			if value := log - math.Log(mean); value > best {
				best, want = value, mean
			}
		}
	}
	expect.Near(t, expect.Must(curvePrior(places))(t), want, 0.01)
}

// If every labeled row ranks above all others there are almost no other positives. Labeled rows below all others, or
// one above and one below, allow no estimate.
func TestCurvePriorAtTheEnds(t *testing.T) {
	for _, places := range [][]float64{{1}, slices.Repeat([]float64{1}, 50)} {
		got := expect.Must(curvePrior(places))(t)
		expect.That(t, got >= 0 && got < 0.001, "%g of %v", got, places)
	}
	// Labeled rows in the middle may belong to the lower end of the upper half or to the upper end of the lower half.
	if got, err := curvePrior(slices.Repeat([]float64{0.5}, 50)); err == nil && math.Abs(got-0.5) > 0.01 {
		t.Errorf("%g in the middle", got)
	}
	for _, places := range [][]float64{{0}, slices.Repeat([]float64{0}, 50), {0, 1}} {
		refusal.Check(t, refusal.Err(curvePrior(places)), fmt.Sprintf("%d labeled rows from unlabeled ones … give Config.Prior", len(places)))
	}
}

// Uninformative ranks allow no estimate, except for about one set in twenty that is uneven by chance.
func TestCurvePriorOfEvenPlaces(t *testing.T) {
	expect.Slow(t)
	const sets = 20
	read := 0
	for seed := range uint64(sets) {
		rng := rand.New(rand.NewPCG(seed, 6))
		places := make([]float64, 300)
		for i := range places {
			places[i] = rng.Float64()
		}
		if prior, err := curvePrior(places); err == nil {
			t.Logf("seed %d: %.3f", seed, prior)
			read++
		}
	}
	expect.That(t, read <= 3, "a prior is read off %d of %d sets of places that tell nothing", read, sets)
}
