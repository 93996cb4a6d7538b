package rows

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// farOff is the distance from 0, in ranges of a column, beyond which [Near] moves the column.
const farOff = 1000

// Near returns the rows of x [n, k] with every far column moved to 0, and the subtracted origin [k], which is 0 for the
// other columns. A column is far if all its entries are more than 1,000 times its range away from 0, such as a time in
// seconds or a constant. The origin is the smallest entry, so that subtraction is exact and independent of the order of
// the rows. If no column is far, Near returns x itself and nil.
//
// Methods that depend only on differences of rows call it first: sums and squares of far columns lose the digits in
// which the rows differ. Entries must be finite.
func Near(x *mat.Dense) (near *mat.Dense, origin []float64) {
	n, k := x.Dims()
	low, high := make([]float64, k), make([]float64, k)
	copy(low, x.RawRowView(0))
	copy(high, x.RawRowView(0))
	for i := 1; i < n; i++ {
		for j, v := range x.RawRowView(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	for j := range k {
		if min(math.Abs(low[j]), math.Abs(high[j]))/farOff > high[j]-low[j] {
			if origin == nil {
				origin = make([]float64, k)
			}
			origin[j] = low[j]
		}
	}
	if origin == nil {
		return x, nil
	}
	near = mat.DenseCopyOf(x)
	near.Apply(func(_, j int, v float64) float64 { return v - origin[j] }, near)
	return near, origin
}

// rounding is the range, relative to the largest magnitude, up to which numbers count as equal: 16 units in the last
// place, which rounding alone can cause.
const rounding = 0x1p-48

// Constant reports whether the numbers, at least one, are equal up to rounding: their range is at most 2⁻⁴⁸ of the
// largest magnitude. Infinite numbers count as different unless all are the same.
func Constant(v []float64) bool {
	low, high := slices.Min(v), slices.Max(v)
	return low == high ||
		high-low <= rounding*max(math.Abs(low), math.Abs(high)) && !math.IsInf(high-low, 0)
}

// Varying is [Near] for methods that scale columns by their spread: columns that are constant up to rounding, as in
// [Constant], become 0.
func Varying(x *mat.Dense) (near *mat.Dense, origin []float64) {
	near, origin = Near(x)
	for j, constant := range origin {
		if constant == 0 { // a column that is not far
			continue
		}
		largest := 0.0
		for i := range near.RawMatrix().Rows {
			largest = max(largest, near.At(i, j))
		}
		for i := range near.RawMatrix().Rows {
			if largest <= rounding*math.Abs(constant) {
				near.Set(i, j, 0)
			}
		}
	}
	return near, origin
}

// leastPlain and largestPlain bound numbers whose squares, and sums of squares, stay within float64.
const leastPlain, largestPlain = 1e-100, 1e100

// Magnitude returns 1, or a power of two near largest if that is outside 1e-100 to 1e100. Numbers of that magnitude
// divided by it have squares that neither overflow nor vanish. It returns 1 for 0.
func Magnitude(largest float64) float64 {
	if largest == 0 || largest >= leastPlain && largest <= largestPlain {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent-1, -1021)) // the power and its inverse are finite
}
