package encoder

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/ml/model"
)

// Convolution filters x [n, height, width, channels] with odd square kernels at the given stride, padding by half a kernel on
// every side; there is no bias, since batch normalization follows. Even kernels are refused: gomlx's gradient with respect
// to the input is wrong for them.
func Convolution(scope *model.Scope, x *Node, channels, kernel, stride int) *Node {
	return convolution(scope, x, channels, kernel, stride, kernel/2)
}

// convolution does what Convolution does, with zeros of the given width on every side.
func convolution(scope *model.Scope, x *Node, channels, kernel, stride, padding int) *Node {
	if kernel%2 == 0 {
		panic(fmt.Errorf("encoder: kernel size %d is even; use an odd one", kernel))
	}
	in := x.Shape().Dim(-1)
	w := weights(scope, "kernel", x, kernel*kernel*in, kernel, kernel, in, channels)
	return convolveAsEngine(x, w, stride, padding)
}

// convolveAsEngine filters x with w [k, k, in, out] in the way that is fastest on x's engine.
func convolveAsEngine(x, w *Node, stride, padding int) *Node {
	if onPureGo(x) {
		return convolveByProducts(x, w, stride, padding)
	}
	return convolveOnXLA(x, w, stride, padding)
}

// onPureGo reports whether x belongs to a graph for the pure-Go engine, to which some operations have to be put in another way.
// Numbers of less than 32 bits are slow there however it is done, so they take the way of all other engines.
func onPureGo(x *Node) bool {
	return x.Graph().Backend().String() == gobackend.BackendName && x.DType().Size() >= dtypes.Float32.Size()
}
