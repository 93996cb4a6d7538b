package pseudo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/internal/expect"
)

// Columns are standardized, a constant column is 0, and landmark features equal their formula.
func TestLift(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 5, 2, 5, 3, 5}) // deviation 1 and 0
	tiny := mat.NewDense(3, 2, []float64{1, 1e-200, 2, 2e-200, 3, 3e-200})
	if row := lift(tiny, Config{Landmarks: 1}).RawRowView(0); row[1] != 0 {
		t.Errorf("a column whose deviation is too small for a float64 becomes %g", row[1])
	}
	got := lift(x, Config{Landmarks: 1, Seed: 1})
	if n, k := got.Dims(); n != 3 || k != 2+1 {
		t.Fatalf("%d rows of %d features", n, k)
	}
	landmark := rand.New(rand.NewPCG(1, 0x1a4d)).Perm(3)[0]
	near := make([]float64, 3) // by squared distances 0, 1 or 4 over twice 2 columns
	for i := range near {
		near[i] = math.Exp(-float64((i-landmark)*(i-landmark)) / 4)
	}
	mean, deviation := stat.MeanStdDev(near, nil)
	for i, z := range []float64{-1, 0, 1} {
		if row := got.RawRowView(i); math.Abs(row[0]-z)+math.Abs(row[1])+math.Abs(row[2]-(near[i]-mean)/deviation) > 1e-14 {
			t.Errorf("row %d becomes %g, want %g, 0, %g", i, row, z, (near[i]-mean)/deviation)
		}
	}
	if n, k := lift(x, Config{Landmarks: 9}).Dims(); n != 3 || k != 2+3 {
		t.Errorf("%d rows of %d features; there are no more landmarks than rows", n, k)
	}
}

// Constants added to columns do not change the features.
func TestLiftOfAnyOffset(t *testing.T) {
	x := mat.NewDense(50, 2, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64((i*i*(3+j) + j) % 97) }, x)
	want := lift(x, Config{Landmarks: 5})
	for _, offset := range []float64{1e9, -1e12, 1e15} {
		moved := mat.NewDense(50, 2, nil)
		moved.Apply(func(_, _ int, v float64) float64 { return v + offset }, x)
		expect.That(t, mat.EqualApprox(lift(moved, Config{Landmarks: 5}), want, 1e-9), "%g", offset)
	}
}

// Of 4 labeled rows 3 score 1 or more, and of 100 unlabeled ones 15: at that threshold the prior is 0.15/0.75.
func TestBestBinByHand(t *testing.T) {
	labeled := []float64{1, 2, 3, -9}
	unlabeled := append(slices.Repeat([]float64{5}, 15), slices.Repeat([]float64{-10}, 85)...)
	// The other threshold: all labeled rows, at −9, against 15 of 100.
	expect.Near(t, bestBin(labeled, unlabeled), 0.15, 1e-15)
	unlabeled[99], unlabeled[98] = -9, -9
	many := slices.Repeat(labeled, 100) // with many labeled rows the threshold 1 wins
	expect.Near(t, bestBin(many, slices.Concat(unlabeled, slices.Repeat([]float64{-9}, 100))), 0.075/0.75, 1e-15)
	expect.Equal(t, bestBin([]float64{0, 0}, []float64{1, 1, 1}), 1)
}

// A known mixture of scores: labeled ones uniform on [1, 3], negatives uniform on [0, 2], so that all rows above 2 are
// positive. Only the order of scores matters.
func TestBestBinOfAKnownMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var labeled, unlabeled []float64
	for range 5000 {
		labeled = append(labeled, 1+2*rng.Float64())
	}
	for i := range 20000 {
		unlabeled = append(unlabeled, 2*rng.Float64())
		if i%10 < 3 {
			unlabeled[i]++
		}
	}
	got := bestBin(labeled, unlabeled)
	expect.That(t, math.Abs(got-0.3) <= 0.02, "prior %.3f, want 0.3", got)
	for _, scores := range [][]float64{labeled, unlabeled} {
		for i, s := range scores {
			scores[i] = math.Exp(3 * s)
		}
	}
	expect.Equal(t, bestBin(labeled, unlabeled), got)
}

