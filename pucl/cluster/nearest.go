package cluster

import (
	"math"
	"runtime"

	"github.com/gomlx/gomlx/core/graph"
)

// groupSize is how many centers share a bound at most. Smaller groups leave out more comparisons, and there are more bounds to keep.
const groupSize = 128

// few is how many centers are compared with a row one by one.
const few = 4

// nearest keeps for each row of a table the center nearest to it, and for each cluster the number and the sum of its rows,
// while centers move.
//
// A row is not looked at again as long as its distance from its center cannot have become larger than that from another one:
// of the first an upper bound is kept, of the others a lower bound for each group of centers, and as centers move the bounds
// give way by as much. Bounds have room for rounding, so that the result is that of comparing all rows with all centers each
// time, but for rows as near to two centers as rounding can tell.
//
// Source: Y. Ding and others, "Yinyang K-Means: A Drop-In Replacement of the Classic K-Means with Consistent Speedup" (ICML
// 2015).
type nearest struct {
	t    *table
	exec *graph.Exec // compares all rows with all centers on the engine; nil on the processor, which has bounds

	k, groups, size int
	members         []int       // centers of each group
	index           []int       // center at each of groups·size slots, −1 where there is none
	slots           []int32     // slot of each center
	places          [][]float64 // of the centers
	centers         centers     // by slots
	longest         float64     // squared length of the longest center
	moved           []float64   // how far each slot's center has moved in all rounds
	groupMoved      []float64   // how far those of each group have at most, round by round

	labels []int32   // slot of each row; −1 before the first round
	upper  []float32 // bound for a row's own center, less moved
	lower  []float32 // bounds for the groups, more groupMoved

	workers []*worker
	counts  []int
	sums    []float64                              // of the rows of each cluster, one after the other
	found   func(i int, row []float32, won winner) // is told of rows as they are compared, by several processors
}

// winner is the nearest center found so far for a row in one round: by its score, half the squared distance without what is the row's
// own. Second is the same of the second nearest in its group.
type winner struct {
	best, second float32
	slot         int32
}

// centers are the centers as rows are compared with them.
type centers struct {
	*buffer           // one for each slot
	packed  []float32 // the same in blocks, if that is faster
	half    []float32 // half the squared length of each slot's center, +Inf where there is none
}

// newNearest starts with the centers given, whose places it takes over. It must be freed.
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

// forget has all rows compared with all centers next time.
func (a *nearest) forget() {
	for i := range a.labels {
		a.labels[i] = -1
	}
	a.loosen()
}

// loosen leaves no bounds.
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

// place moves the centers, and gives way by as much.
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

// slack bounds how far rounding may put the square of a distance from the truth, for row i: products of d entries are added up in
// any order.
func (a *nearest) slack(i int) float64 {
	return float64(a.t.d+8) * 0x1p-23 * (float64(a.t.squares[i]) + a.longest)
}

// below and above round to float32 and leave no doubt on which side.
func below(x float64) float32 { return float32(x - math.Abs(x)*0x1p-22) }
func above(x float64) float32 { return float32(x + math.Abs(x)*0x1p-22) }

// keepLower writes the bound of row i for group g, whose nearest center has this score.
func (a *nearest) keepLower(i, g int, score float32, slack float64) {
	square := float64(a.t.squares[i]) + 2*float64(score) - slack
	a.lower[i*a.groups+g] = below(math.Sqrt(max(0, square)) + a.groupMoved[g])
}

// keepUpper writes the bound of row i for its own center, which has this score.
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

// wantsGroup is the same for one group. The own group is always looked at with the others, so that scores of one kind are
// compared.
func (a *nearest) wantsGroup(i, g int) bool {
	label := a.labels[i]
	return label < 0 || int(label)/a.size == g ||
		float64(a.lower[i*a.groups+g])-a.groupMoved[g] <= float64(a.upper[i])+a.moved[label]
}
