package probe

import (
	"bytes"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/risk"
)

// one returns a probe of one output.
func one(bias float64, weights ...float64) *Probe {
	return &Probe{Weights: mat.NewDense(1, len(weights), weights), Bias: []float64{bias}}
}

func TestBinaryAndClassesPredictTheSame(t *testing.T) {
	p := one(0.5, 2, -1)
	x := mat.NewDense(4, 2, []float64{1, 1, 0, 3, -1, -4, -0.5, -0.5}) // logits 1.5, −2.5, 2.5, 0
	both := expect.Must(p.Classes())(t)
	back := expect.Must(both.Binary())(t)
	expect.That(t, mat.Equal(back.Weights, p.Weights) && back.Bias[0] == p.Bias[0], "%v became %v", p, back)
	for _, q := range []*Probe{p, both, back} {
		scores := expect.Must(q.Scores(x))(t)
		for i, want := range []float64{1.5, -2.5, 2.5, 0} {
			vectortest.Near(t, "score", scores[i], want, 1e-12)
		}
		expect.Equal(t, expect.Must(q.Predict(x))(t), []int{1, 0, 1, 0}, "%d outputs", len(q.Bias))
		s := expect.Must(q.ScoreClasses(x, []int{1, 1, 1, 0}))(t)
		expect.That(t, s.Accuracy == 0.75, "%d outputs: %v", len(q.Bias), s)
	}
	if logits := expect.Must(both.Logits(x))(t); logits.At(1, 0) != 1.25 || logits.At(1, 1) != -1.25 {
		t.Errorf("logits of row 1 are %v, want half of the logit each way", logits.RawRowView(1))
	}
}

func TestScores(t *testing.T) {
	p := one(-1, 1)
	x := mat.NewDense(6, 1, []float64{4, 3, 2, 0.5, 0, -1}) // logits 3, 2, 1, −0.5, −1, −2
	b := expect.Must(p.Score(x, []bool{true, true, false, true, false, false}))(t)
	vectortest.Near(t, "accuracy", b.Accuracy(), 4.0/6, 1e-12)
	vectortest.Near(t, "AUC", b.AUC, 8.0/9, 1e-12)
	s := expect.Must(p.ScorePU(x, []bool{true, true, false, false, false, false}, evaluate.ScoreConfig{Prior: 0.25}))(t)
	vectortest.Near(t, "proxy accuracy", s.ProxyAccuracy(), 1, 1e-12)
}

func TestStandardizedAndBack(t *testing.T) {
	p := &Probe{Weights: mat.NewDense(2, 3, []float64{1, -2, 0.5, 4, 0, -8}), Bias: []float64{1, -1}}
	mean, std := []float64{1, 2, 4}, []float64{2, 0.5, 1}
	weights, bias := p.Standardized(mean, std)
	if !slices.Equal(weights, []float32{2, -1, 0.5, 8, 0, -8}) || !slices.Equal(bias, []float32{0, -29}) { // 1+1−4+2, −1+4−32
		t.Errorf("weights %v, biases %v", weights, bias)
	}
	parameters := joinBias(weights, bias)
	expect.That(t, slices.Equal(parameters, []float32{2, -1, 0.5, 0, 8, 0, -8, -29}), "parameters %v", parameters)
	weights, bias = splitBias(parameters, 3)
	back := FromStandardized(weights, bias, mean, std)
	expect.That(t, mat.Equal(back.Weights, p.Weights) && slices.Equal(back.Bias, p.Bias), "%v came back as %v", p, back)
}

func TestGob(t *testing.T) {
	var file bytes.Buffer
	p, got := one(0.5, 2, math.Pi), new(Probe)
	expect.NoError(t, gob.NewEncoder(&file).Encode(p))
	expect.NoError(t, gob.NewDecoder(&file).Decode(got))
	expect.That(t, mat.Equal(got.Weights, p.Weights) && slices.Equal(got.Bias, p.Bias), "%v came back as %v", p, got)
}

func TestLogitsOfNaNAreNaN(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, math.NaN()})
	for _, p := range []*Probe{one(0, 1), {Weights: mat.NewDense(2, 1, []float64{1, 2}), Bias: []float64{0, 0}}} {
		logits := expect.Must(p.Logits(x))(t)
		for output := range p.Bias {
			expect.That(t, !math.IsNaN(logits.At(0, output)) && math.IsNaN(logits.At(1, output)),
				"logits %v", mat.Formatted(logits))
		}
	}
}

// The mean of a thousand times 0.1 is not 0.1, by rounding, and for more rows the error grows. Such a column counts as
// constant: its entries become 0, not the ratio of two rounding errors, and it does not affect the weights.
func TestColumnThatOnlyRoundingVaries(t *testing.T) {
	const n = 1000
	x, truth := cloud(rand.New(rand.NewPCG(3, 3)), n, 0.5, []float64{1, 0})
	for i := range n {
		x.Set(i, 1, 0.1)
	}
	flat, mean, std := standardize(x)
	expect.Equal(t, mean[1], 0.1)
	expect.That(t, std[1] == 1, "the deviation counts as %g, want 1", std[1])
	for i := range n {
		expect.Require(t, flat[2*i+1] == 0, "row %d has %g, want 0", i, flat[2*i+1])
	}
	p := expect.Must(FitPU(enginetest.Open(t), x, truth, risk.CrossEntropy, Config{}))(t)
	if w := p.Weights.At(0, 1); w != 0 || !(math.Abs(p.Bias[0]) < 1) || !(math.Abs(p.Weights.At(0, 0)) < 4) {
		t.Errorf("weights %v and bias %g, want 2 and 0, and 0", mat.Formatted(p.Weights), p.Bias[0])
	}
}

