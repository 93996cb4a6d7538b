package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
)

// onDevices skips a test if the engine has fewer than n devices, after checking that training rejects them.
func onDevices(t *testing.T, n int) *engine.Engine {
	t.Helper()
	eng := enginetest.Preferred(t)
	if here := eng.Backend.NumDevices(); here < n {
		c := light(1)
		c.Compute.Devices = n
		_, err := Pretrain(context.Background(), eng, stripesOf(16, 4), c)
		want := fmt.Sprintf("asks for %d devices", n)
		expect.That(t, err != nil && strings.Contains(err.Error(), want), "error %v, which lacks %q", err, want)
		t.Skipf("the engine has %d devices, %d are needed", here, n)
	}
	return eng
}

// residual is a ResNet block that halves the images: it has all kinds of a ResNet's layers and compiles in a fraction
// of the time.
var residual = encoder.Func{Name: "residual block", Graph: func(scope *model.Scope, x *Node, training bool) *Node {
	filtered := func(name string, x *Node, kernel, stride int) *Node {
		s := scope.In("%s", name)
		return encoder.BatchNorm(s, encoder.Convolution(s, x, 4, kernel, stride), training)
	}
	y := filtered("second", encoder.ReLU(filtered("first", x, 3, 2)), 3, 1)
	return ReduceMean(encoder.ReLU(Add(y, filtered("past", x, 1, 2))), 1, 2)
}}

// Training split over devices, with AfterStep, takes the same steps as on the pure-Go engine's single device, up to
// rounding. Loss, gradient and the statistics of batch normalization are computed from the global batch. Rounding
// accumulates, so there are few steps; any value that is not global shows in the first loss.
func TestDevicesDoNotChangeTheNumbers(t *testing.T) {
	eng, pureGo := onDevices(t, 4), enginetest.Open(t)
	for _, tt := range []struct {
		name    string
		devices int
		change  func(c *Config)
		tol     float64
	}{
		// Adam divides the gradient by its own size, so rounding of a value near 0 shows in full.
		{"PUCL, Adam, features", 4, func(c *Config) { c.Encoder = encoder.MLP{Hidden: []int{8}, Dim: 8} }, 5e-3},
		{"ssCL, residual block, LARS", 2, func(c *Config) {
			c.Objective, c.Encoder, c.Optimizer = pucl.SSCL(), residual, optim.LARS{LearningRate: 0.2}
		}, 1e-3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := light(4)
			tt.change(&c)
			one := trained(t, pureGo, c)
			if tt.devices == 2 {
				var state *seen
				c, state = looking(eng, c)
				c.Monitor = Monitor{Every: 2, Examples: 16}
				defer func() { expect.Equal(t, state.Steps, []int{2, 4}, "steps that were looked at") }()
			}
			c.Compute.Devices = tt.devices
			many := trained(t, eng, c)
			for i, loss := range many.History.Losses {
				expect.That(t, math.Abs(loss-one.History.Losses[i]) < 1e-4, "loss %g of step %d, on one device %g", loss, i,
					one.History.Losses[i])
			}
			d, where := farthest(t, one, many)
			expect.That(t, d < tt.tol, "%s differs by %g", where, d)
			expect.Contains(t, many.Record.Hardware, fmt.Sprintf("split over %d devices", tt.devices))
		})
	}
}

// lossRows returns n rows of d pseudo-random numbers, and labels for one example in eight.
func lossRows(n, d int) (rows, labeled *tensors.Tensor) {
	z, labels := make([]float32, n*d), make([]bool, n/2)
	for i := range z {
		z[i] = hashed(i + 1)
	}
	for i := range labels {
		labels[i] = i%8 == 0
	}
	return tensors.FromFlatDataAndDimensions(z, n, d), tensors.FromFlatDataAndDimensions(labels, n/2)
}

// Rows compared in strips of the symmetric matrix of all pairs are split over devices as well.
func TestLossOverDevices(t *testing.T) {
	eng := onDevices(t, 4)
	const rows, block, devices = 64, 24, 2
	graph := func(_ *model.Scope, in []*Node) []*Node {
		loss := pucl.PUCL().Loss(pucl.Views{Z: in[0], Labeled: in[1], BlockRows: block}, 0.5)
		return []*Node{loss, Gradient(loss, in[0])[0]}
	}
	numbers := func(loss, gradient *tensors.Tensor) []float64 {
		all := []float64{float64(tensors.ToScalar[float32](loss))}
		for _, v := range tensors.MustCopyFlatData[float32](gradient) {
			all = append(all, float64(v)*rows)
		}
		return all
	}
	z, labeled := lossRows(rows, 8)
	one := expect.Must(ExecOnceN(enginetest.Open(t).Backend, func(in []*Node) []*Node { return graph(nil, in) },
		z, labeled))(t)
	first := numbers(one[0], one[1])
	d := expect.Must(newDevices(eng, devices))(t)
	p := expect.Must(d.newProgram(model.NewStore(), graph, layout{inputs: []bool{true}, outputs: []bool{false}}))(t)
	defer p.finalize()
	z, labeled = lossRows(rows, 8) // the other results are the pure-Go engine's
	placed := expect.Must(d.shard(z, labeled))(t)
	last := placed[0][devices-1].Shape().Dim(0)
	expect.That(t, len(placed[0]) == devices && last == rows/devices, "on %d devices: the last one has %d rows",
		len(placed[0]), last)
	out := expect.Must(p.run(len(placed), placed...))(t)
	for i, got := range numbers(out[0][0], out[1][0]) {
		expect.Require(t, math.Abs(got-first[i]) < 2e-5, "number %d is %g on %d devices, %g on one", i, got, devices,
			first[i])
	}
}

