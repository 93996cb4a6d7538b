package theory

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/must"
)

// AnchorLosses returns what the objective makes of every single row of some multi-viewed batches, in float64: entry [k][i]
// is repel − attract of row i of batch k, and the mean over i is the batch's loss. It is for batches laid out by hand, where
// a [Population] cannot say what is wanted.
//
// All batches have the same number of rows: 2b of them, the first views of all examples before all second views. labeled
// tells which of the b examples are labeled positives, class the true class of each, the same in all batches; class may be
// nil for objectives that do not look at it. A row of zeros has no direction, and similarity 0 to everything.
func AnchorLosses(eng *engine.Engine, o pucl.Objective, batches [][][]float64, labeled []bool, class []int32,
	tau float64) (losses [][]float64, err error) {
	defer must.Catch(&err)
	must.Do(checkMeasurable(eng, o, tau))
	if len(batches) == 0 || len(labeled) == 0 {
		return nil, fmt.Errorf("theory: %d batches of %d examples; there must be at least one of each", len(batches), len(labeled))
	}
	if class = orZeros(class, len(labeled)); len(class) != len(labeled) {
		return nil, fmt.Errorf("theory: %d classes for %d examples; there must be one for each", len(class), len(labeled))
	}
	rows := 2 * len(labeled)
	var z []float64
	for k, batch := range batches {
		if len(batch) != rows {
			return nil, fmt.Errorf("theory: batch %d has %d rows; with %d examples, two views each, it must have %d", k, len(batch),
				len(labeled), rows)
		}
		for i, row := range batch {
			if len(row) == 0 || len(row) != len(batches[0][0]) {
				return nil, fmt.Errorf("theory: row %d of batch %d has %d coordinates, the first row of all has %d", i, k, len(row),
					len(batches[0][0]))
			}
			z = append(z, row...)
		}
	}
	out, err := ExecOnce(eng.Backend, func(z, labeled, class *Node) *Node {
		return o.PerAnchor(pucl.Views{Z: z, Labeled: labeled, Class: class}, tau)
	}, tensors.FromFlatDataAndDimensions(z, len(batches), rows, len(batches[0][0])),
		tensors.FromFlatDataAndDimensions(slices.Repeat(labeled, len(batches)), len(batches), len(labeled)),
		tensors.FromFlatDataAndDimensions(slices.Repeat(class, len(batches)), len(batches), len(labeled)))
	if err != nil {
		return nil, fmt.Errorf("theory: scoring the rows of %d batches: %w", len(batches), err)
	}
	return slices.Collect(slices.Chunk(flatten(out), rows)), nil
}

// orZeros returns class, or n zeros where it is nil.
func orZeros(class []int32, n int) []int32 {
	if class == nil {
		return make([]int32, n)
	}
	return class
}
