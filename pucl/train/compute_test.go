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
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

// onDevices skips a test where the engine has fewer than n devices, once training has refused to take them.
func onDevices(t *testing.T, n int) *engine.Engine {
	t.Helper()
	eng := enginetest.Preferred(t)
	if here := eng.Backend.NumDevices(); here < n {
		c := light(1)
		c.Compute.Devices = n
		_, err := Pretrain(context.Background(), eng, stripes{16, 4}, c)
		want := fmt.Sprintf("asks for %d devices", n)
		expect.That(t, err != nil && strings.Contains(err.Error(), want), "error %v, which lacks %q", err, want)
		t.Skipf("the engine has %d devices, %d are needed", here, n)
	}
	return eng
}

// residual is a block of a ResNet where it halves the images: all kinds of its layers, and a fraction of the compilation.
var residual = encoder.Func{Name: "residual block", Graph: func(scope *model.Scope, x *Node, training bool) *Node {
	filtered := func(name string, x *Node, kernel, stride int) *Node {
		s := scope.In("%s", name)
		return encoder.BatchNorm(s, encoder.Convolution(s, x, 4, kernel, stride), training)
	}
	y := filtered("second", encoder.ReLU(filtered("first", x, 3, 2)), 3, 1)
	return ReduceMean(encoder.ReLU(Add(y, filtered("past", x, 1, 2))), 1, 2)
}}

// Split over devices, training takes the same steps as on one, up to rounding: the loss is that of the global batch, batch
// normalization has its statistics, and the weights get its gradient. Rounding grows from step to step, so they are few;
// what is not global shows in the first loss already.
func TestDevicesDoNotChangeTheNumbers(t *testing.T) {
	eng := onDevices(t, 4)
	for _, tt := range []struct {
		name    string
		devices []int
		change  func(c *Config)
		tol     float64
	}{
		// Adam divides the gradient by its own size, so rounding of one near 0 shows in full.
		{"PUCL, Adam, features", []int{4}, func(c *Config) { c.Encoder = encoder.MLP{Hidden: []int{8}, Dim: 8} }, 5e-3},
		{"ssCL, LARS, features", []int{4}, func(c *Config) {
			c.Objective, c.Optimizer, c.Encoder = pucl.SSCL(), optim.LARS{LearningRate: 0.2}, encoder.MLP{Hidden: []int{8}, Dim: 8}
		}, 1e-4},
		{"residual block", []int{2}, func(c *Config) {
			c.Encoder, c.Optimizer = residual, optim.LARS{LearningRate: 0.2}
		}, 1e-3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			train := func(devices int) *Model {
				c := light(4)
				tt.change(&c)
				c.Compute.Devices = devices
				return trained(t, eng, c)
			}
			one := train(1)
			for _, devices := range tt.devices {
				many := train(devices)
				for i, loss := range many.History.Losses {
					expect.That(t, math.Abs(loss-one.History.Losses[i]) < 1e-4,
						"%d devices: loss %g of step %d, on one device %g", devices, loss, i, one.History.Losses[i])
				}
				d, where := farthest(t, one, many)
				expect.That(t, d < tt.tol, "%d devices: %s differs by %g", devices, where, d)
				if want := fmt.Sprintf("split over %d devices", devices); !strings.Contains(many.Record.Hardware, want) {
					t.Errorf("the record %q does not tell %q", many.Record.Hardware, want)
				}
			}
		})
	}
}

// lossRows returns n rows of d numbers that look random, and labels for one example in eight.
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

