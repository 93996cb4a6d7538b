package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/traintest"
)

// seen collects the observations of AfterStep.
type seen struct {
	Steps []int
	First []float64 // the first entry of the projection of an image
}

// looking returns a configuration that embeds an image after every other step.
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
	return expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), c))(t)
}

// AfterStep, with or without a monitor, must not change the numbers of a run, and must get the current model.
// TestDevicesDoNotChangeTheNumbers covers several devices.
func TestAfterStepChangesNothing(t *testing.T) {
	eng := enginetest.Open(t)
	want := fit(t, eng, quick(6))
	config, state := looking(eng, quick(6))
	config.Monitor.Every = 3
	got := fit(t, eng, config)
	sameRun(t, "looked at", got, want)
	expect.That(t, slices.Equal(state.Steps, []int{2, 4, 6}) && len(got.History.Readings) == 2,
		"looked after steps %v, %d readings", state.Steps, len(got.History.Readings))
	pixels, _, _ := striped(2)
	last := expect.Must(got.Embed(eng, pixels))(t).Z.At(0, 0)
	expect.That(t, state.First[2] == last && state.First[0] != last, "looks saw %v; the model has %g", state.First, last)
}

// A run resumed from a checkpoint must hold the same State as an uninterrupted one.
func TestAfterStepResumes(t *testing.T) {
	eng := enginetest.Open(t)
	config, want := looking(eng, quick(6))
	fit(t, eng, config)

	config, _ = looking(eng, quick(6))
	config.Checkpoint, config.CheckpointEvery = t.TempDir(), 3
	ctx, observer := stopAfter(5)
	first := config
	first.Observer = observer
	_, err := Pretrain(ctx, eng, stripesOf(16, 4), first)
	expect.Require(t, errors.Is(err, context.Canceled), "stopped after 5 steps: %v", err)
	second, got := looking(eng, quick(6))
	second.Checkpoint = config.Checkpoint
	fit(t, eng, second)
	expect.That(t, reflect.DeepEqual(got, want), "saw %v, without interruption %v", got, want)
}

// An error of AfterStep ends the run after a checkpoint is saved; the run can resume from it.
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
	_, err := Pretrain(context.Background(), eng, stripesOf(16, 4), config)
	expect.Require(t, errors.Is(err, broken), "the run ended with %v", err)
	steps := 0
	config.AfterStep = func(int, *Model) error { steps++; return nil }
	fit(t, eng, config)
	expect.That(t, steps == 2, "%d steps after the checkpoint of step 2 of 4", steps)
}

// cornered has the value of pucl.PUCL and a NaN gradient: the slope of a root at 0.
func cornered() pucl.Objective {
	o := pucl.PUCL()
	attract := o.Attract
	o.Name = "cornered"
	o.Attract = func(b *pucl.Block) *Node {
		x := attract(b)
		return Add(x, Sqrt(Sub(x, x)))
	}
	return o
}

func TestDivergedSaysAll(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		name  string
		bend  func(*Config)
		step  int
		saved int
		want  []string
	}{
		{"loss", func(c *Config) {
			c.Objective = pucl.Objective{Name: "beyond float32", Attract: pucl.Scale(1e30, pucl.Scale(1e30, pucl.OwnViews)), Repel: pucl.LogPartition}
			c.Checkpoint = ""
		}, 0, 0, []string{
			"train: the loss is ", " at step 0 (batch 0 of images 12×12×1, stripes; seed 5 of weights and views); training stops",
			"\n  loss: ", " at this step\n", "saved: nothing; Checkpoint can name a folder",
		}},
		// A very long step moves the weights so far that the next projections overflow. On XLA the loss treats NaN rows
		// as zeros, so only the gradient reveals it.
		{"projections", func(c *Config) { c.Schedule = traintest.Leap{Step: 3, At: 1e30} }, 4, 3, []string{
			"train: the ", " at step 4 (batch 4 of", "\n  loss: ", " at this step", "\n  length of the gradient: ", "\n  longest row of outputs: ",
			"layers are not finite, the first of them /encoder/", "holds the good state after 3 steps",
			"\n  to try: a learning rate below the 0.01 of this step",
		}},
		{"gradient", func(c *Config) { c.Objective = cornered() }, 0, 0, []string{
			"train: the gradient's length is NaN, though the loss is ", ", at step 0 (batch 0 of", "saved: nothing yet",
			"a division by 0 or a logarithm of 0",
		}},
		{"weights", func(c *Config) { c.Schedule = traintest.Leap{Step: 5, At: 1e39} }, 5, 3, []string{
			"train: the weights are not finite, though the loss is ", ", at step 5", "holds the good state after 3 steps",
		}},
		{"last weights", func(c *Config) { c.Schedule, c.Checkpoint = traintest.Leap{Step: 8, At: 1e39}, "" }, 8, 0, []string{
			"train: the weights are not finite, though the loss is ", ", at step 8", "saved: nothing; Checkpoint",
		}},
	} {
		config := quick(9)
		config.Checkpoint, config.CheckpointEvery = t.TempDir(), 3
		tt.bend(&config)
		_, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
		var d *Diverged
		if !errors.As(err, &d) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		t.Logf("%v", err)
		expect.That(t, d.Step == tt.step && d.SavedStep == tt.saved && d.Seed == 5 && len(d.Layers) != 0,
			"%s: %+v", tt.name, d)
		for _, want := range tt.want {
			expect.That(t, strings.Contains(err.Error(), want), "%s: %v lacks %q", tt.name, err, want)
		}
		// The failed step is in no checkpoint: a second run fails at the same step.
		if tt.saved == 0 {
			expect.That(t, d.Checkpoint == "", "%s: the checkpoint is %s", tt.name, d.Checkpoint)
			continue
		}
		path := filepath.Join(config.Checkpoint, checkpointFile)
		expect.That(t, d.Checkpoint == path, "%s: the checkpoint is %q, want %q", tt.name, d.Checkpoint, path)
		if tt.name != "weights" {
			continue
		}
		_, again := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
		expect.That(t, again != nil && again.Error() == err.Error(),
			"%s: going on from the checkpoint gave %v", tt.name, again)
	}
}

// A NaN row must not be hidden by the finite lengths of the other rows.
func TestLongestRowPassesNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		x    [][]float32
		want float64
	}{
		{[][]float32{{0, 0}, {3, 4}, {1, 0}}, 5},
		{[][]float32{{0, 0}, {3, 4}, {nan, 0}}, math.NaN()},
		{[][]float32{{nan, nan}, {3, 4}, {1, 0}}, math.NaN()},
		{[][]float32{{1e18, 0}, {1e19, 0}}, 1e19},
	} {
		got := expect.Must(ExecOnce(enginetest.Open(t).Backend, longestRow, tt.x))(t)
		if x := float64(tensors.ToScalar[float32](got)); math.IsNaN(x) != math.IsNaN(tt.want) || math.Abs(x-tt.want) > 1e-6*tt.want {
			t.Errorf("the longest row of %v has the length %g, want %g", tt.x, x, tt.want)
		}
	}
}
