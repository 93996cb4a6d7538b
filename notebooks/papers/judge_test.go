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
)

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
