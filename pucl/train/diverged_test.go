package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// leap is a constant rate but for one step.
type leap struct {
	step int
	rate float64
}

func (l leap) Rate(peak float64, step, _ int) float64 {
	if step == l.step {
		return l.rate
	}
	return peak
}
func (leap) Check(int) error { return nil }
func (leap) String() string  { return "leap" }

// cornered has the value of pucl.PUCL, and a gradient that is no number: the slope of a root at 0.
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
		// A step too long sends the weights so far away that the next projections leave the range. On XLA the loss takes rows
		// that are no numbers for zeros, so only the gradient tells.
		{"projections", func(c *Config) { c.Schedule = leap{3, 1e30} }, 4, 3, []string{
			"train: the ", " at step 4 (batch 4 of", "\n  loss: ", " at this step", "\n  length of the gradient: ", "\n  longest row of outputs: ",
			"layers are not finite, the first of them /encoder/", "holds the good state after 3 steps",
			"\n  to try: a learning rate below the 0.01 of this step",
		}},
		{"gradient", func(c *Config) { c.Objective = cornered() }, 0, 0, []string{
			"train: the gradient's length is NaN, though the loss is ", ", at step 0 (batch 0 of", "saved: nothing yet",
			"a division by 0 or a logarithm of 0",
		}},
		{"weights", func(c *Config) { c.Schedule = leap{5, 1e39} }, 5, 3, []string{
			"train: the weights are not finite, though the loss is ", ", at step 5", "holds the good state after 3 steps",
		}},
		{"last weights", func(c *Config) { c.Schedule, c.Checkpoint = leap{8, 1e39}, "" }, 8, 0, []string{
			"train: the weights are not finite, though the loss is ", ", at step 8", "saved: nothing; Checkpoint",
		}},
	} {
		config := quick(9)
		config.Checkpoint, config.CheckpointEvery = t.TempDir(), 3
		tt.bend(&config)
		_, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
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
		// The step that failed is in no checkpoint: the same again comes to the same place.
		if tt.saved == 0 {
			expect.That(t, d.Checkpoint == "", "%s: the checkpoint is %s", tt.name, d.Checkpoint)
			continue
		}
		path := filepath.Join(config.Checkpoint, checkpointFile)
		expect.That(t, d.Checkpoint == path, "%s: the checkpoint is %q, want %q", tt.name, d.Checkpoint, path)
		if tt.name != "weights" {
			continue
		}
		if _, again := Pretrain(context.Background(), eng, stripes{8, 2}, config); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: going on from the checkpoint gave %v", tt.name, again)
		}
	}
}

// One row of NaN is not passed over for the others, whose length is a number.
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
