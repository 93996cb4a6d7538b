package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/rows"
)

// randomViews returns the given number of views of n examples of three classes, which lie around three directions.
func randomViews(n, views int) (x []*mat.Dense, classes []int) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range views {
		x = append(x, mat.NewDense(n, 3, nil))
	}
	for i := range n {
		classes = append(classes, i%3)
		for _, view := range x {
			for k := range 3 {
				mean := 0.0
				if k == i%3 {
					mean = 2
				}
				view.Set(i, k, mean+rng.NormFloat64())
			}
		}
	}
	return x, classes
}

// If the batch is the whole data set there is one draw, and plain loops give the same numbers.
func TestNegativesAgainstLoops(t *testing.T) {
	const n, tau, tauPlus = 12, 0.4, 0.5
	for _, positives := range []int{0, 1} {
		x, classes := randomViews(n, 3)
		got, err := MeasureNegatives(x, classes, NegativesConfig{Tau: tau, TauPlus: tauPlus, Positives: positives, Batch: n, Draws: 3})
		expect.NoError(t, err)
		e := func(i, v, j int) float64 {
			var dot, a, b float64
			for k := range 3 {
				p, q := x[0].At(i, k), x[v].At(j, k)
				dot, a, b = dot+p*q, a+p*p, b+q*q
			}
			return math.Exp(dot / math.Sqrt(a*b) / tau)
		}
		var want Negatives
		for i := range n {
			var all, truth, others, positive float64
			for j := range n {
				for v := range 3 {
					switch {
					case i == j && v > 0 && (positives == 0 || v <= positives):
						positive += e(i, v, j)
					case i != j:
						all += e(i, v, j) / (3 * (n - 1))
						if classes[i] != classes[j] {
							truth, others = truth+e(i, v, j), others+1
						}
					}
				}
			}
			truth /= others
			if positives == 0 {
				positive /= 2
			}
			g := (all - tauPlus*positive) / (1 - tauPlus)
			if g < math.Exp(-1/tau) {
				g = math.Exp(-1 / tau)
				want.Clipped += 1. / n
			}
			want.Plain.Bias += (all/truth - 1) / n
			want.Corrected.Bias += (g/truth - 1) / n
			want.False += 3. / 11 / n // three of the eleven others
		}
		for what, pair := range map[string][2]float64{
			"false": {got.False, want.False}, "clipped": {got.Clipped, want.Clipped}, "plain": {got.Plain.Bias, want.Plain.Bias},
			"corrected": {got.Corrected.Bias, want.Corrected.Bias}, "deviation": {got.Plain.Deviation, 0}, "and of g": {got.Corrected.Deviation, 0},
		} {
			expect.That(t, math.Abs(pair[0]-pair[1]) <= 1e-12,
				"M = %d, %s: %g, want %g", positives, what, pair[0], pair[1])
		}
		expect.That(t, want.Clipped != 0 && want.Clipped != 1,
			"a share of %g is clipped: this batch tests nothing", want.Clipped)
	}
}

// Anchors are spread evenly over all examples: three of twelve are the first, the fifth and the ninth. Each equals the
// single anchor of data that start with it. The batch is the whole data set, so that nothing is drawn.
func TestNegativesOfAnchors(t *testing.T) {
	const n = 12
	x, classes := randomViews(n, 2)
	measure := func(first, anchors int) Negatives {
		order := make([]int, n)
		for i := range order {
			order[i] = (first + i) % n
		}
		var views []*mat.Dense
		for _, view := range x {
			views = append(views, expect.Must(rows.Take(view, order))(t))
		}
		return expect.Must(MeasureNegatives(views, rows.Pick(classes, order), NegativesConfig{TauPlus: 0.3, Batch: n, Anchors: anchors, Draws: 2}))(t)
	}
	got := measure(0, 3)
	var plain, corrected float64
	for _, first := range []int{0, 4, 8} {
		one := measure(first, 1)
		plain, corrected = plain+one.Plain.Bias/3, corrected+one.Corrected.Bias/3
	}
	near(t, "plain", got.Plain.Bias, plain, 1e-12)
	near(t, "corrected", got.Corrected.Bias, corrected, 1e-12)
}

