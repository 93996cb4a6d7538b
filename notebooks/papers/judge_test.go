package papers

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// pointOf returns a point with that recall, share of unlabeled images predicted positive and proxy AUC, and with right test
// images of 10, half of them positive, all errors being on positives.
func pointOf(head string, step int, recall, predicted, proxyAUC float64, right int) point {
	return point{
		Head: head, Step: step,
		PU: evaluate.PU{Recall: recall, Predicted: predicted, ProxyAUC: proxyAUC, Prior: 0.5, Labeled: 10, Unlabeled: 10},
		Test: evaluate.Binary{
			Confusion: evaluate.Confusion{TruePositive: right - 5, FalseNegative: 10 - right, TrueNegative: 5}, AUC: float64(step) / 10,
		},
	}
}

// Each rule takes its own point, head by head.
func TestJudgements(t *testing.T) {
	all, err := judgements([]point{
		pointOf("a", 1, 0.9, 0.4, 0.6, 7), pointOf("b", 1, 0.5, 0.5, 0.5, 5), // proxy accuracy 2·½·0.9 + 0.6 − ½ = 1
		pointOf("a", 2, 0.5, 0.4, 0.8, 6), pointOf("b", 2, 0.5, 0.5, 0.5, 8),
		pointOf("a", 3, 0.4, 0.4, 0.5, 9), pointOf("b", 3, 0.6, 0.5, 0.6, 6),
		pointOf("a", 4, 0.3, 0.4, 0.4, 8),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []experiment.Judgement{
		{Head: "a", Rule: experiment.Last, Step: 4, Accuracy: 0.8, BalancedAccuracy: 0.8, AUC: 0.4},
		{Head: "a", Rule: experiment.ProxyAccuracy, Step: 1, Accuracy: 0.7, BalancedAccuracy: 0.7, AUC: 0.1},
		{Head: "a", Rule: experiment.ProxyAUC, Step: 2, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.2},
		{Head: "a", Rule: experiment.Oracle, Step: 3, Accuracy: 0.9, BalancedAccuracy: 0.9, AUC: 0.3},
		{Head: "b", Rule: experiment.Last, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: experiment.ProxyAccuracy, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: experiment.ProxyAUC, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: experiment.Oracle, Step: 2, Accuracy: 0.8, BalancedAccuracy: 0.8, AUC: 0.2},
	}
	if len(all) != len(want) {
		t.Fatalf("%d judgements, want %d", len(all), len(want))
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("%+v, want %+v", all[i], want[i])
		}
	}
}

// The head that takes unlabeled images for negative ones is degenerate here, and said to be.
func TestDegenerate(t *testing.T) {
	p := pointOf("", 1, 0, 0, 0.5, 5)
	p.Test.Confusion = evaluate.Confusion{FalseNegative: 3, TrueNegative: 7} // all predicted negative
	all, err := judgements([]point{p})
	if err != nil || len(all) != 4 || !all[0].Degenerate || all[0].Accuracy != 0.7 || all[0].BalancedAccuracy != 0.5 {
		t.Errorf("%+v, %v", all, err)
	}
}

// An embedding in which nothing can be clustered is what became of the run, and no mistake that ends a grid.
func TestCollapseIsAResult(t *testing.T) {
	s := small()
	s.Pretrain.Steps, s.Points = 1, 1
	s.Encoder = encoder.Func{Name: "zeros but in training", Graph: func(scope *model.Scope, x *graph.Node, training bool) *graph.Node {
		h := encoder.MLP{Hidden: []int{}, Dim: 8}.Embed(scope, x, training)
		if !training {
			h = graph.ZerosLike(h)
		}
		return h
	}}
	_, err := s.contrastive(objectives()[2], 1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	var failure *experiment.Failure
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), "collapsed") {
		t.Error(err)
	}
}

// Each head learns from its own labels. Of four rows, the first of them labeled, h has the second beside it and z the third.
func TestHeads(t *testing.T) {
	e := embedded{
		h: mat.NewDense(4, 2, []float64{1, 0, 1, 0, 0, 1, 0, 1}), z: mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1}),
		part: part{Split: &datasets.Split{
			Labeled: []bool{true, false, false, false}, Positive: []bool{true, true, true, false}, Prior: 0.5,
		}},
	}
	for head, want := range map[string][]bool{
		PUPL: {true, true, false, false}, PUPLOnZ: {true, false, true, false}, NNPU: e.Labeled, Naive: e.Labeled, Ceiling: e.Positive,
	} {
		x, labels, minimized, err := e.head(head, 1, 1)
		if err != nil || x != e.h || !slices.Equal(labels, want) || minimized == nil {
			t.Errorf("%s: labels %v on h: %v, %v", head, labels, x == e.h, err)
		}
	}
	e.Unknown = []bool{false, true, false, false}
	x, labels, _, err := e.head(Ceiling, 1, 1)
	if err != nil || !slices.Equal(labels, []bool{true, true, false}) || !mat.Equal(x, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 1})) {
		t.Errorf("of the known classes: %v, %v, %v", labels, x, err)
	}
}