// For any number of rows a column of equal numbers counts as constant. So does one whose numbers differ as 0.1 + 0.2
// and 0.3 do, or by too little for a finite weight.
func TestColumnsThatHardlyVary(t *testing.T) {
	const n = 100_000
	x := mat.NewDense(n, 3, nil)
	a, b := 0.1, 0.2
	for i := range n {
		x.SetRow(i, []float64{0.1, 0.3, 0})
		if i%2 == 1 {
			x.SetRow(i, []float64{0.1, a + b, 1e-300})
		}
	}
	expect.Require(t, x.At(0, 1) != x.At(1, 1), "the sum is exact; the case below wants one that is rounded")
	flat, _, std := standardize(x)
	for j, deviation := range std {
		expect.That(t, deviation == 1 && flat[j] == 0 && flat[3+j] == 0,
			"column %d: deviation %g, entries %g and %g; want 1, 0 and 0", j, deviation, flat[j], flat[3+j])
	}
}

// A column that varies little relative to its mean does not count as constant.
func TestColumnThatVariesLittle(t *testing.T) {
	flat, _, std := standardize(mat.NewDense(2, 1, []float64{1e6, 1e6 + 1e-3}))
	vectortest.Near(t, "deviation", std[0], 1e-3/math.Sqrt2, 1e-9)
	vectortest.Near(t, "first entry", float64(flat[0]), -1/math.Sqrt2, 1e-6)
	vectortest.Near(t, "second entry", float64(flat[1]), 1/math.Sqrt2, 1e-6)
}

// Shifts and scales of columns change neither the standardized rows nor the predictions, up to the rounding of the
// input.
func TestColumnsOfAnyNumbers(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(8, 1))
	x, truth := cloud(rng, n, 0.5, []float64{1, 0})
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v * 1000) }, x)
	want, _, _ := standardize(x)
	eng := enginetest.Open(t)
	wanted := expect.Must(expect.Must(FitPU(eng, x, truth, risk.CrossEntropy, Config{}))(t).Scores(x))(t)
	for _, other := range []struct{ offset, factor float64 }{
		{1e9, 1}, {-1e12, 1}, {1e15, 1}, {0, 1e200}, {0, 1e-200}, {0, 1e300}, {0, 1e-270},
	} {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, j int, v float64) float64 { return float64(1+j)*v*other.factor + other.offset }, y)
		got, _, _ := standardize(y)
		for i, v := range got {
			expect.Require(t, math.Abs(float64(v-want[i])) <= 1e-6, "%v: entry %d is %g, want %g", other, i, v, want[i])
		}
		scores := expect.Must(expect.Must(FitPU(eng, y, truth, risk.CrossEntropy, Config{}))(t).Scores(y))(t)
		rounding := 1e-3 + 1e-2*math.Abs(other.offset/other.factor)*0x1p-50
		for i, v := range scores {
			expect.Near(t, v, wanted[i], rounding, "%v", other)
		}
	}
}

// BenchmarkFit trains the linear probe for ten classes on 10,000 rows of 128 entries by 10 epochs of Adam in batches of
// 1024. peers/step.py compares other libraries.
func BenchmarkFit(b *testing.B) { benchmarkFit(b, 10_000, Config{Epochs: 10, Seed: 1}) }

// BenchmarkConverge trains the linear probe for ten classes on 100,000 rows of 128 entries to convergence.
// peers/step.py compares it with scikit-learn.
func BenchmarkConverge(b *testing.B) { benchmarkFit(b, 100_000, Config{}) }

func benchmarkFit(b *testing.B, n int, config Config) {
	eng := enginetest.Found(b)
	x, classes := hashedRows(n, 128, 10)
	var p *Probe
	fit := func() { p = expect.Must(Fit(eng, x, classes, 10, config))(b) }
	fit()
	var times []float64
	for b.Loop() {
		start := time.Now()
		fit()
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	logits := expect.Must(p.Logits(x))(b)
	loss := 0.0
	for i, class := range classes {
		loss += (floats.LogSumExp(logits.RawRowView(i)) - logits.At(i, class)) / float64(n)
	}
	b.ReportMetric(1e6*loss, "nats-millionths") // so that the digits are printed
}

// hashedRows returns rows with the classes in turn, as computed by peers/rows.py and testdata/make_logistic.py.
func hashedRows(n, d, classes int) (x *mat.Dense, class []int) {
	x, class = mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		class[i] = i % classes
		row := x.RawRowView(i)
		for j := range row {
			row[j] = hashedAt(float64(i*d+j+1)) + 0.15*hashedAt(float64(class[i]*d+j)+0.5)
		}
	}
	return x, class
}

// hashedAt returns a pseudo-random number from −1/2 to 1/2 that depends on x alone.
func hashedAt(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}
