package viz

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// grid places equal cells row by row, each with lines of small text below it.
type grid struct {
	n, columns    int
	width, height vg.Length  // of a cell
	gap           vg.Length  // between two cells
	captions      [][]string // of the cells; may be fewer
}

// newGrid returns a grid of n square cells in so many columns, 0 for as many as there are but at most most. It is as wide as a
// notebook where its cells keep between smallest and largest.
func newGrid(n, columns, most int, smallest, largest, gap vg.Length) grid {
	if columns == 0 {
		columns = min(n, most)
	}
	across := vg.Length(min(columns, n))
	cell := max(min(largest, (defaultWidth-2*margin+gap)/across-gap), smallest)
	return grid{n: n, columns: columns, width: cell, height: cell, gap: gap}
}

// caption returns a text as the lines below a cell.
func (g *grid) caption(s string) []string { return fit(s, g.width, g.width, smallWidth) }

// across returns the width of a row of cells.
func (g *grid) across() vg.Length { return vg.Length(min(g.columns, g.n))*(g.width+g.gap) - g.gap }

// rows returns the height of each row: its cells and the longest caption under them.
func (g *grid) rows() (heights []vg.Length) {
	for i := 0; i < g.n; i += g.columns {
		lines := 0
		for j := i; j < min(i+g.columns, len(g.captions)); j++ {
			lines = max(lines, len(g.captions[j]))
		}
		heights = append(heights, g.height+lineFactor*smallSize*vg.Length(lines))
	}
	return heights
}

// down returns the height of the grid.
func (g *grid) down() vg.Length {
	sum := -g.gap
	for _, h := range g.rows() {
		sum += h + g.gap
	}
	return sum
}

// draw draws the grid with its upper left corner at (left, top), cell i by cell(i, its box), and returns where it ends.
func (g *grid) draw(c draw.Canvas, left, top vg.Length, cell func(i int, box vg.Rectangle)) (bottom vg.Length) {
	for row, height := range g.rows() {
		for i := row * g.columns; i < min((row+1)*g.columns, g.n); i++ {
			x := left + vg.Length(i%g.columns)*(g.width+g.gap)
			cell(i, vg.Rectangle{Min: vg.Point{X: x, Y: top - g.height}, Max: vg.Point{X: x + g.width, Y: top}})
			if i >= len(g.captions) {
				continue
			}
			for j, s := range g.captions[i] {
				writeSmall(c, vg.Point{X: x + g.width/2, Y: top - g.height - lineFactor*smallSize*vg.Length(j) - 1.05*smallSize}, 0.5, s)
			}
		}
		top -= height + g.gap
	}
	return top
}

// dot is a dot of a PNG file in points.
const dot = vg.Inch / pngDPI

// snap returns the whole multiple of unit next to v; v itself if unit is 0.
func snap(v, unit vg.Length) vg.Length {
	if unit == 0 {
		return v
	}
	return unit * vg.Length(math.Round(float64(v/unit)))
}
