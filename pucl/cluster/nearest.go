package cluster

import (
	"math"
	"runtime"

	"github.com/gomlx/gomlx/core/graph"
)

// groupSize is the largest number of centers that share a bound. Smaller groups skip more comparisons and need more
// bounds.
const groupSize = 128

// few is the number of centers up to which rows and centers are compared one by one.
const few = 4

// nearest stores, while centers move, the nearest center of each row of a table, and the number and the sum of the rows
// of each cluster.
//
// A row is skipped while its own center cannot have become farther than another one. Each row has an upper bound on the
// distance to its own center and, for each group of centers, a lower bound on the distances to them; the bounds are
// loosened as centers move. They include rounding. The result therefore equals that of comparing all rows with all
// centers, except for rows that are equidistant up to rounding.
//
// Source: Y. Ding and others, "Yinyang K-Means: A Drop-In Replacement of the Classic K-Means with Consistent Speedup" (ICML
// 2015).
type nearest struct {
	t    *table
	exec *graph.Exec // compares all rows with all centers on the engine; nil on the processor

	k, groups, size int
	members         []int       // centers of each group
	index           []int       // center at each of groups·size slots; −1 for none
	slots           []int32     // slot of each center
	places          [][]float64 // of the centers
	centers         centers     // by slots
	longest         float64     // squared length of the longest center
	moved           []float64   // total movement of each slot's center
	groupMoved      []float64   // sum over rounds of the largest movement in each group

	labels []int32   // slot of each row; −1 before the first round
	upper  []float32 // bound for a row's own center, minus moved
	lower  []float32 // bounds for the groups, plus groupMoved

	workers []*worker
	counts  []int
	sums    []float64                              // sums of the rows of each cluster, concatenated
	found   func(i int, row []float32, won winner) // called for compared rows, from several goroutines
}

// winner is the nearest center found so far for a row in one round. A score is half the squared distance without the
// row's own squared length. The field second is the score of the second-nearest center in its group.
type winner struct {
	best, second float32
	slot         int32
}

// centers holds the centers in the layouts used for comparisons.
type centers struct {
	*buffer           // one row per slot
	packed  []float32 // the same in blocks, for vector instructions
	half    []float32 // half the squared length of each slot's center; +Inf for none
}

// newNearest returns a nearest with the given centers; it takes over places. It must be freed.
func newNearest(t *table, places [][]float64, bounds bool) (*nearest, error) {
	a := &nearest{t: t, k: len(places)}
	size := groupSize
	if !bounds || t.eng != nil {
		size = a.k
	}
	groups := grouped(places, size)
	a.groups = len(groups)
	for _, members := range groups {
		a.members, a.size = append(a.members, len(members)), max(a.size, len(members))
	}
	if t.eng == nil {
		a.size = (a.size + lanes - 1) / lanes * lanes
	}
	a.index, a.slots = make([]int, a.groups*a.size), make([]int32, a.k)
	for s := range a.index {
		a.index[s] = -1
	}
	for g, members := range groups {
		for j, c := range members {
			a.index[g*a.size+j], a.slots[c] = c, int32(g*a.size+j)
		}
	}
	a.moved, a.groupMoved = make([]float64, len(a.index)), make([]float64, a.groups)
	a.labels, a.upper, a.lower = make([]int32, t.n), make([]float32, t.n), make([]float32, t.n*a.groups)
	a.forget()
	a.counts, a.sums = make([]int, a.k), make([]float64, a.k*t.d)
	for range runtime.GOMAXPROCS(0) {
		a.workers = append(a.workers, newWorker(a.k, t.d))
	}
	var err error
	a.centers.half = make([]float32, len(a.index))
	if a.centers.buffer, err = newBuffer(t.eng, len(a.index), t.d); err != nil {
		return nil, err
	}
	if t.eng != nil {
		if a.exec, err = newComparison(t.eng); err != nil {
			a.free()
			return nil, err
		}
	}
	return a, a.place(places)
}

