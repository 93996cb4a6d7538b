package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
)

// Task is the input of [Run]: the variables of a store, batches and a loss. [Pretrain] and fine-tuning are tasks. A
// user-defined task may have its own batches, its own loss, two networks (each in its own scope, made by Outputs), or a
// teacher that follows a student ([MovingAverage]).
//
// Everything in it may depend on the step and on the variables, and on nothing else: then an interrupted run ends with
// the same numbers as an uninterrupted one.
type Task struct {
	// Store holds the variables. The graphs create missing ones.
	Store *model.Store

	// Batch returns the batch of a step, which must depend on the step alone. It is called ahead of the steps, by one
	// goroutine.
	Batch func(step int) (Batch, error)

	// Outputs is the graph from the inputs of a batch to the input of its loss: a row for each example, or for each of
	// several views of every example, first all first views, then all second ones and so on. Every input has such rows.
	Outputs func(scope *model.Scope, inputs []*Node) *Node

	// Loss is the graph from all outputs of a batch to the loss, a scalar in float32. It makes no variables. With
	// Compute.MicroBatches, Outputs processes the parts of a batch one by one, and Loss all outputs together.
	Loss func(outputs *Node, inputs []*Node) *Node

	// AfterUpdate, if not nil, adds to the graph of a step the operations after the weight update, such as
	// [MovingAverage].
	AfterUpdate func(scope *model.Scope, g *Graph)

	// AfterStep, if not nil, is called after every step with the number of steps done; training waits meanwhile. A
	// returned Reading is added to the history. State holds anything that AfterStep itself collects.
	AfterStep func(done int) (*Reading, error)

	// State, if not nil, is a pointer to a value that gob can encode. It is saved with every checkpoint and restored
	// from it in full: fields that gob omits, such as unexported ones, are zero then.
	State any

	// Chance, if not nil, computes from the first batch the loss of a network with constant outputs.
	Chance func(first Batch) (float64, error)

	Trained  string   // scope of the trained variables; "" means all trainable ones
	Networks []string // scopes of the variables that must stay finite; nil means all trainable variables

	// Identity is a struct whose exported fields hold everything that determines the numbers, besides [Settings]: data,
	// losses, networks, seeds. A run resumes from a checkpoint only if the fields are equal; the error names the
	// differing ones.
	Identity any

	// Values for messages about the run.
	Name    string  // the name of the run: "pretraining"
	Example string  // the word for one example: "image"; "" means "example"
	Data    string  // a description of the batches
	Seed    uint64  // of weights and views
	Tau     float64 // temperature; 0 for none
}

// Batch is the data of one step.
type Batch struct {
	Inputs   []*tensors.Tensor // the inputs of the graphs: one row for each example or for each view of every example
	Examples int
}

// check returns an error if a part of t is missing.
func (t *Task) check() error {
	switch {
	case t.Store == nil || t.Batch == nil || t.Outputs == nil || t.Loss == nil:
		return errors.New("train: a task lacks a part; a task needs a Store, Batch, Outputs and Loss")
	case t.State != nil && (reflect.TypeOf(t.State).Kind() != reflect.Pointer || reflect.ValueOf(t.State).IsNil()):
		return fmt.Errorf("train: the State of a task is a %T; give a pointer, so that a checkpoint can be read back into it", t.State)
	case t.Identity != nil && reflect.TypeOf(t.Identity).Kind() != reflect.Struct:
		return fmt.Errorf("train: the Identity of a task is a %T; give a struct, whose fields are compared one by one", t.Identity)
	}
	return nil
}

// isNetwork reports whether v belongs to the networks, rather than to an optimizer.
func (t *Task) isNetwork(v *model.Variable) bool {
	if t.Networks == nil {
		return v.Trainable
	}
	for _, scope := range t.Networks {
		if strings.HasPrefix(v.Path(), "/"+scope+"/") {
			return true
		}
	}
	return false
}

// Settings configure [Run] for any task. The zero value works.
type Settings struct {
	Steps           int             // batches to train on; 0 means 1000
	LearningRate    float64         // maximum rate; 0 means 0.001, or the default of Optimizer
	Optimizer       optim.Optimizer // nil means gomlx's Adam
	Schedule        optim.Schedule  // of the rate; nil means optim.Cosine{}: a warm-up, then a half cosine that ends at 0
	Compute         Compute         // devices, precision, memory against time
	Checkpoint      string          // folder to save to and to resume from; "" means none
	CheckpointEvery int             // steps between checkpoints; 0 means 500
	SameEnvironment bool            // reject a checkpoint of another engine.Environment, instead of noting it
	Observer        Observer        // called at the start, after every step and at the end; may be nil
}

// WithDefaults returns s with its zero fields filled in, as [Run] does.
func (s Settings) WithDefaults() Settings {
	s.Steps, s.CheckpointEvery = cmp.Or(s.Steps, 1000), cmp.Or(s.CheckpointEvery, 500)
	if s.LearningRate == 0 {
		s.LearningRate = 1e-3
		if s.Optimizer != nil {
			s.LearningRate = s.Optimizer.PeakRate()
		}
	}
	if s.Schedule == nil {
		s.Schedule = optim.Cosine{}
	}
	if s.Observer == nil {
		s.Observer = OnStep(func(Progress) {})
	}
	return s
}

// check returns an error if s, defaults filled in, is invalid.
func (s Settings) check() error {
	switch {
	case s.Steps < 0 || s.CheckpointEvery < 0:
		return fmt.Errorf("train: Steps %d, CheckpointEvery %d: none may be negative, and 0 means the default", s.Steps, s.CheckpointEvery)
	case !(s.LearningRate >= 0) || math.IsInf(s.LearningRate, 1):
		return fmt.Errorf("train: learning rate %g; it must be a positive number (0 means 0.001, or what the Optimizer names)", s.LearningRate)
	}
	var optimizer error
	if s.Optimizer != nil {
		optimizer = s.Optimizer.Check()
	}
	return cmp.Or(named(optimizer), named(s.Schedule.Check(s.Steps)), s.Compute.Check())
}

// checkFor returns an error if the engine does not support s.
func (s Settings) checkFor(eng *engine.Engine) error {
	if err := eng.Check(); err != nil {
		return err
	}
	return s.Compute.checkEngine(eng)
}

// rate returns the learning rate of a step.
func (s Settings) rate(step int) float64 { return s.Schedule.Rate(s.LearningRate, step, s.Steps) }

// optimizerName describes the optimizer with all its parameters.
func (s Settings) optimizerName() string {
	if s.Optimizer == nil {
		return "Adam"
	}
	return s.Optimizer.String()
}

// Update describes the optimizer with all its parameters, and the schedule, as in the record of a run.
func (s Settings) Update() string {
	text := fmt.Sprintf("%s, rate up to %g, %s", s.optimizerName(), s.LearningRate, s.Schedule)
	if numbers := s.Compute.numbers(); numbers != "" {
		text += ", " + numbers
	}
	return text
}
