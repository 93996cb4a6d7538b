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
)

// BBE agrees with a search that counts examples again at every threshold.
func TestBestBinByLoops(t *testing.T) {
	for seed := range uint64(20) {
		scores, labeled := population(seed, 30, 70, 0.4, gaussian(0), gaussian(-1.5))
		for i := range scores {
			scores[i] = math.Round(4*scores[i]) / 4 // some are equal
		}
		slack := 1.01 * (math.Sqrt(math.Log(40)/60) + math.Sqrt(math.Log(40)/140))
		least, want := math.Inf(1), 0.0
		for _, threshold := range scores {
			p, u := 0.0, 0.0
			for i, s := range scores {
				if s >= threshold && labeled[i] {
					p += 1.0 / 30
				} else if s >= threshold {
					u += 1.0 / 70
				}
			}
			if p > 0 && (u+slack)/p < least-1e-12 {
				least, want = (u+slack)/p, u/p
			}
		}
		got, err := BBE(scores, labeled, noInterval)
		expect.That(t, err == nil && math.Abs(got.Prior-min(want, 1)) <= 1e-9,
			"seed %d: %v, %v, want %v", seed, got.Prior, err, want)
	}
}

// Densities interpolated on the grid equal the sums of Gaussians.
func TestDensityBySums(t *testing.T) {
	scores, labeled := population(2, 200, 400, 0.5, gaussian(0), gaussian(-2))
	s := expect.Must(newScored(scores, labeled))(t)
	g := newGrid(s)
	density := g.density(s.unlabeled, 0.1)
	mean, variance := s.unlabeled.mean(), 0.0
	for _, x := range s.unlabeled.scores {
		variance += (x - mean) * (x - mean) / 400
	}
	width := 0.1 * math.Sqrt(variance)
	for _, x := range []float64{-2.3, -1, 0.1, 1} {
		want := 0.0
		for _, y := range s.unlabeled.scores {
			want += math.Exp(-(x-y)*(x-y)/(2*width*width)) / (width * math.Sqrt(2*math.Pi)) / 400
		}
		expect.Near(t, g.at(density, x), want, 0.005*want, "at %g", x)
	}
}

// Mean posteriors from cumulative sums equal those of loops, and the result of EM is a fixed point of them.
func TestMeanPosteriorByLoops(t *testing.T) {
	scores, labeled := population(4, 500, 1500, 0.3, gaussian(0), gaussian(-4))
	s := expect.Must(newScored(scores, labeled))(t)
	r := s.ratios()
	expect.That(t, slices.IsSorted(r.ratio) && slices.IsSorted(r.scores), "ratios or scores do not increase")
	mean := func(prior float64) (mean float64) {
		for i, ratio := range r.ratio {
			mean += r.weights[i] * min(prior*ratio, 1)
		}
		return mean
	}
	for _, prior := range []float64{0, 0.01, 0.3, 0.7, 1} {
		expect.Near(t, r.meanPosterior(prior), mean(prior), 1e-12, "prior %g", prior)
	}
	got := r.prior()
	expect.That(t, math.Abs(mean(got)-got) <= 1e-3, "prior %v has mean posterior %v", got, mean(got))
}

// Posteriors match the classes: 0 or 1 far from the boundary and 1 for labeled examples; their mean is the prior.
func TestPosteriors(t *testing.T) {
	scores, labeled := population(6, 1000, 3000, 0.4, gaussian(0), gaussian(-5))
	e := expect.Must(DEDPUL(scores, labeled, noInterval))(t)
	mean := 0.0
	for i, p := range e.Posterior {
		positive := i < 1000+1200
		if labeled[i] && p != 1 || positive && scores[i] > -1 && p < 0.9 || !positive && scores[i] < -4 && p > 0.1 {
			t.Fatalf("example %d of score %.2f has posterior %.3f; it is positive: %t", i, scores[i], p, positive)
		}
		if !labeled[i] {
			mean += p / 3000
		}
	}
	expect.That(t, math.Abs(mean-e.Prior) <= 0.01, "mean posterior %.3f of prior %.3f", mean, e.Prior)
}

func TestRunningMedian(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 50)
	for i := range x {
		x[i] = math.Floor(10 * random.Float64())
	}
	for _, neighbors := range []int{0, 1, 4, 100} {
		got := runningMedian(x, neighbors)
		for i := range x {
			reach := min(neighbors, i, 49-i)
			want := slices.Sorted(slices.Values(x[i-reach : i+reach+1]))[reach]
			expect.Require(t, got[i] == want, "%d neighbors, value %d: %g, want %g", neighbors, i, got[i], want)
		}
	}
}

