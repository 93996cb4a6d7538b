// Package numeric holds what graph functions share: precisions and sums, and functions written so that no digits are lost.
package numeric

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// Working returns the precision in which weights are kept and long sums taken where the data have the given one: float64 where they
// have it, else float32.
func Working(data dtypes.DType) dtypes.DType {
	if data == dtypes.Float64 {
		return data
	}
	return dtypes.Float32
}

// Plus returns sum + more; a nil sum is 0.
func Plus(sum, more *Node) *Node {
	if sum == nil {
		return more
	}
	return Add(sum, more)
}

// LogOnePlusExp returns log(1 + e^x), to all digits also where it is tiny.
func LogOnePlusExp(x *Node) *Node {
	// (|x| + x)/2 + log(1 + e^(−|x|)): no exponential of a positive number, and written so that the two uses of |x| cancel
	// in the gradient at x = 0, where a probe starts.
	size := Abs(x)
	return Add(MulScalar(Add(size, x), 0.5), Log1p(Exp(Neg(size))))
}

// OneIfFinite returns 1 where all entries of x along axes are finite and NaN elsewhere, and keeps the axes with one entry. A
// number multiplied by it stays as it is, bit for bit, or is NaN, and so is its gradient; none flows into x.
//
// A value that is not a number can vanish on its way through a graph: XLA's maximum on a processor skips it, and every Where
// that compares it takes the other branch.
func OneIfFinite(x *Node, axes ...int) *Node {
	g, dtype := x.Graph(), x.DType()
	finite := ReduceAndKeep(IsFinite(StopGradient(x)), ReduceLogicalAnd, axes...) // several times as fast as a sum of 0·x
	return Where(finite, Scalar(g, dtype, 1), Scalar(g, dtype, math.NaN()))
}
