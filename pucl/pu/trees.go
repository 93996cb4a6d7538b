package pu

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/prior"
)

// Trees ranks rows by boosted trees of labeled positives against unlabeled rows, [prior.Trees], and sets the threshold
// as [Logistic] does.
type Trees struct {
	Trees prior.Trees
}

// String implements [Method].
func (m Trees) String() string {
	if m.Trees != (prior.Trees{}) {
		return fmt.Sprintf("Trees (%+v)", m.Trees)
	}
	return "Trees"
}

// Check implements [Method].
func (m Trees) Check(data learn.Data, given float64) error {
	return cmp.Or(rowsOnly("Trees", data), m.Trees.Check(), enoughForPrior("Trees", data, given))
}

// Train implements [Method].
func (m Trees) Train(_ context.Context, _ *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained, error) {
	return m.ranker().train(data, run)
}

func (m Trees) ranker() ranker {
	return ranker{repeats: 5, fit: func(x *mat.Dense, labeled []bool, seed uint64) (learn.Member, error) {
		forest, err := m.Trees.Fit(x, labeled, seed)
		return learn.Member{Trees: forest}, err
	}}
}

// Tabular is the default for rows: it ranks by [Trees] or by [Logistic], whichever separates labeled positives from
// unlabeled rows better out of fold. It uses Trees unless Logistic has a larger area under the curve. This requires no
// true class: with labels at random the area is π/2 + (1−π) times the area for positives against negatives, so both
// areas give the same order of the methods.
type Tabular struct{}

// String implements [Method].
func (Tabular) String() string { return "Tabular" }

// Check implements [Method].
func (Tabular) Check(data learn.Data, given float64) error {
	return cmp.Or(rowsOnly("Tabular", data), enoughForPrior("Tabular", data, given))
}

// Train implements [Method].
func (Tabular) Train(_ context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained, error) {
	best, most, scores := ranker{}, math.Inf(-1), []float64(nil)
	for _, r := range []ranker{Trees{}.ranker(), Logistic{}.ranker(eng)} {
		own, err := r.outOfFold(data, run.Seed)
		if err != nil {
			return nil, err
		}
		auc, err := evaluate.AUC(own, data.Labeled)
		if err != nil {
			return nil, err
		}
		if auc > most {
			best, most, scores = r, auc, own
		}
	}
	return best.cut(data, run, scores)
}
