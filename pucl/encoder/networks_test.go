package encoder

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// built returns the shape of the embeddings of images of the given dimensions, or what Embed panicked with.
func built(t *testing.T, e Encoder, dims ...int) (dimensions []int, err error) {
	t.Helper()
	g := NewGraph(enginetest.Open(t).Backend, "built")
	defer g.Finalize()
	err = exceptions.TryCatch[error](func() {
		h := e.Embed(model.NewStore().RootScope(), Parameter(g, "images", shapes.Make(dtypes.Float32, dims...)), true)
		dimensions = h.Shape().Dimensions
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
		got, err := built(t, tt.e, tt.dims...)
		if want := []int{tt.dims[0], tt.k}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: embeddings %v of images %v, want %v (%v)", tt.e, got, tt.dims, want, err)
		}
		if got := fmt.Sprint(tt.e); got != tt.name {
			t.Errorf("%T is called %q, want %q", tt.e, got, tt.name)
		}
	}
}

// projecting is a projector of the given dim as an encoder.
type projecting int

func (p projecting) Embed(scope *model.Scope, x *Node, training bool) *Node {
	return Projector(scope, x, int(p), training)
}

func TestNetworkRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		e    Encoder
		dims []int
		want string
	}{
		"depth":           {ResNet{Depth: 51}, []int{1, 32, 32, 3}, "ResNet has Depth 51 … depth is 10, 18, 34 or 50"},
		"width":           {ResNet{Width: -1}, []int{1, 32, 32, 3}, "ResNet has Width -1 … it must be at least 1, or 0 for the default"},
		"classes":         {ResNet{Classes: -1}, []int{1, 32, 32, 3}, "ResNet has Classes -1 … it must be at least 1, or 0 for embeddings"},
		"rows":            {ResNet{}, []int{4, 10}, "reads images [n, height, width, channels] … for rows of features use an MLP"},
		"heads":           {ViT{Heads: 5, Dim: 12}, []int{1, 32, 32, 3}, "5 heads must divide dim 12 … change Heads or Dim"},
		"patch":           {ViT{Patch: -1}, []int{1, 32, 32, 3}, "ViT has Patch -1 … it must be at least 1, or 0 for the default"},
		"layers":          {ViT{Layers: -1}, []int{1, 32, 32, 3}, "ViT has Layers -1 … it must be at least 1, or 0 for the default"},
		"no heads":        {ViT{Heads: -1}, []int{1, 32, 32, 3}, "ViT has Heads -1 … it must be at least 1, or 0 for the default"},
		"ViT dim":         {ViT{Dim: -6}, []int{1, 32, 32, 3}, "ViT has Dim -6 … it must be at least 1, or 0 for the default"},
		"hidden":          {ViT{Hidden: -1}, []int{1, 32, 32, 3}, "ViT has Hidden -1 … it must be at least 1, or 0 for the default"},
		"ViT classes":     {ViT{Classes: -1}, []int{1, 32, 32, 3}, "ViT has Classes -1 … it must be at least 1, or 0 for embeddings"},
		"SmallCNN width":  {SmallCNN{Width: -1}, []int{1, 28, 28, 1}, "SmallCNN has Width -1; … it must be at least 1, or 0 for the default"},
		"SmallCNN dim":    {SmallCNN{Dim: -2}, []int{1, 28, 28, 1}, "SmallCNN has Dim -2 … it must be at least 1, or 0 for the default"},
		"SmallCNN std":    {SmallCNN{Std: -0.5}, []int{1, 28, 28, 1}, "SmallCNN has Std -0.5 … it divides, so it must be positive"},
		"LeNet dim":       {LeNet{Dim: -1}, []int{1, 28, 28, 1}, "LeNet has Dim -1 … it must be at least 1, or 0 for the default"},
		"AllConv width":   {AllConv{Width: -1}, []int{1, 8, 8, 3}, "AllConv has Width -1 … it must be at least 1, or 0 for the default"},
		"AllConv dim":     {AllConv{Dim: -1}, []int{1, 8, 8, 3}, "AllConv has Dim -1 … it must be at least 1, or 0 for the default"},
		"ShortConv width": {ShortConv{Width: -1}, []int{1, 8, 8, 3}, "ShortConv has Width -1 … it must be at least 1, or 0 for the default"},
		"ShortConv dim":   {ShortConv{Dim: -1}, []int{1, 8, 8, 3}, "ShortConv has Dim -1 … it must be at least 1, or 0 for the default"},
		"MLP dim":         {MLP{Dim: -1}, []int{1, 8}, "MLP has Dim -1 … it must be at least 1, or 0 for the default"},
		"projector dim":   {projecting(-1), []int{1, 8}, "projector has dim -1 … it must be at least 1"},
		"patches":         {ViT{}, []int{1, 32, 40, 3}, "a ViT with patches of 16×16 cannot tile images … multiples of 16"},
		"small for LeNet": {LeNet{}, []int{1, 27, 28, 1}, "at least 28×28, not 27×28 … give larger ones, or take another encoder"},
		"small for Short": {ShortConv{}, []int{1, 5, 4, 1}, "at least 5×5, not 5×4 … give larger ones, or take another encoder"},
		"mean":            {AllConv{Pixels: Pixels{Mean: []float64{0, 0}}}, []int{1, 8, 8, 3}, "mean of AllConv holds 2 numbers … images of (Float32)[1, 8, 8, 3] need 3"},
		"no mean":         {AllConv{Pixels: Pixels{Mean: []float64{}}}, []int{1, 8, 8, 3}, "holds 0 numbers … images of (Float32)[1, 8, 8, 3] need 3"},
		"std":             {AllConv{Pixels: Pixels{Std: []float64{1, 0, 1}}}, []int{1, 8, 8, 3}, "the pixels' std of AllConv is [1 0 1] … must be positive"},
	} {
		t.Run(name, func(t *testing.T) { refusal.Check(t, refusal.Err(built(t, tt.e, tt.dims...)), tt.want) })
	}
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
		out, err := ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return tt.p.scale("test", x) },
			tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 2, 1, 1, 2))
		if err != nil {
			t.Fatal(err)
		}
		if got := tensors.MustCopyFlatData[float32](out); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.p, got, tt.want)
		}
	}
}

// Largest numbers of 3×3 windows at stride 2, by hand; the padding never wins, not even over negative numbers.
func TestMaxPool(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{
		-9, -8, -7, -6,
		-5, -4, -3, -2,
		-1, -2, -3, -4,
	}, 1, 3, 4, 1)
	out, err := ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return maxPool(x, 3, 2, 1) }, x)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tensors.MustCopyFlatData[float32](out), []float32{-4, -2, -1, -2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
