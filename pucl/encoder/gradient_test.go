package encoder

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/internal/enginetest"
)

// The gradients of every network in training, with batch normalisation by the batch's statistics, against central differences in
// float64: with respect to the images and to every weight. Sizes are tiny, and every kernel, stride and pooling of the real
// networks is there.
func TestNetworkGradientsAgainstDifferences(t *testing.T) {
	for _, tt := range []struct {
		name  string
		e     Encoder
		dims  []int
		still string // a variable that batch normalisation takes off again, so that its gradient is 0
	}{
		{"ResNet", ResNet{Depth: 10, Width: 2, Classes: 3}, []int{4, 17, 18, 3}, ""},
		{"ResNet CIFAR", ResNet{Depth: 10, CIFAR: true, Width: 2}, []int{4, 9, 8, 3}, ""},
		{"LeNet", LeNet{Dim: 3, Pixels: Pixels{Mean: []float64{0.3}, Std: []float64{0.4}}}, []int{3, 29, 28, 1}, "/fc1/bias"},
		{"AllConv", AllConv{Width: 2, Dim: 4}, []int{4, 8, 9, 3}, ""},
		{"ShortConv", ShortConv{Width: 2, Dim: 5}, []int{2, 7, 8, 3}, ""},
		{"ViT", ViT{Patch: 2, Layers: 2, Heads: 2, Dim: 6, Hidden: 5, Classes: 2, Pixels: ImageNetPixels()}, []int{3, 4, 6, 3}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) { checkGradients(t, tt.e, tt.dims, tt.still) })
	}
}

// checkGradients compares the slope along a random direction of the images and of every variable, one after the other.
func checkGradients(t *testing.T, e Encoder, dims []int, still string) {
	eng := enginetest.Open(t)
	store := model.NewStore()
	SetSeed(store, 3)
	size := 1
	for _, n := range dims {
		size *= n
	}
	rng := rand.New(rand.NewPCG(2, 7))
	flat := make([]float64, size)
	for i := range flat {
		flat[i] = rng.Float64()
	}
	loss := func(scope *model.Scope, images *Node) *Node {
		h := e.Embed(scope.In("e"), images, true)
		return ReduceAllSum(Mul(Add(h, Square(h)), Sin(AddScalar(IotaFull(h.Graph(), h.Shape()), 1))))
	}
	// One graph gives the loss and its gradients, since compiling takes most of the time.
	var names []string
	exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) []*Node {
		x := inputs[0]
		y, wrt := loss(scope, x), []*Node{x}
		names = []string{"images"}
		for v := range store.IterVariables() {
			if v.Trainable {
				wrt, names = append(wrt, v.NodeValue(x.Graph())), append(names, v.Path())
			}
		}
		return append([]*Node{y}, Gradient(y, wrt...)...)
	})
	defer exec.Finalize()
	call := func() (float64, []*tensors.Tensor) {
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(flat, dims...))
		if err != nil {
			t.Fatal(err)
		}
		return tensors.ToScalar[float64](out[0]), out[1:]
	}
	call() // draws the weights
	// Numbers that start at 0 or 1 could hide a gradient that is wrong elsewhere.
	for v := range store.IterVariables() {
		if v.Trainable {
			set(t, v, func(x []float64) {
				for i := range x {
					x[i] += 0.1 * rng.NormFloat64()
				}
			})
		}
	}
	_, grads := call()
	const h = 1e-6
	for i, name := range names {
		gradient := tensors.MustCopyFlatData[float64](grads[i])
		direction, want, largest := make([]float64, len(gradient)), 0.0, 0.0
		for k, g := range gradient {
			direction[k] = rng.NormFloat64()
			want += g * direction[k]
			largest = max(largest, math.Abs(g))
		}
		if small := largest < 1e-6; small != (still != "" && strings.HasSuffix(name, still)) {
			t.Errorf("%s: the largest gradient is %g", name, largest)
		}
		move := func(by float64) {
			change := func(x []float64) {
				for k := range x {
					x[k] += by * direction[k]
				}
			}
			if name == "images" {
				change(flat)
			} else {
				set(t, store.GetVariable(name), change)
			}
		}
		move(h)
		up, _ := call()
		move(-2 * h)
		down, _ := call()
		move(h)
		if diff := (up - down) / (2 * h); math.Abs(diff-want) > 1e-5*max(1, math.Abs(want)) {
			t.Errorf("%s: along a random direction the gradient is %g, the difference %g", name, want, diff)
		}
	}
}

// set changes the numbers of a float64 variable.
func set(t *testing.T, v *model.Variable, change func([]float64)) {
	t.Helper()
	x := tensors.MustCopyFlatData[float64](v.MustValue())
	change(x)
	if err := v.SetValue(tensors.FromFlatDataAndDimensions(x, v.Shape().Dimensions...)); err != nil {
		t.Fatal(err)
	}
}
