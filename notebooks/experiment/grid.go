package experiment

import (
	"context"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// Grid is every run that a table or a figure stands on. Grids may share runs: a run that stands in two of them is done once.
type Grid struct {
	Name string // "table-1"
	Size Size
	Runs []Run
}

// Run is one training and its judgements. Setting, Method and Seed name it and its result; Config and Version tell whether a
// result is still that of this run.
type Run struct {
	Setting string // "FMNIST-I, 1000 labeled"
	Method  string // "nnPU"
	Seed    uint64

	Config  any // a struct of everything else that the numbers follow from, which JSON can hold; compared field by field
	Version int // of the method: what changes its numbers for the same Config raises it
	Threads int // that the engine computes with, which may change the last digits; 0 means one

	// Train does the run. It goes on from what an earlier try left in the folder of the place, if anything.
	Train func(ctx context.Context, eng *engine.Engine, place Place) (*Outcome, error)
}

// Place is what a run is given.
type Place struct {
	Folder   string         // for checkpoints and whatever else lets the run go on; it is there, and goes when the result stands
	Keep     string         // folder for what later studies can use, as weights; "" where nobody wants it. It is no part of the result
	Observer train.Observer // to be told how far the training is

	// Shared is a folder for what several runs of a size begin with, such as an encoder that each of them trains further; it is there, and
	// what lies in it stays. A file in there must be named by all that it follows from, written whole or not at all, and be made anew by
	// who does not find it. "" means that there is none.
	Shared string
}

// Outcome is what came of a run.
type Outcome struct {
	Record train.Record
	Points []Point // in the order in which they were measured
}

// Point is what was measured of a run after some of its steps.
type Point struct {
	Head string // what classifies: "PUPL (CE)"; "" where the method itself is a classifier
	Step int    // steps done by then

	PU     *evaluate.PU       // on held-out PU examples; nil for none
	Test   *evaluate.Binary   // on test examples; nil for none
	Many   *evaluate.Classes  `json:",omitempty"` // on test examples of several classes; nil for none. Not both of Test and Many
	Values map[string]float64 // of what is no classifier, by their names

	Answers Answers `json:"-"` // to each example of Test or Many; nil where they are not known or not read, see [Store.Answers]

	Failure string `json:",omitempty"` // why the head could not be had here, and nothing was measured; "" where it was
}