// Ten unlabeled rows, a share 0.4 of them positive: the half nearest to the threshold of both 4 and 6 is left out.
func TestThreshold(t *testing.T) {
	l := &Labels{Prior: 0.4, Scores: []float64{99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	clear, labels := l.threshold([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.5)
	if want := []int{10, 9, 3, 2, 1}; !slices.Equal(clear, want) || !slices.Equal(labels, []bool{true, true, false, false, false}) {
		t.Errorf("rows %d are clear, as %v; want %d", clear, labels, want)
	}
	for i, c := range l.Clear {
		expect.That(t, c == slices.Contains(clear, i), "row %d: clear %v", i, c)
	}
	if clear, labels = l.threshold([]int{5, 6}, 0); !slices.Equal(clear, []int{6, 5}) || !slices.Equal(labels, []bool{true, false}) {
		t.Errorf("without trim rows %d, as %v", clear, labels)
	}
}

// A row is scored by a classifier that was not trained on it: random labels cannot be predicted, although in 60 columns
// a classifier fits its training rows.
func TestOutOfFoldScoresAreHonest(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n, k = 120, 60
	x := mat.NewDense(n, k, nil)
	labeled := make([]bool, n)
	for i := range n {
		labeled[i] = i%2 == 0
		for j := range k {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	auc := func(folds int) (share float64) { // share of pairs in the correct order
		scores := expect.Must(outOfFold(x, labeled, folds, 1))(t)
		for i := range n {
			for j := range n {
				if labeled[i] && !labeled[j] && scores[i] > scores[j] {
					share += 4. / n / n
				}
			}
		}
		return share
	}
	if honest, own := auc(4), auc(1); !(math.Abs(honest-0.5) < 0.15 && own > 0.85) {
		t.Errorf("AUC %.3f out of fold and %.3f on rows learned from; want about 0.5 and more than 0.85", honest, own)
	}
}

// Loss and gradient equal loops and finite differences, with either weighting, and the gradient at the minimum is zero.
func TestLogistic(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(30, 2, nil)
	var index []int
	var labels []bool
	for i := range 30 {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		if i != 7 { // row 7 is not in the training set
			index, labels = append(index, i), append(labels, i%5 == 0)
		}
	}
	for _, balanced := range []bool{true, false} {
		loss := func(c []float64) float64 {
			of := map[bool]float64{true: 29, false: 29}
			if balanced {
				of = map[bool]float64{true: 2 * 6, false: 2 * 23}
			}
			sum := 0.01 / 2 * (c[0]*c[0] + c[1]*c[1])
			for i, at := range index {
				p := 1 / (1 + math.Exp(-c[0]*x.At(at, 0)-c[1]*x.At(at, 1)-c[2]))
				if !labels[i] {
					p = 1 - p
				}
				sum -= math.Log(p) / of[labels[i]]
			}
			return sum
		}
		best := expect.Must(fit(x, index, labels, balanced))(t)
		for _, c := range [][]float64{{0.3, -2, 0.5}, best} {
			p := &logistic{x: x, index: index, labels: labels, gradient: make([]float64, 3), weight: [2]float64{1. / 29, 1. / 29}}
			if balanced {
				p.weight = [2]float64{1. / 46, 1. / 12}
			}
			p.evaluate(c)
			expect.That(t, math.Abs(p.loss-loss(c)) <= 1e-12,
				"balanced %v: loss %g at %g, want %g", balanced, p.loss, c, loss(c))
			want := fd.Gradient(nil, loss, c, &fd.Settings{Formula: fd.Central})
			expect.That(t, floats.Distance(p.gradient, want, math.Inf(1)) <= 1e-7,
				"balanced %v: gradient %g at %g, want %g", balanced, p.gradient, c, want)
		}
		g := fd.Gradient(nil, loss, best, &fd.Settings{Formula: fd.Central})
		expect.That(t, floats.Norm(g, 2) <= 1e-4, "balanced %v: gradient %g at the minimum", balanced, g)
	}
}

// If the encoder may have been trained with all labels, the prior estimate is less reliable, and more rows are left
// out.
func TestTrimOfDefault(t *testing.T) {
	held := []bool{true}
	for _, tt := range []struct {
		config Config
		want   float64
	}{{Config{}, 0.2}, {Config{HeldOut: held}, 0.1}, {Config{Prior: 0.3}, 0.1}, {Config{Trim: 0.3}, 0.3}, {Config{Trim: -1}, 0}} {
		expect.Equal(t, tt.config.withDefaults().Trim, tt.want, "%+v", tt.config)
	}
}
