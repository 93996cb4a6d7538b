package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// LogPartition returns log Z(z_i) = log Σ_{j≠i} exp s_ij, the repulsion of (4), (5) and (6).
func LogPartition(b *Block) *Node {
	s := b.source
	if s.rows == nil || b.Sim != s.sim || b.Others != s.otherPairs {
		return LogSumExp(b, b.Others)
	}
	if s.kept.partition == nil {
		if s.anchors == s.rows && flat(s.rows.DType(), b.Tau) {
			s.kept.partition = logPairSums(s.rows, nil, b.Tau, s.cut)
		} else {
			s.kept.partition = LogSumExp(b, b.Others)
		}
	}
	return s.kept.partition
}

// LogSumExp returns log Σ exp s_ij over the pairs that mask selects, Bool of Sim's shape. It is −∞, without gradient,
// for an anchor with no selected pair. The pair of a row with itself never counts.
//
// The largest similarity, or the largest possible for unit rows, is subtracted first. Pairs outside the mask are
// replaced both before and after the exponential: before, so that none overflows and turns the gradient into NaN;
// after, so that none counts.
func LogSumExp(b *Block, mask *Node) *Node {
	mask = b.pairs(mask)
	s := b.source
	made := s.rows != nil && b.Sim == s.sim
	zeros := ZerosLike(b.Sim)

	var shift *Node // [.., r, 1]
	if made && flat(b.Sim.DType(), b.Tau) {
		shift = ExpandAxes(MulScalar(OnesLike(Nothing(b)), 1/b.Tau), -1)
	} else {
		lowest := BroadcastToShape(Infinity(b.Sim.Graph(), b.Sim.DType(), -1), b.Sim.Shape())
		shift = StopGradient(ReduceAndKeep(Where(mask, b.Sim, lowest), ReduceMax, -1))
	}
	exp := Where(mask, Exp(Where(mask, Sub(b.Sim, shift), zeros)), zeros)
	sum := ReduceAndKeep(exp, ReduceSum, -1)
	some := GreaterThan(sum, ZerosLike(sum))
	safe := Where(some, sum, OnesLike(sum))
	none := BroadcastToShape(Infinity(b.Sim.Graph(), b.Sim.DType(), -1), sum.Shape())
	value := Squeeze(Where(some, Add(Log(safe), shift), none), -1)
	if !made {
		return value
	}
	return ownGradient(value, func(v *Node) []*Node {
		// ∂/∂s_ij is the soft-max exp_ij/sum_i. Scaling rows before and after the products avoids a matrix of all
		// pairs.
		scale := Div(MulScalar(ExpandAxes(v, -1), 1/b.Tau), safe)
		return []*Node{Mul(weighted(exp, s.rows), scale), weightedBack(exp, Mul(s.anchors, scale))}
	}, s.anchors, s.rows)
}

// flat reports whether similarities of unit rows, which lie between −1/τ and 1/τ, can all be shifted by the same 1/τ
// without losing digits: e^(−2/τ) must be far from underflow.
func flat(dtype dtypes.DType, tau float64) bool { return 2/tau <= byPrecision(dtype, 400, 40) }

// byPrecision returns double for float64 and single for float32.
func byPrecision(dtype dtypes.DType, double, single float64) float64 {
	if dtype == dtypes.Float64 {
		return double
	}
	return single
}

// logAdd returns log(e^x + e^y) for finite x and y.
func logAdd(x, y *Node) *Node { return Add(x, numeric.LogOnePlusExp(Sub(y, x))) }

// logDifference returns log max{ p·e^x − q·e^y, e^floor }, for p > 0 and q ≥ 0; no gradient flows where the floor
// holds.
func logDifference(x, y *Node, p, q, floor float64) *Node {
	// Both exponentials are taken relative to the larger one, so that nothing overflows.
	top := StopGradient(Max(x, y))
	difference := Sub(MulScalar(Exp(Sub(x, top)), p), MulScalar(Exp(Sub(y, top)), q))
	above := GreaterThan(difference, Exp(AddScalar(Neg(top), floor)))
	safe := Where(above, difference, OnesLike(difference))
	return Where(above, Add(Log(safe), top), AddScalar(ZerosLike(top), floor))
}
