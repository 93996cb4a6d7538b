package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ImageTable is a table of small images with two sides, as for tasks that tell one kind of image from another: a row for
// each task, some positive images on the left and some negative ones on the right. Its Figure draws it.
type ImageTable struct {
	Title       string // over the table; may be empty
	Left, Right string // over the two sides
	Rows        []ImageRow
}

// ImageRow is one row of an ImageTable. Its images have one size, that of another row may differ.
type ImageRow struct {
	Name                    string
	Height, Width, Channels int // of every image of the row; channels is 1 (grey) or 3 (red, green, blue)
	// Left and Right are the pixels of the images of each side, one image after the other, each [Height, Width, Channels]
	// in row-major order, with 0 black and 255 full.
	Left, Right []uint8
	// Note is what a row without images says instead, such as where to get them.
	Note string
}

// ImageTableFigure is an ImageTable that is ready to be drawn. It is a Figure and knows its size.
type ImageTableFigure struct {
	caption, left, right string
	rows                 []pictureRow
	names                vg.Length // width of the column of names
	cell                 vg.Length // side of the square that holds a picture
	across               [2]int    // pictures of the longest row of each side
}

// pictureRow is a row as it is drawn.
type pictureRow struct {
	name, note []string // lines
	sides      [2][]picture
}

// picture is an image and how large it is drawn.
type picture struct {
	image.Image
	size vg.Point
}

// Measures of a table of images, in points.
const (
	largestPicture = vg.Length(42)
	pictureGap     = vg.Length(3)
	sideGap        = vg.Length(16)  // between names and left side, and between the sides
	rowName        = vg.Length(110) // longer names are broken and cut
)

// Figure returns the table as a figure about as wide as a notebook, or narrower where there are few images. The pixels are
// copied.
//
// It returns an error if there is no row or no image at all, if a row's pixels are no whole number of images, or if it has
// neither images nor a note.
func (t ImageTable) Figure() (*ImageTableFigure, error) {
	g := &ImageTableFigure{caption: t.Title, left: t.Left, right: t.Right}
	f := face(smallSize, false)
	for _, r := range t.Rows {
		what := "the row " + quote(r.Name)
		if len(r.Left)+len(r.Right) == 0 {
			if r.Note == "" {
				return nil, fmt.Errorf("viz: image table: %s has no images and no note: %w", what, ErrNoData)
			}
			continue
		}
		if r.Height < 1 || r.Width < 1 || (r.Channels != 1 && r.Channels != 3) {
			return nil, fmt.Errorf("viz: image table: %s has images of %d by %d pixels with %d channels: want positive sizes and "+
				"1 or 3 channels: %w", what, r.Height, r.Width, r.Channels, ErrRange)
		}
		size := r.Height * r.Width * r.Channels
		for side, pixels := range [2][]uint8{r.Left, r.Right} {
			if len(pixels)%size != 0 {
				return nil, fmt.Errorf("viz: image table: %s: %d bytes are no whole number of images of %d×%d×%d = %d bytes: %w",
					what, len(pixels), r.Height, r.Width, r.Channels, size, ErrLength)
			}
			g.across[side] = max(g.across[side], len(pixels)/size)
		}
	}
	if g.across == [2]int{} {
		return nil, fmt.Errorf("viz: image table: %w: there is no image", ErrNoData)
	}
	for _, r := range t.Rows {
		for _, line := range wrap(r.Name, rowName, measure(f)) { // as wide as need be
			g.names = max(g.names, min(textWidth(f, line), rowName))
		}
	}
	all := vg.Length(g.across[0] + g.across[1])
	room := (defaultWidth-2*margin-g.names-2*sideGap)/all - pictureGap
	room = max(min(room, largestPicture), smallestRow/2)
	sizes := make([]vg.Point, len(t.Rows))
	for i, r := range t.Rows {
		if len(r.Left)+len(r.Right) > 0 {
			sizes[i] = fit(r.Height, r.Width, room)
			g.cell = max(g.cell, sizes[i].X, sizes[i].Y)
		}
	}
	for i, r := range t.Rows {
		g.rows = append(g.rows, g.row(r, sizes[i]))
	}
	return g, nil
}

// row prepares a row to be drawn, with pictures of the given size.
func (g *ImageTableFigure) row(r ImageRow, drawn vg.Point) pictureRow {
	measured := measure(face(smallSize, false))
	row := pictureRow{name: wrap(r.Name, rowName, measured)}
	for i := range row.name {
		row.name[i] = cut(row.name[i], rowName, measured)
	}
	if len(r.Left)+len(r.Right) == 0 {
		row.note = wrap(r.Note, g.sideWidth(0)+sideGap+g.sideWidth(1), measured)
		return row
	}
	size := r.Height * r.Width * r.Channels
	for side, pixels := range [2][]uint8{r.Left, r.Right} {
		for ; len(pixels) > 0; pixels = pixels[size:] {
			row.sides[side] = append(row.sides[side], picture{enlarge(pixels[:size], r.Height, r.Width, r.Channels, drawn.X), drawn})
		}
	}
	return row
}

