package pucl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
)

type riskVector struct {
	Risk struct {
		ClassPrior float64 `json:"class_prior"`
		Logits     []float64
		Labeled    []int
		Risks      map[string]struct {
			Value      float64
			GradLogits []float64 `json:"grad_logits"`
		}
	}
}

func TestRiskVectors(t *testing.T) {
	for _, path := range vectorFiles(t, "losses") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v riskVector
			readJSON(t, path, &v)
			labeled := make([]bool, len(v.Risk.Labeled))
			for i, l := range v.Risk.Labeled {
				labeled[i] = l == 1
			}
			for name, risk := range map[string]Risk{
				"uPU-logistic": UPU(v.Risk.ClassPrior, LogisticLoss), "uPU-sigmoid": UPU(v.Risk.ClassPrior, SigmoidLoss),
				"nnPU-logistic": NNPU(v.Risk.ClassPrior, LogisticLoss), "nnPU-sigmoid": NNPU(v.Risk.ClassPrior, SigmoidLoss),
			} {
				want, ok := v.Risk.Risks[name]
				if !ok {
					t.Errorf("the file holds no %s", name)
					continue
				}
				value, grad := riskValue(t, risk, v.Risk.Logits, labeled)
				near(t, name, value, want.Value, 1e-9)
				nearGradient(t, name, [][]float64{grad}, [][]float64{want.GradLogits}, 1e-9, 1)
			}
		})
	}
}

func riskValue(t *testing.T, risk Risk, logits []float64, labels []bool) (float64, []float64) {
	t.Helper()
	exec := MustNewExec(enginetest.Open(t).Backend, func(logits, labels *Node) (*Node, *Node) {
		value := risk(logits, labels)
		return value, Gradient(value, logits)[0]
	})
	out, err := exec.Call(logits, labels)
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Value().(float64), out[1].Value().([]float64)
}

func TestCrossEntropyByHand(t *testing.T) {
	value, grad := riskValue(t, CrossEntropy, []float64{0, math.Log(3), 800, -800}, []bool{true, false, true, true})
	// log 2, log 4, 0 and 800 nats; the gradient of a mean over four is (σ(t) − y)/4.
	near(t, "cross-entropy", value, (math.Log(2)+math.Log(4)+800)/4, 1e-12)
	for i, want := range []float64{-0.5 / 4, 0.75 / 4, 0, -1.0 / 4} {
		near(t, fmt.Sprint("gradient ", i), grad[i], want, 1e-12)
	}
}

func TestRisksOfOneKindOnlyAreFinite(t *testing.T) {
	logits := []float64{1, -2}
	for name, labels := range map[string][]bool{"all labeled": {true, true}, "none labeled": {false, false}} {
		for _, risk := range []Risk{UPU(0.3, LogisticLoss), NNPU(0.3, SigmoidLoss)} {
			value, grad := riskValue(t, risk, logits, labels)
			for _, x := range append(grad, value) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s: %g", name, x)
				}
			}
		}
	}
}

// cloud draws two Gaussian classes around ±centre, the first share of the rows positive.
func cloud(rng *rand.Rand, n int, positives float64, centre []float64) (*mat.Dense, []bool) {
	x, truth := mat.NewDense(n, len(centre), nil), make([]bool, n)
	for i := range n {
		truth[i] = float64(i) < positives*float64(n)
		sign := -1.0
		if truth[i] {
			sign = 1
		}
		for k, c := range centre {
			x.Set(i, k, sign*c+rng.NormFloat64())
		}
	}
	return x, truth
}

// For two unit Gaussians at ±μ with even shares the best linear classifier is 2μ·x, which logistic regression finds.
func TestProbeFindsTheBestLine(t *testing.T) {
	centre := []float64{0.8, -0.4, 0}
	x, truth := cloud(rand.New(rand.NewPCG(1, 1)), 20000, 0.5, centre)
	p, err := FitProbe(enginetest.Open(t), x, truth, CrossEntropy, ProbeConfig{L2: -1})
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range centre {
		if !(math.Abs(p.Weights[k]-2*c) <= 0.12) {
			t.Errorf("weight %d is %.3f, want %.1f", k, p.Weights[k], 2*c)
		}
	}
	if !(math.Abs(p.Bias) <= 0.1) {
		t.Errorf("bias %.3f, want 0", p.Bias)
	}
}

