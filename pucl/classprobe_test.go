package pucl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// blobs draws n rows of each of three classes, around (4, 0), (−2, 4) and (−2, −4), with noise of the given
// standard deviation and a column that never changes.
func blobs(rng *rand.Rand, n int, noise float64) (x *mat.Dense, classes []int) {
	centres := [][]float64{{4, 0}, {-2, 4}, {-2, -4}}
	x, classes = mat.NewDense(3*n, 3, nil), make([]int, 3*n)
	for i := range classes {
		c := i % 3
		classes[i] = c
		x.SetRow(i, []float64{100 + centres[c][0] + noise*rng.NormFloat64(), 0.1 * (centres[c][1] + noise*rng.NormFloat64()), 7})
	}
	return x, classes
}

// At the optimum the gradient of the regularised cross-entropy is zero. It is computed here with plain loops in float64, on
// standardised features.
func TestClassProbeEndsAtTheOptimum(t *testing.T) {
	x, classes := blobs(rand.New(rand.NewPCG(1, 1)), 40, 1)
	const l2 = 0.05
	p, err := FitClassProbe(enginetest.Open(t), x, classes, 3, ProbeConfig{Epochs: 400, L2: l2})
	if err != nil {
		t.Fatal(err)
	}
	n, k := x.Dims()
	mean, std := make([]float64, k), make([]float64, k)
	for j := range k {
		mean[j], std[j] = stat.MeanStdDev(mat.Col(nil, j, x), nil)
		if std[j] == 0 {
			std[j] = 1
		}
	}
	for class := range 3 {
		gradient, ofBias := make([]float64, k), 0.0
		for i := range n {
			total, own := 0.0, 0.0
			for other := range 3 {
				logit := p.Bias[other]
				for j := range k {
					logit += p.Weights.At(other, j) * x.At(i, j)
				}
				total += math.Exp(logit)
				if other == class {
					own = math.Exp(logit)
				}
			}
			excess := own / total
			if classes[i] == class {
				excess--
			}
			ofBias += excess / float64(n)
			for j := range k {
				gradient[j] += excess * (x.At(i, j) - mean[j]) / std[j] / float64(n)
			}
		}
		near(t, fmt.Sprint("gradient of bias ", class), ofBias, 0, 1e-3)
		for j := range k {
			gradient[j] += l2 * p.Weights.At(class, j) * std[j]
			near(t, fmt.Sprintf("gradient of weight %d, %d", class, j), gradient[j], 0, 1e-3)
		}
	}
	s, err := p.Score(x, classes)
	if err != nil {
		t.Fatal(err)
	}
	if s.Accuracy < 0.97 || s.Degenerate() {
		t.Errorf("three blobs that hardly overlap: %v", s)
	}
	logits, err := p.Logits(x)
	if err != nil {
		t.Fatal(err)
	}
	top, err := evaluate.TopK(logits, classes, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "top 1 of the logits", top, s.Accuracy, 1e-12)
}

