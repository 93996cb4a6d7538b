package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// Rows and columns of the batches of the tasks below.
const pointRows, pointColumns = 8, 3

// points returns a batch of rows and a number for each, a function of the row.
func points(step int) (Batch, error) {
	rng := rand.New(rand.NewPCG(17, uint64(step)))
	x, y := make([]float32, pointRows*pointColumns), make([]float32, pointRows)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		y[i/pointColumns] += float32(i%pointColumns+1) * x[i]
	}
	return Batch{Examples: pointRows, Inputs: []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, pointRows, pointColumns), tensors.FromFlatDataAndDimensions(y, pointRows, 1),
	}}, nil
}

// line returns the graph of a network of one layer, in a scope of that name.
func line(name string) func(scope *model.Scope, inputs []*Node) *Node {
	return func(scope *model.Scope, inputs []*Node) *Node {
		return encoder.Dense(scope.In("%s", name), inputs[0], 1, true)
	}
}

// regression returns a task with one view of every example: a layer learns a linear function by squared errors. It
// represents methods other than pretraining.
func regression() Task {
	store := model.NewStore()
	encoder.SetSeed(store, 3)
	return Task{
		Store: store, Batch: points, Outputs: line("net"), Name: "regression", Data: "points",
		Loss: func(outputs *Node, inputs []*Node) *Node { return ReduceAllMean(Square(Sub(outputs, inputs[1]))) },
	}
}

// siblings returns a task of two networks, each in its own scope. One loss compares them with each other and one of
// them with the target.
func siblings() Task {
	task := regression()
	task.Outputs = func(scope *model.Scope, inputs []*Node) *Node {
		return Concatenate([]*Node{line("left")(scope, inputs), line("right")(scope, inputs)}, -1)
	}
	task.Loss = func(outputs *Node, inputs []*Node) *Node {
		left, right := column(outputs, 0), column(outputs, 1)
		return Add(ReduceAllMean(Square(Sub(left, right))), ReduceAllMean(Square(Sub(left, inputs[1]))))
	}
	return task
}

// column returns column i of x, shape [n, 1].
func column(x *Node, i int) *Node { return SliceAxis(x, 1, AxisElem(i)) }

// tally is a task's own state. Waiting and Names lose their initial values in the first step; gob does not write zero
// values.
type tally struct {
	Waiting bool
	Seen    []int
	Bias    float64
	Names   map[string]int
}

// tallied returns a regression whose state changes after every step, and a reading every other step.
func tallied() (Task, *tally) {
	task, state := regression(), &tally{Waiting: true, Names: map[string]int{"start": 1}}
	task.State = state
	task.AfterStep = func(done int) (*Reading, error) {
		state.Seen = append(state.Seen, done)
		value, err := task.Store.GetVariable("/net/bias").Value()
		if err != nil {
			return nil, err
		}
		state.Bias += float64(tensors.MustCopyFlatData[float32](value)[0])
		if done == 1 {
			state.Waiting = false
			delete(state.Names, "start")
		}
		state.Names["last"] = done
		if done%2 == 1 {
			return nil, nil
		}
		return &Reading{Step: done}, nil
	}
	return task, state
}

// runTask runs a task to its end.
func runTask(t *testing.T, eng *engine.Engine, task Task, settings Settings) *History {
	t.Helper()
	return expect.Must(Run(context.Background(), eng, task, settings))(t)
}

// interrupted runs a task in two parts that share only a checkpoint, and stops the first one after the given number of
// steps. It returns the second part with its history.
func interrupted(t *testing.T, eng *engine.Engine, task func() Task, settings Settings, after int) (Task, *History) {
	t.Helper()
	settings.Checkpoint = t.TempDir()
	ctx, observer := stopAfter(after)
	first := settings
	first.Observer = observer
	_, err := Run(ctx, eng, task(), first)
	expect.Require(t, errors.Is(err, context.Canceled), "stopped after %d steps: %v", after, err)
	second := task()
	return second, runTask(t, eng, second, settings)
}

