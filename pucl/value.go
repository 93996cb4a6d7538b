package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
)

// Value is the loss of one batch given as plain numbers, in float64: embeddings [m·b, d], all first views before all second
// views, and which of the b examples are labeled positives. It is for a look at a loss and for checks by hand; training
// builds [Objective.Loss] into its own graph.
func (o Objective) Value(eng *engine.Engine, z [][]float64, labeled []bool, tau float64) (float64, error) {
	if len(labeled) == 0 || len(z)%len(labeled) != 0 {
		return 0, fmt.Errorf("pucl: %d rows for %d examples; there must be the same number of views, two or more, of each", len(z), len(labeled))
	}
	out, err := CallOnce(eng.Backend, func(z, labeled *Node) *Node {
		return o.Loss(Views{Z: z, Labeled: labeled, Count: z.Shape().Dim(0) / labeled.Shape().Dim(0)}, tau)
	}, z, labeled)
	if err != nil {
		return 0, fmt.Errorf("pucl: %w", err)
	}
	return tensors.ToScalar[float64](out), nil
}
