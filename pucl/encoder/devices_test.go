package encoder

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// A strided convolution with batch normalization and all their gradients are the same numbers when the images are
// divided between two devices as on one.
func TestConvolutionAndNormOnTwoDevices(t *testing.T) {
	eng := enginetest.XLA(t)
	if eng.Backend.NumDevices() < 2 {
		t.Skip("the engine shows one device")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(dims ...int) *tensors.Tensor {
		var flat []float32
		for _, x := range normals(rng, sizeOf(dims)) {
			flat = append(flat, float32(x))
		}
		return tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	x, w, gamma, beta := draw(4, 7, 6, 3), draw(3, 3, 3, 2), draw(2), draw(2)
	step := func(in []*Node) []*Node {
		y, mean, variance := normalizeBatch(convolveAsEngine(in[0], in[1], 2, 1), in[2], in[3])
		y = convolveAsEngine(ReLU(y), Reshape(in[2], 1, 1, 2, 1), 2, 0)
		loss := ReduceAllSum(Add(Square(y), Sin(y)))
		return append([]*Node{loss, mean, variance}, Gradient(loss, in...)...)
	}
	one := outputs(t, eng.Backend, step, x, w, gamma, beta)
	mesh := expect.Must(distributed.NewDeviceMesh([]int{2}, []string{"devices"}))(t)
	divided := expect.Must(distributed.BuildSpec(mesh).S("devices").Done())(t)
	whole := distributed.NewReplicatedShardingSpec(mesh)
	args := []any{expect.Must(dtensor.ShardTensor(divided, x))(t)}
	for _, a := range []*tensors.Tensor{w, gamma, beta} {
		args = append(args, expect.Must(dtensor.ShardTensor(whole, a))(t))
	}
	exec := MustNewExec(eng.Backend, step).AutoSharding(mesh).WithInputShardingSpecs(divided, whole).WithOutputShardingSpecs(whole)
	defer exec.Finalize()
	two := expect.Must(exec.Call(args...))(t)
	expect.Require(t, len(two) == 2*len(one), "%d results of two devices, %d of one", len(two), len(one))
	for i, result := range two {
		near(t, fmt.Sprintf("result %d on two devices", i), result, numbers(one[i%len(one)]), 1e-5)
	}
}
