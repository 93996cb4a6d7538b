package encoder

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/safetensors"
)

// torchvision holds the output of testdata/make_fixtures.py.
type torchvision struct {
	Lists map[string]struct {
		Parameters int
		Shapes     map[string][]int
	}
	Forward map[string]vectortest.Network
}

func fixtures(t *testing.T) (f torchvision) {
	t.Helper()
	vectortest.ReadJSON(t, "testdata/torchvision.json", &f)
	return f
}

// formulaDict makes weights of the given names and shapes, as make_fixtures.py does.
func formulaDict(t *testing.T, shapes map[string][]int) map[string]safetensors.Tensor {
	t.Helper()
	dict := map[string]safetensors.Tensor{}
	for name, shape := range shapes {
		dict[name] = formulaTensor(t, name, shape)
	}
	return dict
}

func formulaTensor(t *testing.T, name string, shape []int) safetensors.Tensor {
	t.Helper()
	return expect.Must(safetensors.New(safetensors.F32, shape, vectortest.TorchWeights(name, shape)))(t)
}

// float32s is a shape of float32 numbers.
func float32s(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }

// declared lists the shapes of the tensors of a graph by PyTorch's names, and counts its trained numbers.
func declared(t *testing.T, build func(scope *model.Scope, g *Graph)) (shapes map[string][]int, parameters int) {
	t.Helper()
	store := model.NewStore()
	expect.NoError(t, declare(enginetest.Open(t).Backend, store, "encoder", build))
	shapes = map[string][]int{}
	for variable, name := range torchNames(store, "encoder") {
		v := store.GetVariable(variable)
		shapes[name], _ = layout(variable, v.Shape().Dimensions)
		if v.Trainable {
			parameters += v.Shape().Size()
		}
	}
	return shapes, parameters
}

// shapesOf is declared for an encoder of images.
func shapesOf(t *testing.T, e Encoder, height, width, channels int) (shapes map[string][]int, parameters int) {
	t.Helper()
	return declared(t, func(scope *model.Scope, g *Graph) {
		e.Embed(scope, Parameter(g, "images", float32s(1, height, width, channels)), false)
	})
}

// Names, shapes and numbers of weights are torchvision's, one to one.
func TestShapesAreTorchvisions(t *testing.T) {
	lists := fixtures(t).Lists
	for name, e := range map[string]Encoder{
		"resnet18": ResNet{Classes: 1000},
		"resnet34": ResNet{Depth: 34, Classes: 1000},
		"resnet50": ResNet{Depth: 50, Classes: 1000},
		"vit_b_16": func() ViT { v := ViTB16(); v.Classes = 1000; return v }(),
	} {
		want := lists[name]
		got, parameters := shapesOf(t, e, 224, 224, 3)
		expect.Equal(t, parameters, want.Parameters, "parameters of %s", name)
		expect.Equal(t, got, want.Shapes, "shapes of %s", name)
	}
}

// Parameter counts of the other networks, computed by hand.
func TestParameterCounts(t *testing.T) {
	bn := func(channels int) int { return 2 * channels }
	for _, tt := range []struct {
		e      Encoder
		edge   int
		colors int
		want   int
	}{
		{LeNet{}, 28, 1, (25*1+1)*6 + (25*6+1)*16 + (25*16+1)*120 + (120+1)*84 + bn(84)},
		{ShortConv{}, 32, 3, (9*3+1)*96 + (9*96+1)*96 + (96+1)*192 + (192+1)*10 + (1960+1)*1000 + 1001*1000},
		{AllConv{}, 32, 3, 9*3*96 + 2*9*96*96 + 3*bn(96) + 9*96*192 + 3*9*192*192 + 192*192 + 5*bn(192) + 192*10 + bn(10) +
			(640+1)*1000 + 1001*1000},
		// ResNet-18 of Width 64 minus its last layer of 512·1000 + 1000, with a 3×3 stem instead of the 7×7 one.
		{ResNet{CIFAR: true}, 32, 3, 11689512 - 513000 - (49-9)*3*64},
		// Published as 22 million: 12 layers of (qkv, out, two of the perceptron, four of two normalizations), the rest
		// as in ViT.
		{ViTS16(), 224, 3, 12*(385*3*384+385*384+385*1536+1537*384+4*384) + 769*384 + 384 + 197*384 + 2*384},
	} {
		_, got := shapesOf(t, tt.e, tt.edge, tt.edge, tt.colors)
		expect.That(t, got == tt.want, "%v has %d parameters, want %d", tt.e, got, tt.want)
	}
}

