package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/numeric"
)

// logAdd returns log(e^x + e^y) for finite x and y.
func logAdd(x, y *Node) *Node { return Add(x, numeric.LogOnePlusExp(Sub(y, x))) }

// logDifference returns log max{ p·e^x − q·e^y, e^floor }, for p > 0 and q ≥ 0; no gradient flows where the floor holds.
func logDifference(x, y *Node, p, q, floor float64) *Node {
	// Both exponentials are taken relative to the larger one, so that nothing overflows.
	top := StopGradient(Max(x, y))
	difference := Sub(MulScalar(Exp(Sub(x, top)), p), MulScalar(Exp(Sub(y, top)), q))
	above := GreaterThan(difference, Exp(AddScalar(Neg(top), floor)))
	safe := Where(above, difference, OnesLike(difference))
	return Where(above, Add(Log(safe), top), AddScalar(ZerosLike(top), floor))
}
