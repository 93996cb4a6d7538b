package encoder

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// seedParam is the store parameter that SetSeed sets. It is a string, since checkpoints write parameters as JSON
// numbers, which cannot represent every uint64.
const seedParam = "pucl_seed"

// SetSeed sets the seed of all weights that are created in store later. Without it the seed is 0.
func SetSeed(store *model.Store, seed uint64) {
	store.RootScope().SetParam(seedParam, fmt.Sprint(seed))
}

// weights returns the variable name of scope as a [Weight], drawn from a normal distribution of standard deviation
// √(2/fanIn), which keeps the size of the activations through ReLU layers (He et al., 2015).
func weights(scope *model.Scope, name string, x *Node, fanIn int, dims ...int) *Node {
	return normal(scope, name, x, math.Sqrt(2/float64(fanIn)), dims...)
}

// normal returns the variable name of scope as a [Weight], drawn from a normal distribution of the given standard
// deviation. The numbers are drawn immediately and not by the graph, where they would be constants: XLA takes gigabytes
// and many seconds to compile the constants of a ResNet.
func normal(scope *model.Scope, name string, x *Node, std float64, dims ...int) *Node {
	if scope.GetVariable(name) == nil {
		draw := drawNormal[float32]
		if x.DType() == dtypes.Float64 { // the same numbers as in float32
			draw = drawNormal[float64]
		}
		scope.VariableWithValue(name, draw(scope, scope.Scope()+"/"+name, std, dims...))
	}
	return Weight(scope, name, x, initializer.Zero, dims...)
}

// seedOf returns a seed derived from the store's seed and the purpose, what.
func seedOf(scope *model.Scope, what string) uint64 {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s %s", model.GetParamOr(scope, seedParam, "0"), what)
	return hash.Sum64()
}

// undrawn names the parameter of a store whose variables have only shapes. Their values are zeros.
const undrawn = "encoder_undrawn"

