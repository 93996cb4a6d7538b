package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
)

// gradientCase is a layer, a block or a whole network on an input of the given shape.
type gradientCase struct {
	name  string
	dims  []int
	layer func(scope *model.Scope, x *Node) *Node
	still string // a variable on which nothing depends, so that its gradient is 0
}

// layerCases are all layers of this package's networks, with every kernel, stride and padding.
var layerCases = []gradientCase{
	{"dense", []int{3, 4}, func(s *model.Scope, x *Node) *Node { return Dense(s, x, 3, true) }, ""},
	{"dense without bias", []int{3, 4}, func(s *model.Scope, x *Node) *Node { return Dense(s, x, 2, false) }, ""},
	{"ReLU", []int{4, 5}, func(_ *model.Scope, x *Node) *Node { return ReLU(AddScalar(x, -0.5)) }, ""},
	{"GELU", []int{4, 5}, func(_ *model.Scope, x *Node) *Node { return activation.Gelu(MulScalar(AddScalar(x, -0.5), 4)) }, ""},
	{"batch norm of rows", []int{5, 3}, func(s *model.Scope, x *Node) *Node { return BatchNorm(s, x, true) }, ""},
	{"batch norm of images", []int{3, 4, 3, 2}, func(s *model.Scope, x *Node) *Node { return BatchNorm(s, x, true) }, ""},
	{"batch norm of two rows", []int{2, 3}, func(s *model.Scope, x *Node) *Node { return BatchNorm(s, x, true) }, ""},
	{"batch norm in use", []int{3, 2, 3, 2}, func(s *model.Scope, x *Node) *Node { return BatchNorm(s, x, false) }, ""},
	// The bias is the same for the whole batch, so subtracting the mean cancels it.
	{"dense and batch norm", []int{4, 3}, func(s *model.Scope, x *Node) *Node {
		return ReLU(BatchNorm(s, Dense(s, x, 3, true), true))
	}, "/bias"},
	{"convolution 1/1", []int{2, 3, 4, 3}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 2, 1, 1) }, ""},
	{"convolution 1/2", []int{2, 5, 4, 3}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 2, 1, 2) }, ""},
	{"convolution 3/1", []int{2, 5, 4, 2}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 3, 3, 1) }, ""},
	{"convolution 3/2", []int{2, 6, 5, 2}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 3, 3, 2) }, ""},
	{"convolution 5/1", []int{2, 6, 5, 1}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 2, 5, 1) }, ""},
	{"convolution 5/2", []int{2, 6, 7, 1}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 2, 5, 2) }, ""},
	{"convolution 7/2", []int{1, 9, 8, 2}, func(s *model.Scope, x *Node) *Node { return Convolution(s, x, 2, 7, 2) }, ""},
	{"convolution 3/1 without padding", []int{2, 4, 5, 2}, func(s *model.Scope, x *Node) *Node { return convolution(s, x, 2, 3, 1, 0) }, ""},
	{"convolution 3/2 without padding", []int{2, 5, 6, 2}, func(s *model.Scope, x *Node) *Node { return convolution(s, x, 2, 3, 2, 0) }, ""},
	{"max-pooling 3/2/1", []int{2, 5, 6, 2}, func(_ *model.Scope, x *Node) *Node { return maxPool(x, 3, 2, 1) }, ""},
	{"max-pooling 2/2/0", []int{2, 4, 5, 2}, func(_ *model.Scope, x *Node) *Node { return maxPool(x, 2, 2, 0) }, ""},
	{"mean of a map", []int{2, 3, 4, 3}, func(_ *model.Scope, x *Node) *Node { return globalMean(x) }, ""},
	{"pixels", []int{2, 2, 3, 3}, func(_ *model.Scope, x *Node) *Node { return ImageNetPixels().scale("test", x) }, ""},
	{"ResNet block", []int{3, 4, 3, 2}, func(s *model.Scope, x *Node) *Node { return basicBlock(s, x, 2, 1, true) }, ""},
	{"ResNet block of half the size", []int{3, 5, 4, 2}, func(s *model.Scope, x *Node) *Node { return basicBlock(s, x, 3, 2, true) }, ""},
	{"ResNet block in use", []int{2, 4, 3, 2}, func(s *model.Scope, x *Node) *Node { return basicBlock(s, x, 3, 2, false) }, ""},
	{"bottleneck", []int{3, 4, 3, 8}, func(s *model.Scope, x *Node) *Node { return bottleneck(s, x, 2, 1, true) }, ""},
	{"bottleneck of half the size", []int{3, 5, 4, 3}, func(s *model.Scope, x *Node) *Node { return bottleneck(s, x, 2, 2, true) }, ""},
	{"patches", []int{2, 4, 6, 2}, func(s *model.Scope, x *Node) *Node { return patches(s, x, 2, 3) }, ""},
	{"layer norm", []int{2, 3, 5}, func(s *model.Scope, x *Node) *Node { return layerNorm(s, x, 1e-6) }, ""},
	{"attention", []int{2, 3, 4}, func(s *model.Scope, x *Node) *Node { return attention(s, MulScalar(x, 3), 2) }, ""},
	{"ViT block", []int{2, 3, 4}, func(s *model.Scope, x *Node) *Node {
		x = Add(x, attention(s.In("attention"), layerNorm(s.In("first"), x, 1e-6), 2))
		y := activation.Gelu(tokenDense(s.In("in"), layerNorm(s.In("second"), x, 1e-6), 5))
		return Add(x, tokenDense(s.In("out"), y, 4))
	}, ""},
	{"masked attention", []int{2, 3, 4}, func(_ *model.Scope, x *Node) *Node {
		x = Reshape(MulScalar(x, 3), 2, 3, 2, 2)
		return attend(x, x, Square(x), Const(x.Graph(), [][]bool{{true, false, true}, {true, true, false}}))
	}, ""},
	{"text", []int{2, 3, 4}, func(s *model.Scope, x *Node) *Node {
		return testBERT.layer(s, x, x, Const(x.Graph(), [][]bool{{true, true, false}, {true, true, true}}), nil)
	}, "/key/bias"}, // a number added to all scores of a token changes nothing
	{"fusion", []int{2, 3, 4}, func(s *model.Scope, x *Node) *Node {
		seen := Sin(MulScalar(IotaFull(x.Graph(), shapes.Make(x.DType(), 2, 5, 6)), 0.7))
		return testBERT.layer(s, x, x, Const(x.Graph(), [][]bool{{true, true, false}, {true, true, true}}), seen)
	}, "/key/bias"},
	{"fusion of the first token", []int{2, 3, 4}, func(s *model.Scope, x *Node) *Node {
		seen := Sin(MulScalar(IotaFull(x.Graph(), shapes.Make(x.DType(), 2, 5, 6)), 0.7))
		return testBERT.FuseFirst(s, x, Const(x.Graph(), [][]bool{{true, true, false}, {true, true, true}}), seen)
	}, "/key/bias"},
	{"projector", []int{4, 3}, func(s *model.Scope, x *Node) *Node { return Projector(s, x, 2, true) }, ""},
}

