package claims

import "math"

// Verdicts depend on the comparisons of this file, in which NaN never supports a claim. It exceeds every limit, agrees
// with nothing, does not vanish, and stays the extreme, so that the check ends with an error.

const (
	contrastTolerance = 1e-9  // numbers that differ by no more than this agree
	miSlack           = 1e-10 // allowance for rounding in a bound
)

// exceeds reports whether x is above limit.
func exceeds(x, limit float64) bool { return !(x <= limit) }

// agree reports whether a and b are equal up to rounding.
func agree(a, b float64) bool { return math.Abs(a-b) <= contrastTolerance }

// farther returns the one of a and b with the larger distance from 0, NaN if one of them is NaN.
func farther(a, b float64) float64 {
	if math.IsNaN(a) || math.Abs(b) <= math.Abs(a) {
		return a
	}
	return b
}

// fades reports whether a size at n and at 4n draws tends to 0: at a rate of N^(−1/2) it should halve.
func fades(at, at4 float64) bool { return at4 <= 0.75*at+1e-10 }

// vanishes reports whether a gap, given at n and at 4n negatives, tends to 0. At a rate of 1/N it should fall to a
// quarter; it must at least halve, or be within rounding error.
func vanishes(at, at4 float64) bool { return math.Abs(at4) <= math.Abs(at)/2+1e-10 }

// oneIf returns 1 for true and 0 for false.
func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