// The mixture found is as near to the point as one found by many Frank–Wolfe steps, and its slope equals the difference
// quotient of distances.
func TestKernelMeansByFrankWolfe(t *testing.T) {
	scores, labeled := population(8, 12, 20, 0.5, gaussian(0), gaussian(-2))
	k := expect.Must(newKernelMeans(column(scores), labeled, rand.New(rand.NewPCG(1, 1))))(t)
	const n = 32
	solve := func(lambda float64) (distance, slope float64) {
		v := slices.Clone(k.unlabeled)
		gradient := k.times(v)
		p, u := k.times(k.positive), k.times(k.unlabeled)
		for i := range gradient {
			gradient[i] -= lambda*u[i] + (1-lambda)*p[i]
		}
		k.approach(v, gradient)
		e := make([]float64, n)
		sum := 0.0
		for i := range e {
			e[i] = lambda*k.unlabeled[i] + (1-lambda)*k.positive[i] - v[i]
			sum += v[i]
			expect.That(t, v[i] >= 0, "weight %g", v[i])
		}
		expect.That(t, math.Abs(sum-1) <= 1e-9, "weights sum to %v", sum)
		vec := mat.NewVecDense(n, e)
		return math.Sqrt(mat.Inner(vec, k.gram, vec)), k.slope(v, gradient, lambda)
	}
	const lambda = 3
	distance, slope := solve(lambda)
	w := slices.Clone(k.unlabeled)
	for step := range 20000 {
		best, at := math.Inf(1), 0
		for i := range w {
			g := 0.0
			for j := range w {
				g -= k.gram.At(i, j) * (lambda*k.unlabeled[j] + (1-lambda)*k.positive[j] - w[j])
			}
			if g < best {
				best, at = g, i
			}
		}
		for j := range w {
			w[j] *= 1 - 2/float64(step+2)
		}
		w[at] += 2 / float64(step+2)
	}
	e := mat.NewVecDense(n, nil)
	for i := range n {
		e.SetVec(i, lambda*k.unlabeled[i]+(1-lambda)*k.positive[i]-w[i])
	}
	if want := math.Sqrt(mat.Inner(e, k.gram, e)); !(math.Abs(distance-want) <= 1e-3*want) {
		t.Errorf("distance %v, want %v", distance, want)
	}
	above, _ := solve(lambda + 0.01)
	below, _ := solve(lambda - 0.01)
	if want := (above - below) / 0.02; !(math.Abs(slope-want) <= 0.02*want) {
		t.Errorf("slope %v, want about %v", slope, want)
	}
}

