package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

// XLA takes the training steps of the pure-Go engine, up to rounding: losses, norms, readings of the monitor and weights. Rounding grows from
// step to step, so they are few; Adam divides a gradient by its own size, so that rounding of one near 0 shows in full.
func TestTrainingOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	for _, tt := range []struct {
		name   string
		change func(c *Config)
		tol    float64
	}{
		{"PUCL, convolutions, Adam, monitor", func(c *Config) { c.Monitor = Monitor{Every: 2, Examples: 16} }, 5e-3},
		{"SCL-PU, residual block, LARS, micro-batches", func(c *Config) {
			c.Objective, c.Encoder, c.Optimizer = pucl.SCLPU(), residual, optim.LARS{LearningRate: 0.2}
			c.Compute.MicroBatches = 2
		}, 1e-3},
		{"DCL, features, SGD", func(c *Config) {
			c.Objective, c.Encoder = pucl.DCL(pucl.DCLConfig{TauPlus: 0.1}), encoder.MLP{Hidden: []int{8}, Dim: 8}
			c.Optimizer = optim.SGD{LearningRate: 0.1}
		}, 1e-4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := light(4)
			tt.change(&c)
			got, want := trained(t, xla, c), trained(t, pureGo, c)
			for _, numbers := range [][2][]float64{
				{got.History.Losses, want.History.Losses}, {got.History.GradientNorms, want.History.GradientNorms},
				{got.History.ProjectionNorms, want.History.ProjectionNorms},
			} {
				if !slices.EqualFunc(numbers[0], numbers[1], func(a, b float64) bool { return math.Abs(a-b) < 1e-3*max(1, math.Abs(b)) }) {
					t.Errorf("%.6g, and %.6g in pure Go", numbers[0], numbers[1])
				}
			}
			for i, r := range want.History.Readings {
				near(t, fmt.Sprintf("alignment of reading %d", i), got.History.Readings[i].Projections.Alignment, r.Projections.Alignment, 1e-3)
				near(t, fmt.Sprintf("uniformity of reading %d", i), got.History.Readings[i].Projections.Uniformity, r.Projections.Uniformity, 1e-3)
			}
			d, where := farthest(t, got, want)
			expect.That(t, d < tt.tol, "%s differs by %g", where, d)
		})
	}
	t.Run("a task with a teacher", func(t *testing.T) {
		settings := plainSGD(0.05)
		settings.Steps = 7
		onXLA, inGo := taught(0.6), taught(0.6)
		got, want := runTask(t, xla, onXLA, settings), runTask(t, pureGo, inGo, settings)
		for i, loss := range want.Losses {
			near(t, fmt.Sprintf("loss of step %d", i), got.Losses[i], loss, 1e-5)
		}
		weights := networkOf(t, onXLA)
		for path, values := range networkOf(t, inGo) {
			for i, v := range values {
				near(t, path, float64(weights[path][i]), float64(v), 1e-5)
			}
		}
	})
}
