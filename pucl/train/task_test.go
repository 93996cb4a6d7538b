package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/optim"
)

// plainSGD returns settings of plain gradient descent at a constant rate.
func plainSGD(rate float64) Settings {
	return Settings{Optimizer: optim.SGD{Momentum: -1, WeightDecay: -1}, Schedule: optim.Constant{}, LearningRate: rate}
}

// One loss compares two networks in two scopes and trains both: each moves along the slope of the loss at its weights.
func TestTwoNetworks(t *testing.T) {
	eng := enginetest.Open(t)
	weights := func(rate float64) map[string][]float32 {
		task, settings := siblings(), plainSGD(rate)
		settings.Steps = 1
		runTask(t, eng, task, settings)
		return networkOf(t, task)
	}
	const rate = 0.125
	before, after := weights(1e-30), weights(rate)

	// The loss in float64, by loops.
	batch := expect.Must(points(0))(t)
	x, y := tensors.MustCopyFlatData[float32](batch.Inputs[0]), tensors.MustCopyFlatData[float32](batch.Inputs[1])
	loss := func(w map[string][]float64) (sum float64) {
		for i := range pointRows {
			left, right := w["/left/bias"][0], w["/right/bias"][0]
			for j := range pointColumns {
				left += w["/left/weights"][j] * float64(x[i*pointColumns+j])
				right += w["/right/weights"][j] * float64(x[i*pointColumns+j])
			}
			truth := float64(y[i])
			sum += ((left-right)*(left-right) + (left-truth)*(left-truth)) / pointRows
		}
		return sum
	}
	expect.Require(t, len(before) == 4, "two networks of one layer have %d variables", len(before))
	for path := range before {
		for i := range before[path] {
			at := func(shift float64) float64 {
				w := map[string][]float64{}
				for name, values := range before {
					for _, v := range values {
						w[name] = append(w[name], float64(v))
					}
				}
				w[path][i] += shift
				return loss(w)
			}
			want := (at(1e-5) - at(-1e-5)) / 2e-5
			got := float64(before[path][i]-after[path][i]) / rate
			near(t, fmt.Sprintf("slope at %s[%d]", path, i), got, want, 1e-5)
		}
	}
}

// A task's own batches, loss and state survive a stop after any step: a resumed run ends bit-identically.
func TestTaskResumesExactly(t *testing.T) {
	eng := enginetest.Open(t)
	const steps = 6
	settings := Settings{Steps: steps, LearningRate: 0.05}
	whole, state := tallied()
	history := runTask(t, eng, whole, settings)
	expect.Require(t, len(history.Losses) == steps && len(history.Readings) == steps/2 && !state.Waiting &&
		history.Losses[5] < history.Losses[0], "history %+v, state %+v", history, state)
	for after := 1; after < steps; after++ {
		var second *tally
		again, got := interrupted(t, eng, func() (task Task) {
			task, second = tallied()
			return task
		}, settings, after)
		expect.That(t, reflect.DeepEqual(got, history), "stopped after %d: history %+v, want %+v", after, got, history)
		expect.That(t, reflect.DeepEqual(second, state), "stopped after %d: state %+v, want %+v", after, second, state)
		paths := differing(t, whole, again)
		expect.That(t, paths == nil, "stopped after %d: %v differ", after, paths)
	}
}

// Micro-batches and several devices change a task with one view of every example by rounding alone.
func TestTaskInPartsAndOnDevices(t *testing.T) {
	eng := enginetest.Open(t)
	for name, make := range map[string]func() Task{"one network": regression, "two networks": siblings} {
		ways := map[Compute]*engine.Engine{{MicroBatches: 2}: eng, {MicroBatches: 8}: eng}
		if several := enginetest.Preferred(t); several.Backend.NumDevices() >= 2 {
			if name == "one network" {
				ways[Compute{Devices: 2}] = several
			} else {
				ways[Compute{Devices: 2, MicroBatches: 4}] = several
			}
		}
		settings := plainSGD(0.05)
		settings.Steps = 4
		plain := make()
		want := runTask(t, eng, plain, settings)
		for way, eng := range ways {
			settings.Compute = way
			task := make()
			got := runTask(t, eng, task, settings)
			for step := range want.Losses {
				near(t, fmt.Sprintf("%s, %v: loss", name, way), got.Losses[step], want.Losses[step], 1e-5)
				near(t, fmt.Sprintf("%s, %v: gradient", name, way), got.GradientNorms[step], want.GradientNorms[step], 1e-5)
				near(t, fmt.Sprintf("%s, %v: longest output", name, way), got.ProjectionNorms[step], want.ProjectionNorms[step], 1e-5)
			}
			weights := networkOf(t, task)
			for path, values := range networkOf(t, plain) {
				for i, v := range values {
					near(t, fmt.Sprintf("%s, %v: %s", name, way, path), float64(weights[path][i]), float64(v), 1e-5)
				}
			}
		}
	}
}

// Only the scope named by Trained is updated; the rest keeps every bit, in micro-batches too.
func TestTrainedMovesItsScopeAlone(t *testing.T) {
	eng := enginetest.Open(t)
	start := siblings()
	start.Trained = "right"
	still := plainSGD(1e-30)
	still.Steps = 1
	runTask(t, eng, start, still)
	for _, parts := range []int{1, 2} {
		settings := plainSGD(0.05)
		settings.Steps, settings.Compute.MicroBatches = 3, parts
		task := siblings()
		task.Trained = "right"
		runTask(t, eng, task, settings)
		if paths := differing(t, start, task); !slices.Equal(paths, []string{"/right/bias", "/right/weights"}) {
			t.Errorf("%d parts: training the scope right moved %v", parts, paths)
		}
	}
}

