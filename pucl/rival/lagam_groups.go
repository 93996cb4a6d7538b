package rival

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// projections builds the graph of a network's projections outside of training.
func projections(p pass) *Node {
	return ConvertDType(project(p.scope, "projector", p.h, false), dtypes.Float32)
}

// regroup puts all examples into groups by their projections as they are now: where the warm-up ends, and after every epoch from then
// on.
func (m LaGAM) regroup(r *run, done int) error {
	epochs := r.done(done) >= m.Warmup && done%r.perEpoch() == 0
	if done == r.config.Settings.Steps || !epochs && !r.passes(m.Warmup, done) {
		return nil
	}
	x, err := r.reader.score(r.data.Examples)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.config.Seed^groupStream, uint64(done)))
	groups := make([]float64, len(r.data.Labeled))
	for i, group := range kMeans(x, len(groups), m.Groups, rng) {
		groups[i] = float64(group + 1) // 0 means none
	}
	return r.keep("groups", groups)
}

// kMeans returns the number of the nearest of k centers for each of the n rows that x holds one after the other. Centers start at rows
// drawn with a probability proportional to the squared distance from the nearest center before (k-means++), and then move to
// the means of their rows, up to twenty times.
func kMeans(x []float64, n, k int, rng *rand.Rand) []int {
	d := len(x) / n
	row := func(i int) []float64 { return x[i*d : (i+1)*d] }
	squared := func(a, b []float64) (sum float64) {
		for i, v := range a {
			sum += (v - b[i]) * (v - b[i])
		}
		return sum
	}
	centers := [][]float64{append([]float64(nil), row(rng.IntN(n))...)}
	distance := make([]float64, n)
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	for len(centers) < k {
		total := 0.0
		for i := range distance {
			distance[i] = min(distance[i], squared(row(i), centers[len(centers)-1]))
			total += distance[i]
		}
		left, drawn := rng.Float64()*total, 0
		for i, v := range distance {
			if v > 0 {
				drawn = i
			}
			if left -= v; left < 0 {
				break
			}
		}
		centers = append(centers, append([]float64(nil), row(drawn)...))
	}
	group := make([]int, n)
	for range 20 {
		changed := false
		sums, counts := make([]float64, k*d), make([]int, k)
		for i := range n {
			best, least := 0, math.Inf(1)
			for c, center := range centers {
				if v := squared(row(i), center); v < least {
					best, least = c, v
				}
			}
			changed = changed || group[i] != best
			group[i] = best
			counts[best]++
			for j, v := range row(i) {
				sums[best*d+j] += v
			}
		}
		if !changed {
			break
		}
		for c, count := range counts {
			for j := range d {
				if count > 0 { // a center without rows stays
					centers[c][j] = sums[c*d+j] / float64(count)
				}
			}
		}
	}
	return group
}
