package cluster

import (
	"math"
	"slices"
)

// assign gives each row to the nearest center and returns how many changed.
func (a *nearest) assign() (changed int, err error) {
	err = a.t.each(func(window []*piece) error {
		dense := a.sift(window)
		if err := a.compareDense(dense); err != nil || !a.compare {
			return err
		}
		return a.compareWanted(window)
	})
	for _, w := range a.workers {
		changed += w.changed
		w.changed = 0
		for c, count := range w.counts {
			a.counts[c] += count
			w.counts[c] = 0
		}
		for c, sum := range w.sums {
			for j, value := range sum {
				a.sums[c][j] += value
				sum[j] = 0
			}
		}
	}
	return changed, err
}

// sift finds the rows that may have another center now. Without an engine they are compared at once; with one they are noted, and
// pieces of which so much is noted that comparing all is faster are returned.
func (a *nearest) sift(window []*piece) (dense []*piece) {
	for _, w := range a.workers {
		w.truncate(make([]int, 1+a.groups))
	}
	for _, p := range window {
		if a.compare && a.sample(p) {
			dense = append(dense, p)
			continue
		}
		before, pairs := make([][]int, len(a.workers)), 0
		for i, w := range a.workers {
			before[i] = w.lengths()
		}
		inShares(len(a.workers), p.n, func(by, first, end int) {
			for i := first; i < end; i++ {
				a.look(a.workers[by], p.first+i, p.row(i))
			}
		})
		for i, w := range a.workers {
			for g, rows := range w.wanted {
				pairs += len(rows) - before[i][1+g]
			}
		}
		if a.tooMany(pairs, p.n) {
			dense = append(dense, p)
			for i, w := range a.workers {
				w.truncate(before[i])
			}
		}
	}
	return dense
}

// tooMany reports whether comparing so many pairs of a row and a group takes longer than comparing all rows with all groups.
func (a *nearest) tooMany(pairs, rows int) bool {
	return pairs*(a.size+gathering) > rows*a.groups*a.size
}

// sample reports whether every sixteenth row of p, as far as its bounds tell, says that there are too many. It saves looking
// at the others.
func (a *nearest) sample(p *piece) bool {
	pairs, rows := 0, 0
	for i := 0; i < p.n; i += 16 {
		rows++
		at := p.first + i
		if a.labels[at] >= 0 && a.wants(at) {
			a.tighten(at, p.row(i))
		}
		if !a.wants(at) {
			continue
		}
		for g := range a.groups {
			if a.wantsGroup(at, g) {
				pairs++
			}
		}
	}
	return a.tooMany(pairs, rows)
}

// lengths returns how much is noted of rows, and of those of each group.
func (w *worker) lengths() []int {
	out := []int{len(w.rows)}
	for _, rows := range w.wanted {
		out = append(out, len(rows))
	}
	return out
}

// truncate forgets what was noted since lengths.
func (w *worker) truncate(lengths []int) {
	w.rows = w.rows[:lengths[0]]
	for g := range w.wanted {
		w.wanted[g] = w.wanted[g][:lengths[1+g]]
	}
}

// look compares row i where its bounds allow for another center, or notes it.
func (a *nearest) look(by *worker, i int, row []float32) {
	if !a.wants(i) {
		return
	}
	own := float32(math.Inf(1))
	if a.labels[i] >= 0 {
		if own = a.tighten(i, row); !a.wants(i) {
			return
		}
	}
	a.winners[i] = winner{best: float32(math.Inf(1)), second: float32(math.Inf(1))}
	if a.compare {
		by.rows = append(by.rows, int32(i))
	}
	slack := a.slack(i)
	for g := range a.groups {
		switch {
		case !a.wantsGroup(i, g):
		case a.compare:
			by.wanted[g] = append(by.wanted[g], int32(i))
		default:
			best, second, slot := a.onProcessor(g, row, a.labels[i], own)
			a.meet(i, g, best, second, slot, slack)
		}
	}
	if !a.compare {
		a.settle(by, i, row, slack)
	}
}

