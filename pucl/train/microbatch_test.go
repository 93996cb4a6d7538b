package train

import (
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
)

// contrastTask returns the task of pretraining m by c, whose defaults are filled in, with views and labels as inputs.
func contrastTask(m *Model, c Config) Task {
	project := m.projector(c.Compute)
	return Task{
		Store:   m.store,
		Outputs: func(scope *model.Scope, inputs []*Node) *Node { return project(scope, inputs[0]) },
		Loss: func(projections *Node, inputs []*Node) *Node {
			return c.Objective.Loss(pucl.Views{Z: projections, Labeled: inputs[1]}, c.Tau)
		},
	}
}

// Without batch normalization a step in micro-batches equals the step of the whole batch up to rounding, for a loss
// that compares across parts. TestTaskInPartsAndOnDevices splits the parts over devices.
func TestMicroBatchesWithoutBatchNorm(t *testing.T) {
	eng := enginetest.Open(t)
	run := func(c Compute) (all []metrics, weights map[string][]float32) {
		m := newModel(nil, 0, augment.Shape{}, 0)
		task := contrastTask(m, light(3).withDefaults())
		task.Outputs = func(scope *model.Scope, inputs []*Node) *Node {
			x := encoder.ReLU(encoder.Dense(scope.In("a"), inputs[0], 8, true))
			return encoder.Dense(scope.In("b"), x, 4, true)
		}
		s, err := newStepper(eng, task, Settings{Optimizer: optim.SGD{LearningRate: 0.5}, Compute: c}.WithDefaults())
		expect.NoError(t, err)
		for step := range 3 {
			views, labeled := stripedRows{}.Batch(step)
			one := expect.Must(s.take(Batch{Examples: len(labeled), Inputs: []*tensors.Tensor{
				tensors.FromFlatDataAndDimensions(views, 2*len(labeled), 144), tensors.FromFlatDataAndDimensions(labeled, len(labeled)),
			}}, 0.5))(t)
			all = append(all, one)
		}
		s.finalize()
		task.Store, task.Networks = m.store, []string{"a", "b"}
		return all, networkOf(t, task)
	}
	whole, want := run(Compute{})
	all, weights := run(Compute{MicroBatches: 8})
	for i := range all {
		for k, pair := range [][2]float64{{all[i].loss, whole[i].loss}, {all[i].gradientNorm, whole[i].gradientNorm},
			{all[i].outputNorm, whole[i].outputNorm}} {
			expect.That(t, math.Abs(pair[0]-pair[1]) <= 1e-5*math.Abs(pair[1]),
				"number %d of step %d is %g, of the whole batch %g", k, i, pair[0], pair[1])
		}
	}
	expect.Require(t, len(weights) == len(want), "%d variables, %d for the whole batch", len(weights), len(want))
	for path := range want {
		for i, v := range want[path] {
			expect.That(t, math.Abs(float64(weights[path][i]-v)) < 1e-5,
				"number %d of %s is %g, of the whole batch %g", i, path, weights[path][i], v)
		}
	}
}

// twice returns batches in which every example occurs two times, in different halves.
type twice struct{ stripedRows }

func (b twice) Batch(step int) (views []float32, labeled []bool) {
	once, labels := b.stripedRows.Batch(step)
	half := len(once) / 2
	return slices.Concat(once[:half], once[:half], once[half:], once[half:]), slices.Concat(labels, labels)
}

// With batch normalization, parts that hold the same examples have the statistics of the whole batch, so the steps are
// the same. Only the running averages are updated twice, so the test expects the averages of twice as many steps.
func TestMicroBatchesWithBatchNorm(t *testing.T) {
	eng := enginetest.Open(t)
	train := func(c Compute) *Model {
		config := light(2)
		config.Recipe, config.Encoder, config.Optimizer = nil, encoder.MLP{Hidden: []int{8}, Dim: 8}, optim.LARS{LearningRate: 0.2}
		config.Compute = c
		return expect.Must(PretrainFeatures(context.Background(), eng, twice{}, config))(t)
	}
	whole, divided := train(Compute{}), train(Compute{MicroBatches: 2})
	for i, loss := range divided.History.Losses {
		expect.That(t, math.Abs(loss-whole.History.Losses[i]) < 1e-4,
			"step %d: loss %g, of the whole batch %g", i, loss, whole.History.Losses[i])
	}
	want, got := weightsOf(t, whole), weightsOf(t, divided)
	for path := range want {
		running := strings.HasSuffix(path, "/norm/mean") || strings.HasSuffix(path, "/norm/variance")
		for i, v := range want[path] {
			if !running && !(math.Abs(float64(got[path][i]-v)) < 1e-4*max(math.Abs(float64(v)), 1)) {
				t.Errorf("number %d of %s is %g, of the whole batch %g", i, path, got[path][i], v)
				break
			}
		}
	}
	// The first layer's inputs do not depend on weights of an earlier layer; its mean starts at 0. After steps with
	// batch means a and b a running mean is 0.1·(0.9·a + b); with two updates in each step it is 0.19·(0.81·a + b).
	one := light(1)
	one.Recipe, one.Encoder, one.Optimizer = nil, encoder.MLP{Hidden: []int{8}, Dim: 8}, optim.LARS{LearningRate: 0.2}
	first := map[int][]float32{}
	for _, parts := range []int{1, 2} {
		one.Compute.MicroBatches = parts
		m := expect.Must(PretrainFeatures(context.Background(), eng, twice{}, one))(t)
		first[parts] = weightsOf(t, m)["/encoder/dense1/norm/mean"]
	}
	for i, v := range first[1] {
		if !(math.Abs(float64(first[2][i]-1.9*v)) < 1e-4*max(math.Abs(float64(v)), 1)) {
			t.Errorf("running mean %d is %g after a step in two parts and %g after a whole one; want 1.9 times as much", i, first[2][i], v)
		}
	}
	if want := "2 micro-batches"; !strings.Contains(divided.Record.Settings, want) {
		t.Errorf("the settings %q do not tell %q", divided.Record.Settings, want)
	}
}

