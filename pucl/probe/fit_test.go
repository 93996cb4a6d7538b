package probe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/risk"
)

// cloud draws two Gaussian classes around ±center; the first rows, a share positives, are positive.
func cloud(rng *rand.Rand, n int, positives float64, center []float64) (*mat.Dense, []bool) {
	x, truth := mat.NewDense(n, len(center), nil), make([]bool, n)
	for i := range n {
		truth[i] = float64(i) < positives*float64(n)
		sign := -1.0
		if truth[i] {
			sign = 1
		}
		for k, c := range center {
			x.Set(i, k, sign*c+rng.NormFloat64())
		}
	}
	return x, truth
}

// blobs draws n rows of each of three classes, around (4, 0), (−2, 4) and (−2, −4), with noise of the given standard
// deviation and a constant column.
func blobs(rng *rand.Rand, n int, noise float64) (x *mat.Dense, classes []int) {
	centers := [][]float64{{4, 0}, {-2, 4}, {-2, -4}}
	x, classes = mat.NewDense(3*n, 3, nil), make([]int, 3*n)
	for i := range classes {
		c := i % 3
		classes[i] = c
		x.SetRow(i, []float64{100 + centers[c][0] + noise*rng.NormFloat64(), 0.1 * (centers[c][1] + noise*rng.NormFloat64()), 7})
	}
	return x, classes
}

// For two unit Gaussians at ±μ with equal shares the best linear classifier is 2μ·x, which logistic regression finds.
func TestFitPUFindsTheBestLine(t *testing.T) {
	center := []float64{0.8, -0.4, 0}
	x, truth := cloud(rand.New(rand.NewPCG(1, 1)), 20000, 0.5, center)
	p := expect.Must(FitPU(enginetest.Open(t), x, truth, risk.CrossEntropy, Config{L2: -1}))(t)
	for k, c := range center {
		expect.That(t, math.Abs(p.Weights.At(0, k)-2*c) <= 0.12,
			"weight %d is %.3f, want %.1f", k, p.Weights.At(0, k), 2*c)
	}
	expect.That(t, math.Abs(p.Bias[0]) <= 0.1, "bias %.3f, want 0", p.Bias[0])
}

// A batch of one row holds one label, but training uses both kinds over batches, so that the boundary lies between
// them.
func TestFitPUOnBatchesOfOneRow(t *testing.T) {
	x, truth := cloud(rand.New(rand.NewPCG(1, 3)), 400, 0.25, []float64{2, 0})
	p := expect.Must(FitPU(enginetest.Open(t), x, truth, risk.CrossEntropy, Config{Epochs: 3, BatchSize: 1}))(t)
	s := expect.Must(p.Score(x, truth))(t)
	expect.That(t, s.Accuracy() >= 0.95 && !s.Degenerate(), "two kinds that hardly overlap: %s", s)
}

// With the true prior nnPU nearly finds the best classifier from labeled positives and unlabeled rows. With a prior far
// too high it predicts too many positives, as the paper states.
func TestFitPUWithNNPUDependsOnThePrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	center := []float64{1.5, 0}
	unlabeled, truth := cloud(rng, 8000, 0.3, center)
	positives, _ := cloud(rng, 2000, 1, center)
	var x mat.Dense
	x.Stack(positives, unlabeled)
	labels := make([]bool, 10000)
	for i := range 2000 {
		labels[i] = true
	}
	score := func(prior float64) evaluate.Binary {
		p := expect.Must(FitPU(enginetest.Open(t), &x, labels, risk.NNPU(prior, risk.LogisticLoss), Config{}))(t)
		return expect.Must(p.Score(unlabeled, truth))(t)
	}
	right := score(0.3)
	expect.That(t, right.Accuracy() >= 0.92, "with the true prior: %s", right)
	if wrong := score(0.8); wrong.Predicted() < 0.4 {
		t.Errorf("with a prior of 0.8, %.0f%% are called positive; more were expected", 100*wrong.Predicted())
	}
}

// At the optimum the gradient of the regularized cross-entropy is zero, computed here with plain loops in float64 on
// standardized features.
func TestFitEndsAtTheOptimum(t *testing.T) {
	for _, eng := range enginetest.All(t) {
		t.Run(eng.Kind, func(t *testing.T) { checkOptimum(t, eng) })
	}
}

