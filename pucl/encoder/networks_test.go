package encoder

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/peaktest"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"gonum.org/v1/gonum/floats"
)

// built returns the shape of the embeddings of images of the given dimensions, or the error of Embed's panic.
func built(t *testing.T, e Encoder, dims ...int) (dimensions []int, err error) {
	t.Helper()
	err = declare(enginetest.Open(t).Backend, model.NewStore(), "e", func(scope *model.Scope, g *Graph) {
		dimensions = e.Embed(scope, Parameter(g, "images", float32s(dims...)), true).Shape().Dimensions
	})
	return dimensions, err
}

func TestEmbeddingShapesAndNames(t *testing.T) {
	for _, tt := range []struct {
		e    Encoder
		dims []int
		k    int
		name string
	}{
		{ResNet{}, []int{2, 224, 224, 3}, 512, "ResNet-18, ImageNet stem, width 64, 512-d"},
		{ResNet{Depth: 34, CIFAR: true}, []int{2, 32, 32, 3}, 512, "ResNet-34, CIFAR stem, width 64, 512-d"},
		{ResNet{Depth: 50}, []int{1, 65, 64, 3}, 2048, "ResNet-50, ImageNet stem, width 64, 2048-d"},
		{ResNet{Width: 3, Classes: 7}, []int{2, 64, 50, 1}, 7, "ResNet-18, ImageNet stem, width 3, 7 logits"},
		{ResNet{Depth: 10}, []int{1, 33, 32, 3}, 512, "ResNet-10, ImageNet stem, width 64, 512-d"},
		{ViT{}, []int{2, 224, 224, 3}, 384, "ViT patch 16, 12 layers, 6 heads, hidden 1536, 384-d"},
		{ViTS16(), []int{2, 32, 64, 1}, 384, "ViT patch 16, 12 layers, 6 heads, hidden 1536, 384-d"},
		{ViTB16(), []int{2, 224, 224, 3}, 768, "ViT patch 16, 12 layers, 12 heads, hidden 3072, 768-d"},
		{LeNet{}, []int{2, 28, 28, 1}, 84, "LeNet, 84-d"},
		{AllConv{}, []int{2, 32, 32, 3}, 1000, "AllConv width 96, 1000-d"},
		{ShortConv{}, []int{2, 32, 32, 3}, 1000, "ShortConv width 96, 1000-d"},
		{ShortConv{Pixels: ImageNetPixels()}, []int{2, 32, 32, 3}, 1000,
			"ShortConv width 96, 1000-d (pixels − [0.485 0.456 0.406])/[0.229 0.224 0.225]"},
	} {
		expect.Equal(t, expect.Must(built(t, tt.e, tt.dims...))(t), []int{tt.dims[0], tt.k}, "%v of images %v", tt.e, tt.dims)
		expect.Equal(t, fmt.Sprint(tt.e), tt.name)
	}
}

// projecting is a projector of the given dim as an encoder.
type projecting int

func (p projecting) Embed(scope *model.Scope, x *Node, training bool) *Node {
	return Projector(scope, x, int(p), training)
}

