package cluster

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// assign moves each row to its nearest center and returns how many labels changed.
func (a *nearest) assign() (changed int, err error) {
	err = a.t.each(func(window []*piece) error {
		for _, p := range window {
			if a.exec != nil {
				if err := a.onEngine(p); err != nil {
					return err
				}
				continue
			}
			inChunks(len(a.workers), p.n, func(by, first, end int) { a.workers[by].look(a, p, first, end) })
		}
		return nil
	})
	for _, w := range a.workers {
		changed += w.changed
		w.changed = 0
		for c, count := range w.counts {
			a.counts[c] += count
			w.counts[c] = 0
		}
		floats.Add(a.sums, w.sums)
		clear(w.sums)
	}
	return changed, err
}

// worker holds the sums and the scratch memory of one processor; the sums are merged when all have finished. Rows are
// numbered within a piece.
type worker struct {
	counts  []int
	sums    []float64 // concatenated
	changed int

	rows    []int32 // rows whose center may change
	slots   []int32 // their present slots
	scores  []float32
	winners []winner

	wanted, which []int32 // for one group: the rows to compare with it, and their indices in rows
	best, second  []float32
	at            []int32

	moved, from, to []int32 // rows, and the clusters they leave and join
}

// newWorker returns a worker with memory for one chunk.
func newWorker(k, d int) *worker {
	w := &worker{counts: make([]int, k), sums: make([]float64, k*d), winners: make([]winner, chunk), at: make([]int32, chunk)}
	for _, list := range []*[]float32{&w.scores, &w.best, &w.second} {
		*list = make([]float32, chunk)
	}
	return w
}

// look compares the rows first to end−1 of a piece whose bounds allow another center.
func (w *worker) look(a *nearest, p *piece, first, end int) {
	w.rows = w.rows[:0]
	for i := first; i < end; i++ {
		if a.wants(p.first + i) {
			w.rows = append(w.rows, int32(i))
		}
	}
	if len(w.rows) == 0 {
		return
	}
	if a.k > few {
		w.tighten(a, p)
	}
	for j := range w.rows {
		w.winners[j] = winner{best: float32(math.Inf(1)), second: float32(math.Inf(1))}
	}
	for g := range a.groups {
		w.compare(a, p, g)
	}
	for j, i := range w.rows {
		at, slack, won := p.first+int(i), a.slack(p.first+int(i)), w.winners[j]
		a.keepLower(at, int(won.slot)/a.size, won.second, slack)
		a.keepUpper(at, won.slot, won.best, slack)
		w.settle(a, p, int(i), won)
	}
	w.move(p)
}

// tighten computes the exact distances of rows to their own centers, and drops the rows whose center cannot change
// given these.
func (w *worker) tighten(a *nearest, p *piece) {
	w.slots = w.slots[:0]
	for _, i := range w.rows {
		w.slots = append(w.slots, max(0, a.labels[p.first+int(i)]))
	}
	a.centers.ownScores(p.rows, w.rows, w.slots, w.scores)
	left := w.rows[:0]
	for j, i := range w.rows {
		at := p.first + int(i)
		if label := a.labels[at]; label >= 0 {
			a.keepUpper(at, label, w.scores[j], a.slack(at))
			if !a.wants(at) {
				continue
			}
		}
		left = append(left, i)
	}
	w.rows = left
}

// compare compares rows with a group of centers unless their bounds rule the group out.
func (w *worker) compare(a *nearest, p *piece, g int) {
	w.wanted, w.which = w.wanted[:0], w.which[:0]
	for j, i := range w.rows {
		if a.wantsGroup(p.first+int(i), g) {
			w.wanted, w.which = append(w.wanted, i), append(w.which, int32(j))
		}
	}
	if len(w.wanted) == 0 {
		return
	}
	a.centers.twoBest(p.rows, w.wanted, g*a.size, a.members[g], w.best, w.second, w.at)
	for m, i := range w.wanted {
		at, best, slot := p.first+int(i), w.best[m], w.at[m]
		if a.groups > 1 { // else look has checked it
			a.keepLower(at, g, best, a.slack(at))
		}
		won := &w.winners[w.which[m]]
		if best < won.best || best == won.best && a.index[slot] < a.index[won.slot] {
			*won = winner{best, w.second[m], slot}
		}
	}
}

// settle assigns row i of a piece to the winner.
func (w *worker) settle(a *nearest, p *piece, i int, won winner) {
	at := p.first + i
	if a.found != nil {
		a.found(at, p.row(i), won)
	}
	old := a.labels[at]
	if old == won.slot {
		return
	}
	a.labels[at] = won.slot
	w.changed++
	from, to := int32(-1), int32(a.index[won.slot])
	w.counts[to]++
	if old >= 0 {
		from = int32(a.index[old])
		w.counts[from]--
	}
	w.moved, w.from, w.to = append(w.moved, int32(i)), append(w.from, from), append(w.to, to)
}

// move moves the reassigned rows from the sums of their old clusters to those of the new ones.
func (w *worker) move(p *piece) {
	if len(w.moved) > 0 {
		moveRows(p.rows, p.d, w.moved, w.from, w.to, w.sums)
	}
	w.moved, w.from, w.to = w.moved[:0], w.from[:0], w.to[:0]
}
