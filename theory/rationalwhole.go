package theory

import "math/big"

// Bounds within which sums of squared differences of whole coordinates fit an int64: differences up to 2²⁵, up to 2¹² of them.
const (
	maxWhole      = 1 << 24
	maxWholeCount = 1 << 12
)

// wholes are points whose coordinates are multiples of 1/denominator. Short sums of small ones need no [big.Rat].
type wholes struct {
	x           [][]int64
	denominator int64
}

// wholesOf returns the rows as multiples of one over their least common denominator. ok is false if a sum of their
// squared differences might exceed an int64.
func wholesOf(rows RationalPoints) (w wholes, ok bool) {
	if len(rows) == 0 || len(rows)*len(rows[0]) > maxWholeCount {
		return w, false
	}
	w.denominator = 1
	for _, row := range rows {
		for _, x := range row {
			if x.IsInt() {
				continue
			}
			d := x.Denom()
			if !d.IsInt64() || d.Int64() > maxWhole {
				return w, false
			}
			w.denominator *= d.Int64() / commonDivisor(w.denominator, d.Int64())
			if w.denominator > maxWhole {
				return w, false
			}
		}
	}
	flat := make([]int64, 0, len(rows)*len(rows[0]))
	for _, row := range rows {
		for _, x := range row {
			factor := w.denominator
			if !x.IsInt() {
				factor /= x.Denom().Int64()
			}
			if !x.Num().IsInt64() {
				return w, false
			}
			n := x.Num().Int64()
			if n > maxWhole/factor || n < -maxWhole/factor {
				return w, false
			}
			flat = append(flat, n*factor)
		}
		w.x = append(w.x, flat[len(flat)-len(row):])
	}
	return w, true
}

// squared returns n/denominator² as a fraction.
func (w wholes) squared(n int64) *big.Rat { return big.NewRat(n, w.denominator*w.denominator) }

// distance returns the squared distance of two rows, in squares of 1/denominator.
func (w wholes) distance(i, j int) (d int64) {
	for k, x := range w.x[i] {
		d += (x - w.x[j][k]) * (x - w.x[j][k])
	}
	return d
}

// potential returns the sum over the first n rows of the squared distance to the nearest of the other rows.
func (w wholes) potential(n int) *big.Rat {
	sum := int64(0)
	for i := range n {
		nearest := w.distance(i, n)
		for j := n + 1; j < len(w.x); j++ {
			nearest = min(nearest, w.distance(i, j))
		}
		sum += nearest
	}
	return w.squared(sum)
}

// commonDivisor returns the greatest common divisor of two positive numbers.
func commonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
