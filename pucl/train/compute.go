package train

import (
	"errors"
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// Compute configures how a training step is computed. The zero value is one device, float32, the whole batch at once,
// and all activations kept for the gradient.
type Compute struct {
	// Devices is the number of the engine's devices over which each batch is split; 0 means 1. It is still one program:
	// the loss compares the whole batch and batch normalization uses its statistics, so the numbers equal those on one
	// device up to rounding. The number must divide the batch. A run may resume from its checkpoint on another number
	// of devices or another engine, with the same numbers up to rounding.
	Devices int

	// BFloat16 makes the encoder and the projector compute in bfloat16. Graphics cards compute it several times as fast
	// as float32 and in half of the memory; processors are usually slower with it. The weights, the state of the
	// optimizer, the statistics of batch normalization, and the loss with its similarities stay float32, and so does
	// all use of the trained model. A user-defined encoder must make its variables with encoder.Weight, or in float32.
	BFloat16 bool

	// MicroBatches is the number of parts of equal size in which the encoder processes a batch, one after the other; 0
	// means 1. Memory falls to the need of one part, and the loss still compares the whole batch. All parts are
	// projected first, then the gradient with respect to all projections is computed, then each part runs once more to
	// add its share to the weights' gradient. A step takes about a third longer. Without batch normalization a division
	// of the batch changes the numbers by rounding only. With it, and the projector always contains one, every part has
	// its own statistics, the same in both passes, and the running averages are updated once for each part. A part
	// holds both views of its examples.
	//
	// Source: Gao, Zhang, Han, Callan, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup", arXiv
	// 2101.06983, 2021.
	MicroBatches int

	// Recompute recomputes the activations inside every block of the encoder (encoder.Block) for the gradient instead
	// of keeping them: less memory for about a third more time, and the same numbers up to rounding. Encoders without
	// blocks, for example encoder.MLP, gain nothing. The pure-Go engine rejects it, because it frees nothing before a
	// step ends.
	Recompute bool
}

// Prepare returns inputs of a network in the precision of training, bfloat16 if c sets it, and marks the blocks built
// later in their graph for recomputation.
func (c Compute) Prepare(x *Node) *Node {
	if c.Recompute {
		encoder.RecomputeBlocks(x.Graph())
	}
	if c.BFloat16 {
		x = ConvertDType(x, dtypes.BFloat16)
	}
	return x
}

// Check returns an error if c is invalid on every engine.
func (c Compute) Check() error {
	switch {
	case c.Devices < 0:
		return fmt.Errorf("train: Compute has Devices %d; it must be at least 1, or 0 for one device", c.Devices)
	case c.MicroBatches < 0:
		return fmt.Errorf("train: Compute has MicroBatches %d; it must be at least 1, or 0 for the whole batch at once", c.MicroBatches)
	}
	return nil
}

// checkEngine returns an error if the engine does not support c.
func (c Compute) checkEngine(eng *engine.Engine) error {
	if c.Recompute && eng.Kind == "go" {
		return errors.New("train: Compute has Recompute set, but the pure-Go engine keeps all numbers until a step ends, so that " +
			"computing some twice would cost memory instead of saving it; leave Recompute false, or open an XLA engine")
	}
	here := max(eng.Backend.NumDevices(), 1)
	if c.devices() <= here {
		return nil
	}
	mend := fmt.Sprintf("set Devices to at most %d", here)
	if eng.Kind == "go" {
		return fmt.Errorf("train: Compute asks for %d devices, but the pure-Go engine has one; %s, or open an XLA engine", c.Devices, mend)
	}
	return fmt.Errorf("train: Compute asks for %d devices, but the engine (%s) has %d; %s", c.Devices, eng.Name(), here, mend)
}

// checkBatch returns an error if a batch of b examples cannot be split as c requires.
func (c Compute) checkBatch(b int) error {
	var over []string
	if n := c.microBatches(); n > 1 {
		over = append(over, fmt.Sprintf("%d micro-batches", n))
	}
	if n := c.devices(); n > 1 {
		over = append(over, fmt.Sprintf("%d devices", n))
	}
	if n := c.devices() * c.microBatches(); b%n != 0 {
		return fmt.Errorf("a batch of %d examples cannot be split evenly over %s; make it %s examples, or split it differently",
			b, strings.Join(over, " on "), multiples(b, n))
	}
	return nil
}

// multiples returns the nearest multiples of n around b.
func multiples(b, n int) string {
	above := (b + n - 1) / n * n
	if below := b / n * n; below > 0 {
		return fmt.Sprintf("%d or %d", below, above)
	}
	return fmt.Sprint(above)
}

func (c Compute) devices() int { return max(c.Devices, 1) }

func (c Compute) microBatches() int { return max(c.MicroBatches, 1) }

// String returns a description of c, "" for the zero value.
func (c Compute) String() string {
	var parts []string
	if c.devices() > 1 {
		parts = append(parts, fmt.Sprintf("%d devices", c.Devices))
	}
	if c.Recompute {
		parts = append(parts, "activations recomputed")
	}
	if numbers := c.numbers(); numbers != "" {
		parts = append(parts, numbers)
	}
	return strings.Join(parts, ", ")
}

// numbers returns the part of String that changes the numbers of a run beyond rounding, "" for none.
func (c Compute) numbers() string {
	var parts []string
	if c.BFloat16 {
		parts = append(parts, "bfloat16 with float32 weights")
	}
	if n := c.microBatches(); n > 1 {
		parts = append(parts, fmt.Sprintf("%d micro-batches", n))
	}
	return strings.Join(parts, ", ")
}

// sharded is an input or output of a program: one tensor for each device, which holds either an equal part of the rows
// of a larger one or all of it.
type sharded []*tensors.Tensor

// devices are the devices that programs run on.
type devices struct {
	eng  *engine.Engine
	mesh *distributed.DeviceMesh // nil for one device
}

// batchAxis names the only axis of the mesh of devices.
const batchAxis = "batch"

func newDevices(eng *engine.Engine, count int) (devices, error) {
	d := devices{eng: eng}
	if count > 1 {
		mesh, err := distributed.NewDeviceMesh([]int{count}, []string{batchAxis})
		if err != nil {
			return d, fmt.Errorf("train: making a mesh of %d devices: %w", count, err)
		}
		d.mesh = mesh
	}
	return d, nil
}

// spec returns the placement of a tensor's rows: in equal parts on the devices, or all of them on each.
func (d devices) spec(split bool) *distributed.ShardingSpec {
	spec := distributed.NewReplicatedShardingSpec(d.mesh)
	if split {
		spec.Axes = []distributed.AxisSpec{{batchAxis}}
	}
	return spec
}

// shard puts tensors onto the devices. Tensors with rows are split by row.
func (d devices) shard(all ...*tensors.Tensor) ([]sharded, error) {
	return d.place(all, func(x *tensors.Tensor) bool { return x.Rank() > 0 })
}

// replicate puts tensors onto every device.
func (d devices) replicate(all ...*tensors.Tensor) ([]sharded, error) {
	return d.place(all, func(*tensors.Tensor) bool { return false })
}

// place puts tensors onto the devices, in equal parts if split returns true.
func (d devices) place(all []*tensors.Tensor, split func(x *tensors.Tensor) bool) ([]sharded, error) {
	placed := make([]sharded, len(all))
	for i, x := range all {
		if d.mesh == nil {
			placed[i] = sharded{x}
			continue
		}
		parts, err := dtensor.ShardTensor(d.spec(split(x)), x)
		if err != nil {
			return nil, fmt.Errorf("placing %s on %d devices: %w", x.Shape(), d.mesh.NumDevices(), err)
		}
		placed[i] = parts.Shards()
	}
	return placed, nil
}

// gather moves the variables of a store off the devices, so that the store no longer depends on the mesh. A variable
// that cannot be read stays in place, and its next reader gets the error.
func (d devices) gather(store *model.Store) {
	if d.mesh == nil {
		return
	}
	for v := range store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			continue
		}
		local, err := value.LocalClone()
		if err == nil && v.SetValue(local) == nil {
			v.WithShardingSpec(nil)
		}
	}
}

