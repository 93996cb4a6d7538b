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

// The last round of TED^n learns from all beside a fold but the unlabeled examples of the highest scores, as many as the prior of the round
// before says. That one hears of no example of the fold, and holds out each of the others.
func TestTEDnRejects(t *testing.T) {
	labeled := slices.Concat(slices.Repeat([]bool{true}, 40), make([]bool, 100))
	given := make([]float64, 140)
	for i := range given {
		given[i] = 1
		if i >= 40+30 { // 30 of the unlabeled examples are like all labeled ones, and BBE finds .3
			given[i] = -float64(i)
		}
	}
	learned, held := make([]int, 140), make([]int, 140)
	var seen, out []int // since the last fold
	calls := 0
	fit := func(learn, hold []int, _ uint64) ([]float64, error) {
		if calls++; calls%4 > 0 { // the first round, of the three other folds
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

// Nearest neighbors, which know by heart who is labeled, find the prior all the same: no round tells the next what it later judges.
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

// Too few examples beside a fold and a classifier that fails are told; two folds are enough.
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

// Which of the unlabeled examples of one score are rejected does not follow from their order.
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
