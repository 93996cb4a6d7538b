package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/engine"
)

// PairGradients returns, for every pair of rows of a batch, the cosine and the derivative of the score of anchor i with
// respect to its cosine with j. Both are [m·b, m·b] and 0 for the pair of a row with itself. The pairs are free
// variables, as if one cosine could change alone. A positive entry is a repelling force, a negative entry an attracting
// one. It takes the arguments of [Objective.Value] and computes in float64.
//
// For [SSCL] the force between an anchor and a negative is exp(s_ij)/(τ·Z_i): the nearer and the smaller τ, the larger
// its share.
//
// Only a term's use of the similarities counts. The attraction of [Pairwise] and [AlignmentLoss], computed from the
// rows themselves, and [Objective].Whole do not count.
func (o Objective) PairGradients(eng *engine.Engine, z [][]float64, labeled []bool, tau float64) (cosine, gradient [][]float64, err error) {
	if _, err := o.Value(eng, z, labeled, tau); err != nil { // for its messages
		return nil, nil, err
	}
	exec, err := NewExec(eng.Backend, func(z, labeled *Node) []*Node {
		v := Views{Z: z, Labeled: labeled, Count: z.Shape().Dim(0) / labeled.Shape().Dim(0)}
		free := *v.Block(tau)
		free.Sim = MulScalar(free.Sim, 1) // a node of its own, so that terms work on the pairs and not on the rows
		score := ReduceAllSum(o.score(&free))
		return []*Node{MulScalar(free.Sim, tau), MulScalar(onlyWhere(free.Others, Gradient(score, free.Sim)[0]), 1/tau)}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("pucl: objective %q: %w", o.Name, engine.RootCause(err))
	}
	defer exec.Finalize()
	out, err := exec.Call(z, labeled)
	if err != nil {
		return nil, nil, fmt.Errorf("pucl: objective %q: %w", o.Name, engine.RootCause(err))
	}
	return out[0].Value().([][]float64), out[1].Value().([][]float64), nil
}