// With the true prior nnPU finds nearly the best classifier from labeled positives and unlabeled rows; with a prior far too
// high it calls too much positive, as the paper says.
func TestProbeWithNNPUDependsOnThePrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	centre := []float64{1.5, 0}
	unlabeled, truth := cloud(rng, 8000, 0.3, centre)
	positives, _ := cloud(rng, 2000, 1, centre)
	var x mat.Dense
	x.Stack(positives, unlabeled)
	labels := make([]bool, 10000)
	for i := range 2000 {
		labels[i] = true
	}
	accuracy := func(prior float64) Score {
		p, err := FitProbe(enginetest.Open(t), &x, labels, NNPU(prior, LogisticLoss), ProbeConfig{})
		if err != nil {
			t.Fatal(err)
		}
		predicted, err := p.Predict(unlabeled)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Evaluate(predicted, truth)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if right := accuracy(0.3); right.Accuracy < 0.92 {
		t.Errorf("with the true prior: %s", right)
	}
	if wrong := accuracy(0.8); wrong.Predicted < 0.4 {
		t.Errorf("with a prior of 0.8, %.0f%% are called positive; more were expected", 100*wrong.Predicted)
	}
}

func TestProbeRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	x := dense([][]float64{{1, 2}, {3, 4}})
	if _, err := FitProbe(eng, x, []bool{true}, CrossEntropy, ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "2 rows and 1 labels") {
		t.Errorf("labels that do not fit gave %v", err)
	}
	if _, err := FitProbe(eng, x, []bool{true, false}, NNPU(1.5, LogisticLoss), ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "prior") {
		t.Errorf("a prior of 1.5 gave %v", err)
	}
	if _, err := (&Probe{Weights: []float64{1}}).Predict(x); err == nil || !strings.Contains(err.Error(), "2 entries") {
		t.Errorf("rows that do not fit gave %v", err)
	}
	if _, err := FitProbe(eng, dense([][]float64{{math.NaN(), 2}, {3, 4}}), []bool{true, false}, CrossEntropy, ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Errorf("a feature that is no number gave %v", err)
	}
}

func TestStratifiedKeepsTheShareAndMissesNoRow(t *testing.T) {
	labels := make([]bool, 100)
	for i := range 7 {
		labels[i*11] = true
	}
	next := stratified(labels, 20, rand.New(rand.NewPCG(1, 1)))
	seen := map[int]int{}
	for range 50 {
		trues := 0
		for _, row := range next() {
			seen[row]++
			if labels[row] {
				trues++
			}
		}
		if trues != 1 { // 20·7/100, rounded
			t.Fatalf("%d of 20 rows are labeled, want 1", trues)
		}
	}
	for row := range labels {
		if seen[row] < 6 {
			t.Errorf("row %d was dealt %d times in 50 batches", row, seen[row])
		}
	}
}

func TestEvaluate(t *testing.T) {
	s, err := Evaluate([]bool{true, true, false, true}, []bool{true, false, false, true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Accuracy != 0.75 || s.Balanced != 0.75 || s.Predicted != 0.75 || s.N != 4 || s.Degenerate() {
		t.Errorf("%+v", s)
	}
	s, err = Evaluate([]bool{false, false, false}, []bool{true, false, false})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Degenerate() || s.Balanced != 0.5 || !strings.Contains(s.String(), "degenerate") {
		t.Errorf("%+v %s", s, s)
	}
	if _, err := Evaluate([]bool{true}, nil); err == nil {
		t.Error("one prediction for no example was scored")
	}
}

func TestOrientTakesTheClusterWithTheLabels(t *testing.T) {
	c := &Clustering{Positive: []float64{1}, Negative: []float64{2}, Labels: []bool{true, false}, Labeled: []bool{false, false, true}}
	if !c.Orient() || !c.Swapped || c.Positive[0] != 2 || c.Labels[0] || !c.Labels[1] || !c.Labeled[0] {
		t.Errorf("after orienting: %+v", c)
	}
	if c.Orient() {
		t.Error("oriented clusters were swapped again")
	}
}
