package papers

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// judgedBy is the number of neighbors that vote, as in the code published by the paper's authors.
const judgedBy = 200

// nearest evaluates an encoder by [Neighbors]. The bank has its embeddings of all images of the task that are not held
// out, with their true classes, whether or not the split drew them. All settings of a task therefore have the same
// evaluation, for all labels and priors.
func nearest(eng *engine.Engine, neighbors int, bank *mat.Dense, positive []bool, test *mat.Dense, truth []bool) (p experiment.Point, err error) {
	known, err := evaluate.SupervisedBinary(bank, positive)
	if err != nil {
		return p, fmt.Errorf("papers: %w", err)
	}
	read, err := evaluate.KNN{K: min(neighbors, known.Len()), Engine: eng}.ReadBinary(known, test, truth, 0.5)
	return experiment.Point{Head: Neighbors, Test: &read.Binary}, err
}
