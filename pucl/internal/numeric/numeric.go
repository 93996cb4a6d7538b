// Package numeric holds graph functions that losses and risks share, written so that no digits are lost.
package numeric

import . "github.com/gomlx/gomlx/core/graph"

// LogOnePlusExp returns log(1 + e^x), to all digits also where it is tiny.
func LogOnePlusExp(x *Node) *Node {
	// (|x| + x)/2 + log(1 + e^(−|x|)): no exponential of a positive number, and written so that the two uses of |x| cancel
	// in the gradient at x = 0, where a probe starts.
	size := Abs(x)
	return Add(MulScalar(Add(size, x), 0.5), Log1p(Exp(Neg(size))))
}
