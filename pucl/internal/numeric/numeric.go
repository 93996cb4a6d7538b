// Package numeric holds helpers of graph functions: precisions, sums, and functions that lose no digits.
package numeric

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// Working returns the precision of weights and of long sums for data of the given one: float64 for float64, else
// float32.
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

// LogOnePlusExp returns log(1 + e^x), with all digits even if the result is tiny.
func LogOnePlusExp(x *Node) *Node {
	// (|x| + x)/2 + log(1 + e^(−|x|)): no exponential of a positive number, and the two uses of |x| cancel in the
	// gradient at x = 0, where a probe starts.
	size := Abs(x)
	return Add(MulScalar(Add(size, x), 0.5), Log1p(Exp(Neg(size))))
}

// OneIfFinite returns 1 if all entries of x along axes are finite, else NaN, and keeps the axes with one entry. A
// number multiplied by it is unchanged, bit for bit, or is NaN, and so is its gradient; no gradient flows into x.
//
// NaN can vanish in a graph: XLA's maximum on a processor ignores it, and every Where with a comparison takes the other
// branch.
func OneIfFinite(x *Node, axes ...int) *Node {
	g, dtype := x.Graph(), x.DType()
	finite := ReduceAndKeep(IsFinite(StopGradient(x)), ReduceLogicalAnd, axes...) // several times as fast as a sum of 0·x
	return Where(finite, Scalar(g, dtype, 1), Scalar(g, dtype, math.NaN()))
}
