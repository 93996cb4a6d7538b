package theory

import (
	"fmt"
	"math"
)

// Number is a measured quantity with the interval that holds it. Where it was computed exactly, Low and High equal Value.
type Number struct {
	Value     float64
	Low, High float64
}

// Exactly is a number without uncertainty.
func Exactly(x float64) Number { return Number{x, x, x} }

// Minus is the difference of two independent numbers: the distances to the ends of the intervals add up as squares, as
// for normal intervals of the same confidence.
func (n Number) Minus(other Number) Number {
	value := n.Value - other.Value
	return Number{
		Value: value,
		Low:   value - math.Hypot(n.Value-n.Low, other.High-other.Value),
		High:  value + math.Hypot(n.High-n.Value, other.Value-other.Low),
	}
}

// Contains reports whether x lies in the interval, ends included.
func (n Number) Contains(x float64) bool { return n.Low <= x && x <= n.High }

// String is the value with six digits, and the interval where there is one: "1.07888" or "1.07888 [1.07, 1.09]".
func (n Number) String() string {
	if n.Low == n.Value && n.High == n.Value {
		return fmt.Sprintf("%.6g", n.Value)
	}
	return fmt.Sprintf("%.6g [%.6g, %.6g]", n.Value, n.Low, n.High)
}

// Moments are the mean and the variance of a quantity over the batches that a design can draw.
type Moments struct {
	Mean, Variance Number
}
