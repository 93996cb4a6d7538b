package pucl

import (
	"context"
	"fmt"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// feed is what training needs to know of the batches.
type feed struct {
	// inputs returns what a step's graph takes, and the number of examples. The second one of them says which are labeled.
	inputs func(step int) (inputs []any, examples int, err error)
	// views is the graph that makes two views of every example of it, first all first ones and then all second ones.
	views func(inputs []*Node) (views, labeled *Node)
	// watched are the examples that readings look at, and how.
	watched func(w Watch) (*watched, looks, error)
	example string // what one example is called
}

// train is the loop of training, whatever the batches hold. Its configuration has its defaults filled in.
func (m *Model) train(ctx context.Context, eng *engine.Engine, c PretrainConfig, from feed) (trained *Model, err error) {
	encoder.SetSeed(m.store, c.Seed)
	resume, err := openCheckpoint(m, eng, c)
	if err != nil {
		return nil, err
	}
	if resume.step == 0 {
		if err := m.startFrom(eng, c); err != nil {
			return nil, err
		}
	}
	steps, err := m.newStepper(eng, c, from)
	if err != nil {
		return nil, err
	}
	defer steps.finalize()
	readings, err := m.newReader(eng, c, from)
	if err != nil {
		return nil, err
	}
	defer readings.finalize()

	told, clock := observers{c.OnStep, c.Observer}, stopwatch{start: time.Now()}
	progress := Progress{Step: resume.step, Steps: c.Steps, Chance: m.History.Chance, Example: from.example}
	told.start(progress)
	defer func() { told.end(progress, err) }()

	for step := resume.step; step < c.Steps; step++ {
		if ctx.Err() != nil {
			return nil, stopped(ctx, m, resume, step)
		}
		asked := time.Now()
		inputs, b, err := from.inputs(step)
		if err != nil {
			return nil, resume.keep(m, step, err)
		}
		clock.waited += time.Since(asked)
		if err := c.Compute.checkBatch(b); err != nil {
			return nil, resume.keep(m, step, fmt.Errorf("pucl: step %d: %w", step, err))
		}
		if step == resume.step {
			if err := m.findChance(eng, c, inputs[1].(*tensors.Tensor)); err != nil {
				return nil, err
			}
		}
		rate := c.rate(step)
		taken, err := steps.take(inputs, rate)
		if err != nil {
			return nil, fmt.Errorf("pucl: step %d: %w", step, rootCause(err))
		}
		if !allFinite(taken.loss, taken.gradientNorm, taken.projectionNorm) {
			return nil, m.diverged(taken, step, resume)
		}
		m.remember(taken, rate, b)
		reading, err := m.pause(&clock, readings, resume, step+1)
		if err != nil {
			return nil, err
		}
		progress = Progress{
			Step: step + 1, Steps: c.Steps, Loss: taken.loss, Chance: m.History.Chance, Rate: rate, Examples: b, Example: from.example,
			Views: progress.Views + 2*b, Elapsed: time.Since(clock.start), Waited: clock.waited, Paused: clock.paused, Reading: reading,
		}
		told.step(progress)
	}
	return m, m.dropOptimizer()
}

// stopwatch measures where the time of a run goes.
type stopwatch struct {
	start          time.Time
	waited, paused time.Duration
}

// pause does what is due after a step while training stands still: a reading, and then a checkpoint that holds it.
func (m *Model) pause(clock *stopwatch, readings *reader, resume *checkpoint, done int) (reading *Reading, err error) {
	start := time.Now()
	defer func() { clock.paused += time.Since(start) }()
	c := resume.config
	if c.Watch.due(done, c.Steps) {
		if reading, err = readings.read(done); err != nil {
			return nil, resume.keep(m, done, err)
		}
		m.History.Readings = append(m.History.Readings, *reading)
	}
	if done%c.CheckpointEvery == 0 || done == c.Steps {
		return reading, resume.save(m, done)
	}
	return reading, nil
}

// findChance works out the loss of an encoder that maps everything to one point, with the labels of a run's first batch,
// unless it is known. For most objectives it is [ChanceLevel].
func (m *Model) findChance(eng *engine.Engine, c PretrainConfig, labeled *tensors.Tensor) error {
	if m.History.Chance != 0 {
		return nil
	}
	labels, err := tensors.CopyFlatData[bool](labeled)
	if err != nil {
		return fmt.Errorf("pucl: reading the labels of a batch: %w", err)
	}
	point := make([][]float64, 2*len(labels))
	for i := range point {
		point[i] = []float64{1}
	}
	m.History.Chance, err = c.Objective.Value(eng, point, labels, c.Tau)
	return err
}