// All options of Compute work together.
func TestComputeTogether(t *testing.T) {
	eng := enginetest.Preferred(t)
	c := light(2)
	c.Encoder, c.Compute = encoder.MLP{Hidden: []int{8}, Dim: 8}, Compute{MicroBatches: 2, BFloat16: true}
	if eng.Backend.NumDevices() >= 2 && eng.Kind != "go" {
		c.Compute.Devices, c.Compute.Recompute = 2, true
	}
	m := trained(t, eng, c)
	c.Compute = Compute{MicroBatches: 2}
	plain := trained(t, enginetest.Open(t), c)
	for i, loss := range m.History.Losses {
		expect.That(t, math.Abs(loss-plain.History.Losses[i]) < 0.05,
			"step %d: loss %g, with nothing but micro-batches %g", i, loss, plain.History.Losses[i])
	}
}

// microBatchesOfChild names the variable that makes a run of the test binary only take steps in that many parts.
const microBatchesOfChild = "PUCL_TEST_MICRO_BATCHES"

// pictures are batches of 128 black images of 64×64.
type pictures struct{}

func (pictures) ImageShape() (height, width, channels int) { return 64, 64, 1 }

func (pictures) Batch(int) ([]uint8, []bool, error) {
	return make([]uint8, 128*64*64), make([]bool, 128), nil
}

// filtered is a network of one convolution.
var filtered = encoder.Func{Name: "one convolution", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
	return ReduceMean(encoder.ReLU(encoder.Convolution(scope, x, 16, 3, 1)), 1, 2)
}}

// The activations of a batch of 256 views are 64 MiB for 16 channels. In 4 parts a step must need less than half of the
// memory.
func TestMicroBatchesSaveMemory(t *testing.T) {
	parts, err := strconv.Atoi(os.Getenv(microBatchesOfChild))
	child := err == nil
	if child {
		peaktest.FreeAtOnce() // before an engine is opened
	}
	eng := enginetest.XLA(t) // the pure-Go engine takes minutes
	if child {
		c := light(2)
		c.Encoder, c.Compute.MicroBatches = filtered, parts
		before := 0
		c.Observer = OnStep(func(p Progress) {
			if p.Step == 1 { // excludes compilation
				before = peaktest.Forget(t)
				return
			}
			peaktest.Tell(peaktest.Must(t) - before)
		})
		expect.NoError(t, expect.Err(Pretrain(context.Background(), eng, pictures{}, c)))
		return
	}
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skip("the peak of a process is read from /proc, which this system lacks")
	}
	step := func(parts int) int { return peaktest.OfChild(t, microBatchesOfChild, strconv.Itoa(parts)) }
	whole, divided := step(1), step(4)
	t.Logf("%d MiB whole, %d MiB in parts", whole>>20, divided>>20)
	if whole < 50<<20 || divided > whole/2 {
		t.Errorf("steps take %d MiB with the whole batch and %d MiB in 4 parts; want more than 50, and less than half of that", whole>>20, divided>>20)
	}
}

// noisy is a user-defined encoder that draws random numbers in the graph.
type noisy struct{}

func (noisy) Embed(scope *model.Scope, x *Node, training bool) *Node {
	x = Reshape(x, x.Shape().Dim(0), -1)
	if training {
		x = Add(x, scope.RandomNormal(x.Graph(), x.Shape()))
	}
	return encoder.Dense(scope, x, 4, true)
}

func TestMicroBatchesRefuseRandomEncoders(t *testing.T) {
	c := light(1)
	c.Encoder, c.Compute.MicroBatches = noisy{}, 2
	_, err := Pretrain(context.Background(), enginetest.Open(t), stripesOf(16, 4), c)
	refusal.Check(t, err, "random numbers does: with MicroBatches … use one without, or MicroBatches 1")
}

func TestRowsOf(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]int32{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18}, 8, 2)
	got, err := rowsOf(x, 4, 1, 3) // two views of four examples
	expect.NoError(t, err)
	flat := tensors.MustCopyFlatData[int32](got)
	expect.That(t, slices.Equal(flat, []int32{3, 4, 5, 6, 13, 14, 15, 16}), "examples 1 and 2 have rows %v", flat)
	if _, err := rowsOf(x, 3, 0, 1); err == nil {
		t.Error("8 rows for 3 examples are not refused")
	}
}
