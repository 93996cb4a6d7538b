package encoder

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// built returns the shape of the embeddings of images of the given dimensions, or what Embed panicked with.
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
	// Sizes of which 0 is the default.
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

// Largest numbers of 3×3 windows at stride 2, by hand; the padding never wins, not even over negative numbers.
func TestMaxPool(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{-9, -8, -7, -6, -5, -4, -3, -2, -1, -2, -3, -4}, 1, 3, 4, 1)
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return maxPool(x, 3, 2, 1) }, x))(t)
	expect.Equal(t, tensors.MustCopyFlatData[float32](out), []float32{-4, -2, -1, -2})
}
