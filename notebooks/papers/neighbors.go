package papers

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// judgedBy is how many neighbors vote: those of the code that the paper's authors published.
const judgedBy = 200

// nearest judges an encoder by [Neighbors]. The bank is its embeddings of all images of the task that are not held out, whose classes are
// known, whether the split drew them or not: so one and the same judge sits in all settings of a task, whatever their labels and priors.
func nearest(eng *engine.Engine, neighbors int, bank *mat.Dense, positive []bool, test *mat.Dense, truth []bool) (p experiment.Point, err error) {
	known, err := evaluate.SupervisedBinary(bank, positive)
	if err != nil {
		return p, fmt.Errorf("papers: %w", err)
	}
	read, err := evaluate.KNN{K: min(neighbors, known.Len()), Engine: eng}.ReadBinary(known, test, truth, 0.5)
	return experiment.Point{Head: Neighbors, Test: &read.Binary}, err
}
