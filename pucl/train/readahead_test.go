package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// failing returns a task whose batch of that step cannot be had.
func failing(at int, fail func() error) Task {
	task := regression()
	task.Batch = func(step int) (Batch, error) {
		if step == at {
			return Batch{}, fail()
		}
		return points(step)
	}
	return task
}

// A batch that cannot be had ends a run at its own step, though it was asked for before, and after a checkpoint is saved. Once
// it can be had, the run goes on as if nothing had been.
func TestBatchErrorComesAtItsStep(t *testing.T) {
	eng := enginetest.Open(t)
	settings := Settings{Steps: 6, LearningRate: 0.05}
	whole := regression()
	history := runTask(t, eng, whole, settings)
	broken := errors.New("the disk is gone")
	for _, at := range []int{0, 1, 4, 5} {
		settings.Checkpoint = t.TempDir()
		watching := &witness{}
		settings.Observer = watching
		_, err := Run(context.Background(), eng, failing(at, func() error { return broken }), settings)
		expect.That(t, errors.Is(err, broken) && watching.steps == at && watching.ends == 1 && watching.err == err,
			"no batch for step %d: %v, and the observer saw %+v", at, err, watching)
		if at > 0 {
			names(t, "no batch", err, fmt.Sprintf("the state after %d steps is saved in %s", at, filepath.Join(settings.Checkpoint, checkpointFile)))
		}
		settings.Observer = nil
		task := regression()
		expect.Equal(t, runTask(t, eng, task, settings), history, "no batch for step %d: gone on with, the history", at)
		paths := differing(t, whole, task)
		expect.That(t, paths == nil, "no batch for step %d: %v differ", at, paths)
	}
}

// However a run ends, whoever asked for it learns why, and its goroutine has ended.
func TestNoGoroutineIsLeft(t *testing.T) {
	eng := enginetest.Open(t)
	settings := Settings{Steps: 5, LearningRate: 0.05}
	runTask(t, eng, regression(), settings) // the engine has started what it needs
	broken := errors.New("broken")
	panicking := failing(2, func() error { panic("no such row") })
	faulty := regression()
	faulty.AfterStep = func(int) (*Reading, error) { return nil, broken }
	wrong := regression()
	wrong.Loss = nil
	graphless := regression()
	graphless.Outputs = line("")
	hasty := regression()
	hasty.AfterStep = func(int) (*Reading, error) { panic("in AfterStep") }
	for _, tt := range []struct {
		name     string
		task     Task
		stopAt   int
		panicked any
		failed   bool
	}{
		{"well", regression(), -1, nil, false},
		{"stopped", regression(), 2, nil, true},
		{"no batch", failing(3, func() error { return broken }), -1, nil, true},
		{"a panic of Batch", panicking, -1, "no such row", false},
		{"a panic of AfterStep", hasty, -1, "in AfterStep", false},
		{"an error of AfterStep", faulty, -1, nil, true},
		{"a task without a loss", wrong, -1, nil, true},
		{"a graph that cannot be built", graphless, -1, nil, true},
	} {
		before := runtime.NumGoroutine()
		ctx, observer := stopAfter(tt.stopAt)
		settings.Observer = observer
		func() {
			defer func() {
				got := recover()
				expect.That(t, got == tt.panicked, "%s: panicked with %v, want %v", tt.name, got, tt.panicked)
			}()
			_, err := Run(ctx, eng, tt.task, settings)
			expect.That(t, (err != nil) == tt.failed, "%s: %v", tt.name, err)
		}()
		after := runtime.NumGoroutine()
		for range 100 { // the engine's own may take a moment
			if after <= before {
				break
			}
			time.Sleep(10 * time.Millisecond)
			after = runtime.NumGoroutine()
		}
		expect.That(t, after <= before, "%s: %d goroutines before, %d after", tt.name, before, after)
	}
}
