package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// channelSum adds up f of the inputs, all of one shape [n, .., channels], over everything but the channels. f works number by
// number.
//
// XLA's reduction of all axes but the last runs five times slower on a CPU than the same sum written as additions of slices,
// which are fused with f and run over whole vectors. The axis of examples is left to the reduction, so that it may be divided
// among devices.
func channelSum(f func(parts []*Node) *Node, inputs ...*Node) *Node {
	shape := inputs[0].Shape()
	n, channels := shape.Dim(0), shape.Dim(-1)
	rows := make([]*Node, len(inputs))
	for i, x := range inputs {
		rows[i] = Reshape(x, n, -1, channels)
	}
	if onPureGo(rows[0]) || !onCPU(rows[0]) {
		return ReduceSum(f(rows), 0, 1)
	}
	for left := rows[0].Shape().Dim(1); left > 1; left = rows[0].Shape().Dim(1) {
		slices := slicesOf(left)
		if slices == 0 {
			break
		}
		var sum *Node
		for s := range slices {
			parts := make([]*Node, len(rows))
			for i, x := range rows {
				parts[i] = Slice(x, AxisRange(), AxisRange(s*left/slices, (s+1)*left/slices))
			}
			if part := f(parts); sum == nil {
				sum = part
			} else {
				sum = Add(sum, part)
			}
		}
		rows, f = []*Node{sum}, same
	}
	return ReduceSum(f(rows), 0, 1)
}

// same returns the only part.
func same(parts []*Node) *Node { return parts[0] }

// slicesOf returns the number of equal slices in which to cut a sum of left terms: at most 16 where left has such a divisor, since longer
// expressions take long to compile, left itself where it is a small prime, and 0 where it had better not be cut.
func slicesOf(left int) int {
	for d := min(16, left); d > 1; d-- {
		if left%d == 0 {
			return d
		}
	}
	if left <= 64 {
		return left
	}
	return 0
}
