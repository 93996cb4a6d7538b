package train

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
)

// sharded is what a program takes or returns: one tensor for each device, which holds either an equal part of the rows of a
// larger one or all of it.
type sharded []*tensors.Tensor

// devices are what programs run on.
type devices struct {
	eng  *engine.Engine
	mesh *distributed.DeviceMesh // nil for one device
}

// batchAxis names the one axis of the mesh of devices.
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

// spec returns where the rows of a tensor lie: in equal parts on the devices, or all of them on each.
func (d devices) spec(split bool) *distributed.ShardingSpec {
	spec := distributed.NewReplicatedShardingSpec(d.mesh)
	if split {
		spec.Axes = []distributed.AxisSpec{{batchAxis}}
	}
	return spec
}

// shard puts tensors onto the devices. Their rows are split where they have any.
func (d devices) shard(all ...*tensors.Tensor) ([]sharded, error) {
	return d.place(all, func(x *tensors.Tensor) bool { return x.Rank() > 0 })
}

// replicate puts tensors onto every device.
func (d devices) replicate(all ...*tensors.Tensor) ([]sharded, error) {
	return d.place(all, func(*tensors.Tensor) bool { return false })
}

// place puts tensors onto the devices, in equal parts those that split says.
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

// gather takes the variables of a store off the devices, so that the store knows of no mesh any more. A variable that cannot
// be read is left where it is, and whoever wants its value next is told why.
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

// program is a graph with variables, run on devices. The graph is the one of a single device, with whole batches; XLA splits
// it along the rows of the inputs. Variables are whole on every device.
type program struct {
	devices
	exec *model.Exec
}

// layout says of which inputs and outputs of a program the devices have parts; the last of each list stands for all that
// follow.
type layout struct{ inputs, outputs []bool }

// newProgram prepares a program. Outputs can be in parts only where the graph changes no variable.
func (d devices) newProgram(store *model.Store, graph func(scope *model.Scope, inputs []*Node) []*Node, split layout) (*program, error) {
	exec, err := model.NewExec(d.eng.Backend, store, graph)
	if err != nil {
		return nil, err
	}
	exec.SetMaxCache(-1) // a batch of another size is another graph, of which gomlx refuses more than 32
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

// run takes and returns what lies on the devices. The inputs from keep on are used up, so that their memory can hold what is
// returned.
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

// finalize frees what was compiled, if anything was.
func (p *program) finalize() {
	if p != nil {
		p.exec.Finalize()
	}
}
