package train

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Monitor says what is measured while training goes on: a [Reading] of the same examples every so many steps. Training gives the
// same numbers with and without. The zero value measures nothing.
//
// The examples are the first different ones that the batches hand out, unless some are given. A nearest-neighbor monitor
// looks for half of them among the other half, and knows which are labeled positives and nothing else: no true class is
// looked at unless Positive hands some in. All of a sample from the batches are examples that the encoder learns from; to
// watch what it makes of others, hold some out and give them here.
type Monitor struct {
	Every    int          // steps between two readings; the last step has one too; 0 means that there are none
	Examples int          // how many examples to take from the batches; 0 means 512
	KNN      evaluate.KNN // of the monitor; K 0 means a tenth of its bank
	Prior    float64      // class prior π of case-control data, for the measures that need one; 0 means unknown

	Pixels   []uint8    // images to measure instead of a sample of the batches, height×width×channels bytes each
	Features *mat.Dense // the same for PretrainFeatures, a row each; they are one view, so their alignment is not defined
	Labeled  []bool     // which of these are labeled positives
	Positive []bool     // which are positive in truth; nil keeps it from the monitor
}

// Reading is what a [Monitor] measured after some steps. The projections are what the loss compares, the embeddings what is
// used after training.
type Reading struct {
	Step        int               // steps done
	Projections evaluate.Collapse // of two views of every example
	Embeddings  evaluate.Collapse // of the same views

	// Monitor is the nearest-neighbor reading without one true class; nil where the examples are not two labeled and two
	// unlabeled ones at least.
	Monitor *evaluate.PUReading
	// Truth is the nearest-neighbor reading by the true classes that were handed in; nil where none were.
	Truth *evaluate.BinaryReading
}

// String returns all that was measured, a line each, and says so where the network has collapsed.
func (r Reading) String() string {
	text := fmt.Sprintf("after %d steps\n  projections: %s\n  embeddings: %s", r.Step, r.Projections, r.Embeddings)
	if r.Monitor != nil {
		text += "\n  " + r.Monitor.String()
	}
	if r.Truth != nil {
		text += "\n  " + r.Truth.String()
	}
	return text
}

// Brief returns what fits on a line of progress: "rank 23.1, kNN proxy AUC 81.2%".
func (r Reading) Brief() string {
	text := fmt.Sprintf("rank %.1f", r.Projections.EffectiveRank)
	if r.Projections.Collapsed() {
		text = "COLLAPSED, " + text
	}
	if r.Monitor != nil {
		text += fmt.Sprintf(", kNN proxy AUC %.1f%%", 100*r.Monitor.ProxyAUC)
	}
	if r.Truth != nil {
		text += fmt.Sprintf(", kNN by true classes %.1f%%", 100*r.Truth.Accuracy())
	}
	return text
}

// withDefaults fills in the zero fields.
func (m Monitor) withDefaults() Monitor {
	if m.Examples == 0 {
		m.Examples = 512
	}
	return m
}

// check returns an error if m cannot be followed.
func (m Monitor) check() error {
	given := m.Pixels != nil || m.Features != nil
	switch {
	case m.Every < 0:
		return fmt.Errorf("train: Monitor.Every is %d; it counts steps: give a positive number, or 0 for no readings", m.Every)
	case m.Examples < 0 || m.Examples == 1:
		return fmt.Errorf("train: Monitor.Examples is %d; one example alone has no spread: give 2 or more, or 0 for 512", m.Examples)
	case !(m.Prior >= 0 && m.Prior < 1):
		return fmt.Errorf("train: Monitor.Prior is %g; a class prior lies above 0 and below 1, and 0 says that it is not known", m.Prior)
	case m.KNN.K < 0 || !(m.KNN.Temperature >= 0):
		return fmt.Errorf("train: Monitor.KNN has K = %d and Temperature = %g; both must be positive, or 0 for the default", m.KNN.K, m.KNN.Temperature)
	case !given && (m.Labeled != nil || m.Positive != nil):
		return errors.New("train: Monitor has Labeled or Positive, but neither Pixels nor Features that they could belong to; give all or none")
	case m.Positive != nil && len(m.Positive) != len(m.Labeled):
		return fmt.Errorf("train: Monitor has %d entries in Labeled and %d in Positive; there must be one of each for every example",
			len(m.Labeled), len(m.Positive))
	}
	return nil
}

// due reports whether a reading is taken after step steps of a run.
func (m Monitor) due(step, steps int) bool {
	return m.Every > 0 && (step%m.Every == 0 || step == steps)
}
