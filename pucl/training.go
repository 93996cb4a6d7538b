package pucl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// feed is what training needs to know of the batches.
type feed struct {
	// inputs returns what a step's graph takes, and the number of examples.
	inputs func(step int) (inputs []any, examples int, err error)
	// views is the graph that makes two views of every example of it, first all first ones and then all second ones.
	views func(inputs []*Node) (views, labeled *Node)
}

// train is the loop of training, whatever the batches hold. Its configuration has its defaults filled in.
func (m *Model) train(ctx context.Context, eng *engine.Engine, c PretrainConfig, from feed) (*Model, error) {
	encoder.SetSeed(m.store, c.Seed)
	resume, err := openCheckpoint(m, eng, c.Objective, c.Checkpoint)
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

	start := time.Now()
	views, waited := 0, time.Duration(0)
	for step := resume.step; step < c.Steps; step++ {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("pucl: training stopped after %d of %d steps: %w", step, c.Steps, errors.Join(ctx.Err(), resume.save(m, step)))
		}
		asked := time.Now()
		inputs, b, err := from.inputs(step)
		if err != nil {
			return nil, errors.Join(err, resume.save(m, step))
		}
		waited += time.Since(asked)
		taken, err := steps.take(inputs, c.rate(step))
		if err != nil {
			return nil, fmt.Errorf("pucl: step %d: %w", step, err)
		}
		value := taken.loss
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("pucl: the loss is %g at step %d (seed %d); a lower learning rate than %g or a higher τ than %g may mend it",
				value, step, c.Seed, c.LearningRate, c.Tau)
		}
		m.Losses = append(m.Losses, value)
		views += 2 * b
		if (step+1)%c.CheckpointEvery == 0 && step+1 < c.Steps {
			if err := resume.save(m, step+1); err != nil {
				return nil, err
			}
		}
		if c.OnStep != nil {
			c.OnStep(Progress{Step: step + 1, Steps: c.Steps, Loss: value, Views: views, Elapsed: time.Since(start), Waited: waited})
		}
	}
	if err := resume.save(m, c.Steps); err != nil {
		return nil, err
	}
	return m, m.dropOptimizer()
}