// differing returns the networks' variables that differ between two tasks in any bit.
func differing(t *testing.T, a, b Task) (paths []string) {
	t.Helper()
	x, y := networkOf(t, a), networkOf(t, b)
	expect.That(t, len(x) != 0 && len(x) == len(y), "%d and %d variables", len(x), len(y))
	for path := range x {
		if !slices.Equal(x[path], y[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// taught returns a task whose student learns from the target and from a teacher, its own moving average.
func taught(momentum float64) Task {
	task := siblings()
	task.Outputs = func(scope *model.Scope, inputs []*Node) *Node {
		return Concatenate([]*Node{line("student")(scope, inputs), StopGradient(line("teacher")(scope, inputs))}, -1)
	}
	task.Trained, task.Networks = "student", []string{"student", "teacher"}
	task.AfterUpdate = MovingAverage("teacher", "student", momentum)
	return task
}

// The teacher must equal the average of the students after every step, computed by loops in float64: in whole batches,
// in micro-batches and on devices. It is not trainable, and the loss depends on it.
func TestMovingAverage(t *testing.T) {
	eng := enginetest.Open(t)
	ways := map[Compute][]float64{{}: {0, 0.6, 0.999, 1}, {MicroBatches: 2}: {0, 0.6, 0.999, 1}, {Devices: 2}: {0.6}}
	for way, momenta := range ways {
		eng := eng
		if way.Devices > 1 {
			if eng = enginetest.Preferred(t); eng.Backend.NumDevices() < way.Devices {
				continue
			}
		}
		for _, momentum := range momenta {
			task, settings := taught(momentum), plainSGD(0.05)
			settings.Steps, settings.Compute = 7, way
			teacher := map[string][]float64{}
			task.AfterStep = func(done int) (*Reading, error) {
				m := min(momentum, 1-1/float64(done))
				weights := networkOf(t, task)
				for _, name := range []string{"weights", "bias"} {
					for i, v := range weights["/student/"+name] {
						if done == 1 {
							teacher[name] = append(teacher[name], 0)
						}
						teacher[name][i] = m*teacher[name][i] + (1-m)*float64(v)
						near(t, fmt.Sprintf("%v, momentum %g, step %d: teacher's %s", way, momentum, done, name),
							float64(weights["/teacher/"+name][i]), teacher[name][i], 1e-6)
					}
				}
				return nil, nil
			}
			runTask(t, eng, task, settings)
			for _, name := range []string{"weights", "bias"} {
				expect.That(t, !task.Store.GetVariable("/teacher/"+name).Trainable, "the teacher's %s are trainable", name)
			}
		}
	}
	settings := plainSGD(0.05)
	settings.Steps = 4
	a, b := runTask(t, eng, taught(0), settings), runTask(t, eng, taught(0.9), settings)
	expect.That(t, a.Losses[3] != b.Losses[3], "the loss does not depend on the teacher's momentum")
}

// Teacher and count resume from a checkpoint bit-identically.
func TestMovingAverageResumesExactly(t *testing.T) {
	eng := enginetest.Open(t)
	settings := Settings{Steps: 6, LearningRate: 0.05}
	whole := taught(0.75)
	runTask(t, eng, whole, settings)
	for _, after := range []int{1, 3, 5} {
		again, _ := interrupted(t, eng, func() Task { return taught(0.75) }, settings, after)
		paths := differing(t, whole, again)
		expect.That(t, paths == nil, "stopped after %d: %v differ", after, paths)
	}
}

func TestMovingAverageErrors(t *testing.T) {
	eng := enginetest.Open(t)
	for want, update := range map[string]func(*model.Scope, *Graph){
		"momentum 1.5; it must lie between 0 and 1":              MovingAverage("teacher", "student", 1.5),
		"needs /tutor/weights with shape (Float32)[3, 1]":        MovingAverage("tutor", "student", 0.9),
		`scope "pupil", which has no trainable variable`:         MovingAverage("teacher", "pupil", 0.9),
		"as /student/weights has it; make the teacher's variabl": MovingAverage("tutor", "student", 0.9),
	} {
		task := taught(0.9)
		task.AfterUpdate = update
		names(t, want, expect.Err(Run(context.Background(), eng, task, Settings{Steps: 1})), want)
	}
}