// Several devices produce an ordinary model: it embeds on one device, can be saved, and resumes from a checkpoint on
// another number of devices.
func TestModelOfSeveralDevices(t *testing.T) {
	eng, pureGo := onDevices(t, 4), enginetest.Open(t)
	config := light(4)
	config.Encoder, config.Optimizer = encoder.MLP{Hidden: []int{8}, Dim: 8}, optim.LARS{LearningRate: 0.2}
	whole, err := Pretrain(context.Background(), pureGo, stripesOf(16, 4), config)
	expect.NoError(t, err)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	var resumed *Model
	for done, devices := range []int{2, 4} {
		ctx, stop := context.WithCancel(context.Background())
		config.Compute.Devices = devices
		config.Observer = OnStep(func(p Progress) {
			if p.Step == 2*(done+1) {
				stop()
			}
		})
		resumed, err = Pretrain(ctx, eng, stripesOf(16, 4), config)
		stop()
		if last := done == 1; (err == nil) != last || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("%d devices: %v", devices, err)
		}
	}
	if d, where := farthest(t, whole, resumed); !(d < 1e-4) || len(resumed.History.Losses) != 4 {
		t.Errorf("after 2 steps on each of 2 and 4 devices, %s differs by %g", where, d)
	}

	m := resumed
	for v := range m.store.IterVariables() {
		expect.That(t, v.ShardingSpec() == nil, "%s is still bound to the devices it was trained on", v.Path())
	}
	pixels, _, _ := stripesOf(16, 4).Batch(9)
	e := expect.Must(m.Embed(eng, pixels))(t)
	want := expect.Must(whole.Embed(pureGo, pixels))(t)
	expect.That(t, mat.EqualApprox(e.Z, want.Z, 1e-3),
		"embeddings of a model trained on 4 devices differ from those of one")
	file := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, m.Save(file))
	loaded := expect.Must(LoadModel(file, nil))(t)
	d, where := farthest(t, m, loaded)
	expect.That(t, d == 0, "%s differs by %g after saving and loading", where, d)
}

func TestComputeRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	here := eng.Backend.NumDevices()
	type wrongUse struct {
		compute Compute
		want    string
	}
	refusals := []wrongUse{
		{Compute{MicroBatches: -2}, "MicroBatches -2 … at least 1"},
		{Compute{MicroBatches: 3}, "16 examples … 3 micro-batches … 15 or 18"},
		{Compute{Devices: -1}, "Devices -1 … at least 1"},
		{Compute{Devices: here + 1}, fmt.Sprintf("asks for %d devices … at most %d", here+1, here)},
	}
	if eng.Kind == "go" {
		refusals = append(refusals, wrongUse{Compute{Recompute: true}, "Recompute … pure-Go … XLA"})
	}
	for _, tt := range refusals {
		c := light(1)
		c.Compute = tt.compute
		refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, stripesOf(16, 4), c)), tt.want)
	}
	for _, tt := range []struct {
		compute Compute
		b       int
		want    string // "" if the batch can be split
	}{
		{Compute{}, 7, ""}, {Compute{Devices: 4}, 16, ""}, {Compute{Devices: 4, MicroBatches: 2}, 16, ""},
		{Compute{Devices: 4}, 3, "over 4 devices; make it 4 examples"},
		{Compute{Devices: 4, MicroBatches: 2}, 20, "over 2 micro-batches on 4 devices; make it 16 or 24 examples"},
	} {
		err := tt.compute.checkBatch(tt.b)
		expect.That(t, (err == nil) == (tt.want == "") && (err == nil || strings.Contains(err.Error(), tt.want)),
			"%+v, batch of %d: error %v, want %q", tt.compute, tt.b, err, tt.want)
	}
}

// A batch that the number of devices does not divide is an error before anything is built.
func TestBatchThatDevicesDoNotDivide(t *testing.T) {
	eng := onDevices(t, 4)
	c := quick(1)
	c.Compute.Devices = 4
	_, err := Pretrain(context.Background(), eng, stripesOf(18, 4), c)
	refusal.Check(t, err, "18 examples … 4 devices … 16 or 20")
}

// swelling returns batches of 16 that get two more examples from the third on.
type swelling struct{ stripes }

func (s swelling) Batch(step int) ([]uint8, []bool, error) {
	if step >= 2 {
		s.Size += 2
	}
	return s.stripes.Batch(step)
}

// If a later batch cannot be split, the steps before it are saved.
func TestBatchThatCannotBeSplitLosesNothing(t *testing.T) {
	c := quick(4)
	c.Compute.MicroBatches, c.Checkpoint = 4, t.TempDir()
	_, err := Pretrain(context.Background(), enginetest.Open(t), swelling{stripesOf(16, 4)}, c)
	refusal.Check(t, err, "train: step 2: a batch of 18 examples … 16 or 20 examples … the state after 2 steps is saved in "+c.Checkpoint)
}
