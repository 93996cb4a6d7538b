package reduce

import (
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/internal/spans"
)

// point is a point in the plane.
type point struct{ x, y float64 }

func (a point) squaredDistance(b point) float64 {
	dx, dy := a.x-b.x, a.y-b.y
	return dx*dx + dy*dy
}

// cell is a square of the plane and its points, or a leaf with a few points.
type cell struct {
	center     point   // the mean of its points
	reach      float64 // squared distance beyond which the cell counts as one point
	first, end int32   // range of its points, in the order of the tree
	next       int32   // index of the next cell that is not inside this one
	leaf       bool
}

// leafSize is the number of points up to which a cell is a leaf.
const leafSize = 8

// levels is the depth of the tree: the number of bits of a coordinate.
const levels = 16

// quadtree computes the repulsion between points. Its memory is reused for the next points.
type quadtree struct {
	angle  float64
	places []place
	y      []point // in the order of the tree
	cells  []cell  // parents before children, which follow each other
	sums   []float64
}

// place is a point by its path from the root: two bits per level.
type place struct {
	path uint32
	row  int32
}

func newQuadtree(n int, angle float64) *quadtree {
	return &quadtree{angle: angle, places: make([]place, n), y: make([]point, n), sums: make([]float64, (n+blockSize-1)/blockSize)}
}

// repel writes Σ_j (y_i − y_j) / (1 + |y_i − y_j|²)² into force for every point, with far cells as one point, and
// returns the sum of 1 / (1 + |y_i − y_j|²) over all pairs i ≠ j.
func (t *quadtree) repel(y, force []point) (z float64) {
	t.build(y)
	spans.EachOf(len(y), blockSize, func(block, first, end int) {
		sum := 0.0
		for i := first; i < end; i++ {
			f, own := t.force(int32(i))
			force[t.places[i].row] = f
			sum += own
		}
		t.sums[block] = sum
	})
	for _, sum := range t.sums {
		z += sum
	}
	return z
}

// force returns the force on the i-th point of the tree and its part of z.
func (t *quadtree) force(i int32) (f point, z float64) {
	here := t.y[i]
	for k := int32(0); k < int32(len(t.cells)); {
		c := &t.cells[k]
		dx, dy := here.x-c.center.x, here.y-c.center.y
		squared, n := dx*dx+dy*dy, float64(c.end-c.first)
		if squared <= c.reach {
			switch {
			case !c.leaf:
				k++
				continue
			case c.end-c.first <= leafSize:
				for j := c.first; j < c.end; j++ {
					if j != i {
						dx, dy := here.x-t.y[j].x, here.y-t.y[j].y
						w := 1 / (1 + dx*dx + dy*dy)
						z += w
						f.x += w * w * dx
						f.y += w * w * dy
					}
				}
				k = c.next
				continue
			case c.first <= i && i < c.end: // point i is in a cell of nearly equal points; only the others count
				dx, dy = dx*n/(n-1), dy*n/(n-1)
				squared = dx*dx + dy*dy
				n--
			}
		}
		w := 1 / (1 + squared)
		z += n * w
		f.x += n * w * w * dx
		f.y += n * w * w * dy
		k = c.next
	}
	return f, z
}

// build inserts the points into the tree.
func (t *quadtree) build(y []point) {
	low, high := y[0], y[0]
	for _, p := range y {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	width := max(high.x-low.x, high.y-low.y, math.SmallestNonzeroFloat64)
	scale := (1<<levels - 1) / width
	if math.IsInf(scale, 1) {
		scale, width = 0, math.Inf(1) // all points are equal up to rounding: no cell is far
	}
	for i, p := range y {
		t.places[i] = place{spread(uint32((p.x-low.x)*scale)) | spread(uint32((p.y-low.y)*scale))<<1, int32(i)}
	}
	slices.SortFunc(t.places, func(a, b place) int {
		if a.path != b.path {
			if a.path < b.path {
				return -1
			}
			return 1
		}
		return int(a.row) - int(b.row)
	})
	for i, p := range t.places {
		t.y[i] = y[p.row]
	}
	t.cells = t.cells[:0]
	t.add(0, int32(len(y)), width*(1<<levels)/(1<<levels-1), 2*levels)
}

// add appends the cell of some points and all cells inside it. width is the width of the cell, bits the number of path
// bits in which its points may differ.
func (t *quadtree) add(first, end int32, width float64, bits int) {
	if first == end {
		return
	}
	k := len(t.cells)
	t.cells = append(t.cells, cell{})
	c := cell{first: first, end: end, leaf: end-first <= leafSize || bits == 0}
	for _, p := range t.y[first:end] {
		c.center.x += p.x
		c.center.y += p.y
	}
	n := float64(end - first)
	c.center = point{c.center.x / n, c.center.y / n}
	c.reach = (width / t.angle) * (width / t.angle)
	if !c.leaf {
		from := first
		for quarter := range uint32(4) {
			to := from
			for to < end && t.places[to].path>>(bits-2)&3 == quarter {
				to++
			}
			t.add(from, to, width/2, bits-2)
			from = to
		}
	}
	c.next = int32(len(t.cells))
	t.cells[k] = c
}

// spread inserts a 0 before each of the lower 16 bits.
func spread(v uint32) uint32 {
	v = (v | v<<8) & 0x00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f
	v = (v | v<<2) & 0x33333333
	return (v | v<<1) & 0x55555555
}