func TestNetworkRefusals(t *testing.T) {
	check := func(e Encoder, dims []int, want string) {
		t.Helper()
		refusal.Check(t, refusal.Err(built(t, e, dims...)), want)
	}
	small, row := []int{1, 32, 32, 3}, []int{1, 8}
	// These are the sizes with the default 0.
	for field, e := range map[string]Encoder{
		"ResNet has Width": ResNet{Width: -1}, "ViT has Patch": ViT{Patch: -1}, "ViT has Layers": ViT{Layers: -1},
		"ViT has Heads": ViT{Heads: -1}, "ViT has Dim": ViT{Dim: -1}, "ViT has Hidden": ViT{Hidden: -1},
		"SmallCNN has Width": SmallCNN{Width: -1}, "SmallCNN has Dim": SmallCNN{Dim: -1}, "LeNet has Dim": LeNet{Dim: -1},
		"AllConv has Width": AllConv{Width: -1}, "AllConv has Dim": AllConv{Dim: -1},
		"ShortConv has Width": ShortConv{Width: -1}, "ShortConv has Dim": ShortConv{Dim: -1},
	} {
		check(e, small, field+" -1 … it must be at least 1, or 0 for the default")
	}
	check(MLP{Dim: -1}, row, "MLP has Dim -1 … it must be at least 1, or 0 for the default")
	check(projecting(-1), row, "projector has dim -1 … it must be at least 1")
	check(ResNet{Classes: -1}, small, "ResNet has Classes -1 … it must be at least 1, or 0 for embeddings")
	check(ViT{Classes: -1}, small, "ViT has Classes -1 … it must be at least 1, or 0 for embeddings")
	check(ResNet{Depth: 51}, small, "ResNet has Depth 51 … depth is 10, 18, 34 or 50")
	check(ResNet{}, row, "reads images [n, height, width, channels] … for rows of features use an MLP")
	check(ViT{Heads: 5, Dim: 12}, small, "5 heads must divide dim 12 … change Heads or Dim")
	check(ViT{}, []int{1, 32, 40, 3}, "a ViT with patches of 16×16 cannot tile images … multiples of 16")
	check(SmallCNN{Std: -0.5}, small, "SmallCNN has Std -0.5 … it divides, so it must be positive")
	check(LeNet{}, []int{1, 27, 28, 1}, "at least 28×28, not 27×28 … give larger ones, or take another encoder")
	check(ShortConv{}, []int{1, 5, 4, 1}, "at least 5×5, not 5×4 … give larger ones, or take another encoder")
	pixels := func(p Pixels, want string) {
		t.Helper()
		check(AllConv{Pixels: p}, []int{1, 8, 8, 3}, want)
	}
	pixels(Pixels{Mean: []float64{0, 0}}, "mean of AllConv holds 2 numbers … images of (Float32)[1, 8, 8, 3] need 3")
	pixels(Pixels{Mean: []float64{}}, "holds 0 numbers … images of (Float32)[1, 8, 8, 3] need 3")
	pixels(Pixels{Std: []float64{1, 0, 1}}, "the pixels' std of AllConv is [1 0 1] … must be positive")
}

func TestPixels(t *testing.T) {
	for _, tt := range []struct {
		p    Pixels
		want []float32
	}{
		{Pixels{}, []float32{1, 2, 3, 4}},
		{Pixels{Mean: []float64{1}}, []float32{0, 1, 2, 3}},
		{Pixels{Mean: []float64{1, 0}, Std: []float64{2, 4}}, []float32{0, 0.5, 1, 1}},
		{Pixels{Std: []float64{0.5}}, []float32{2, 4, 6, 8}},
	} {
		x := tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 2, 1, 1, 2)
		out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return tt.p.scale("test", x) }, x))(t)
		expect.Equal(t, tensors.MustCopyFlatData[float32](out), tt.want, "%+v", tt.p)
	}
}

// Maxima of 3×3 windows at stride 2, by hand; the padding is never the maximum, not even over negative numbers.
func TestMaxPool(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{-9, -8, -7, -6, -5, -4, -3, -2, -1, -2, -3, -4}, 1, 3, 4, 1)
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return maxPool(x, 3, 2, 1) }, x))(t)
	expect.Equal(t, tensors.MustCopyFlatData[float32](out), []float32{-4, -2, -1, -2})
}

// A NaN entry makes some output of every layer NaN if the layer depends on that entry, on both engines: no maximum and
// no guard hides it.
func TestNaNComesThroughEveryLayer(t *testing.T) {
	for _, eng := range enginetest.All(t) {
		for _, tt := range casesOf(eng) {
			for _, dtype := range []dtypes.DType{dtypes.Float64, dtypes.Float32} {
				if dtype == dtypes.Float64 && eng.Kind != "go" {
					continue // not used in training on XLA, which compiles for seconds
				}
				t.Run(fmt.Sprintf("%s/%s/%s", eng.Kind, tt.name, dtype), func(t *testing.T) { checkNaN(t, eng.Backend, tt, dtype) })
			}
		}
	}
}

// checkNaN compares two outputs of a layer for each entry of the input: one with the entry made large, which shows
// whether the layer depends on it, and one with the entry made NaN.
func checkNaN(t *testing.T, backend compute.Backend, tt gradientCase, dtype dtypes.DType) {
	store := model.NewStore()
	SetSeed(store, 3)
	input := make([]float64, sizeOf(tt.dims))
	for i := range input {
		input[i] = float64(i*7%11) / 11
	}
	exec := model.MustNewExec(backend, store, func(scope *model.Scope, x *Node) *Node {
		return ConvertDType(tt.layer(scope.In("layer"), ConvertDType(x, dtype)), dtypes.Float64)
	})
	defer exec.Finalize()
	output := func() []float64 { return numbers(expect.Must(exec.Call1(tensorOf(input, tt.dims...)))(t)) }
	output() // draws the weights
	before := output()
	seen := 0
	for i, was := range input {
		input[i] = was + 10
		large := output()
		if input[i] = math.NaN(); !slices.Equal(large, before) {
			seen++
			expect.That(t, floats.HasNaN(output()), "entry %d is NaN and no output is", i)
		}
		input[i] = was
	}
	expect.That(t, seen > 0, "the layer looks at no entry")
}