// A task that is stopped, or that diverges, ends with the same errors as pretraining, with a folder and without.
func TestTaskStopsAndDiverges(t *testing.T) {
	eng := enginetest.Open(t)
	for _, folder := range []string{"", t.TempDir()} {
		ctx, observer := stopAfter(2)
		_, err := Run(ctx, eng, regression(), Settings{Steps: 4, Checkpoint: folder, Observer: observer})
		var stopped *Stopped
		expect.That(t, errors.As(err, &stopped) && errors.Is(err, context.Canceled) && stopped.Name == "regression" &&
			stopped.Step == 2 && stopped.Steps == 4 && stopped.SaveError == nil &&
			(stopped.Checkpoint == "") == (folder == ""), "folder %q: %+v, %v", folder, stopped, err)
	}
	for _, tt := range []struct {
		name   string
		bend   func(*Task, *Settings)
		step   int
		saved  int
		layers bool // are not finite
	}{
		{"loss", func(task *Task, _ *Settings) {
			task.Batch = func(step int) (Batch, error) {
				batch, err := points(step)
				if step == 3 {
					batch.Inputs[1] = tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{float32(math.Inf(1))}, pointRows), pointRows, 1)
				}
				return batch, err
			}
		}, 3, 2, true},
		{"weights", func(_ *Task, s *Settings) { s.Schedule = traintest.Leap{Step: 3, At: 1e39} }, 3, 2, true},
		{"loss alone", func(task *Task, _ *Settings) {
			task.Loss = func(outputs *Node, _ []*Node) *Node { return ReduceAllMean(Log(Sub(outputs, outputs))) }
		}, 0, 0, true},
	} {
		for _, folder := range []string{"", t.TempDir()} {
			task, settings := regression(), plainSGD(0.01)
			task.Seed = 12
			settings.Steps, settings.CheckpointEvery, settings.Checkpoint = 4, 2, folder
			tt.bend(&task, &settings)
			watching := &witness{}
			settings.Observer = watching
			_, err := Run(context.Background(), eng, task, settings)
			var d *Diverged
			if !errors.As(err, &d) || d.Step != tt.step || d.Seed != 12 || d.Batches != "points" || (d.BadLayers > 0) != tt.layers {
				t.Errorf("%s, folder %q: %+v, %v", tt.name, folder, d, err)
				continue
			}
			expect.That(t, watching.Starts == 1 && watching.Ends == 1 && watching.Err == err,
				"%s, folder %q: the observer saw %+v", tt.name, folder, watching)
			want, path := tt.saved, filepath.Join(folder, checkpointFile)
			if folder == "" || want == 0 {
				want, path = 0, ""
			}
			if d.SavedStep != want || d.Checkpoint != path {
				t.Errorf("%s, folder %q: %d steps saved in %q, want %d in %q", tt.name, folder, d.SavedStep, d.Checkpoint, want, path)
			}
			expect.That(t, !strings.Contains(err.Error(), "τ"),
				"%s: a task without a temperature is told of one: %v", tt.name, err)
		}
	}
}

// A missing or invalid part of a task is an error before training starts.
func TestTaskErrors(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		want string
		bend func(*Task)
	}{
		{"a task needs a Store, Batch, Outputs and Loss", func(task *Task) { task.Batch = nil }},
		{"a task needs a Store, Batch, Outputs and Loss", func(task *Task) { task.Store = nil }},
		{"the State of a task is a train.tally; give a pointer", func(task *Task) { task.State = tally{} }},
		{"the State of a task is a *train.tally; give a pointer", func(task *Task) { task.State = (*tally)(nil) }},
		{"the Identity of a task is a string; give a struct", func(task *Task) { task.Identity = "points" }},
		{"train: step 0: the loss, at task_test.go:", func(task *Task) { task.Loss = func(_ *Node, _ []*Node) *Node { panic("no error") } }},
		{"it is nil; it must be a scalar", func(task *Task) { task.Loss = func(_ *Node, _ []*Node) *Node { return nil } }},
		{"the outputs, at task_test.go:", func(task *Task) { task.Outputs = func(*model.Scope, []*Node) *Node { panic("no error") } }},
		{"what follows the update, at task_test.go:", func(task *Task) { task.AfterUpdate = func(*model.Scope, *Graph) { panic("no error") } }},
		{"train: step 0: the operation Round has no gradient; take another one", func(task *Task) {
			task.Loss = func(outputs *Node, _ []*Node) *Node { return ReduceAllMean(Round(outputs)) }
		}},
		{"the loss has shape (Float32)[8, 1]; it must be a scalar in Float32", func(task *Task) {
			task.Loss = func(outputs *Node, _ []*Node) *Node { return outputs }
		}},
	} {
		task := regression()
		tt.bend(&task)
		names(t, tt.want, expect.Err(Run(context.Background(), eng, task, Settings{Steps: 1})), tt.want)
	}
	task := regression()
	task.AfterUpdate = func(*model.Scope, *Graph) { panic(errors.New("no such variable")) }
	_, err := Run(context.Background(), eng, task, Settings{Steps: 1})
	names(t, "a graph that panics", err, "train: step 0", "no such variable")
}