// Each example is held out once per repeat; classifiers train on all examples outside its fold. Folds hold the same
// share of labeled ones.
func TestOutOfFold(t *testing.T) {
	labeled := slices.Concat(slices.Repeat([]bool{true}, 20), make([]bool, 60))
	held := make([]int, 80)
	calls := 0.0
	scores, err := OutOfFold(labeled, Folds{Folds: 4, Repeats: 3}, func(learn, hold []int, _ uint64) ([]float64, error) {
		marked := 0
		for _, i := range hold {
			held[i]++
			if labeled[i] {
				marked++
			}
			expect.That(t, !slices.Contains(learn, i), "example %d is learned from and held out", i)
		}
		expect.That(t, len(hold) == 20 && len(learn) == 60 && marked == 5,
			"%d held out, %d of them labeled, %d to learn from", len(hold), marked, len(learn))
		calls++
		return slices.Repeat([]float64{math.Floor((calls - 1) / 4)}, len(hold)), nil
	})
	expect.NoError(t, err)
	for i, n := range held {
		if n != 3 || !(math.Abs(scores[i]-1) <= 1e-12) { // the mean of the repeats' 0, 1 and 2
			t.Errorf("example %d was held out %d times, mean %v", i, n, scores[i])
		}
	}
	if _, err := OutOfFold(labeled, Folds{}, func([]int, []int, uint64) ([]float64, error) { return nil, io.ErrUnexpectedEOF }); !errors.Is(err,
		io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// A resample of KM2 has as many draws as rows and keeps only the drawn rows.
func TestResampleOfKM2(t *testing.T) {
	x, labeled := table(100, 300, 0.4)
	k := expect.Must(newKernelMeans(x, labeled, rand.New(rand.NewPCG(1, 1))))(t)
	r := k.resample(rand.New(rand.NewPCG(2, 1)))
	n, _ := r.gram.Dims()
	if n < 220 || n > 290 || len(r.positive) != n || len(r.unlabeled) != n || r.fewer != 100 { // 400 × (1 − 1/e) is 253
		t.Errorf("%d rows, %d and %d weights, fewer %d", n, len(r.positive), len(r.unlabeled), r.fewer)
	}
	for i := range n {
		p, u := 100*r.positive[i], 300*r.unlabeled[i]
		if r.gram.At(i, i) != 1 || p+u < 0.5 || p > 0.5 && u > 0.5 || math.Abs(p-math.Round(p)) > 1e-9 || math.Abs(u-math.Round(u)) > 1e-9 {
			t.Errorf("row %d, %g with itself, is drawn %g and %g times", i, r.gram.At(i, i), p, u)
		}
	}
	a, b := floats.Sum(r.positive), floats.Sum(r.unlabeled)
	expect.That(t, !(math.Abs(a-1) > 1e-9) && !(math.Abs(b-1) > 1e-9), "weights of %g and %g", a, b)
}

// table draws rows of four features; the sum of the first two determines the class.
func table(labeled, unlabeled int, prior float64) (*mat.Dense, []bool) {
	random := rand.New(rand.NewPCG(11, 1))
	x, marks := mat.NewDense(labeled+unlabeled, 4, nil), make([]bool, labeled+unlabeled)
	for i := range marks {
		marks[i] = i < labeled
		for j := range 4 {
			x.Set(i, j, random.NormFloat64())
		}
		if i >= labeled+int(prior*float64(unlabeled)) {
			x.Set(i, 0, x.At(i, 0)-3)
			x.Set(i, 1, x.At(i, 1)-3)
		}
	}
	return x, marks
}

// From rows to the prior: held-out examples do not affect training, and only the order of feature values matters.
func TestTrees(t *testing.T) {
	x, labeled := table(300, 900, 0.4)
	fit := expect.Must(Trees{}.OfRows(x, labeled))(t)
	scores := expect.Must(OutOfFold(labeled, Folds{Repeats: 2}, fit))(t)
	for _, e := range estimators[:2] {
		if got, err := e.of(scores, labeled, Config{}); err != nil || !(got.Low <= 0.4 && 0.4 <= got.High && math.Abs(got.Prior-0.4) < 0.06) {
			t.Errorf("%s: %v, %v", e.name, got, err)
		}
	}
	if _, e, err := TEDn(labeled, Folds{Repeats: 1}, 2, fit, Config{}); err != nil || !(math.Abs(e.Prior-0.4) <= 0.06) {
		t.Errorf("TED^n: %v, %v", e, err)
	}

	learn, hold := []int{}, []int{}
	for i := range labeled {
		if i%5 == 0 {
			hold = append(hold, i)
		} else {
			learn = append(learn, i)
		}
	}
	first, _ := fit(learn, hold, 1)
	other := slices.Clone(labeled)
	changed := mat.DenseCopyOf(x)
	changed.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, x)
	for _, i := range hold {
		other[i] = !other[i]
	}
	again := expect.Must(Trees{}.OfRows(changed, other))(t)
	if second, _ := again(learn, hold, 1); !slices.Equal(first, second) {
		t.Error("scores change with the labels of rows held out, or with the scale of features")
	}
	if second, _ := fit(learn, hold, 2); slices.Equal(first, second) {
		t.Error("another seed gives the same scores")
	}
}

// One stump with rate 1 predicts on each side the sum of gradients divided by the sum of second derivatives, with the
// penalty, of its training rows.
func TestStumpByHand(t *testing.T) {
	labeled := slices.Concat(slices.Repeat([]bool{true}, 40), make([]bool, 80))
	x := mat.NewDense(120, 1, nil)
	for i := range 120 {
		if i < 40 {
			x.Set(i, 0, 1)
		}
	}
	fit := expect.Must(Trees{Trees: 1, Depth: 1, Rate: 1, MinLeaf: 1}.OfRows(x, labeled))(t)
	var learn []int
	for i := 1; i < 119; i++ {
		learn = append(learn, i)
	}
	scores := expect.Must(fit(learn, []int{0, 119}, 1))(t)
	// Each of the n labeled training rows has weight 118/2/39; at 0 its gradient is −½ and its second derivative ¼ of
	// that weight.
	high, low := scores[0], scores[1]
	match := false
	for n := range 60 {
		p, u := float64(n)*59/39, float64(59-n)*59/79
		match = match || math.Abs(high-p/2/(p/4+1)) < 1e-9 && math.Abs(low+u/2/(u/4+1)) < 1e-9
	}
	expect.That(t, match, "values %v and %v are of no 59 rows", high, low)
}

// Bins separate few values exactly and split many into parts of equal size.
func TestBinned(t *testing.T) {
	expect.Equal(t, binned([]float64{3, -1, 3, 7}, 64), []uint8{1, 0, 1, 2})
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i)
	}
	counts := make([]int, 64)
	for _, b := range binned(values, 64) {
		counts[b]++
	}
	expect.That(t, slices.Min(counts) >= 15 && slices.Max(counts) <= 16, "bins of %d values", counts)
}
