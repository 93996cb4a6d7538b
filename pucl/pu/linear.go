package pu

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
)

// Logistic ranks rows by logistic regression of labeled positives against unlabeled rows, and classifies as positive
// the share π of the unlabeled rows that ranks highest. The call gives the class prior π, or it is the [prior.BBE] of
// out-of-fold scores. The positive and the unlabeled rows have equal total weight.
//
// The ranking is correct if positives are labeled at random, because P(labeled | x) then increases with P(positive |
// x).
//
// Source: Charles Elkan and Keith Noto, "Learning Classifiers from Only Positive and Unlabeled Data", KDD 2008.
type Logistic struct {
	L2 float64 // times ‖w‖²/2 is added to the mean loss, for standardized features; 0 means 1e-3
}

// String implements [Method].
func (m Logistic) String() string {
	if m.L2 != 0 {
		return fmt.Sprintf("Logistic (L2 %g)", m.L2)
	}
	return "Logistic"
}

// Check implements [Method].
func (m Logistic) Check(data learn.Data, given float64) error {
	if err := rowsOnly("Logistic", data); err != nil {
		return err
	}
	if err := fault.If(m.L2 < 0 || math.IsNaN(m.L2) || math.IsInf(m.L2, 0), "pu: Logistic with L2 %g; it must be at "+
		"least 0 and finite, and 0 means 1e-3",
		m.L2); err != nil {
		return err
	}
	return enoughForPrior("Logistic", data, given)
}

// Train implements [Method].
func (m Logistic) Train(_ context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained, error) {
	return m.ranker(eng).train(data, run)
}

func (m Logistic) ranker(eng *engine.Engine) ranker {
	return ranker{repeats: 1, fit: func(x *mat.Dense, labeled []bool, _ uint64) (learn.Member, error) {
		p, err := probe.FitPU(eng, x, labeled, risk.PN(risk.LogisticLoss), probe.Config{L2: cmp.Or(m.L2, 1e-3)})
		return learn.Member{Head: p}, err
	}}
}

// Linear trains a linear classifier of rows by an unbiased (uPU) or non-negative (nnPU) risk. Both require the class
// prior, which is estimated unless the call gives it.
//
// Source: M. C. du Plessis, G. Niu and M. Sugiyama, "Convex Formulation for Learning from Positive and Unlabeled Data",
// ICML 2015; R. Kiryo and others, "Positive-Unlabeled Learning with Non-Negative Risk Estimator", NIPS 2017.
type Linear struct {
	Unbiased bool         // uPU instead of nnPU
	Probe    probe.Config // Seed is that of the call
}

// NeedsPrior reports whether Train requires a class prior; see [learn.NeedsPrior].
func (Linear) NeedsPrior() bool { return true }

// String implements [Method].
func (m Linear) String() string {
	if m.Unbiased {
		return "linear uPU"
	}
	return "linear nnPU"
}

// Check implements [Method].
func (m Linear) Check(data learn.Data, _ float64) error {
	return cmp.Or(rowsOnly(m.String(), data), m.Probe.Check())
}

// Train implements [Method].
func (m Linear) Train(_ context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained, error) {
	m.Probe.Seed = run.Seed
	minimized := risk.NNPU(run.Prior, risk.LogisticLoss)
	if m.Unbiased {
		minimized = risk.UPU(run.Prior, risk.LogisticLoss)
	}
	p, err := probe.FitPU(eng, data.X, data.Labeled, minimized, m.Probe)
	if err != nil {
		return nil, err
	}
	return &learn.Trained{Members: []learn.Member{{Head: p}}}, nil
}
