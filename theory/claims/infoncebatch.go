package claims

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// infoNCEBatchTau is a temperature at which exp(−2/τ) is negligible beside 1, so that the critic is nearly perfect.
const infoNCEBatchTau = 0.05

// infoNCEBatchDetails measures the batch form: with the engine in cases that break the bound, and by a search with
// arbitrary critics in smaller batches, where no violation was found. With log b in place of log(2b−1) it cannot break.
func infoNCEBatchDetails(s *subject, f *Finding) {
	const b = 5
	information, bound := infoNCEBatch(s, b, infoNCEBatchTau)
	measure(f, information, "batch of %d, ±1, equal views: I(x, x⁺)", b)
	measure(f, bound, "batch of %d, ±1, equal views: log(2b−1) − ssCL", b)
	measure(f, bound-information, "batch of %d, ±1, equal views: bound − I", b)
	verb := "stays below"
	if exceeds(bound, information+miSlack) {
		verb = "exceeds"
		f.Sentence = strings.TrimSuffix(f.Sentence, ".") + fmt.Sprintf("; in a batch, where negatives are pairs of "+
			"views, log(2b−1) − L can exceed the information, by %.4f nats at b = %d.", bound-information, b)
	}
	if !s.assumes("independent negatives") && exceeds(bound, information) {
		f.conclude(Fails, "With pairs of views for negatives the bound lies above the mutual information by %.4f nats in a batch "+
			"of %d.", bound-information, b)
	}
	text := fmt.Sprintf("negatives of a batch, 2b−2 rows in pairs of views: with b = %d, points ±1 with probability ½ "+
		"each, equal views and τ = %g, log(2b−1) − ssCL %s I = log 2 by %.6f; for a perfect critic bound − I is", b,
		infoNCEBatchTau, verb, bound-information)
	for _, size := range []int{2, 3, 4, 5, 6, 8, 16, 64} {
		excess := perfectBatchExcess(size)
		measure(f, excess, "perfect critic, ±1, equal views, b = %d: bound − I", size)
		text += fmt.Sprintf(" %.2g for b = %d,", excess, size)
	}
	f.detail("%s", strings.TrimSuffix(text, ","))

	largest, weaker, searched := math.Inf(-1), math.Inf(-1), 0
	rng := rand.New(rand.NewPCG(4, 0x1905))
	for range 100 {
		for _, size := range []int{2, 3, 4} {
			joint := randomViews(rng, 2+rng.IntN(2))
			excess := math.Log(float64(2*size-1)) - bestBatchLoss(joint, size) - joint.MutualInformation()
			searched++
			largest = max(largest, excess)
			weaker = max(weaker, excess+math.Log(float64(size))-math.Log(float64(2*size-1)))
		}
	}
	measure(f, searched, "batches of 2 to 4 with the best critic: cases")
	measure(f, largest, "batches of 2 to 4 with the best critic: largest bound − I")
	measure(f, weaker, "batches of 2 to 4 with the best critic: largest log b − L − I")
	f.detail("smaller batches: over %d random distributions of two views, the best critic found for each, bound − I is at most "+
		"%.2g for b from 2 to 4; with log b in place of log(2b−1) it is at most %.4f, and the bound holds for every b, since "+
		"leaving out one view of each other example lowers the loss and leaves independent negatives", searched, largest, weaker)
}

// perfectBatchExcess returns log(2b−1) − E log(1 + 2K) − log 2 with K binomial, b−1 and ½. It is the result of a
// perfect critic on a batch of ±1 with equal views, where K other examples have the anchor's point.
func perfectBatchExcess(b int) float64 {
	loss := must.Get(
		theory.ExpectCounts([]float64{0.5, 0.5}, b-1, func(counts []int) float64 { return math.Log1p(2 * float64(counts[0])) }))
	return math.Log(float64(2*b-1)) - loss - math.Ln2
}

// randomViews draws a symmetric distribution of two views over k points, between independent and equal ones.
func randomViews(rng *rand.Rand, k int) theory.Joint {
	free, same := randomJoint(rng, k, k, 1), rng.Float64()
	if rng.IntN(3) == 0 {
		same = 1
	}
	px, _ := free.Marginals()
	j := lists.Table(k, k, func(x, y int) float64 { return (1 - same) * (free[x][y] + free[y][x]) / 2 })
	for x := range j {
		j[x][x] += same * px[x]
	}
	return j
}

// rowCounts is the number of a batch's negatives at each point, with its probability.
type rowCounts struct {
	of [3]int
	p  float64
}

// batchNegatives lists the distributions of the 2(b−1) negatives of a batch over at most three points: both views of
// b−1 draws.
func batchNegatives(views theory.Joint, b int) []rowCounts {
	p := map[[3]int]float64{{}: 1}
	for range b - 1 {
		next := map[[3]int]float64{}
		for of, share := range p {
			for x, row := range views {
				for y, pair := range row {
					more := of
					more[x]++
					more[y]++
					next[more] += share * pair
				}
			}
		}
		p = next
	}
	counts := slices.SortedFunc(maps.Keys(p), func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
	return lists.Map(counts, func(of [3]int) rowCounts { return rowCounts{of, p[of]} })
}

// batchLoss returns the contribution of anchors at x to the expected loss (4) with an arbitrary critic, and sets slopes
// to its derivatives: scores is the critic's row of x. The anchor and its other view are a draw of views, so the
// contribution has the weight p(x).
func batchLoss(views theory.Joint, negatives []rowCounts, x int, scores, slopes []float64) (loss float64) {
	e := lists.Map(scores, math.Exp)
	for y, p := range views[x] {
		slopes[y] = -p
	}
	for _, n := range negatives {
		rest := 0.0
		for y := range e {
			rest += float64(n.of[y]) * e[y]
		}
		for y, p := range views[x] {
			z, weight := e[y]+rest, n.p*p
			loss += weight * (math.Log(z) - scores[y])
			slopes[y] += weight * e[y] / z
			for k := range e {
				slopes[k] += weight * float64(n.of[k]) * e[k] / z
			}
		}
	}
	return loss
}

// bestBatchLoss returns the smallest batch loss that gradient descent over the critic finds. It is convex in the
// critic, whose rows are independent.
func bestBatchLoss(views theory.Joint, b int) float64 {
	negatives := batchNegatives(views, b)
	px, _ := views.Marginals()
	total := 0.0
	for x, share := range px {
		scores, slopes := make([]float64, len(views)), make([]float64, len(views))
		best := math.Inf(1)
		for range 600 {
			best = min(best, batchLoss(views, negatives, x, scores, slopes))
			for y := range scores {
				scores[y] -= 2 / share * slopes[y] // the second derivative is at most p(x)/2 in any direction
			}
		}
		total += best
	}
	return total
}
