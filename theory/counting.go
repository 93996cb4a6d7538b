package theory

import (
	"fmt"
	"iter"
	"math"

	"github.com/puclab/puclab/theory/internal/must"
)

// maxCounts is the largest number of outcomes that ExpectCounts enumerates, which takes some seconds.
const maxCounts = 2e7

// ExpectCounts returns the exact expectation of f(counts) for a multinomial sample: counts holds the number of
// occurrences of each outcome in size independent draws with probabilities p. Use it for functions that ignore the
// order of a sample, such as a mean over negatives. The probabilities may be any nonnegative weights; outcomes of
// weight 0 never occur.
//
// f must not keep counts, and is not called for counts of probability 0. ExpectCounts returns an error for more than
// 2·10⁷ possible counts: C(k+size−1, size) for k outcomes.
func ExpectCounts(p []float64, size int, f func(counts []int) float64) (float64, error) {
	var total kahan
	var possible []int
	for i, w := range p {
		if !(w >= 0) || math.IsInf(w, 0) {
			return 0, fmt.Errorf("theory: outcome %d has probability %g; it must be a number from 0 to 1", i, w)
		}
		if w > 0 {
			possible = append(possible, i)
			total.add(w)
		}
	}
	if len(possible) == 0 || size < 0 {
		return 0, fmt.Errorf("theory: %d draws from %d possible outcomes; there must be an outcome, and not fewer than 0 draws",
			size, len(possible))
	}
	if ways := countDraws(len(possible), size, false); ways > maxCounts {
		return 0, fmt.Errorf("theory: %d draws from %d outcomes fall in %.3g ways, more than the %.3g that are gone through", size,
			len(possible), ways, float64(maxCounts))
	}
	// A multinomial probability, computed by its logarithm so that neither factorials nor powers overflow float64. The
	// rounding errors of the log factorials are nearly the same in all terms, so dividing by the sum of all terms
	// cancels them.
	logFactorial := make([]float64, size+1)
	for n := range logFactorial {
		logFactorial[n], _ = math.Lgamma(float64(n) + 1)
	}
	logShare := make([]float64, len(p))
	for _, i := range possible {
		logShare[i] = math.Log(p[i] / total.value())
	}
	var mass, sum kahan
	counts := make([]int, len(p))
	var fill func(at, left int, logP float64)
	fill = func(at, left int, logP float64) {
		outcome := possible[at]
		if at == len(possible)-1 {
			counts[outcome] = left
			if w := math.Exp(logP - logFactorial[left] + float64(left)*logShare[outcome]); w > 0 {
				mass.add(w)
				sum.add(w * f(counts))
			}
			return
		}
		for n := range left + 1 {
			counts[outcome] = n
			fill(at+1, left-n, logP-logFactorial[n]+float64(n)*logShare[outcome])
		}
	}
	fill(0, size, logFactorial[size])
	return sum.value() / mass.value(), nil
}

// CriticLoss returns the InfoNCE loss of a critic on a joint distribution, exactly:
//
//	E[ log( exp f(x, y) + Σ_{k=1}^N exp f(x, y_k) ) − f(x, y) ]
//
// with (x, y) a draw from j and N = negatives further y_k, independent draws from noise; nil noise is the marginal
// p(y). The critic f has the shape of j and may hold −Inf where j is 0. It may be any table of scores; for similarities
// of embeddings, see [Meter].
func CriticLoss(j Joint, critic [][]float64, negatives int, noise []float64) (loss float64, err error) {
	defer must.Catch(&err)
	must.Do(j.Validate())
	if noise == nil {
		_, noise = j.Marginals()
	}
	if len(noise) != len(j[0]) {
		must.Fail("theory: noise over %d values of y where the joint distribution has %d", len(noise), len(j[0]))
	}
	must.Do(j.checkCritic(critic))
	var sum kahan
	for x, row := range j {
		sum.add(must.Get(ExpectCounts(noise, negatives, func(counts []int) float64 {
			rest := logSum(critic[x], counts)
			var here kahan
			for y, p := range row {
				if p > 0 {
					here.add(p * (logAdd(critic[x][y], rest) - critic[x][y]))
				}
			}
			return here.value()
		})))
	}
	return sum.value(), nil
}

// checkCritic returns an error for a critic whose shape differs from j, or without a finite score where j has mass.
func (j Joint) checkCritic(critic [][]float64) error {
	if len(critic) != len(j) {
		return fmt.Errorf("theory: a critic with %d rows for a joint distribution with %d", len(critic), len(j))
	}
	for x, row := range critic {
		if len(row) != len(j[x]) {
			return fmt.Errorf("theory: row %d of the critic has %d scores where the joint distribution has %d entries", x, len(row),
				len(j[x]))
		}
		for y, f := range row {
			if math.IsNaN(f) || math.IsInf(f, 1) || math.IsInf(f, -1) && j[x][y] > 0 {
				return fmt.Errorf("theory: the critic scores x=%d, y=%d with %g; scores must be finite, or −Inf for what never occurs "+
					"together", x, y, f)
			}
		}
	}
	return nil
}

// logSum returns log Σ_k w_k exp s_k for weights that are not negative, −Inf where all are 0.
func logSum[W int | float64](scores []float64, weights []W) float64 {
	largest := math.Inf(-1)
	for k, w := range weights {
		if w > 0 {
			largest = max(largest, scores[k])
		}
	}
	if math.IsInf(largest, -1) {
		return largest
	}
	sum := 0.0
	for k, w := range weights {
		if w > 0 {
			sum += float64(w) * math.Exp(scores[k]-largest)
		}
	}
	return largest + math.Log(sum)
}

// draws yields all outcomes of size independent draws with probabilities p, each with its probability. If ordered is
// set it yields every sequence. Otherwise it yields every multiset once, as its ascending sequence, with the total
// probability of all its orders. The slice is reused between iterations.
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
					// n!/(n_1! n_2! …) grows with each draw by the number of draws over the length of the current run
					// of equal draws.
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

// countDraws returns the number of outcomes that [draws] yields: k^size sequences, or C(k+size−1, size) multisets of k
// outcomes. It may be +Inf.
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
