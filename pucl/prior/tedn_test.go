package prior

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/rows"
)

// The last round of TED^n trains on all examples outside a fold except the unlabeled ones with the highest scores, as
// many as the previous prior implies. The previous round uses no example of the fold and holds out each of the others.
func TestTEDnRejects(t *testing.T) {
	labeled := slices.Concat(slices.Repeat([]bool{true}, 40), make([]bool, 100))
	given := make([]float64, 140)
	for i := range given {
		given[i] = 1
		if i >= 40+30 { // 30 unlabeled examples are like the labeled ones, so BBE estimates .3
			given[i] = -float64(i)
		}
	}
	learned, held := make([]int, 140), make([]int, 140)
	var seen, out []int // since the last fold
	calls := 0
	fit := func(learn, hold []int, _ uint64) ([]float64, error) {
		if calls++; calls%4 > 0 { // the first round, on the three other folds
			seen, out = slices.Concat(seen, learn, hold), slices.Concat(out, hold)
			return rows.Pick(given, hold), nil
		}
		slices.Sort(out)
		others := slices.DeleteFunc(rows.All(140), func(i int) bool { return slices.Contains(hold, i) })
		expect.That(t, slices.Equal(out, others), "examples %d are held out in the first round, want %d", out, others)
		for _, i := range hold {
			expect.That(t, !slices.Contains(seen, i), "example %d was seen before it was judged", i)
			held[i]++
		}
		for _, i := range learn {
			learned[i]++
		}
		seen, out = nil, nil
		return rows.Pick(given, hold), nil
	}
	scores, e, err := TEDn(labeled, Folds{Folds: 4, Repeats: 1}, 2, fit, noInterval)
	expect.That(t, err == nil && calls == 16 && math.Abs(e.Prior-0.3) <= 1e-9 && slices.Equal(scores, given),
		"%v, %v after %d calls", e, err, calls)
	for i := range labeled {
		want := 3
		if i >= 40 && i < 70 {
			want = 0
		}
		expect.That(t, learned[i] == want && held[i] == 1,
			"example %d: learned from %d times, want %d; held out %d times", i, learned[i], want, held[i])
	}
}

// Nearest neighbors, which memorize the labels, still find the prior: no round leaks labels of the examples that the
// next one scores.
func TestTEDnOfNearestNeighbors(t *testing.T) {
	expect.Slow(t)
	const labels, all, prior = 500, 2000, 0.7
	random := rand.New(rand.NewPCG(3, 1))
	x, labeled := mat.NewDense(all, 2, nil), make([]bool, all)
	for i := range all {
		labeled[i] = i < labels
		x.SetRow(i, []float64{random.NormFloat64(), random.NormFloat64()})
		if i >= labels+int(prior*(all-labels)) {
			x.Set(i, 0, x.At(i, 0)-6)
		}
	}
	nearest := func(learn, held []int, _ uint64) (scores []float64, err error) {
		distances, index := make([]float64, len(learn)), make([]int, len(learn))
		for _, i := range held {
			for k, j := range learn {
				distances[k] = math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))
			}
			floats.Argsort(distances, index)
			score := 0.0
			for _, k := range index[:5] {
				if labeled[learn[k]] {
					score++
				}
			}
			scores = append(scores, score)
		}
		return scores, nil
	}
	_, e, err := TEDn(labeled, Folds{Repeats: 1}, 0, nearest, noInterval)
	expect.That(t, err == nil && math.Abs(e.Prior-prior) < 0.05, "%v, %v; want %g", e, err, prior)
}