// Rows that are compared in blocks, or in strips of the symmetric matrix of all pairs, are split over devices as well.
func TestLossOverDevices(t *testing.T) {
	eng := onDevices(t, 4)
	for _, tt := range []struct{ rows, block, devices int }{{64, 24, 2}, {1024, 0, 2}} {
		z, labeled := lossRows(tt.rows, 8)
		var first []float64
		for _, count := range []int{1, tt.devices} {
			d := expect.Must(newDevices(eng, count))(t)
			p := expect.Must(d.newProgram(model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
				loss := pucl.PUCL().Loss(pucl.Views{Z: in[0], Labeled: in[1], BlockRows: tt.block}, 0.5)
				return []*Node{loss, Gradient(loss, in[0])[0]}
			}, layout{inputs: []bool{true}, outputs: []bool{false}}))(t)
			defer p.finalize()
			placed := expect.Must(d.shard(z, labeled))(t)
			if got := placed[0][count-1].Shape().Dim(0); len(placed[0]) != count || got != tt.rows/count {
				t.Errorf("%d rows on %d devices: device %d has %d", tt.rows, count, len(placed[0]), got)
			}
			out := expect.Must(p.run(len(placed), placed...))(t)
			got := []float64{float64(tensors.ToScalar[float32](out[0][0]))}
			for _, v := range tensors.MustCopyFlatData[float32](out[1][0]) {
				got = append(got, float64(v)*float64(tt.rows))
			}
			if count == 1 {
				first = got
				continue
			}
			for i := range first {
				if !(math.Abs(got[i]-first[i]) < 2e-5) {
					t.Fatalf("%d rows, blocks of %d: number %d is %g on %d devices, %g on one", tt.rows, tt.block, i, got[i], tt.devices, first[i])
				}
			}
		}
	}
}

// What several devices leave behind is a model like any other: it embeds on one device, can be saved, and goes on from a
// checkpoint on another number of devices.
func TestModelOfSeveralDevices(t *testing.T) {
	eng := onDevices(t, 4)
	config := light(6)
	config.Encoder, config.Optimizer = encoder.MLP{Hidden: []int{8}, Dim: 8}, optim.LARS{LearningRate: 0.2}
	whole, err := Pretrain(context.Background(), eng, stripes{16, 4}, config)
	expect.NoError(t, err)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	var resumed *Model
	for done, devices := range []int{1, 2, 4} {
		ctx, stop := context.WithCancel(context.Background())
		config.Compute.Devices = devices
		config.Observer = OnStep(func(p Progress) {
			if p.Step == 2*(done+1) {
				stop()
			}
		})
		resumed, err = Pretrain(ctx, eng, stripes{16, 4}, config)
		stop()
		if last := done == 2; (err == nil) != last || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("%d devices: %v", devices, err)
		}
	}
	if d, where := farthest(t, whole, resumed); !(d < 1e-4) || len(resumed.History.Losses) != 6 {
		t.Errorf("after 2 steps on each of 1, 2 and 4 devices, %s differs by %g", where, d)
	}

	m := resumed
	for v := range m.store.IterVariables() {
		if v.ShardingSpec() != nil {
			t.Errorf("%s is still bound to the devices it was trained on", v.Path())
		}
	}
	pixels, _, _ := stripes{16, 4}.Batch(9)
	e := expect.Must(m.Embed(eng, pixels))(t)
	want := expect.Must(whole.Embed(eng, pixels))(t)
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
		refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, stripes{16, 4}, c)), tt.want)
	}
	for _, tt := range []struct {
		compute Compute
		b       int
		want    string // "" where the batch can be split
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

// A batch that the devices do not divide is refused before anything is built.
func TestBatchThatDevicesDoNotDivide(t *testing.T) {
	eng := onDevices(t, 4)
	c := quick(1)
	c.Compute.Devices = 4
	_, err := Pretrain(context.Background(), eng, stripes{18, 4}, c)
	refusal.Check(t, err, "18 examples … 4 devices … 16 or 20")
}

// swelling are batches of 16 that get two more examples from the third on.
type swelling struct{ stripes }

func (s swelling) Batch(step int) ([]uint8, []bool, error) {
	if step >= 2 {
		s.size += 2
	}
	return s.stripes.Batch(step)
}

// Where a later batch cannot be split, the steps before it are saved.
func TestBatchThatCannotBeSplitLosesNothing(t *testing.T) {
	c := quick(4)
	c.Compute.MicroBatches, c.Checkpoint = 4, t.TempDir()
	_, err := Pretrain(context.Background(), enginetest.Open(t), swelling{stripes{16, 4}}, c)
	refusal.Check(t, err, "train: step 2: a batch of 18 examples … 16 or 20 examples … the state after 2 steps is saved in "+c.Checkpoint)
}
