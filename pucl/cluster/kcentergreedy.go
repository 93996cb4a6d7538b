package cluster

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/puclab/puclab/pucl/engine"
)

// greedy chooses centers. Comparing all rows with each new center would read all rows from memory every time. Instead
// each new center is compared with a few watched rows: the farthest ones at the last comparison of all rows. Rows only
// come nearer to the centers. So while a watched row is farther than every other row was then, the farthest row is a
// watched one. Otherwise all rows are compared with the centers that they missed, as one matrix product, and new rows
// are watched.
//
// Comparisons in float32 have an error of at most slack. They leave a few candidates for the farthest row, which are
// compared in float64.
type greedy struct {
	n, d   int
	slack  float32
	source Source
	square []float64     // squared lengths of all rows
	pieces []*directions // of pieceRows rows each
	exec   *graph.Exec   // largest product of each row with some centers; nil without an engine
	eng    *engine.Engine

	centers []float32   // unit centers, concatenated
	raw     [][]float32 // centers as read
	squares []float64
	some    map[int]*buffer // for the engine, by number of centers

	closest []float32 // largest cosine with the centers seen; +Inf for a chosen row
	seen    int       // number of centers compared with all rows

	watched []int     // rows, ascending
	rows    []float32 // the watched rows, concatenated
	nearest []float32 // their largest cosines with all centers
	floor   float32   // smallest closest among the rows that are not watched
	exact   map[int]exactly
	row     []float32
}

// exactly holds the largest cosine of a row with the first few centers, in float64.
type exactly struct {
	cosine float64
	seen   int
}

// Numbers of rows per piece, and of centers compared at once: manyCenters, or fewCenters if no more remain.
const greedyRows, manyCenters, fewCenters = 16384, 128, 16

// watchedRows returns the number of watched rows out of n: few enough to stay in a processor's cache.
func watchedRows(n int) int { return max(256, min(n/64, 8192)) }

