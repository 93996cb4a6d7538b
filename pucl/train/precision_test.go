package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
)

// The products of encoder and projector, forward and backward, are in bfloat16. The similarities, the inputs of the
// optimizer and the variables are not.
func TestBFloat16IsWhereItBelongs(t *testing.T) {
	eng := enginetest.Open(t)
	for _, network := range []encoder.Encoder{
		tiny, encoder.MLP{Hidden: []int{8}, Dim: 8}, encoder.ResNet{Depth: 10, Width: 2}, encoder.LeNet{}, encoder.ShortConv{Width: 2, Dim: 8},
		encoder.AllConv{Width: 2, Dim: 8}, encoder.ViT{Patch: 7, Layers: 1, Heads: 2, Dim: 8},
	} {
		m := newModel(network, 4, augment.Shape{Height: 28, Width: 28, Channels: 1}, 0)
		c := quick(1).withDefaults()
		c.Compute.BFloat16 = true
		products := map[dtypes.DType]int{}
		s := expect.Must(newStepper(eng, contrastTask(m, c), c.settings().WithDefaults()))(t)
		exec := model.MustNewExec(eng.Backend, m.store, func(scope *model.Scope, inputs []*Node) []*Node {
			out := s.graph(scope, inputs)
			for _, node := range out[0].Graph().Nodes() {
				if node.Type() == NodeTypeDotGeneral || node.Type() == NodeTypeConvGeneral {
					products[node.DType()]++
				}
			}
			for _, node := range out {
				expect.That(t, node.DType() == dtypes.Float32,
					"%v: the step returns %s, which is no float32", network, node.Shape())
			}
			panic(errors.New("seen enough")) // compiling would take long
		})
		_, err := exec.Compile(shapes.Make(dtypes.Float32, 8, 28, 28, 1), shapes.Make(dtypes.Bool, 4),
			shapes.Make(dtypes.Float32))
		expect.Require(t, err != nil && strings.Contains(err.Error(), "seen enough"), "%v: %v", network, err)
		exec.Finalize()
		// The loss of a small batch computes all similarities as one product and has two more in its gradient.
		if products[dtypes.BFloat16] < 6 || products[dtypes.Float32] > 3 {
			t.Errorf("%v: products by precision are %v; those of the networks must be BFloat16, those of the loss Float32", network, products)
		}
		for v := range m.store.IterVariables() {
			expect.That(t, !v.DType().IsFloat() || v.DType() == dtypes.Float32,
				"%v: %s is %s", network, v.Path(), v.Shape())
		}
	}
}

// Training in bfloat16 must stay near training in float32. bfloat16 rounds a number by up to 2⁻⁹, several times in a
// step, and the loss changes by at most 2/τ = 4 times the change of cosines: a few percent at most. Rounding changes
// the gradient's direction, here by less than some 20 degrees for all weights together.
func TestBFloat16StaysNearFloat32(t *testing.T) {
	eng := enginetest.Open(t)
	for _, network := range []encoder.Encoder{residual, encoder.MLP{Hidden: []int{8}, Dim: 8}} {
		c := light(4)
		c.Encoder, c.Optimizer = network, optim.LARS{LearningRate: 0.2}
		wide := trained(t, eng, c)
		c.Compute.BFloat16 = true
		half := trained(t, eng, c)
		c.LearningRate = 1e-9 // nearly 0; with far less a row of zeros times the bias would have slopes beyond float32
		start := trained(t, eng, c)
		same := 0
		for i, loss := range half.History.Losses {
			if loss == wide.History.Losses[i] {
				same++
			}
			expect.That(t, math.Abs(loss-wide.History.Losses[i]) < 0.05,
				"%v, step %d: loss %g in bfloat16, %g in float32", network, i, loss, wide.History.Losses[i])
		}
		expect.That(t, same <= 1, "%v: %d losses are the same to the last digit, so nothing was in bfloat16", network, same)
		// The cosine between the two changes of the weights, and how many weights have more digits than bfloat16.
		var xy, xx, yy float64
		fine := 0
		from, to := weightsOf(t, start), weightsOf(t, half)
		for path, values := range weightsOf(t, wide) {
			for i, v := range values {
				x, y := float64(v)-float64(from[path][i]), float64(to[path][i])-float64(from[path][i])
				xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
				if math.Float32bits(to[path][i])&0xffff != 0 {
					fine++
				}
			}
			expect.That(t, !strings.HasSuffix(path, "weights") || fine != 0,
				"%v: %s has no more digits than bfloat16", network, path)
		}
		if cosine := xy / math.Sqrt(xx*yy); !(cosine > 0.94) {
			t.Errorf("%v: the ways of the weights in bfloat16 and float32 have cosine %g", network, cosine)
		}
		if want := "bfloat16 with float32 weights"; !strings.Contains(half.Record.Settings, want) {
			t.Errorf("the settings %q do not tell %q", half.Record.Settings, want)
		}
	}
}

// coarse is a user-defined encoder that makes its variables in the precision of its data.
type coarse struct{}

func (coarse) Embed(scope *model.Scope, x *Node, _ bool) *Node {
	x = Reshape(x, x.Shape().Dim(0), -1)
	w := scope.WithInitializer(initializer.One).VariableWithShape("w", shapes.Make(x.DType(), x.Shape().Dim(-1), 4))
	return DotProduct(x, w.NodeValue(x.Graph()))
}

func TestBFloat16RefusesCoarseWeights(t *testing.T) {
	c := light(1)
	c.Encoder, c.Compute.BFloat16 = coarse{}, true
	_, err := Pretrain(context.Background(), enginetest.Open(t), stripesOf(16, 4), c)
	expect.That(t, err != nil && strings.Contains(err.Error(), "encoder.Weight") &&
		strings.Contains(err.Error(), "/encoder/w"), "an encoder with weights in bfloat16 gives %v", err)
}

// XLA takes the same training steps as the pure-Go engine, up to rounding: losses, norms, readings of the monitor and
// weights. Rounding accumulates, so there are few steps. Adam divides a gradient by its own size, so that rounding of a
// value near 0 shows in full.
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
