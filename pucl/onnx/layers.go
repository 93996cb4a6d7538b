package onnx

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/pucl/encoder"
)

// layers adds layers to a graph, whose variables a store has under a path.
type layers struct {
	*graph
	store *model.Store
	path  string // "/encoder", for example
}

// in returns the layers below a scope of l.
func (l layers) in(format string, args ...any) layers {
	l.path += "/" + fmt.Sprintf(format, args...)
	return l
}

// variable returns the numbers and the shape of a variable, which must have the given number of axes. If it is missing,
// the shape is all ones.
func (l layers) variable(name string, rank int) (values []float32, dims []int) {
	values, dims, err := l.read(l.path+"/"+name, rank)
	if err != nil {
		l.fail("%w", err)
		return make([]float32, 1), slices.Repeat([]int{1}, rank)
	}
	return values, dims
}

func (l layers) read(path string, rank int) (values []float32, dims []int, err error) {
	v := l.store.GetVariable(path)
	if v == nil {
		return nil, nil, fmt.Errorf("the network has no variable %s; give the model that was trained with this encoder",
			path)
	}
	t, err := v.Value()
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if t.Shape().Rank() != rank {
		return nil, nil, fmt.Errorf("the variable %s is %s and must have %d axes; give the model that was trained "+
			"with this encoder", path, t.Shape(), rank)
	}
	switch t.DType() {
	case dtypes.Float32:
		values, err = tensors.CopyFlatData[float32](t)
	case dtypes.Float64:
		var wide []float64
		wide, err = tensors.CopyFlatData[float64](t)
		for _, x := range wide {
			values = append(values, float32(x))
		}
	default:
		err = fmt.Errorf("the variable %s holds %s; networks are written in float32", path, t.DType())
	}
	return values, t.Shape().Dimensions, err
}

// weight adds a variable to the graph unchanged.
func (l layers) weight(name string, rank int) string {
	values, dims := l.variable(name, rank)
	return constant(l.graph, l.path+"/"+name, values, dims...)
}

// fits records an error unless a layer takes as many numbers as there are.
func (l layers) fits(takes, there int) {
	if takes != there {
		l.fail("the layer %s takes %d numbers and gets %d; give the model that was trained with this encoder", l.path,
			takes, there)
	}
}

// convolution filters images [channels, height, width] with the variable kernel [k, k, in, out], after padding every
// side with zeros.
func (l layers) convolution(x value, stride, padding int, bias bool) value {
	kernel, dims := l.variable("kernel", 4)
	k, in, out := dims[0], dims[2], dims[3]
	l.fits(in, x.dims[0])
	inputs := []string{x.name, constant(l.graph, l.path+"/kernel", channelsFirst(kernel, k*k, in, out), out, in, k, k)}
	if bias {
		inputs = append(inputs, l.weight("bias", 1))
	}
	return l.node("Conv", append([]int{out}, windows(x, k, stride, padding)...), inputs, ints("kernel_shape", k, k),
		ints("strides", stride, stride), ints("pads", padding, padding, padding, padding))
}

// maxPool takes the maximum of every square window of a channel. Padding never is the maximum.
func (l layers) maxPool(x value, window, stride, padding int) value {
	return l.node("MaxPool", append([]int{x.dims[0]}, windows(x, window, stride, padding)...), []string{x.name},
		ints("kernel_shape", window, window), ints("strides", stride, stride),
		ints("pads", padding, padding, padding, padding))
}

// windows returns the height and width of images after a filter.
func windows(x value, window, stride, padding int) []int {
	of := func(size int) int { return (size+2*padding-window)/stride + 1 }
	return []int{of(x.dims[1]), of(x.dims[2])}
}

// channelsFirst returns an array [places, in, out] as [out, in, places].
func channelsFirst(values []float32, places, in, out int) []float32 {
	turned := make([]float32, 0, len(values))
	for o := range out {
		for i := range in {
			for p := range places {
				turned = append(turned, values[(p*in+i)*out+o])
			}
		}
	}
	return turned
}

// globalMean returns the mean of every channel of images [channels, height, width].
func (l layers) globalMean(x value) value {
	return l.reshape(l.node("GlobalAveragePool", []int{x.dims[0], 1, 1}, []string{x.name}), x.dims[0])
}

// batchNorm normalizes the channels, the first axis after the batch, by running averages.
func (l layers) batchNorm(x value) value {
	n := l.in("norm")
	inputs := []string{x.name}
	for _, name := range []string{"scale", "shift", "mean", "variance"} {
		inputs = append(inputs, n.weight(name, 1))
	}
	return l.node("BatchNormalization", x.dims, inputs, float("epsilon", encoder.BatchNormEpsilon))
}

// dense returns rows [in] times the variable weights [in, out], plus a bias if there is one.
func (l layers) dense(x value, bias bool) value {
	weights, dims := l.variable("weights", 2)
	return l.product(x, weights, dims[0], dims[1], bias)
}

// denseOfImages is dense for the numbers of images [channels, height, width], whose weights lie in the order height,
// width, channels.
func (l layers) denseOfImages(x value, bias bool) value {
	weights, dims := l.variable("weights", 2)
	channels, places := x.dims[0], x.dims[1]*x.dims[2]
	ordered := make([]float32, 0, len(weights))
	for c := range channels {
		for p := range places {
			if row := (p*channels + c) * dims[1]; row+dims[1] <= len(weights) {
				ordered = append(ordered, weights[row:row+dims[1]]...)
			}
		}
	}
	return l.product(l.flat(x), ordered, dims[0], dims[1], bias)
}

func (l layers) product(x value, weights []float32, in, out int, bias bool) value {
	l.fits(in, x.dims[0])
	inputs := []string{x.name, constant(l.graph, l.path+"/weights", weights, in, out)}
	if bias {
		inputs = append(inputs, l.weight("bias", 1))
	}
	return l.node("Gemm", []int{out}, inputs)
}