func newGreedy(eng *engine.Engine, pool Source, n, d int) (_ *greedy, err error) {
	g := &greedy{n: n, d: d, eng: eng, source: pool, some: map[int]*buffer{}, exact: map[int]exactly{}}
	defer func() {
		if err != nil {
			g.free()
		}
	}()
	// A bound on the rounding error of the product of two unit rows of d entries, in any order of additions.
	g.slack = float32(g.d+8) / (1 << 24)
	g.row = make([]float32, g.d)
	for first := 0; first < g.n; first += greedyRows {
		if err := checkDims(pool, g.n, g.d); err != nil {
			return nil, err
		}
		piece, err := newDirections(eng, pool, first, min(greedyRows, g.n-first), g.d, "the pool")
		if err != nil {
			return nil, err
		}
		g.pieces, g.square = append(g.pieces, piece), append(g.square, piece.square...)
	}
	g.closest = make([]float32, g.n)
	for i := range g.closest {
		g.closest[i] = float32(math.Inf(-1))
	}
	if eng == nil {
		return g, nil
	}
	if g.exec, err = graph.NewExec(eng.Backend, func(x, centers *graph.Node) *graph.Node {
		return graph.ReduceMax(graph.DotGeneral(x, []int{1}, nil, centers, []int{1}, nil), 1)
	}); err != nil {
		return nil, fmt.Errorf("cluster: building the comparison: %w", err)
	}
	for _, k := range []int{manyCenters, fewCenters} {
		if g.some[k], err = newBuffer(eng, k, g.d); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *greedy) free() {
	for _, piece := range g.pieces {
		piece.unit.free()
	}
	for _, b := range g.some {
		b.free()
	}
	if g.exec != nil {
		g.exec.Finalize()
	}
}

// begin makes the rows of start the first centers.
func (g *greedy) begin(start Source) error {
	m, _ := start.Dims()
	if err := checkDims(start, m, g.d); err != nil {
		return err
	}
	all, err := newDirections(nil, start, 0, m, g.d, "the centers to start from")
	if err != nil {
		return err
	}
	for i := range m {
		if err := g.add(start, i, all.unit.row(i), all.square[i]); err != nil {
			return err
		}
	}
	return nil
}

// add makes row i of a source a center.
func (g *greedy) add(source Source, i int, unit []float32, square float64) error {
	raw := make([]float32, g.d)
	if err := readAgain(source, i, raw, square); err != nil {
		return err
	}
	g.centers, g.raw, g.squares = append(g.centers, unit...), append(g.raw, raw), append(g.squares, square)
	return nil
}

// readAgain reads row i of a source and compares its squared length with square.
func readAgain(source Source, i int, row []float32, square float64) error {
	if err := source.Read(i, row); err != nil {
		return err
	}
	if product(row, row) != square {
		return errAnotherRow(i)
	}
	return nil
}

// choose makes a row of the pool a center.
func (g *greedy) choose(i int) error {
	unit := g.unit(i)
	if err := g.add(g.source, i, unit, g.square[i]); err != nil {
		return err
	}
	inParallel(len(g.watched), func(_, first, end int) {
		for w := first; w < end; w++ {
			g.nearest[w] = max(g.nearest[w], dot(g.rows[w*g.d:(w+1)*g.d], unit))
			if g.watched[w] == i {
				g.nearest[w] = float32(math.Inf(1))
			}
		}
	})
	g.closest[i] = float32(math.Inf(1))
	delete(g.exact, i)
	return nil
}

func (g *greedy) unit(i int) []float32 { return g.pieces[i/greedyRows].unit.row(i % greedyRows) }

// farthest returns the row farthest from its nearest center, and its distance.
func (g *greedy) farthest() (row int, distance float64, err error) {
	if len(g.raw) == 0 {
		return 0, math.Inf(1), nil
	}
	for {
		least := float32(math.Inf(1))
		for _, cosine := range g.nearest {
			least = min(least, cosine)
		}
		best := math.Inf(1)
		for w, cosine := range g.nearest {
			if !(cosine <= least+2*g.slack) || math.IsInf(float64(cosine), 1) {
				continue
			}
			at := g.watched[w]
			e, err := g.compareExactly(at)
			if err != nil {
				return 0, 0, err
			}
			if math.Abs(e-float64(cosine)) > float64(g.slack) {
				return 0, 0, g.differ(at, cosine, e)
			}
			if e < best {
				best, row = e, at
			}
		}
		switch {
		case best < float64(g.floor)-float64(g.slack) || len(g.watched) == g.n:
			return row, 1 - best, nil
		case g.seen < len(g.raw):
			if err := g.compareAll(); err != nil {
				return 0, 0, err
			}
			g.watch(watchedRows(g.n))
		default: // too many rows have nearly the same distance
			g.watch(4 * len(g.watched))
		}
	}
}

// differ returns the error for a row whose largest cosine differs between two readings.
func (g *greedy) differ(row int, first float32, again float64) error {
	cause := ""
	if g.exec != nil {
		cause = ", or leave Engine out, which may multiply more roughly than in float32"
	}
	return fmt.Errorf("cluster: the cosine of row %d of the pool with its nearest center is %.7g at first and %.7g where it is read again; "+
		"a source must give the same rows each time%s", row, first, again, cause)
}

// compareExactly returns the largest cosine of a row with all centers.
func (g *greedy) compareExactly(i int) (float64, error) {
	e, known := g.exact[i]
	if !known {
		e.cosine = math.Inf(-1)
	}
	if e.seen == len(g.raw) {
		return e.cosine, nil
	}
	if err := readAgain(g.source, i, g.row, g.square[i]); err != nil {
		return 0, err
	}
	for ; e.seen < len(g.raw); e.seen++ {
		// The square root of the product of two equal squares is exact, so the cosine of a row with itself is exactly
		// 1.
		e.cosine = max(e.cosine, product(g.row, g.raw[e.seen])/math.Sqrt(g.square[i]*g.squares[e.seen]))
	}
	g.exact[i] = e
	return e.cosine, nil
}

// compareAll compares all rows with the centers that they have not been compared with.
func (g *greedy) compareAll() error {
	for g.seen < len(g.raw) {
		k := len(g.raw) - g.seen
		if g.exec != nil && k <= fewCenters {
			k = fewCenters
		} else if k > fewCenters {
			k = manyCenters
		}
		centers := g.centers[g.seen*g.d : min(g.seen+k, len(g.raw))*g.d]
		if err := g.compareWith(centers, k); err != nil {
			return err
		}
		g.seen += len(centers) / g.d
	}
	return nil
}

// compareWith compares all rows with up to k centers.
func (g *greedy) compareWith(centers []float32, k int) error {
	if g.exec == nil {
		for p, piece := range g.pieces {
			closest := g.closest[p*greedyRows:]
			inParallel(len(piece.square), func(_, first, end int) {
				for i := first; i < end; i++ {
					row := piece.unit.row(i)
					for c := 0; c < len(centers); c += g.d {
						closest[i] = max(closest[i], dot(row, centers[c:c+g.d]))
					}
				}
			})
		}
		return nil
	}
	to := g.some[k]
	if err := to.write(func() {
		for first := 0; first < len(to.rows); first += g.d { // the remaining places repeat the first center
			from := first
			if from >= len(centers) {
				from = 0
			}
			copy(to.rows[first:first+g.d], centers[from:from+g.d])
		}
	}); err != nil {
		return err
	}
	for p, piece := range g.pieces {
		out, err := g.exec.Call1(piece.unit.tensor, to.tensor)
		if err != nil {
			return fmt.Errorf("cluster: comparing rows with centers: %w", err)
		}
		err = tensors.ConstFlatData(out, func(flat []float32) {
			closest := g.closest[p*greedyRows:]
			for i, cosine := range flat {
				closest[i] = max(closest[i], cosine)
			}
		})
		out.MustFinalizeAll()
		if err != nil {
			return err
		}
	}
	return nil
}

// watch selects the count farthest rows as watched, or more if some are tied. All rows must have been compared with all
// centers.
func (g *greedy) watch(count int) {
	count = min(count, g.n)
	level := float32(math.Inf(1))
	if count < g.n {
		level = nth(g.closest, count-1)
	}
	g.watched, g.rows, g.nearest, g.floor = g.watched[:0], g.rows[:0], g.nearest[:0], float32(math.Inf(1))
	for i, cosine := range g.closest {
		if cosine > level {
			g.floor = min(g.floor, cosine)
			continue
		}
		g.watched, g.nearest = append(g.watched, i), append(g.nearest, cosine)
		g.rows = append(g.rows, g.unit(i)...)
	}
}

// nth returns the k-th smallest number of x, counted from 0. It counts by the upper and then by the lower half of the
// bits, whose order is that of the values except for the sign.
func nth(x []float32, k int) float32 {
	ordered := func(v float32) uint32 {
		bits := math.Float32bits(v)
		if bits>>31 == 1 {
			return ^bits
		}
		return bits | 1<<31
	}
	find := func(part func(bits uint32) (uint32, bool)) uint32 {
		counts := make([]int, 1<<16)
		for _, v := range x {
			if at, in := part(ordered(v)); in {
				counts[at]++
			}
		}
		at := 0
		for ; k >= counts[at]; at++ {
			k -= counts[at]
		}
		return uint32(at)
	}
	upper := find(func(bits uint32) (uint32, bool) { return bits >> 16, true })
	lower := find(func(bits uint32) (uint32, bool) { return bits & 0xffff, bits>>16 == upper })
	bits := upper<<16 | lower
	if bits>>31 == 1 {
		return math.Float32frombits(bits &^ (1 << 31))
	}
	return math.Float32frombits(^bits)
}
