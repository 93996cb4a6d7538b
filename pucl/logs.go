package pucl

import . "github.com/gomlx/gomlx/core/graph"

// logOnePlusExp is log(1 + e^x) for finite x, to all digits also where it is tiny.
func logOnePlusExp(x *Node) *Node {
	// (|x| + x)/2 + log(1 + e^(−|x|)): no exponential of a positive number, and written so that the two uses of |x| cancel
	// in the gradient at x = 0, where a probe starts.
	size := Abs(x)
	return Add(MulScalar(Add(size, x), 0.5), Log1p(Exp(Neg(size))))
}

// logAdd is log(e^x + e^y) for finite x and y.
func logAdd(x, y *Node) *Node { return Add(x, logOnePlusExp(Sub(y, x))) }

// logDifference is log max{ p·e^x − q·e^y, e^floor }, for p > 0 and q ≥ 0; no gradient flows where the floor holds.
func logDifference(x, y *Node, p, q, floor float64) *Node {
	// Both exponentials are taken relative to the larger one, so that nothing overflows.
	top := StopGradient(Max(x, y))
	difference := Sub(MulScalar(Exp(Sub(x, top)), p), MulScalar(Exp(Sub(y, top)), q))
	above := GreaterThan(difference, Exp(AddScalar(Neg(top), floor)))
	safe := Where(above, difference, OnesLike(difference))
	return Where(above, Add(Log(safe), top), AddScalar(ZerosLike(top), floor))
}