func checkOptimum(t *testing.T, eng *engine.Engine) {
	x, classes := blobs(rand.New(rand.NewPCG(1, 1)), 40, 1)
	const l2 = 0.05
	p := expect.Must(Fit(eng, x, classes, 3, Config{Epochs: 400, L2: l2}))(t)
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
		vectortest.Near(t, fmt.Sprint("gradient of bias ", class), ofBias, 0, 1e-3)
		for j := range k {
			gradient[j] += l2 * p.Weights.At(class, j) * std[j]
			vectortest.Near(t, fmt.Sprintf("gradient of weight %d, %d", class, j), gradient[j], 0, 1e-3)
		}
	}
	s := expect.Must(p.ScoreClasses(x, classes))(t)
	expect.That(t, s.Accuracy >= 0.97 && !s.Degenerate(), "three blobs that hardly overlap: %v", s)
	top := expect.Must(evaluate.TopK(expect.Must(p.Logits(x))(t), classes, 1))(t)
	vectortest.Near(t, "top 1 of the logits", top, s.Accuracy, 1e-12)
}

// Steps with a tiny learning rate leave a probe unchanged: standardizing and folding back lose nothing.
func TestTrainingStartsAtStart(t *testing.T) {
	eng := enginetest.Open(t)
	x, classes := blobs(rand.New(rand.NewPCG(2, 1)), 10, 1)
	labels := make([]bool, len(classes))
	for i, class := range classes {
		labels[i] = class == 1
	}
	three := &Probe{Weights: mat.NewDense(3, 3, []float64{1, -20, 0.5, 0, 3, -1, 0.25, 7, 2}), Bias: []float64{-100, 3, 0}}
	for _, tt := range []struct {
		start *Probe
		fit   func(Config) (*Probe, error)
	}{
		{three, func(c Config) (*Probe, error) { return Fit(eng, x, classes, 3, c) }},
		{one(-100, 1, -20, 0.5), func(c Config) (*Probe, error) { return FitPU(eng, x, labels, risk.CrossEntropy, c) }},
	} {
		kept, bias := mat.DenseCopyOf(tt.start.Weights), slices.Clone(tt.start.Bias)
		p := expect.Must(tt.fit(Config{Epochs: 1, LearningRate: 1e-12, Start: tt.start}))(t)
		want, got := expect.Must(tt.start.Logits(x))(t), expect.Must(p.Logits(x))(t)
		for i := range classes {
			for output := range bias {
				vectortest.Near(t, "logit", got.At(i, output), want.At(i, output), 1e-4)
			}
		}
		expect.Must(tt.fit(Config{Epochs: 3, Start: tt.start}))(t)
		expect.That(t, mat.Equal(tt.start.Weights, kept) && slices.Equal(tt.start.Bias, bias),
			"training changed the probe that it started at")
	}
}

// Probes trained concurrently by one program, for rows of several shapes, equal those trained one after the other.
func TestProbesTrainedAtOnce(t *testing.T) {
	eng := enginetest.Open(t)
	train := func(i int) *Probe {
		x, labels := blobs(rand.New(rand.NewPCG(uint64(i), 7)), 4+i%3, 1)
		p, err := Fit(eng, x, labels, 3, Config{Epochs: 20})
		if err != nil {
			t.Error(err)
			return one(0, 0)
		}
		return p
	}
	got := make([]*Probe, 8)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = train(i) })
	}
	all.Wait()
	for i, p := range got {
		if want := train(i); !mat.Equal(p.Weights, want.Weights) || !slices.Equal(p.Bias, want.Bias) {
			t.Errorf("probe %d: %v, trained by itself %v", i, p, want)
		}
	}
}

