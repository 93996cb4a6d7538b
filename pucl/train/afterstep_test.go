package train

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// seen is what looking at a model on the way gathers.
type seen struct {
	Steps []int
	First []float64 // the first entry of the projection of an image
}

// looking returns a run that embeds an image after every other step.
func looking(eng *engine.Engine, c Config) (Config, *seen) {
	state := &seen{}
	pixels, _, _ := striped(2)
	c.State = state
	c.AfterStep = func(done int, m *Model) error {
		if done%2 == 1 {
			return nil
		}
		e, err := m.Embed(eng, pixels)
		if err != nil {
			return err
		}
		state.Steps, state.First = append(state.Steps, done), append(state.First, e.Z.At(0, 0))
		return nil
	}
	return c, state
}

// fit trains on stripes.
func fit(t *testing.T, eng *engine.Engine, c Config) *Model {
	t.Helper()
	return expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, c))(t)
}

// A run that is looked at has the numbers of one that is not, beside a monitor and over several devices too; what is seen is the
// model as it stands.
func TestAfterStepChangesNothing(t *testing.T) {
	eng := enginetest.Preferred(t)
	for _, devices := range []int{1, 2} {
		plain := quick(6)
		plain.Compute.Devices = devices
		if devices > 1 && plain.Compute.checkEngine(eng) != nil {
			continue // the pure-Go engine has one
		}
		want := fit(t, eng, plain)
		config, state := looking(eng, plain)
		config.Monitor.Every = 3
		got := fit(t, eng, config)
		sameRun(t, "looked at", got, want)
		expect.That(t, slices.Equal(state.Steps, []int{2, 4, 6}) && len(got.History.Readings) == 2,
			"looked after steps %v, %d readings", state.Steps, len(got.History.Readings))
		pixels, _, _ := striped(2)
		e := expect.Must(got.Embed(eng, pixels))(t)
		if last := e.Z.At(0, 0); state.First[2] != last || state.First[0] == last {
			t.Errorf("the last look saw %g, the one before the last step %v; the model has %g", state.First[2], state.First, last)
		}
	}
}

// A run that goes on from a checkpoint has seen all that an uninterrupted one sees.
func TestAfterStepResumes(t *testing.T) {
	eng := enginetest.Open(t)
	config, want := looking(eng, quick(6))
	fit(t, eng, config)

	config, _ = looking(eng, quick(6))
	config.Checkpoint, config.CheckpointEvery = t.TempDir(), 3
	ctx, observer := stopAfter(5)
	first := config
	first.Observer = observer
	_, err := Pretrain(ctx, eng, stripes{16, 4}, first)
	expect.Require(t, errors.Is(err, context.Canceled), "stopped after 5 steps: %v", err)
	second, got := looking(eng, quick(6))
	second.Checkpoint = config.Checkpoint
	fit(t, eng, second)
	expect.That(t, reflect.DeepEqual(got, want), "saw %v, without interruption %v", got, want)
}

// An error of AfterStep ends the run, after a checkpoint from which it can go on.
func TestAfterStepFails(t *testing.T) {
	eng, broken := enginetest.Open(t), errors.New("the disk is full")
	config := quick(4)
	config.Checkpoint = t.TempDir()
	config.AfterStep = func(done int, _ *Model) error {
		if done == 2 {
			return broken
		}
		return nil
	}
	_, err := Pretrain(context.Background(), eng, stripes{16, 4}, config)
	expect.Require(t, errors.Is(err, broken), "the run ended with %v", err)
	steps := 0
	config.AfterStep = func(int, *Model) error { steps++; return nil }
	fit(t, eng, config)
	expect.That(t, steps == 2, "%d steps after the checkpoint of step 2 of 4", steps)
}
