package viz

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

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

// newGrid returns a grid of n square cells in the given number of columns; 0 means n columns, at most most. It is as
// wide as a notebook if its cells stay between smallest and largest.
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

// draw draws the grid with its upper left corner at (left, top), cell i by cell(i, its box), and returns its lower
// edge.
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

// snap returns the multiple of unit nearest to v; v itself if unit is 0.
func snap(v, unit vg.Length) vg.Length {
	if unit == 0 {
		return v
	}
	return unit * vg.Length(math.Round(float64(v/unit)))
}

// Measures of an image grid, in points.
const (
	largestCell = vg.Length(84)
	smallestRow = vg.Length(26) // a narrower picture is unrecognizable
	cellGap     = vg.Length(8)
)

// ImageGrid returns a grid of images, row by row, for example of data or of augmented views. pixels holds the images
// one after the other, each [height, width, channels] in row-major order, with 0 black and 255 white; channels is 1
// (gray) or 3 (red, green, blue). columns is the number of images in a row; 0 means all in one row, at most 8. captions
// holds a line for each image, or is nil; long ones are broken at spaces and cut.
//
// Set Title of the result for a title. ImageGrid returns an error if there is no image, len(pixels) is not a multiple
// of the image size, or captions has another length.
func ImageGrid(pixels []uint8, height, width, channels, columns int, captions []string) (*Drawing, error) {
	pictures, err := imagePixels(pixels, height, width, channels)
	n := len(pictures)
	switch {
	case err != nil:
		return nil, fmt.Errorf("viz: image grid: %w", err)
	case columns < 0:
		return nil, fmt.Errorf("viz: image grid: %d columns, want 0 or more: %w", columns, ErrRange)
	case n == 0:
		return nil, fmt.Errorf("viz: image grid: %w", ErrNoData)
	case captions != nil && len(captions) != n:
		return nil, fmt.Errorf("viz: image grid: %d images and %d captions: %w", n, len(captions), ErrLength)
	}
	g := newGrid(n, columns, 8, smallestRow, largestCell, cellGap)
	g.height = g.width * vg.Length(height) / vg.Length(width)
	for _, s := range captions {
		g.captions = append(g.captions, g.caption(s))
	}
	images := make([]image.Image, n)
	for i, p := range pictures {
		images[i] = enlarge(p, height, width, channels, g.width)
	}
	return &Drawing{width: g.across(), height: g.down(), draw: func(c draw.Canvas, title, _ vg.Length) {
		g.draw(c, 0, -title, func(i int, box vg.Rectangle) { drawPicture(c, box, images[i]) })
	}}, nil
}

// imagePixels returns the pixels of each image.
func imagePixels(pixels []uint8, height, width, channels int) (images [][]uint8, err error) {
	if height < 1 || width < 1 || channels != 1 && channels != 3 {
		return nil, fmt.Errorf("images of %d by %d pixels with %d channels, want positive sizes and 1 (gray) or 3 (red, green, "+
			"blue) channels: %w", height, width, channels, ErrRange)
	}
	size := height * width * channels
	if len(pixels)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of images of %d×%d×%d = %d bytes: %w",
			len(pixels), height, width, channels, size, ErrLength)
	}
	return slices.Collect(slices.Chunk(pixels, size)), nil
}

// drawPicture draws an image into a box, with a thin rim that delimits white images on a white page.
func drawPicture(c draw.Canvas, box vg.Rectangle, img image.Image) {
	c.DrawImage(box, img)
	stroke(c, draw.LineStyle{Color: MarkGray, Width: 0.5}, box.Path())
}

// enlarge returns an image at its drawn size, in which each pixel is a block of equal pixels. Viewers that scaled it
// themselves would blur it.
func enlarge(pixels []uint8, height, width, channels int, drawn vg.Length) image.Image {
	factor := max(1, int(float64(drawn/vg.Inch)*pngDPI/float64(width)+0.999))
	img := image.NewRGBA(image.Rect(0, 0, factor*width, factor*height))
	for y := range factor * height {
		for x := range factor * width {
			at := (y/factor*width + x/factor) * channels
			c := color.RGBA{pixels[at], pixels[at], pixels[at], 0xFF}
			if channels == 3 {
				c.G, c.B = pixels[at+1], pixels[at+2]
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}
