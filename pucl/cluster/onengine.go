package cluster

import (
	"cmp"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/puclab/puclab/pucl/engine"
)

// newComparison returns a computation of the best score of each row of a buffer and of the slot of the best center.
func newComparison(eng *engine.Engine) (*graph.Exec, error) {
	return graph.NewExec(eng.Backend, func(x, centers, half *graph.Node) (best, at *graph.Node) {
		scores := graph.Sub(graph.ExpandAxes(half, 0), graph.DotGeneral(x, []int{1}, nil, centers, []int{1}, nil))
		return graph.ReduceMin(scores, 1), graph.ArgMin(scores, 1, dtypes.Int32)
	})
}

// onEngine compares all rows of a piece with all centers on the engine.
func (a *nearest) onEngine(p *piece) error {
	best, at, err := a.exec.Call2(p.tensor, a.centers.tensor, a.centers.half)
	if err != nil {
		return fmt.Errorf("cluster: comparing rows with centers: %w", err)
	}
	defer best.MustFinalizeAll()
	defer at.MustFinalizeAll()
	var unread error
	err = tensors.ConstFlatData(best, func(best []float32) {
		unread = tensors.ConstFlatData(at, func(at []int32) {
			inChunks(len(a.workers), p.n, func(by, first, end int) {
				w := a.workers[by]
				for i := first; i < end; i++ {
					w.settle(a, p, i, winner{best: best[i], slot: at[i]})
				}
				w.move(p)
			})
		})
	})
	return cmp.Or(err, unread)
}
