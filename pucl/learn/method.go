package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Method is a way to train a classifier on positive and unlabeled examples. It is a value whose fields are its
// hyper-parameters; the zero value works.
type Method interface {
	// Check returns an error that names the field and the remedy if the method cannot train on such data. It is called
	// before any training, with the prior that Run will have.
	Check(data Data, prior float64) error
	// Train trains on data. Equal arguments give equal results on the same engine.
	Train(ctx context.Context, eng *engine.Engine, data Data, run Run) (*Trained, error)
	// String names the method and the values of all its hyper-parameters.
	String() string
}

// NeedsPrior reports whether Train requires Run.Prior: whether m has a method NeedsPrior() bool that returns true. Fit
// then estimates the prior, or reports that the data do not allow it.
func NeedsPrior(m Method) bool {
	needs, ok := m.(interface{ NeedsPrior() bool })
	return ok && needs.NeedsPrior()
}

// Run holds the arguments of one training that do not belong to the method.
type Run struct {
	Seed       uint64  // of everything random
	Prior      float64 // share of positives among the unlabeled examples, given or estimated; 0 if unknown
	Checkpoint string  // folder to save to and to resume from; "" means none
}

// Trained is the result of a method.
type Trained struct {
	Members []Member
	Prior   float64  // share of positives among the unlabeled examples that the method estimated itself; 0 for none
	Doubts  []string // reasons to distrust the result, each a sentence
}

// Member is a scorer of examples: trees, a linear classifier of the encoded rows, or a network with a linear classifier
// of its outputs. Several members decide by the mean of their logits.
type Member struct {
	Trees   *prior.Forest // of the encoded rows; Network and Head are nil beside it
	Network *train.Model  // nil for trees and for a linear classifier of the encoded rows
	Unit    bool          // the outputs of the network are scaled to length one before Head
	Head    *probe.Probe  // one output, the logit of the positive class
}

// check returns an error if a part of m is missing or holds a number that is not finite.
func (m Member) check() error {
	if m.Trees != nil {
		return cmp.Or(m.Trees.Check(), fault.If(m.Network != nil || m.Head != nil, "learn: a member of trees and of "+
			"a network; make two of it"))
	}
	outputs, _, err := m.Head.Shape()
	if err == nil {
		err = m.Head.Check()
	}
	if err != nil {
		return err
	}
	return fault.If(outputs != 1, "learn: a head of %d outputs; a classifier of positives against negatives has 1, "+
		"and probe.Binary makes 1 of 2",
		outputs)
}

// scores returns the logit of each example.
func (m Member) scores(eng *engine.Engine, programs *compiled, data Data) ([]float64, error) {
	if m.Trees != nil {
		return m.Trees.Scores(data.X)
	}
	x := data.X
	if m.Network != nil {
		if data.Images() {
			if err := m.Network.CheckShape(data.Shape.Height, data.Shape.Width, data.Shape.Channels); err != nil {
				return nil, err
			}
		}
		var err error
		if x, err = programs.embed(eng, m.Network, data); err != nil {
			return nil, err
		}
	}
	if m.Unit {
		x = rows.Unit(x)
	}
	return m.Head.Scores(x)
}

// Scores returns the mean logit of the members for each example, [n].
func (t *Trained) Scores(eng *engine.Engine, data Data) ([]float64, error) {
	return meanScores(eng, newCompiled(), t.Members, data)
}

func meanScores(eng *engine.Engine, programs *compiled, members []Member, data Data) ([]float64, error) {
	if len(members) == 0 {
		return nil, errors.New("learn: a classifier without members; pu.Fit trains one, and pu.Load reads one")
	}
	var mean []float64
	for _, m := range members {
		if err := m.check(); err != nil {
			return nil, err
		}
		own, err := m.scores(eng, programs, data)
		if err != nil {
			return nil, err
		}
		if mean == nil {
			mean = make([]float64, len(own))
		}
		floats.AddScaled(mean, 1/float64(len(members)), own)
	}
	if i := slices.IndexFunc(mean, math.IsNaN); i >= 0 {
		return nil, fmt.Errorf("learn: the score of example %d is NaN; the example lies too far from those of the "+
			"training: correct it, or leave it out", i)
	}
	return mean, nil
}