// Too few examples outside a fold and a failing classifier are errors; two folds are enough.
func TestTEDnErrors(t *testing.T) {
	marks := func(positives int) []bool {
		return slices.Concat(slices.Repeat([]bool{true}, positives), make([]bool, 50))
	}
	fit := func(_, held []int, _ uint64) (scores []float64, err error) {
		for _, i := range held {
			scores = append(scores, float64(i))
		}
		return scores, nil
	}
	_, _, few := TEDn(marks(12), Folds{}, 0, fit, noInterval)
	refusal.Check(t, few, "prior: 9 labeled positives and 40 unlabeled examples tell nothing … at least 10 of both, beside a fold")
	expect.Must2(TEDn(marks(20), Folds{Folds: 2}, 0, fit, noInterval))(t)
	if _, _, err := TEDn(marks(20), Folds{}, 0, func(_, _ []int, _ uint64) ([]float64, error) { return nil, io.ErrUnexpectedEOF }, noInterval); !errors.Is(
		err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// The rejected ones of tied unlabeled examples do not depend on their order.
func TestTEDnRejectsWithoutOrder(t *testing.T) {
	labeled := slices.Concat(slices.Repeat([]bool{true}, 100), make([]bool, 1000))
	marks := highest(make([]float64, 1100), labeled, 0.5, rand.New(rand.NewPCG(1, 2)))
	first, all := 0, 0
	for i, m := range marks {
		if m && i < 600 {
			first++
		}
		if m {
			all++
		}
	}
	if all != 500 || first < 200 || first > 300 { // 250 ± 3 standard deviations of 8 are 226 to 274
		t.Errorf("%d of the first half and %d in all are rejected, want about 250 and 500", first, all)
	}
}

// Twenty labeled positives rank above 70 of 100 unlabeled examples, or above 74 and a tie with one: 30 and 26 of 100
// score as high as all of them. If half of the labeled positives rank below all else, the others give twice the
// estimate.
func TestBBEOfOrderByHand(t *testing.T) {
	for _, tt := range []struct {
		name  string
		below []float64
		want  float64
	}{
		{"apart", slices.Repeat([]float64{70}, 20), 0.3},
		{"a tie", slices.Repeat([]float64{74.5}, 20), 0.26},
		{"all above", slices.Repeat([]float64{100}, 20), 0},
		{"all below", make([]float64, 20), 1},
		{"half below", slices.Concat(make([]float64, 400), slices.Repeat([]float64{70}, 400)), 0.6},
	} {
		e, err := BBEOfOrder(tt.below, 100, noInterval)
		expect.That(t, err == nil && math.Abs(e.Prior-tt.want) <= 1e-12,
			"%s: %v, %v; want %g", tt.name, e.Prior, err, tt.want)
	}
}

// For scores without ties, their order gives the result of BBE: estimate, interval and overlap.
func TestBBEOfOrderIsBBE(t *testing.T) {
	for seed := range uint64(5) {
		scores, labeled := population(seed, 200, 600, 0.4, gaussian(0), gaussian(-2))
		var below []float64
		for i, s := range scores {
			if labeled[i] {
				below = append(below, 0)
				for j, u := range scores {
					if !labeled[j] && u < s {
						below[len(below)-1]++
					}
				}
			}
		}
		want := expect.Must(BBE(scores, labeled, Config{Seed: seed}))(t)
		random := rand.New(rand.NewPCG(seed, 5))
		random.Shuffle(len(below), func(i, j int) { below[i], below[j] = below[j], below[i] })
		given := slices.Clone(below)
		got, err := BBEOfOrder(below, 600, Config{Seed: seed})
		if err != nil || got.Prior != want.Prior || got.Overlap != want.Overlap || got.Low != want.Low || got.High != want.High || got.Low == got.High {
			t.Errorf("%v, %v; BBE has %v", got, err, want)
		}
		expect.That(t, slices.Equal(below, given), "the counts are changed")
	}
}

// For scores with many ties, half of the tied unlabeled examples count as high. The estimate equals a search by loops
// with the same rule; it is below that of BBE, which counts all of them.
func TestBBEOfOrderWithTies(t *testing.T) {
	for seed := range uint64(10) {
		scores, labeled := population(seed, 50, 150, 0.4, gaussian(0), gaussian(-3))
		for i := range scores {
			scores[i] = math.Round(scores[i] / 2)
		}
		slack := 1.01 * (math.Sqrt(math.Log(40)/100) + math.Sqrt(math.Log(40)/300))
		least, want := math.Inf(1), 0.0
		var counts []float64
		for i, threshold := range scores {
			if !labeled[i] {
				continue
			}
			p, lower, tied := 0.0, 0.0, 0.0
			for j, s := range scores {
				switch {
				case labeled[j] && s >= threshold:
					p += 1. / 50
				case !labeled[j] && s < threshold:
					lower++
				case !labeled[j] && s == threshold:
					tied++
				}
			}
			counts = append(counts, lower+tied/2)
			if u := (150 - lower - math.Floor(tied/2)) / 150; (u+slack)/p < least-1e-12 {
				least, want = (u+slack)/p, u/p
			}
		}
		got, err := BBEOfOrder(counts, 150, noInterval)
		expect.That(t, err == nil && math.Abs(got.Prior-want) <= 1e-9,
			"seed %d: %v, %v; want %g", seed, got.Prior, err, want)
		if all, err := BBE(scores, labeled, noInterval); err != nil || all.Prior < got.Prior+0.05 {
			t.Errorf("seed %d: %g, where BBE has %g, %v", seed, got.Prior, all.Prior, err)
		}
	}
}

func TestBBEOfOrderRefuses(t *testing.T) {
	some := slices.Repeat([]float64{7}, 20)
	with := func(b float64) []float64 { return append(slices.Clone(some), b) }
	for _, tt := range []struct {
		below     []float64
		unlabeled int
		config    Config
		want      string
	}{
		{nil, 0, Config{}, "prior: no examples; … give scores or rows"},
		{nil, 20, Config{}, "prior: none of 20 examples is a labeled positive; … mark in labeled those that are"},
		{nil, -1, Config{}, "prior: no examples; … give scores or rows"},
		{make([]float64, 20), 0, Config{}, "prior: all of 20 examples are labeled positives; … add the unlabeled ones"},
		{some[:9], 20, Config{}, "prior: 9 labeled positives and 20 unlabeled examples tell nothing; … give at least 10 of both"},
		{with(-1), 20, Config{}, "prior: -1 of 20 unlabeled examples are below labeled positive 20; … count them anew, 0 to all of them"},
		{with(20.5), 20, Config{}, "prior: 20.5 of 20 unlabeled examples are below labeled positive 20; … count them anew"},
		{with(math.NaN()), 20, Config{}, "prior: NaN of 20 unlabeled examples are below labeled positive 20; … count them anew"},
		{slices.Repeat([]float64{500}, 200), 1000, Config{}, "prior: half of 1000 unlabeled examples are below each labeled positive, as where all scores " +
			"are the same, which tells nothing; … train the classifier, or give it features that differ"},
		{some, 20, Config{Level: 2}, "prior: an interval of level 2; … it must lie above 0 and below 1"},
	} {
		refusal.Check(t, refusal.Err(BBEOfOrder(tt.below, tt.unlabeled, tt.config)), tt.want)
	}
	expect.Must(BBEOfOrder(append(slices.Repeat([]float64{500}, 200), 501), 1000, noInterval))(t)
}
