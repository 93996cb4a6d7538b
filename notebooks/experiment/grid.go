package experiment

import (
	"context"

	"github.com/puclab/puclab/pucl/engine"
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
	Observer train.Observer // to be told how far the training is
}

// Outcome is what came of a run.
type Outcome struct {
	Record     train.Record
	Judgements []Judgement
}

// Judgement is what one classifier of a run, taken at the point that a rule chose, is worth on test examples.
type Judgement struct {
	Head string // what classifies: "PUPL (CE)"; "" where the method itself is a classifier
	Rule Rule   // how the point was chosen
	Step int    // steps done by then

	Accuracy, BalancedAccuracy, AUC float64 // shares between 0 and 1; NaN where not defined
	Degenerate                      bool    // it gives every example the same answer
}

// Rule is how the point of a run that counts is chosen.
type Rule string

// The rules. No rule but Oracle looks at a negative example.
const (
	Last          Rule = "last"           // the end of the run
	ProxyAccuracy Rule = "proxy accuracy" // evaluate.PU.ProxyAccuracy of held-out PU examples, which takes the class prior
	ProxyAUC      Rule = "proxy AUC"      // evaluate.PU.ProxyAUC of held-out PU examples
	Oracle        Rule = "oracle"         // accuracy on the test examples themselves, as published numbers mostly are
)
