package papers

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Neighbors is how Figures 4 and 11 judge an encoder, beside the [Heads]: by the nearest neighbors of test images among images of which
// all classes are known. It is no method either. The images are all those not held out, drawn into the split or not, so that one and the
// same judge sits in all settings of a task, whatever their labels and class priors.
const Neighbors = "kNN, all true labels"

// judgedBy is how many neighbors vote: those of the code that the paper's authors published.
const judgedBy = 200

// nearest judges an encoder that embeds the images not held out as bank, which of them are positive being known, and test images.
func nearest(eng *engine.Engine, neighbors int, bank *mat.Dense, positive []bool, test *mat.Dense, truth []bool) (p experiment.Point, err error) {
	known, err := evaluate.SupervisedBinary(bank, positive)
	if err != nil {
		return p, fmt.Errorf("papers: %w", err)
	}
	read, err := evaluate.KNN{K: min(neighbors, known.Len()), Engine: eng}.ReadBinary(known, test, truth, 0.5)
	return experiment.Point{Head: Neighbors, Test: &read.Binary}, err
}
