package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
)

// Value returns the loss of one batch given as plain numbers, in float64: embeddings [m·b, d], all first views before all second
// views, and which of the b examples are labeled positives. It is for a look at a loss and for checks by hand; training
// builds [Objective.Loss] into its own graph. Objectives that need the classes have [Objective.ValueOfClasses].
func (o Objective) Value(eng *engine.Engine, z [][]float64, labeled []bool, tau float64) (float64, error) {
	if len(labeled) == 0 || len(z)%len(labeled) != 0 {
		return 0, fmt.Errorf("pucl: %d rows for %d examples; there must be the same number of views, two or more, of each", len(z), len(labeled))
	}
	return o.value(eng, tau, func(in []*Node) Views { return Views{Z: in[0], Labeled: in[1]} }, z, labeled)
}

// ValueOfClasses is [Objective.Value] for a batch whose true classes are known, one number for each example; no example
// is labeled.
func (o Objective) ValueOfClasses(eng *engine.Engine, z [][]float64, class []int32, tau float64) (float64, error) {
	if len(class) == 0 || len(z)%len(class) != 0 {
		return 0, fmt.Errorf("pucl: %d rows for %d examples; there must be the same number of views, two or more, of each", len(z), len(class))
	}
	return o.value(eng, tau, func(in []*Node) Views {
		return Views{Z: in[0], Labeled: NotEqual(in[1], in[1]), Class: in[1]}
	}, z, class)
}

func (o Objective) value(eng *engine.Engine, tau float64, views func([]*Node) Views, in ...any) (float64, error) {
	out, err := ExecOnce(eng.Backend, func(in []*Node) *Node {
		v := views(in)
		v.Count = v.Z.Shape().Dim(0) / v.Labeled.Shape().Dim(0)
		return o.Loss(v, tau)
	}, in...)
	if err != nil {
		return 0, fmt.Errorf("pucl: %w", err)
	}
	return tensors.ToScalar[float64](out), nil
}