// sum returns the sum of the rows of a cluster.
func (a *nearest) sum(cluster int) []float64 { return a.sums[cluster*a.t.d : (cluster+1)*a.t.d] }

// forget makes the next round compare all rows with all centers.
func (a *nearest) forget() {
	for i := range a.labels {
		a.labels[i] = -1
	}
	a.loosen()
}

// loosen removes all bounds.
func (a *nearest) loosen() {
	for i := range a.upper {
		a.upper[i] = float32(math.Inf(1))
	}
	for i := range a.lower {
		a.lower[i] = float32(math.Inf(-1))
	}
}

func (a *nearest) free() {
	a.centers.free()
	if a.exec != nil {
		a.exec.Finalize()
	}
}

// place moves the centers and loosens the bounds accordingly.
func (a *nearest) place(places [][]float64) error {
	first := a.places == nil
	a.places, a.longest = places, 0
	for s := range a.centers.half {
		a.centers.half[s] = float32(math.Inf(1))
	}
	most := make([]float64, a.groups)
	err := a.centers.write(func() {
		for c, place := range places {
			s := a.slots[c]
			row, square, step := a.centers.row(int(s)), 0.0, 0.0
			for j, value := range place {
				now := float32(value)
				difference := float64(now) - float64(row[j])
				step += difference * difference
				square += float64(now) * float64(now)
				row[j] = now
			}
			a.centers.half[s] = float32(square / 2)
			a.longest = max(a.longest, square)
			if !first {
				a.moved[s] += math.Sqrt(step) * (1 + 1e-12)
				most[int(s)/a.size] = max(most[int(s)/a.size], math.Sqrt(step)*(1+1e-12))
			}
		}
	})
	for g, far := range most {
		a.groupMoved[g] += far
	}
	if t := a.t; err == nil && t.eng == nil {
		a.centers.pack()
	}
	return err
}

// slack returns a bound on the rounding error of a squared distance of row i, for any order of adding the d products.
func (a *nearest) slack(i int) float64 {
	return float64(a.t.d+8) * 0x1p-23 * (float64(a.t.squares[i]) + a.longest)
}

// below and above round to float32, strictly down and up.
func below(x float64) float32 { return float32(x - math.Abs(x)*0x1p-22) }
func above(x float64) float32 { return float32(x + math.Abs(x)*0x1p-22) }

// keepLower stores the lower bound of row i for group g, whose nearest center has the given score.
func (a *nearest) keepLower(i, g int, score float32, slack float64) {
	square := float64(a.t.squares[i]) + 2*float64(score) - slack
	a.lower[i*a.groups+g] = below(math.Sqrt(max(0, square)) + a.groupMoved[g])
}

// keepUpper stores the upper bound of row i for its own center, which has the given score.
func (a *nearest) keepUpper(i int, slot int32, score float32, slack float64) {
	square := float64(a.t.squares[i]) + 2*float64(score)
	a.upper[i] = above(math.Sqrt(max(0, square)+slack) - a.moved[slot])
}

// wants reports whether a center of a group may be nearer to row i than its own.
func (a *nearest) wants(i int) bool {
	own := math.Inf(1)
	if label := a.labels[i]; label >= 0 {
		own = float64(a.upper[i]) + a.moved[label]
	}
	for g, bound := range a.lower[i*a.groups : (i+1)*a.groups] {
		if float64(bound)-a.groupMoved[g] <= own {
			return true
		}
	}
	return false
}

// wantsGroup reports the same for group g. The row's own group is always compared along with others, so that only
// scores of one kind are compared.
func (a *nearest) wantsGroup(i, g int) bool {
	label := a.labels[i]
	return label < 0 || int(label)/a.size == g ||
		float64(a.lower[i*a.groups+g])-a.groupMoved[g] <= float64(a.upper[i])+a.moved[label]
}