// drawNormal draws normal numbers of the given standard deviation, seeded by [seedOf] their purpose: the same ones in
// float32 and float64.
func drawNormal[T float32 | float64](scope *model.Scope, what string, std float64, dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(seedOf(scope, what), 0))
	values := make([]T, shapes.Make(dtypes.Float32, dims...).Size())
	if model.GetParamOr(scope, undrawn, false) {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	for i := range values {
		values[i] = T(float32(std * rng.NormFloat64()))
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// withBias adds a trained number, initially 0, to every channel (the last axis) of x.
func withBias(scope *model.Scope, x *Node) *Node {
	return Add(x, ExpandLeftToRank(Weight(scope, "bias", x, initializer.Zero, x.Shape().Dim(-1)), x.Rank()))
}

// maxPool returns the largest value of every square window of a channel, with the given window and stride, after
// padding every side with minus infinity. Rows and columns at the end that fill no window are dropped. A channel of an
// image with an infinite or NaN entry becomes NaN: XLA's maximum on a processor would ignore NaN.
func maxPool(x *Node, window, stride, padding int) *Node {
	y := MaxPool(x).Window(window).Strides(stride).PaddingPerDim([][2]int{{padding, padding}, {padding, padding}}).Done()
	if onPureGo(x) {
		return y
	}
	return Mul(y, numeric.OneIfFinite(x, 1, 2))
}

// globalMean turns [n, height, width, channels] into the mean of every channel, [n, channels].
func globalMean(x *Node) *Node { return widely(x, func(x *Node) *Node { return ReduceMean(x, 1, 2) }) }

// Dense returns x·W, plus a bias if set, for x [n, k] and dim columns of W. Like all graph code it panics on an x of
// another rank.
func Dense(scope *model.Scope, x *Node, dim int, bias bool) *Node {
	fault.PanicIf(x.Rank() != 2, "encoder: a dense layer takes rows [n, k], not %s; of images or feature maps make some by "+
		"ReduceMean(x, 1, 2) or Reshape(x, n, -1)", x.Shape())
	in := x.Shape().Dim(-1)
	y := product(x, weights(scope, "weights", x, in, in, dim))
	if bias {
		y = withBias(scope, y)
	}
	return y
}

// ReLU returns max(x, 0).
func ReLU(x *Node) *Node {
	if onPureGo(x) {
		return reluOnGo(x)
	}
	return MaxScalar(x, 0)
}

// setting is a size of a network and the name of the field that sets it.
type setting struct {
	name string
	size int
}

// atLeastOne panics on a size below 1. Defaults must be filled in.
func atLeastOne(network string, settings ...setting) {
	for _, s := range settings {
		fault.PanicIf(s.size < 1, "encoder: %s has %s %d; it must be at least 1, or 0 for the default", network, s.name, s.size)
	}
}

// checkClasses panics on a negative number of classes.
func checkClasses(network string, classes int) {
	fault.PanicIf(classes < 0, "encoder: %s has Classes %d; it must be at least 1, or 0 for embeddings instead of logits", network, classes)
}

// Weight returns the trained variable name of scope for use with x. The variable is stored in float32, or in float64 if
// x is, and the value is converted to the precision of x. So a network with bfloat16 data computes in bfloat16, while
// its weights and the updates of an optimizer keep all their digits. The gradient is converted back. User-defined
// encoders should make all their variables with it. start sets the initial values; gomlx's package initializer has
// functions for it. A second call returns the same variable, and Weight panics if the shapes differ.
func Weight(scope *model.Scope, name string, x *Node, start model.VariableInitializer, dims ...int) *Node {
	if v := scope.GetVariable(name); v != nil {
		fault.PanicIf(!slices.Equal(v.Shape().Dimensions, dims), "encoder: the weight %s has the shape %v and is asked for with %v; "+
			"give each layer a scope of its own, scope.In(\"a name\")", v.Path(), v.Shape().Dimensions, dims)
	}
	v := scope.WithInitializer(start).VariableWithShape(name, shapes.Make(numeric.Working(x.DType()), dims...))
	return ConvertDType(v.NodeValue(x.Graph()), x.DType())
}

// widely returns f applied to x in the precision of variables: for sums of many numbers, in which bfloat16 with its 8
// binary digits would lose most digits.
func widely(x *Node, f func(x *Node) *Node) *Node {
	return ConvertDType(f(ConvertDType(x, numeric.Working(x.DType()))), x.DType())
}

// dot returns gomlx's product of matrices with gradients in the precision of the factors; gomlx would compute them in
// float32 for bfloat16 factors. Engines accumulate in float32 either way.
func dot(x, y *Node) *DotBuilder { return Dot(x, y).WithAccumulatorDType(dtypes.InvalidDType) }

// Pixels configures how an encoder scales its input pixels, (x − mean)/std for every channel. The zero value does not
// scale.
type Pixels struct {
	Mean, Std []float64 // one number for each channel, or a single one for all; nil means 0 and 1
}

// ImageNetPixels returns the mean and the standard deviation of ImageNet's red, green and blue, with which
// torchvision's published weights were trained.
func ImageNetPixels() Pixels {
	return Pixels{Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225}}
}

// scale applies p to images [n, height, width, channels] and panics on other shapes.
func (p Pixels) scale(network string, images *Node) *Node {
	fault.PanicIf(images.Rank() != 4, "encoder: %s reads images [n, height, width, channels], not %s; for rows of features use an MLP", network, images.Shape())
	channels := images.Shape().Dim(-1)
	wide := func(what string, values []float64) *Node {
		fault.PanicIf(len(values) != 1 && len(values) != channels,
			"encoder: the pixels' %s of %s holds %d numbers; images of %s need %d, or 1 for all channels",
			what, network, len(values), images.Shape(), channels)
		return ExpandLeftToRank(ConstAsDType(images.Graph(), images.DType(), values), 4)
	}
	if p.Mean != nil {
		images = Sub(images, wide("mean", p.Mean))
	}
	if p.Std != nil {
		fault.PanicIf(slices.ContainsFunc(p.Std, func(std float64) bool { return !(std > 0) }),
			"encoder: the pixels' std of %s is %v; it divides, so it must be positive, or nil for none", network, p.Std)
		images = Div(images, wide("std", p.Std))
	}
	return images
}

// suffix returns a description of the scaling after a space, "" for none.
func (p Pixels) suffix() string {
	if p.Mean == nil && p.Std == nil {
		return ""
	}
	return fmt.Sprintf(" (pixels − %v)/%v", p.Mean, p.Std)
}