// onProcessor returns the two best scores of a group and the slot of the best; that of the own slot is known.
func (a *nearest) onProcessor(g int, row []float32, label int32, own float32) (best, second float32, slot int32) {
	best = float32(math.Inf(1))
	second = best
	for s := g * a.size; s < (g+1)*a.size && a.index[s] >= 0; s++ {
		score := own
		if int32(s) != label {
			score = a.half[s] - dot(row, a.all.row(s))
		}
		if score < best {
			best, second, slot = score, best, int32(s)
		} else if score < second {
			second = score
		}
	}
	return best, second, slot
}

// twoBest returns the two best scores, half less product, and where the best is. Few scores are among the best so far, so that
// four at a time are looked at first.
func twoBest(half, product []float32) (best, second float32, at int) {
	best = float32(math.Inf(1))
	second = best
	j := 0
	for ; j+4 <= len(product); j += 4 {
		h, p := half[j:j+4:j+4], product[j:j+4:j+4]
		if h[0]-p[0] < second || h[1]-p[1] < second || h[2]-p[2] < second || h[3]-p[3] < second {
			best, second, at = betterOf(h, p, j, best, second, at)
		}
	}
	return betterOf(half[j:len(product)], product[j:], j, best, second, at)
}

// betterOf goes on from the two best so far with some scores, the first of which is at first.
func betterOf(half, product []float32, first int, best, second float32, at int) (float32, float32, int) {
	for j, p := range product {
		if score := half[j] - p; score < best {
			best, second, at = score, best, first+j
		} else if score < second {
			second = score
		}
	}
	return best, second, at
}

// compareDense compares all rows of the pieces with all centers.
func (a *nearest) compareDense(pieces []*piece) error {
	slots := len(a.index)
	for _, p := range pieces {
		err := products(a.exec, p.buffer, a.all, func(flat []float32) {
			inShares(len(a.workers), p.n, func(by, first, end int) {
				for i := first; i < end; i++ {
					at, slack := p.first+i, a.slack(p.first+i)
					a.winners[at] = winner{best: float32(math.Inf(1)), second: float32(math.Inf(1))}
					for g := range a.groups {
						from := g * a.size
						best, second, j := twoBest(a.half[from:from+a.size], flat[i*slots+from:i*slots+from+a.size])
						a.meet(at, g, best, second, int32(from+j), slack)
					}
					a.settle(a.workers[by], at, p.row(i), slack)
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compareWanted brings the noted rows together, group by group, and compares them with its centers.
func (a *nearest) compareWanted(window []*piece) error {
	row := func(i int32) []float32 {
		at := int(i) - window[0].first
		size := len(window[0].rows) / a.t.d
		return window[at/size].row(at % size)
	}
	for g := range a.groups {
		rows := a.noted(func(w *worker) []int32 { return w.wanted[g] })
		for len(rows) > 0 {
			gathered := a.gathered[0]
			if len(rows) <= gatheredRows[0]-gatheredRows[1] {
				gathered = a.gathered[1]
			}
			some := rows[:min(len(rows), len(gathered.rows)/a.t.d)]
			rows = rows[len(some):]
			if err := gathered.write(func() {
				inParallel(len(some), func(_, first, end int) {
					for j := first; j < end; j++ {
						copy(gathered.row(j), row(some[j]))
					}
				})
			}); err != nil {
				return err
			}
			if err := products(a.exec, gathered, a.group[g], func(flat []float32) {
				inParallel(len(some), func(_, first, end int) {
					for j := first; j < end; j++ {
						i := int(some[j])
						best, second, at := twoBest(a.half[g*a.size:(g+1)*a.size], flat[j*a.size:(j+1)*a.size])
						a.meet(i, g, best, second, int32(g*a.size+at), a.slack(i))
					}
				})
			}); err != nil {
				return err
			}
		}
	}
	rows := a.noted(func(w *worker) []int32 { return w.rows })
	inShares(len(a.workers), len(rows), func(by, first, end int) {
		for _, i := range rows[first:end] {
			a.settle(a.workers[by], int(i), row(i), a.slack(int(i)))
		}
	})
	return nil
}

// noted joins what the workers noted.
func (a *nearest) noted(of func(w *worker) []int32) []int32 {
	var all [][]int32
	for _, w := range a.workers {
		all = append(all, of(w))
	}
	return slices.Concat(all...)
}