// With equal weights the networks give the outputs of torchvision's in eval mode, or, for networks that torchvision
// lacks, of PyTorch's layers in the same order. The weights pass through a safetensors file, and a later export equals
// the loaded weights.
func TestForwardIsTorchvisions(t *testing.T) {
	expect.Slow(t)
	forward := fixtures(t).Forward
	networks := map[string]Encoder{
		"resnet18":       ResNet{Classes: 10},
		"resnet50 cifar": ResNet{Depth: 50, CIFAR: true, Classes: 10},
		"vit tiny":       ViT{Patch: 8, Layers: 2, Heads: 3, Dim: 24, Hidden: 40, Classes: 10},
		"lenet":          LeNet{Dim: 7},
		"shortconv":      ShortConv{Width: 4, Dim: 6},
		"allconv":        AllConv{Width: 4, Dim: 6},
	}
	check := func(open func(testing.TB) *engine.Engine, name string, e Encoder) {
		t.Run(name, func(t *testing.T) {
			eng := open(t)
			want := forward[name]
			shapes, _ := shapesOf(t, e, want.Height, want.Width, 3)
			dict := formulaDict(t, shapes)
			path := filepath.Join(t.TempDir(), "weights.safetensors")
			expect.NoError(t, (&safetensors.File{Tensors: dict}).WriteFile(path))
			file, store := expect.Must(safetensors.ReadFile(path))(t), model.NewStore()
			expect.NoError(t, LoadStateDict(eng.Backend, store, "encoder", e, want.Height, want.Width, 3, file.Tensors))
			exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, images *Node) *Node {
				return e.Embed(scope.In("encoder"), images, false)
			})
			defer exec.Finalize()
			images := tensors.FromFlatDataAndDimensions(want.Images(), want.Batch, want.Height, want.Width, 3)
			near(t, "embeddings", expect.Must(exec.Call1(images))(t), slices.Concat(want.Outputs...), 1e-4)
			back := expect.Must(StateDict(store, "encoder"))(t)
			expect.That(t, reflect.DeepEqual(back, dict), "exported %d tensors that are not the %d loaded", len(back), len(dict))
		})
	}
	for name, e := range networks {
		check(enginetest.Open, name, e)
	}
	// XLA compiles the others for a minute; TestForwardIsTransformers has a ViT on it.
	check(enginetest.XLA, "lenet", networks["lenet"])
}

// pureGo opens the pure-Go engine, independent of the engine of other tests.
func pureGo(t testing.TB) compute.Backend {
	t.Setenv(compute.ConfigEnvVar, "go")
	return expect.Must(engine.Open())(t).Backend
}

// outputs runs a graph once.
func outputs(t *testing.T, backend compute.Backend, graph func(in []*Node) []*Node, in ...any) []*tensors.Tensor {
	t.Helper()
	return expect.Must(CallOnceN(backend, graph, in...))(t)
}

// tensorOf returns numbers as a tensor of the given sizes.
func tensorOf(x []float64, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

// sizeOf returns how many numbers a tensor of the given sizes holds.
func sizeOf(dims []int) int { return float32s(dims...).Size() }

// normals returns n numbers drawn from the standard normal distribution.
func normals(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

// numbers returns the numbers of a tensor of float32 or float64.
func numbers(x *tensors.Tensor) []float64 {
	if x.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](x)
	}
	var out []float64
	for _, a := range tensors.MustCopyFlatData[float32](x) {
		out = append(out, float64(a))
	}
	return out
}

// near compares all numbers of a tensor with those of a reference, allowing tol·max(1, |want|).
func near(t *testing.T, what string, got *tensors.Tensor, want []float64, tol float64) {
	t.Helper()
	flat := numbers(got)
	expect.Require(t, len(flat) == len(want), "%s: %d numbers, want %d", what, len(flat), len(want))
	for i, w := range want {
		expect.Require(t, math.Abs(flat[i]-w) <= tol*max(1, math.Abs(w)), "%s: number %d is %g, want %g", what, i, flat[i], w)
	}
}

// slopes returns the central differences of f by each number of x.
func slopes(x []float64, h float64, f func() float64) []float64 {
	out := make([]float64, len(x))
	for i, was := range x {
		x[i] = was + h
		up := f()
		x[i] = was - h
		out[i] = (up - f()) / (2 * h)
		x[i] = was
	}
	return out
}

// largest returns the greatest absolute value.
func largest(x []float64) (most float64) {
	for _, a := range x {
		most = max(most, math.Abs(a))
	}
	return most
}
