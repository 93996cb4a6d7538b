package papers

import (
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
)

// Of an embedding in which nothing can be clustered the heads that cluster say so, and the others are judged all the same.
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
	outcome, err := s.contrastive(objectives()[2], 1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	if err != nil || len(outcome.Points) != len(Heads()) {
		t.Fatalf("%v, %v", outcome, err)
	}
	for _, p := range outcome.Points {
		clusters := p.Head == PUPL || p.Head == Mixture
		if p.Head != PUPLOnZ && (clusters != strings.Contains(p.Failure, "collapsed") || clusters == (p.Test != nil)) {
			t.Errorf("%s: %q, %v", p.Head, p.Failure, p.Test)
		}
	}
}

// Of pseudo-labels a run keeps how many are right, and of PUPL's how many are others than the mixture's; of other heads neither.
func TestPseudoLabelsAreCounted(t *testing.T) {
	s := small()
	s.Points = 1
	outcome, err := s.contrastive(objectives()[2], 1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range outcome.Points {
		right, judged := p.Values[LabelsRight]
		share, compared := p.Values[Disagreement]
		clusters := p.Head == PUPL || p.Head == PUPLOnZ
		if judged != (clusters || p.Head == Mixture) || compared != clusters || right < 0 || right > 1 || share < 0 || share > 1 {
			t.Errorf("%s: %v", p.Head, p.Values)
		}
	}
	if got := agreeing([]bool{true, true, false, false}, []bool{true, false, false, true}, []bool{true, false, false, false}); got != 1./3 {
		t.Errorf("%g of three unlabeled rows are given the same label, want one", got)
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
		x, labels, minimized, err := e.head(head, 1)
		if err != nil || x != e.h || !slices.Equal(labels, want) || minimized == nil {
			t.Errorf("%s: labels %v on h: %v, %v", head, labels, x == e.h, err)
		}
	}
	e.Unknown = []bool{false, true, false, false}
	x, labels, _, err := e.head(Ceiling, 1)
	if err != nil || !slices.Equal(labels, []bool{true, true, false}) || !mat.Equal(x, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 1})) {
		t.Errorf("of the known classes: %v, %v, %v", labels, x, err)
	}
}