// Inputs that cannot be trained on or applied, and texts that the errors must contain.
func TestErrors(t *testing.T) {
	eng := enginetest.Open(t)
	x, bad := mat.NewDense(2, 2, []float64{1, 2, 3, 4}), mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()})
	infinite := mat.NewDense(2, 2, []float64{1, 2, 3, math.Inf(-1)})
	fit := func(x *mat.Dense, labels []int, classes int, c Config) error {
		_, err := Fit(eng, x, labels, classes, c)
		return err
	}
	fitPU := func(x *mat.Dense, r risk.Risk, c Config) error {
		_, err := FitPU(eng, x, []bool{true, false}, r, c)
		return err
	}
	holed := expect.Must(New(1, 2))(t)
	holed.Bias[0] = math.NaN()
	both := func(a, b bool) error { return expect.Err(FitPU(eng, x, []bool{a, b}, risk.CrossEntropy, Config{})) }
	wide, three := expect.Must(New(2, 3))(t), expect.Must(New(3, 2))(t)
	for says, err := range map[string]error{
		"output 0 has NaN at place 2 of its 2 weights and its bias; … finite numbers: Start":           fitPU(x, risk.CrossEntropy, Config{Start: holed}),
		"no weights; … make one with New, Fit or FitPU":                                                Config{Start: &Probe{}}.Check(),
		"0 labels are true and 2 are not; … a classifier learns from both":                             both(false, false),
		"2 labels are true and 0 are not; … a classifier learns from both":                             both(true, true),
		"1 classes; … Fit takes 2 or more":                                                             fit(x, []int{0, 0}, 1, Config{}),
		"2 rows and 1 labels … give one for each row, in the same order":                               fit(x, []int{0}, 2, Config{}),
		"row 1 has class 2 … 2 classes are numbered from 0 to 1":                                       fit(x, []int{0, 2}, 2, Config{}),
		"-3 epochs, 1024 rows a batch; … there must be 1 or more of both":                              fit(x, []int{0, 1}, 2, Config{Epochs: -3}),
		"1 rows; … a probe needs at least 2":                                                           fit(x.Slice(0, 1, 0, 2).(*mat.Dense), []int{0}, 2, Config{}),
		"learning rate -1 and L2 0.0001 … the rate must be positive, and both finite":                  fit(x, []int{0, 1}, 2, Config{Epochs: 1, LearningRate: -1}),
		"L2 NaN … the rate must be positive, and both finite":                                          fitPU(x, risk.CrossEntropy, Config{L2: math.NaN()}),
		"row 1 holds NaN in column 1 … rows must be finite: did training diverge?":                     fit(bad, []int{0, 1}, 2, Config{}),
		"row 1 holds -Inf in column 1 … rows must be finite: did training diverge?":                    fitPU(infinite, risk.CrossEntropy, Config{}),
		"at step 1; … a lower learning rate":                                                           fitPU(x, risk.CrossEntropy, Config{Epochs: 10, LearningRate: 1e38}),
		"2 outputs for rows of 3 entries, but 2 … Classes and Binary turn 1 output into 2 and back":    fit(x, []int{0, 1}, 2, Config{Start: wide}),
		"Start has 3 outputs for rows of 2 entries … Classes and Binary turn 1 output into 2 and back": fitPU(x, risk.CrossEntropy, Config{Start: three}),
		"no weights … make one with New, Fit or FitPU":                                                 fit(x, []int{0, 1}, 2, Config{Start: &Probe{}}),
		"no risk to minimize … risk.CrossEntropy on pseudo-labels":                                     fitPU(x, nil, Config{}),
		"the risk, at fit_test.go … no error":                                                          fitPU(x, func(_, _ *Node) *Node { panic("no error") }, Config{}),
		"it gives (Float64)[2]; … a risk is a scalar":                                                  fitPU(x, func(logits, _ *Node) *Node { return logits }, Config{}),
		"it returns nil; … a risk is a scalar":                                                         fitPU(x, func(_, _ *Node) *Node { return nil }, Config{}),
		"prior π = 1.5 is not between 0 and 1 … give the share of positives, known or estimated":       fitPU(x, risk.NNPU(1.5, risk.LogisticLoss), Config{}),
		"no engine given … engine.Open":                                                                expect.Err(Fit(nil, x, []int{0, 1}, 2, Config{})),
		"no rows given … embed at least one example":                                                   expect.Err(FitPU(eng, nil, nil, risk.CrossEntropy, Config{})),
		"0 outputs for rows of 3 entries … there must be 1 or more of both":                            expect.Err(New(0, 3)),
		"2 entries, the probe is for 3 … embed them with the model of its training":                    expect.Err(wide.Predict(x)),
		"2 rows and 1 true classes … give one for each row, in the same order":                         expect.Err(three.Score(x, []bool{true})),
		"2 rows and 3 true classes … give one for each row, in the same order":                         expect.Err(three.ScoreClasses(x, []int{0, 1, 2})),
		"2 rows and 0 labels … give one for each row, in the same order":                               expect.Err(three.ScorePU(x, nil, evaluate.ScoreConfig{})),
		"one score for each row takes 1 output, or 2 … the probe has 3":                                expect.Err(three.Scores(x)),
		"2 outputs is made of one of 1 … this one has 3: fit one of that number":                       expect.Err(three.Classes()),
		"1 outputs is made of one of 2 … this one has 3: fit one of that number":                       expect.Err(three.Binary()),
		"the logits of row 1 are [NaN] … did training diverge?":                                        expect.Err(one(0, 1, 1).Predict(bad)),
		"2 outputs and 0 biases … there must be one for each":                                          expect.Err((&Probe{Weights: x}).Logits(x)),
	} {
		refusal.Check(t, err, says)
	}
}

func TestLogitsOfNoRows(t *testing.T) {
	p := expect.Must(New(1, 2))(t)
	refusal.Check(t, refusal.Err(p.Logits(nil)), "no rows given … embed at least one example")
	refusal.Check(t, refusal.Err(p.Predict(nil)), "no rows given … embed at least one example")
}
