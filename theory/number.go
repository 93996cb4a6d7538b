package theory

import (
	"encoding/json"
	"fmt"
	"math"
)

// Number is a measured quantity with its confidence interval. If it was computed exactly, Low and High equal Value.
type Number struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Exactly returns a number without uncertainty.
func Exactly(x float64) Number { return Number{x, x, x} }

// Minus returns the difference of two independent numbers: the distances to the ends of the intervals add up as squares, as
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

// String returns the value with six digits, and the interval of an inexact number: "1.07888" or "1.07888 [1.07, 1.09]".
func (n Number) String() string {
	if n.Low == n.Value && n.High == n.Value {
		return fmt.Sprintf("%.6g", n.Value)
	}
	return fmt.Sprintf("%.6g [%.6g, %.6g]", n.Value, n.Low, n.High)
}

// interval is the JSON form of an inexact number.
type interval Number

// MarshalJSON writes a plain number if it is exact, else {"value": …, "low": …, "high": …}. Numbers that are not finite
// have no form in JSON and are an error.
func (n Number) MarshalJSON() ([]byte, error) {
	if n.Low == n.Value && n.High == n.Value {
		return json.Marshal(n.Value)
	}
	return json.Marshal(interval(n))
}

// UnmarshalJSON reads the output of MarshalJSON.
func (n *Number) UnmarshalJSON(data []byte) error {
	var exact float64
	if json.Unmarshal(data, &exact) == nil {
		*n = Exactly(exact)
		return nil
	}
	var read interval
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("theory: a number in JSON is a plain one or {value, low, high}: %w", err)
	}
	*n = Number(read)
	return nil
}

// Moments are the mean and the variance of a quantity over the batches that a design can draw.
type Moments struct {
	Mean, Variance Number
}
