package theory

import (
	"iter"
	"math"
)

// draws yields all ways in which size independent draws from outcomes with probabilities p can fall, each with its
// probability: every sequence where ordered is set, else every multiset once, as its ascending sequence, with the
// probability of all its orders together. The slice is reused from one to the next.
func draws(p []float64, size int, ordered bool) iter.Seq2[[]int, float64] {
	return func(yield func([]int, float64) bool) {
		drawn := make([]int, size)
		var fill func(at, run int, probability float64) bool
		fill = func(at, run int, probability float64) bool {
			if at == size {
				return yield(drawn, probability)
			}
			least := 0
			if at > 0 && !ordered {
				least = drawn[at-1]
			}
			for o := least; o < len(p); o++ {
				drawn[at] = o
				next, length := probability*p[o], 1
				if !ordered {
					// n!/(n_1! n_2! …) grows with each draw by the number of draws over the length of the run that it lengthens.
					if at > 0 && o == drawn[at-1] {
						length = run + 1
					}
					next *= float64(at+1) / float64(length)
				}
				if !fill(at+1, length, next) {
					return false
				}
			}
			return true
		}
		fill(0, 0, 1)
	}
}

// countDraws returns how many ways [draws] yields: k^size sequences, or C(k+size−1, size) multisets of k outcomes. It may be +Inf.
func countDraws(k, size int, ordered bool) float64 {
	if ordered {
		return math.Pow(float64(k), float64(size))
	}
	count := 1.0
	for i := 1; i <= size; i++ {
		count = count * float64(k-1+i) / float64(i)
	}
	return math.Round(count)
}