// casesOf returns the layers to test on an engine. On XLA, which compiles each for a second, these are one of each kind
// with its own code in XLA or oneDNN, in one graph; all of them with PUCL_TEST_ENGINE=xla.
func casesOf(eng *engine.Engine) []gradientCase {
	if eng.Kind == "go" || !enginetest.Tiers() {
		return layerCases
	}
	some := []string{"dense", "GELU", "batch norm of images", "convolution 1/2", "convolution 3/1", "convolution 3/2", "convolution 5/2",
		"max-pooling 3/2/1", "layer norm", "masked attention"}
	all := gradientCase{name: strings.Join(some, ", "), dims: []int{0}}
	var cases []gradientCase
	for _, c := range layerCases {
		if slices.Contains(some, c.name) {
			cases, all.dims[0] = append(cases, c), all.dims[0]+sizeOf(c.dims)
		}
	}
	all.layer = func(s *model.Scope, x *Node) *Node {
		var out []*Node
		from := 0
		for i, c := range cases {
			part := Reshape(Slice(x, AxisRange(from, from+sizeOf(c.dims))), c.dims...)
			out, from = append(out, Reshape(c.layer(s.In("%d", i), part), -1)), from+sizeOf(c.dims)
		}
		return Concatenate(out, 0)
	}
	return []gradientCase{all}
}

// Every layer's gradient, with respect to its input and each of its weights, is checked entry by entry, on both
// engines.
func TestLayerGradientsAgainstDifferences(t *testing.T) {
	expect.Slow(t)
	for _, eng := range enginetest.All(t) {
		for _, tt := range casesOf(eng) {
			t.Run(eng.Kind+"/"+tt.name, func(t *testing.T) { checkGradients(t, eng.Backend, tt, entries) })
		}
	}
}

// The gradients of every network in training, with batch normalization by the batch's statistics, are checked with
// respect to the images and to every weight, along a random direction. Sizes are tiny, but include every kernel, stride
// and pooling of the real networks.
func TestNetworkGradientsAgainstDifferences(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		name  string
		e     Encoder
		dims  []int
		still string // batch normalization cancels its bias
	}{
		{"ResNet", ResNet{Depth: 10, Width: 2, Classes: 3}, []int{4, 17, 18, 3}, ""},
		{"ResNet CIFAR", ResNet{Depth: 10, CIFAR: true, Width: 2}, []int{4, 9, 8, 3}, ""},
		{"SmallCNN and projector", projected{}, []int{3, 9, 9, 1}, ""},
		{"LeNet", LeNet{Dim: 3, Pixels: Pixels{Mean: []float64{0.3}, Std: []float64{0.4}}}, []int{3, 29, 28, 1}, "/fc1/bias"},
		{"AllConv", AllConv{Width: 2, Dim: 4}, []int{4, 8, 9, 3}, ""},
		{"ShortConv", ShortConv{Width: 2, Dim: 5}, []int{2, 7, 8, 3}, ""},
		{"ViT", ViT{Patch: 2, Layers: 2, Heads: 2, Dim: 6, Hidden: 5, Classes: 2, Pixels: ImageNetPixels()}, []int{3, 4, 6, 3}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			network := func(scope *model.Scope, images *Node) *Node { return tt.e.Embed(scope, images, true) }
			checkGradients(t, enginetest.Open(t).Backend, gradientCase{tt.name, tt.dims, network, tt.still}, anyDirection)
		})
	}
}