// Over batches the mean is unbiased, the share of false negatives follows the class frequency, and the deviation is
// that of a mean without replacement.
func TestNegativesOverDraws(t *testing.T) {
	const n, b = 90, 10
	x, classes := randomViews(n, 2)
	got := expect.Must(MeasureNegatives(x, classes, NegativesConfig{Batch: b, Anchors: 1, Draws: 20_000, Seed: 1}))(t)
	whole := expect.Must(MeasureNegatives(x, classes, NegativesConfig{Batch: n, Anchors: 1, Draws: 2}))(t)
	expect.That(t, math.Abs(got.Plain.Bias-whole.Plain.Bias) <= 0.01 && math.Abs(got.False-29./89) <= 0.005,
		"%v in batches, %v of all", got, whole)
	expect.That(t, got.Plain == got.Corrected && got.Clipped == 0, "τ⁺ = 0 corrects: %v", got)
	// Var of a mean of b−1 out of n−1 without replacement: S²/(b−1) · (1 − (b−1)/(n−1)).
	var each []float64
	for j := 1; j < n; j++ {
		sum := 0.0
		for _, view := range x {
			p, q := x[0].RawRowView(0), view.RawRowView(j)
			dot := p[0]*q[0] + p[1]*q[1] + p[2]*q[2]
			sum += math.Exp(2*dot/math.Hypot(math.Hypot(p[0], p[1]), p[2])/math.Hypot(math.Hypot(q[0], q[1]), q[2])) / 2
		}
		each = append(each, sum)
	}
	mean, truth, others, squares := 0.0, 0.0, 0.0, 0.0
	for i, e := range each {
		mean += e / (n - 1)
		if classes[i+1] != classes[0] {
			truth, others = truth+e, others+1
		}
	}
	for _, e := range each {
		squares += (e - mean) * (e - mean)
	}
	want := math.Sqrt(squares/(n-2)/(b-1)*(1-float64(b-1)/(n-1))) / (truth / others)
	expect.That(t, math.Abs(got.Plain.Deviation/want-1) <= 0.02, "deviation %g, want %g", got.Plain.Deviation, want)
}

func TestNegativesRefused(t *testing.T) {
	x, classes := randomViews(6, 2)
	one := slices.Repeat([]int{1}, 6)
	broken := mat.DenseCopyOf(x[1])
	broken.Set(2, 1, math.NaN())
	for _, tt := range []struct {
		views   []*mat.Dense
		classes []int
		config  NegativesConfig
		says    string
	}{
		{x[:1], classes, NegativesConfig{}, "1 views … give two or more"},
		{x, classes[:5], NegativesConfig{}, "5 classes … a class for every example"},
		{[]*mat.Dense{x[0], nil}, classes, NegativesConfig{}, "view 1 is nil … give embeddings"},
		{[]*mat.Dense{x[0], x[1].Slice(0, 5, 0, 3).(*mat.Dense)}, classes, NegativesConfig{}, "view 1 is of 5×3 … give a row of each view"},
		{[]*mat.Dense{x[0], broken}, classes, NegativesConfig{}, "view 1 … diverge"},
		{x, one, NegativesConfig{}, "one class … two classes or more"},
		{x, classes, NegativesConfig{Tau: -1}, "τ = -1 … 1/300 or more"},
		{x, classes, NegativesConfig{Tau: 0.001}, "τ = 0.001 … 1/300 or more"},
		{x, classes, NegativesConfig{TauPlus: 1}, "τ⁺ = 1 … below 1"},
		{x, classes, NegativesConfig{Positives: 2}, "M = 2 … 0 takes all"},
		{x, classes, NegativesConfig{Batch: 1}, "batches of 1 … 2 examples or more"},
	} {
		refusal.Check(t, expect.Err(MeasureNegatives(tt.views, tt.classes, tt.config)), tt.says)
	}
}
