package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// A strided convolution with batch normalization and all their gradients are the same numbers when the images are divided
// between two devices as on one.
func TestConvolutionAndNormOnTwoDevices(t *testing.T) {
	eng := enginetest.XLA(t)
	if eng.Backend.NumDevices() < 2 {
		t.Skip("the engine shows one device")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(dims ...int) *tensors.Tensor {
		size := 1
		for _, d := range dims {
			size *= d
		}
		flat := make([]float32, size)
		for i := range flat {
			flat[i] = float32(rng.NormFloat64())
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
	one, err := CallOnceN(eng.Backend, step, x, w, gamma, beta)
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := distributed.NewDeviceMesh([]int{2}, []string{"devices"})
	if err != nil {
		t.Fatal(err)
	}
	divided, err := distributed.BuildSpec(mesh).S("devices").Done()
	if err != nil {
		t.Fatal(err)
	}
	whole := distributed.NewReplicatedShardingSpec(mesh)
	shards, err := dtensor.ShardTensor(divided, x)
	if err != nil {
		t.Fatal(err)
	}
	args := []any{shards}
	for _, a := range []*tensors.Tensor{w, gamma, beta} {
		same, err := dtensor.ShardTensor(whole, a)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, same)
	}
	exec := MustNewExec(eng.Backend, step).AutoSharding(mesh).WithInputShardingSpecs(divided, whole).WithOutputShardingSpecs(whole)
	defer exec.Finalize()
	two, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	if len(two) != 2*len(one) {
		t.Fatalf("%d results of two devices, %d of one", len(two), len(one))
	}
	for i, result := range two {
		want := tensors.MustCopyFlatData[float32](one[i%len(one)])
		for k, got := range tensors.MustCopyFlatData[float32](result) {
			if diff := math.Abs(float64(got - want[k])); !(diff <= 1e-5*max(1, math.Abs(float64(want[k])))) {
				t.Fatalf("result %d, number %d: %g on two devices, %g on one", i, k, got, want[k])
			}
		}
	}
}