// Networks with recomputed blocks have the same loss, gradients and running statistics as without. Other tests check
// the gradients without by finite differences.
func TestRecomputedBlocksChangeNothing(t *testing.T) {
	eng := enginetest.Open(t)
	const n, side = 4, 12
	pixels := vectortest.Network{Batch: n, Height: side, Width: side}.Images()
	images := tensors.FromFlatDataAndDimensions(pixels[:n*side*side], n, side, side, 1)
	for _, tt := range []struct {
		network Encoder
		blocks  int
	}{
		{SmallCNN{Width: 2, Dim: 4}, 3},
		{ResNet{Depth: 10, CIFAR: true, Width: 2}, 5},
		{AllConv{Width: 2, Dim: 4}, 9},
		{ViT{Patch: 6, Layers: 2, Heads: 2, Dim: 4}, 2},
	} {
		var want []*tensors.Tensor
		for _, again := range []bool{false, true} {
			store := model.NewStore()
			SetSeed(store, 1)
			barriers := 0
			step := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, images *Node) []*Node {
				if again {
					RecomputeBlocks(images.Graph())
				}
				h := tt.network.Embed(scope, images, true)
				for _, node := range images.Graph().Nodes() {
					if node.Type() == NodeTypeOptimizationBarrier {
						barriers++
					}
				}
				loss := ReduceAllSum(Square(AddScalar(h, -1)))
				return append(scope.BuildTrainableVariablesGradientsGraph(loss), loss)
			})
			got := expect.Must(step.Call(images))(t)
			step.Finalize()
			for v := range store.IterVariables() {
				if !v.Trainable {
					got = append(got, v.MustValue())
				}
			}
			if !again {
				want = got
				continue
			}
			// One barrier before and one after each block.
			expect.Equal(t, barriers, 2*tt.blocks, "barriers of %v", tt.network)
			for i := range want {
				got, want := numbers(got[i]), numbers(want[i])
				far := floats.Distance(got, want, math.Inf(1))
				expect.That(t, far <= 1e-4*max(largest(want), 1e-2) && !floats.HasNaN(got),
					"%v: result %d is %g away from that without recomputing", tt.network, i, far)
			}
		}
	}
}

// recomputeOfChild names the variable that makes a run of the test binary only compute a gradient.
const recomputeOfChild = "PUCL_TEST_RECOMPUTE"

// Eight blocks of four layers on 65,536 rows of 16 numbers, 4 MiB each, keep some 130 MiB for the gradient; recomputed
// they must need less than half. The peak of a whole process is measured, so each runs in its own process. The pure-Go
// engine frees nothing before a step ends, so training rejects Recompute there.
func TestRecomputedBlocksSaveMemory(t *testing.T) {
	eng := enginetest.XLA(t)
	if again := os.Getenv(recomputeOfChild); again != "" {
		step := model.MustNewExec(eng.Backend, model.NewStore(), func(scope *model.Scope, x *Node) []*Node {
			if again == "true" {
				RecomputeBlocks(x.Graph())
			}
			for i := range 8 {
				x = Block(x, func(x *Node) *Node {
					for j := range 4 {
						x = ReLU(Dense(scope.In("%d-%d", i, j), x, 16, false))
					}
					return x
				})
			}
			return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(Square(x)))
		})
		rows := tensors.FromShape(float32s(1<<16, 16))
		expect.Must(step.Compile(rows.Shape()))(t)
		before := peaktest.Must(t)
		expect.Must(step.Call(rows))(t)
		peaktest.Tell(peaktest.Must(t) - before)
		return
	}
	peaktest.Skip(t)
	kept, recomputed := peaktest.OfChild(t, recomputeOfChild, "false"), peaktest.OfChild(t, recomputeOfChild, "true")
	expect.That(t, kept >= 100<<20 && recomputed <= kept/2,
		"the gradient takes %d MiB with activations kept and %d MiB with them recomputed; want more than 100, and less than half of that",
		kept>>20, recomputed>>20)
}
