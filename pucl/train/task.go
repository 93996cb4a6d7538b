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

// Task is what [Run] trains: the variables of a store, by batches and a loss. [Pretrain] and fine-tuning are tasks; so is a
// method with batches of its own, a loss of its own, two networks (each in a scope of its own, made by Outputs), or a teacher
// that follows a student ([MovingAverage]).
//
// All of it may depend on the step and on the variables, and on nothing else: then a run that was interrupted ends in the
// same numbers as one that was not.
type Task struct {
	// Store holds the variables. The graphs make those that are not there yet.
	Store *model.Store

	// Batch returns the batch of a step, which must depend on the step alone. It is called ahead of the steps, by one
	// goroutine.
	Batch func(step int) (Batch, error)

	// Outputs is the graph from the inputs of a batch to what its loss is made of: a row for each example, or for each of
	// several views of every example, first all first views, then all second ones and so on. Every input has rows likewise.
	Outputs func(scope *model.Scope, inputs []*Node) *Node

	// Loss is the graph from all outputs of a batch to the loss, a scalar in float32. It makes no variables. With
	// Compute.MicroBatches, Outputs sees the parts of a batch one by one, and Loss all outputs together.
	Loss func(outputs *Node, inputs []*Node) *Node

	// AfterUpdate, if not nil, adds to the graph of a step what follows the move of the weights, such as [MovingAverage].
	AfterUpdate func(scope *model.Scope, g *Graph)

	// AfterStep, if not nil, is called after every step with the number of steps done, and training stands still meanwhile.
	// What it returns, if anything, comes into the history. What it gathers itself belongs into State.
	AfterStep func(done int) (*Reading, error)

	// State, if not nil, is a pointer to what gob can encode. It is saved with every checkpoint and read back from it, all of it:
	// what gob leaves out, such as fields that are not exported, is zero then.
	State any

	// Chance, if not nil, works out from the first batch the loss of a network that tells nothing apart.
	Chance func(first Batch) (float64, error)

	Trained  string   // scope whose variables are trained; "" means all that are trainable
	Networks []string // scopes of the variables that must stay finite; nil means all trainable variables

	// Identity is a struct whose exported fields say what the numbers follow from, beside what [Settings] say: data, losses,
	// networks, seeds. A checkpoint is taken up only by a run of equal fields, and the error names those that differ.
	Identity any

	// What messages say of the run.
	Name    string  // what it is called: "pretraining"
	Example string  // what one example is called: "image"; "" means "example"
	Data    string  // what the batches are, in their own words
	Seed    uint64  // of weights and views
	Tau     float64 // temperature; 0 where there is none
}

// Batch is what one step learns from.
type Batch struct {
	Inputs   []*tensors.Tensor // what the graphs take: one row for each example or for each view of every example
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

// Settings say how [Run] trains, whatever the task. The zero value works.
type Settings struct {
	Steps           int             // batches to learn from; 0 means 1000
	LearningRate    float64         // at its height; 0 means 0.001, or what Optimizer names
	Optimizer       optim.Optimizer // nil means gomlx's Adam
	Schedule        optim.Schedule  // of the rate; nil means optim.Cosine{}: a warm-up, then a half cosine that ends at 0
	Compute         Compute         // how the work is done: devices, precision, memory against time
	Checkpoint      string          // folder to save to and to resume from; "" means none
	CheckpointEvery int             // steps between checkpoints; 0 means 500
	SameEnvironment bool            // do not go on from a checkpoint of another engine.Environment, instead of noting it
	Observer        Observer        // is told of the start, of every step and of the end; may be nil
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

// check returns an error if s, defaults filled in, cannot be followed.
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

// checkFor returns an error if the engine cannot do what s asks for.
func (s Settings) checkFor(eng *engine.Engine) error {
	if err := eng.Check(); err != nil {
		return err
	}
	return s.Compute.checkEngine(eng)
}

// rate returns the learning rate of a step.
func (s Settings) rate(step int) float64 { return s.Schedule.Rate(s.LearningRate, step, s.Steps) }

// optimizerName names the optimizer with all its numbers.
func (s Settings) optimizerName() string {
	if s.Optimizer == nil {
		return "Adam"
	}
	return s.Optimizer.String()
}

// Update names the optimizer with all its numbers, and the schedule, as the record of a run has them.
func (s Settings) Update() string {
	text := fmt.Sprintf("%s, rate up to %g, %s", s.optimizerName(), s.LearningRate, s.Schedule)
	if numbers := s.Compute.numbers(); numbers != "" {
		text += ", " + numbers
	}
	return text
}
