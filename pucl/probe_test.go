package pucl

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/internal/enginetest"
	"github.com/puclab/puclab/pucl/risk"
)

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
	p, err := FitProbe(enginetest.Open(t), x, truth, risk.CrossEntropy, ProbeConfig{L2: -1})
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
		p, err := FitProbe(enginetest.Open(t), &x, labels, risk.NNPU(prior, risk.LogisticLoss), ProbeConfig{})
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
	if _, err := FitProbe(eng, x, []bool{true}, risk.CrossEntropy, ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "2 rows and 1 labels") {
		t.Errorf("labels that do not fit gave %v", err)
	}
	if _, err := FitProbe(eng, x, []bool{true, false}, risk.NNPU(1.5, risk.LogisticLoss), ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "prior") {
		t.Errorf("a prior of 1.5 gave %v", err)
	}
	if _, err := (&Probe{Weights: []float64{1}}).Predict(x); err == nil || !strings.Contains(err.Error(), "2 entries") {
		t.Errorf("rows that do not fit gave %v", err)
	}
	if _, err := FitProbe(eng, dense([][]float64{{math.NaN(), 2}, {3, 4}}), []bool{true, false}, risk.CrossEntropy, ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "finite") {
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
