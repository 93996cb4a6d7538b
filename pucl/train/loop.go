package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/puclab/puclab/internal/ahead"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/runlog"
	"github.com/puclab/puclab/pucl/engine"
)

// run is one run of a task.
type run struct {
	Task
	Settings
	history    *History
	checkpoint *checkpoint
	steps      *stepper
	progress   Progress    // the last report to the observer
	log        *runlog.Log // nil without a checkpoint folder

	start          time.Time
	waited, paused time.Duration
}

// Run trains a task and returns its history. It is the single loop of [Pretrain] and fine-tuning.
//
// If ctx is done it saves a checkpoint, if a folder is set, and returns [Stopped]. If the loss, the gradient, the
// outputs or the weights are no longer finite it returns [Diverged] and leaves the last checkpoint unchanged. An
// unavailable batch or an error of AfterStep ends the run after a checkpoint is saved. Batches are prepared while the
// engine computes.
//
// A run that was stopped or killed, at any moment, resumes from its last checkpoint when it is started again. It ends
// with the same numbers as an uninterrupted run: bit for bit in the same environment, that is with the same engine,
// versions, threads and instruction set, see [engine.Environment]. In another environment the numbers agree up to
// rounding and History.Notes reports the change; with Settings.SameEnvironment it is an error. The newest two
// checkpoints are kept. If the newest is damaged or missing, the run resumes from the previous one and adds a note. If
// neither can be read, it returns an error and leaves both unchanged.
//
// The checkpoint folder also holds the log of the run: run.json with its configuration, metrics.csv with a line for
// each step, and the same in an event file for TensorBoard. A resumed run appends to them.
//
// The checkpoint folder belongs to the run until Run returns: a second run, of this program or another, returns an
// [InUse] error and changes nothing in the folder.
func Run(ctx context.Context, eng *engine.Engine, task Task, settings Settings) (_ *History, err error) {
	r := &run{Task: task, Settings: settings.WithDefaults(), history: &History{}}
	none := fault.If(ctx == nil, "train: no context; give context.Background(), or one that stops the run")
	if err := cmp.Or(none, r.Task.check(), r.Settings.check(), r.checkFor(eng)); err != nil {
		return nil, err
	}
	release, err := r.openCheckpoint(eng)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := r.openLog(); err != nil {
		return nil, err
	}
	defer func() {
		if failed := r.closeLog(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	if r.steps, err = newStepper(eng, r.Task, r.Settings); err != nil {
		return nil, err
	}
	defer r.steps.finalize()
	return r.history, r.train(ctx)
}

// train takes the remaining steps.
func (r *run) train(ctx context.Context) (err error) {
	first := r.checkpoint.step
	r.start = time.Now()
	r.progress = Progress{Step: first, Steps: r.Steps, Chance: r.history.Chance, Example: r.Example, Notes: r.progress.Notes}
	r.Observer.Start(r.progress)
	defer func() { r.Observer.End(r.progress, err) }()

	batches := ahead.Start(first, r.Steps, 2, r.Batch)
	defer batches.Close()
	for step := first; step < r.Steps; step++ {
		if ctx.Err() != nil {
			return r.stopped(ctx, step)
		}
		asked := time.Now()
		batch, err := batches.Next()
		if err != nil {
			return r.keep(step, err)
		}
		r.waited += time.Since(asked)
		if err := r.Compute.checkBatch(batch.Examples); err != nil {
			return r.keep(step, fmt.Errorf("train: step %d: %w", step, err))
		}
		if step == first && r.Chance != nil && r.history.Chance == 0 {
			if r.history.Chance, err = r.Chance(batch); err != nil {
				return err
			}
		}
		rate := r.rate(step)
		metrics, err := r.steps.take(batch, rate)
		if err != nil {
			return fmt.Errorf("train: step %d: %w", step, engine.RootCause(err))
		}
		if !allFinite(metrics.loss, metrics.gradientNorm, metrics.outputNorm) {
			return r.diverged(metrics, step)
		}
		r.history.add(metrics, rate, batch.Examples)
		reading, err := r.pause(step + 1)
		if err != nil {
			return err
		}
		r.report(step+1, batch, reading)
		if err := r.logStep(step + 1); err != nil {
			return r.keep(step+1, err)
		}
	}
	return nil
}

// pause runs the work due between two steps: the task's measurements, and then a checkpoint that holds them. Training
// waits meanwhile.
func (r *run) pause(done int) (reading *Reading, err error) {
	start := time.Now()
	defer func() { r.paused += time.Since(start) }()
	if r.AfterStep != nil {
		if reading, err = r.AfterStep(done); err != nil {
			return nil, r.keep(done, err)
		}
		if reading != nil {
			r.history.Readings = append(r.history.Readings, *reading)
		}
	}
	if done%r.CheckpointEvery == 0 || done == r.Steps {
		return reading, r.save(done)
	}
	return reading, nil
}

// report informs the observer of the last step.
func (r *run) report(done int, batch Batch, reading *Reading) {
	last := done - 1
	r.progress = Progress{
		Step: done, Steps: r.Steps, Loss: r.history.Losses[last], Chance: r.history.Chance, Rate: r.history.Rates[last],
		Examples: batch.Examples, Example: r.Example, Views: r.progress.Views + r.steps.views*batch.Examples,
		Elapsed: time.Since(r.start), Waited: r.waited, Paused: r.paused, Reading: reading, Notes: r.progress.Notes,
	}
	r.Observer.Step(r.progress)
}