// projected is a SmallCNN and its projector.
type projected struct{}

func (projected) Embed(scope *model.Scope, images *Node, training bool) *Node {
	h := SmallCNN{Width: 2, Dim: 3}.Embed(scope.In("encoder"), images, training)
	return Concatenate([]*Node{h, Projector(scope.In("projector"), h, 2, training)}, 1)
}

// entries returns the unit directions of n entries, or of a random subset of them.
func entries(rng *rand.Rand, n int) (directions [][]float64) {
	for _, k := range rng.Perm(n)[:min(n, max(40, n/4))] {
		unit := make([]float64, n)
		unit[k] = 1
		directions = append(directions, unit)
	}
	return directions
}

// anyDirection returns one direction drawn at random.
func anyDirection(rng *rand.Rand, n int) [][]float64 { return [][]float64{normals(rng, n)} }

// checkGradients compares the gradient of a layer, with respect to its input and to each of its variables, with central
// differences in float64 along the directions that draw returns.
func checkGradients(t *testing.T, backend compute.Backend, tt gradientCase, draw func(rng *rand.Rand, n int) [][]float64) {
	store := model.NewStore()
	SetSeed(store, 3)
	rng := rand.New(rand.NewPCG(2, 7))
	input := make([]float64, sizeOf(tt.dims))
	for i := range input {
		input[i] = rng.Float64()
	}
	var names []string
	// One graph computes the loss and its gradients, since compilation takes most of the time.
	exec := model.MustNewExec(backend, store, func(scope *model.Scope, x *Node) []*Node {
		h := tt.layer(scope.In("layer"), x)
		loss, wrt := ReduceAllSum(Mul(Add(h, Square(h)), Sin(AddScalar(IotaFull(h.Graph(), h.Shape()), 1)))), []*Node{x}
		names = []string{"input"}
		for v := range store.IterVariables() {
			if v.Trainable {
				wrt, names = append(wrt, v.NodeValue(x.Graph())), append(names, v.Path())
			}
		}
		return append([]*Node{loss}, Gradient(loss, wrt...)...)
	})
	defer exec.Finalize()
	call := func() (float64, []*tensors.Tensor) {
		out := expect.Must(exec.Call(tensorOf(input, tt.dims...)))(t)
		return tensors.ToScalar[float64](out[0]), out[1:]
	}
	call() // draws the weights
	// Initial values of 0 or 1 could hide a gradient that is wrong elsewhere; running variances must stay positive.
	for v := range store.IterVariables() {
		set(t, v, func(x []float64) {
			for i := range x {
				if v.Trainable {
					x[i] += 0.1 * rng.NormFloat64()
				} else {
					x[i] += 0.2 * rng.Float64()
				}
			}
		})
	}
	_, grads := call()
	const h = 1e-6
	for i, name := range names {
		gradient := tensors.MustCopyFlatData[float64](grads[i])
		largest := largest(gradient)
		expect.Equal(t, tt.still != "" && strings.HasSuffix(name, tt.still), (largest < 1e-9), "%v, %v", name, largest)
		for at, direction := range draw(rng, len(gradient)) {
			move := func(by float64) {
				change := func(x []float64) { floats.AddScaled(x, by, direction) }
				if name == "input" {
					change(input)
					return
				}
				set(t, store.GetVariable(name), change)
			}
			move(h)
			up, _ := call()
			move(-2 * h)
			down, _ := call()
			move(h)
			want, diff := floats.Dot(gradient, direction), (up-down)/(2*h)
			expect.That(t, math.Abs(diff-want) <= 1e-6*max(1, largest)*floats.Norm(direction, 2),
				"%s, direction %d: gradient %.9g, difference %.9g", name, at, want, diff)
		}
	}
}

// set changes the numbers of a float64 variable.
func set(t *testing.T, v *model.Variable, change func([]float64)) {
	t.Helper()
	x := tensors.MustCopyFlatData[float64](v.MustValue())
	change(x)
	expect.NoError(t, v.SetValue(tensorOf(x, v.Shape().Dimensions...)))
}