// fit returns how large an image is drawn that has about so much room in both directions, with its own proportions. A small
// image gets a whole number of dots for each of its pixels: it stays sharp, and the file small.
func fit(height, width int, room vg.Length) vg.Point {
	pixel := room / vg.Length(max(height, width))
	if whole := math.Round(float64(pixel / dot)); whole >= 1 {
		pixel = dot * vg.Length(whole)
	}
	return vg.Point{X: pixel * vg.Length(width), Y: pixel * vg.Length(height)}
}

// dot is a dot of a PNG file in points.
const dot = vg.Inch / pngDPI

// snap returns the whole number of dots next to v.
func snap(v vg.Length) vg.Length { return dot * vg.Length(math.Round(float64(v/dot))) }

// sideWidth returns the width of one side, which is at least that of its heading.
func (g *ImageTableFigure) sideWidth(side int) vg.Length {
	w := vg.Length(g.across[side])*(g.cell+pictureGap) - pictureGap
	return max(w, textWidth(face(smallSize, true), [2]string{g.left, g.right}[side]))
}

func (g *ImageTableFigure) title() string { return g.caption }

// headHeight returns the height of title and headings.
func (g *ImageTableFigure) headHeight() (h vg.Length) {
	if g.caption != "" {
		h += titleSize + 10
	}
	if g.left+g.right != "" {
		h += lineFactor*smallSize + 2
	}
	return h
}

func (r pictureRow) height(cell vg.Length) vg.Length {
	h := lineFactor * smallSize * vg.Length(max(len(r.name), len(r.note)))
	if r.note == nil {
		h = max(h, cell)
	}
	return h
}

// Size returns the size of the table in points, with the margin.
func (g *ImageTableFigure) Size() (width, height vg.Length) {
	width = max(g.names+2*sideGap+g.sideWidth(0)+g.sideWidth(1), textWidth(face(titleSize, true), g.caption))
	height = g.headHeight() - cellGap
	for _, r := range g.rows {
		height += r.height(g.cell) + cellGap
	}
	return snap(width + 2*margin), snap(height + 2*margin)
}

// Draw draws the table in the middle of c, made smaller as a whole where c is smaller than the table.
func (g *ImageTableFigure) Draw(c draw.Canvas) {
	gw, gh := g.Size()
	gw, gh = gw-2*margin, gh-2*margin
	w, h := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	scale := min(1, w/gw, h/gh)
	c.Push()
	defer c.Pop()
	// On a page of whole dots, as Size gives it, all pictures start at a dot.
	c.Translate(vg.Point{X: snap(c.Min.X + (w-scale*gw)/2), Y: snap(c.Min.Y + (h+scale*gh)/2)})
	c.Scale(float64(scale), float64(scale))
	if g.caption != "" {
		write(c, face(titleSize, true), TextGrey, vg.Point{Y: -titleSize}, 0, g.caption)
	}
	starts := [2]vg.Length{g.names + sideGap, g.names + 2*sideGap + g.sideWidth(0)}
	y := -g.headHeight()
	for side, heading := range [2]string{g.left, g.right} {
		write(c, face(smallSize, true), TextGrey, vg.Point{X: starts[side], Y: y + 0.5*smallSize + 2}, 0, heading)
	}
	for _, r := range g.rows {
		height := r.height(g.cell)
		lines(c, r.name, vg.Point{Y: y - height/2})
		lines(c, r.note, vg.Point{X: starts[0], Y: y - height/2})
		for side, pictures := range r.sides {
			for i, picture := range pictures {
				x := starts[side] + vg.Length(i)*(g.cell+pictureGap) + (g.cell-picture.size.X)/2
				corner := vg.Point{X: snap(x), Y: snap(y - (height+picture.size.Y)/2)}
				box := vg.Rectangle{Min: corner, Max: corner.Add(picture.size)}
				c.DrawImage(box, picture.Image)
				c.SetLineStyle(draw.LineStyle{Color: MarkGrey, Width: 0.5}) // a white image on a white page has an edge too
				c.Stroke(box.Path())
			}
		}
		y -= height + cellGap
	}
}

// lines writes lines of small text that start at x and lie about y.
func lines(c vg.Canvas, text []string, at vg.Point) {
	for i, line := range text {
		base := at.Y + lineFactor*smallSize*(vg.Length(len(text)-1)/2-vg.Length(i)) - 0.36*smallSize
		write(c, face(smallSize, false), TextGrey, vg.Point{X: at.X, Y: base}, 0, line)
	}
}
