package experiment

import (
	"context"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// Grid lists all runs behind a table or a figure. Grids may share runs: a shared run is done once.
type Grid struct {
	Name string // "table-1"
	Size Size
	Runs []Run
}

// Run is one training and its evaluations. Setting, Method and Seed name it and its result; Config and Version decide
// whether a result is current.
type Run struct {
	Setting string // "FMNIST-I, 1000 labeled"
	Method  string // "nnPU"
	Seed    uint64

	Config  any // a struct of all else that determines the numbers, which JSON can represent; compared by field
	Version int // of the method; it increases when its numbers change for the same Config
	Threads int // of the engine, which may change the last digits; 0 means one

	// Train does the run. It resumes from the state in the folder of the place, if there is any.
	Train func(ctx context.Context, eng *engine.Engine, place Place) (*Outcome, error)
}

// Place gives a run its folders and its observer.
type Place struct {
	// Folder is for checkpoints and other state to resume from; it exists, and is removed once the result is stored.
	Folder string
	// Keep is a folder for output that later studies can use, such as weights; "" if not wanted. It is not part of the
	// result.
	Keep     string
	Observer train.Observer // receives the progress of the training

	// Shared is a folder for common starting points of several runs of a size, such as an encoder that each run trains
	// further. It exists, and its files stay. A file there must have a name that identifies all its inputs, must be
	// written atomically, and must be recomputed if it is missing. "" means that there is no such folder.
	Shared string
}

// Outcome is the result of training a run.
type Outcome struct {
	Record train.Record
	Points []Point // in the order in which they were measured
}

// Point holds the measurements of a run after some of its steps.
type Point struct {
	Head string // the classifier: "PUPL (CE)"; "" if the method itself is a classifier
	Step int    // steps done at this point

	PU   *evaluate.PU     // on held-out PU examples; nil for none
	Test *evaluate.Binary // on test examples; nil for none
	// Many has test results for several classes; nil for none. Test and Many exclude each other.
	Many   *evaluate.Classes  `json:",omitempty"`
	Values map[string]float64 // other measurements, by name

	Answers Answers `json:"-"` // for each example of Test or Many; nil if unknown or not read, see [Store.Answers]

	// Failure is the reason why the head could not be fitted here, so that nothing was measured; "" for none.
	Failure string `json:",omitempty"`
}
