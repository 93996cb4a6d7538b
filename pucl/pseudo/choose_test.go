package pseudo

import (
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/evaluate"
)

// candidates are settings of which some are bad on some mixtures.
func candidates(heldOut []bool) (list []Config) {
	for _, c := range []Config{{Landmarks: -1}, {Trim: 0.6}, {Landmarks: 10}, {Folds: 1}, {}} {
		c.Seed, c.HeldOut = 1, heldOut
		list = append(list, c)
	}
	return list
}

// What is chosen without a negative is nearly as good as the best of the candidates, on all mixtures, and far better than the worst where
// that is bad.
func TestChooseOnMixtures(t *testing.T) {
	expect.Slow(t)
	saved := 0.0
	for name, m := range mixtures {
		x, labeled, truth := m.draw(7, 300, 3000)
		list := candidates(labeled)
		chosen := must[*Choice](t)(Choose(x, labeled, list...))
		best, worst := 0.0, 1.0
		for _, c := range list {
			right := accuracy(must[*Labels](t)(Label(x, labeled, c)).Positive, truth, labeled)
			best, worst = max(best, right), min(worst, right)
		}
		got := accuracy(chosen.Labels.Positive, truth, labeled)
		t.Logf("%s: candidate %d, accuracy %.3f of %.3f to %.3f; risks %.4f", name, chosen.Best, got, worst, best, chosen.Risks)
		if !(got >= best-0.02) {
			t.Errorf("%s: candidate %d has accuracy %.3f, the best of them %.3f", name, chosen.Best, got, best)
		}
		saved = max(saved, got-worst)
	}
	if saved < 0.2 {
		t.Errorf("nowhere is the worst candidate more than %.3f behind: these mixtures need no choice", saved)
	}
}

// Risks are those that package evaluate counts of the logits, by the median of the priors; P is HeldOut where it is given.
func TestChooseByRiskOfEvaluate(t *testing.T) {
	m := mixtures["two that overlap"]
	x, labeled, _ := m.draw(3, 100, 900)
	held := make([]bool, len(labeled))
	for i := range 40 {
		held[i] = true
	}
	for _, heldOut := range [][]bool{nil, held} {
		list := candidates(heldOut)
		chosen := must[*Choice](t)(Choose(x, labeled, list...))
		var priors []float64
		for i, c := range list {
			l := must[*Labels](t)(Label(x, labeled, c))
			priors = append(priors, l.Prior)
			var logits []float64
			var of []bool
			for row, p := range l.Probability {
				if heldOut != nil && labeled[row] && !heldOut[row] {
					continue
				}
				logits, of = append(logits, math.Log(p/(1-p))), append(of, labeled[row])
			}
			want := must[evaluate.PU](t)(evaluate.ScorePU(logits, of, 0, evaluate.ScoreConfig{Prior: chosen.Prior})).Risk()
			if math.Abs(chosen.Risks[i]-want) > 1e-9 || chosen.Errors[i] != nil {
				t.Errorf("candidate %d: risk %g, error %v; want %g", i, chosen.Risks[i], chosen.Errors[i], want)
			}
		}
		if best := slices.Index(chosen.Risks, slices.Min(chosen.Risks)); chosen.Best != best {
			t.Errorf("candidate %d is chosen, %d has the lowest risk", chosen.Best, best)
		}
		slices.Sort(priors)
		if chosen.Prior != priors[2] {
			t.Errorf("prior %g, the median of %g is %g", chosen.Prior, priors, priors[2])
		}
	}
}

// A candidate that cannot label is passed over and says why; without one that can there is no choice.
func TestChooseSaysWhatCannotLabel(t *testing.T) {
	m := mixtures["two clusters"]
	x, labeled, _ := m.draw(3, 20, 200)
	chosen := must[*Choice](t)(Choose(x, labeled, Config{Folds: 21}, Config{}))
	if chosen.Best != 1 || !math.IsNaN(chosen.Risks[0]) || chosen.Errors[1] != nil {
		t.Errorf("candidate %d, risks %g, errors %v", chosen.Best, chosen.Risks, chosen.Errors)
	}
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