// A step of next to no length leaves a probe where it was: features are standardised and the result folded back without loss.
func TestFineTuningStartsAtTheProbe(t *testing.T) {
	x, classes := blobs(rand.New(rand.NewPCG(2, 1)), 10, 1)
	start := &ClassProbe{Weights: mat.NewDense(3, 3, []float64{1, -20, 0.5, 0, 3, -1, 0.25, 7, 2}), Bias: []float64{-100, 3, 0}}
	kept := mat.DenseCopyOf(start.Weights)
	p, err := start.FineTune(enginetest.Open(t), x, classes, ProbeConfig{Epochs: 1, LearningRate: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	want, err := start.Logits(x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Logits(x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range classes {
		for class := range 3 {
			near(t, "logit", got.At(i, class), want.At(i, class), 1e-4)
		}
	}
	if _, err = start.FineTune(enginetest.Open(t), x, classes, ProbeConfig{Epochs: 3}); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(start.Weights, kept) || start.Bias[0] != -100 {
		t.Error("fine-tuning changed the probe that it started at")
	}
}

func TestProbeAsClasses(t *testing.T) {
	p := &Probe{Weights: []float64{2, -1}, Bias: 0.5}
	c, err := p.Classes()
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(3, 2, []float64{1, 1, 0, 3, -1, -4})
	binary, err := p.Logits(x)
	if err != nil {
		t.Fatal(err)
	}
	both, err := c.Logits(x)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := c.Predict(x)
	if err != nil {
		t.Fatal(err)
	}
	for i, logit := range binary {
		near(t, "difference of the two logits", both.At(i, 1)-both.At(i, 0), logit, 1e-12)
		if (predicted[i] == 1) != (logit > 0) {
			t.Errorf("row %d: class %d with logit %g", i, predicted[i], logit)
		}
	}
}

func TestProbeScores(t *testing.T) {
	p := &Probe{Weights: []float64{1}, Bias: -1}
	x := mat.NewDense(6, 1, []float64{4, 3, 2, 0.5, 0, -1}) // logits 3, 2, 1, −0.5, −1, −2
	b, err := p.Score(x, []bool{true, true, false, true, false, false})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", b.Accuracy(), 4.0/6, 1e-12)
	near(t, "AUC", b.AUC, 8.0/9, 1e-12)
	s, err := p.ScorePU(x, []bool{true, true, false, false, false, false}, evaluate.PUConfig{Prior: 0.25, Threshold: 9})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "proxy accuracy", s.ProxyAccuracy(), 1, 1e-12)
}

func TestClassProbeRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	fit := func(x *mat.Dense, labels []int, classes int, c ProbeConfig) error {
		_, err := FitClassProbe(eng, x, labels, classes, c)
		return err
	}
	zero, err := NewClassProbe(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	_, tune := zero.FineTune(eng, x, []int{0, 1}, ProbeConfig{})
	_, predict := zero.Predict(x)
	_, empty := new(ClassProbe).Logits(x)
	_, short := (&ClassProbe{Weights: x}).FineTune(eng, x, []int{0, 1}, ProbeConfig{})
	_, score := (&Probe{Weights: []float64{1}}).Score(x, []bool{true, false})
	for says, err := range map[string]error{
		"1 classes on rows of 2":  fit(x, []int{0, 0}, 1, ProbeConfig{}),
		"2 rows and 1 labels":     fit(x, []int{0}, 2, ProbeConfig{}),
		"row 1 has class 2":       fit(x, []int{0, 2}, 2, ProbeConfig{}),
		"-3 epochs":               fit(x, []int{0, 1}, 2, ProbeConfig{Epochs: -3}),
		"are the features finite": fit(mat.NewDense(2, 1, []float64{math.NaN(), 1}), []int{0, 1}, 2, ProbeConfig{}),
		"the probe is for 3":      tune,
		"was trained on 3":        predict,
		"was trained on 1":        score,
		"no weights; make one":    empty,
		"2 classes and 0 biases":  short,
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v does not say %q", err, says)
		}
	}
}

// The measures of collapse that are computed from matrices agree with those that losses are made of, in the graph.
func TestAlignmentAndUniformityAgreeWithTheGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	first, second := mat.NewDense(20, 5, nil), mat.NewDense(20, 5, nil)
	z := make([][]float64, 40)
	for i := range 20 {
		for j := range 5 {
			first.Set(i, j, rng.NormFloat64())
			second.Set(i, j, first.At(i, j)+0.3*rng.NormFloat64())
		}
		z[i], z[20+i] = first.RawRowView(i), second.RawRowView(i)
	}
	exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) (*Node, *Node) {
		v := Views{Z: z, Labeled: labeled}
		return Alignment(v), Uniformity(v)
	})
	out, err := exec.Call(z, make([]bool, 20))
	if err != nil {
		t.Fatal(err)
	}
	a, err := evaluate.Diagnose(first, second)
	if err != nil {
		t.Fatal(err)
	}
	b, err := evaluate.Diagnose(second, first)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "alignment", a.Alignment, out[0].Value().(float64), 1e-10)
	near(t, "uniformity", (a.Uniformity+b.Uniformity)/2, out[1].Value().(float64), 1e-10)
}

// Probes that are trained at once, by one program for rows of several shapes, are those that are trained one after the other.
func TestProbesTrainedAtOnce(t *testing.T) {
	eng := enginetest.Open(t)
	type fit struct {
		x      *mat.Dense
		labels []int
	}
	var fits []fit
	for i := range 8 {
		x, labels := blobs(rand.New(rand.NewPCG(uint64(i), 7)), 4+i%3, 1)
		fits = append(fits, fit{x, labels})
	}
	train := func(f fit) *ClassProbe {
		p, err := FitClassProbe(eng, f.x, f.labels, 3, ProbeConfig{Epochs: 20})
		if err != nil {
			t.Error(err)
			return &ClassProbe{Weights: mat.NewDense(1, 1, nil)}
		}
		return p
	}
	got := make([]*ClassProbe, len(fits))
	var all sync.WaitGroup
	for i, f := range fits {
		all.Go(func() { got[i] = train(f) })
	}
	all.Wait()
	for i, f := range fits {
		if want := train(f); !mat.Equal(got[i].Weights, want.Weights) || !slices.Equal(got[i].Bias, want.Bias) {
			t.Errorf("fit %d: %v, alone %v", i, got[i], want)
		}
	}
}