// program is a graph with variables, run on devices. The graph is written for a single device with whole batches; XLA
// splits it along the rows of the inputs. Every device holds all variables in full.
type program struct {
	devices
	exec *model.Exec
}

// layout marks the inputs and outputs of a program that are split over the devices; the last of each list applies to
// all that follow.
type layout struct{ inputs, outputs []bool }

// newProgram prepares a program. Outputs can be split only if the graph changes no variable.
func (d devices) newProgram(store *model.Store, graph func(scope *model.Scope, inputs []*Node) []*Node, split layout) (*program, error) {
	exec, err := model.NewExec(d.eng.Backend, store, graph)
	if err != nil {
		return nil, err
	}
	exec.SetMaxCache(-1) // each batch size is another graph; gomlx's default limit is 32
	if d.mesh != nil {
		specs := func(split []bool) []*distributed.ShardingSpec {
			list := make([]*distributed.ShardingSpec, len(split))
			for i := range split {
				list[i] = d.spec(split[i])
			}
			return list
		}
		exec.AutoSharding(d.mesh).WithInputShardingSpecs(specs(split.inputs)...).WithOutputShardingSpecs(specs(split.outputs)...)
	}
	return &program{d, exec}, nil
}

// run takes and returns tensors on the devices. It consumes the inputs from keep on, so that their memory can hold the
// outputs.
func (p *program) run(keep int, inputs ...sharded) ([]sharded, error) {
	count := 1
	if p.mesh != nil {
		count = p.mesh.NumDevices()
	}
	args := make([]any, 0, count*len(inputs))
	for device := range count {
		for i, input := range inputs {
			var arg any = input[device]
			if i >= keep {
				var err error
				if arg, err = DonateTensorBuffer(input[device], p.eng.Backend, compute.DeviceNum(device)); err != nil {
					return nil, err
				}
			}
			args = append(args, arg)
		}
	}
	flat, err := p.exec.Call(args...)
	if err != nil {
		return nil, err
	}
	out := make([]sharded, len(flat)/count)
	for i := range flat {
		out[i%len(out)] = append(out[i%len(out)], flat[i])
	}
	return out, nil
}

// finalize frees the compiled program, unless p is nil.
func (p *program) finalize() {
	if p != nil {
		p.exec.Finalize()
	}
}
