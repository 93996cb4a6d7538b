package viz

import (
	"fmt"
	"image"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Images is a grid of small images. It is a Figure and knows its size.
type Images struct {
	Title    string // over the grid; may be empty
	pictures []image.Image
	captions [][]string // lines under each picture
	columns  int
	cell     vg.Length // width of a cell
	picture  vg.Point  // size of a picture
}

// Measures of an image grid, in points.
const (
	largestCell = vg.Length(84)
	smallestRow = vg.Length(26) // a picture narrower than this shows nothing
	cellGap     = vg.Length(8)
)

// ImageGrid returns a grid of images, row by row, as for a look at the data or at the views that augmentation makes
// of them. pixels holds the images one after the other, each [height, width, channels] in row-major order, with 0
// black and 255 full; channels is 1 (grey) or 3 (red, green, blue). columns is the number of images in a row, 0 for
// as many as there are but at most 8. captions holds a line for each image, or is nil; long ones are broken at
// spaces and cut.
//
// Set Title of the result for a title. ImageGrid returns an error if there is no image, pixels is not a whole number
// of them, or captions has another length.
func ImageGrid(pixels []uint8, height, width, channels, columns int, captions []string) (*Images, error) {
	if height < 1 || width < 1 {
		return nil, fmt.Errorf("viz: image grid: images of %d by %d pixels: %w", height, width, ErrRange)
	}
	if channels != 1 && channels != 3 {
		return nil, fmt.Errorf("viz: image grid: %d channels, want 1 (grey) or 3 (red, green, blue): %w", channels, ErrRange)
	}
	if columns < 0 {
		return nil, fmt.Errorf("viz: image grid: %d columns, want 0 or more: %w", columns, ErrRange)
	}
	size := height * width * channels
	if len(pixels) == 0 {
		return nil, fmt.Errorf("viz: image grid: %w", ErrNoData)
	}
	if len(pixels)%size != 0 {
		return nil, fmt.Errorf("viz: image grid: %d bytes are no whole number of images of %d×%d×%d = %d bytes: %w",
			len(pixels), height, width, channels, size, ErrLength)
	}
	n := len(pixels) / size
	if captions != nil && len(captions) != n {
		return nil, fmt.Errorf("viz: image grid: %d images and %d captions: %w", n, len(captions), ErrLength)
	}
	if columns == 0 {
		columns = min(n, 8)
	}
	g := &Images{columns: columns}
	across := min(columns, n)
	g.cell = min(largestCell, (defaultWidth-2*margin+cellGap)/vg.Length(across)-cellGap)
	g.cell = max(g.cell, smallestRow)
	g.picture = vg.Point{X: g.cell, Y: g.cell * vg.Length(height) / vg.Length(width)}
	for i := range n {
		g.pictures = append(g.pictures, enlarge(pixels[i*size:(i+1)*size], height, width, channels, g.cell))
	}
	measured := measure(face(smallSize, false))
	for _, s := range captions {
		lines := wrap(s, g.cell, measured)
		for i := range lines {
			lines[i] = cut(lines[i], g.cell, measured)
		}
		g.captions = append(g.captions, lines)
	}
	return g, nil
}

// enlarge returns an image as large as it will be drawn, every pixel a block of equal ones: left to themselves the
// viewers would blur them.
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

func (g *Images) title() string { return g.Title }

func (g *Images) titleHeight() vg.Length {
	if g.Title == "" {
		return 0
	}
	return titleSize + 10
}

// rowHeights returns the height of each row of the grid: the pictures and the longest caption under them.
func (g *Images) rowHeights() []vg.Length {
	var rows []vg.Length
	for i := 0; i < len(g.pictures); i += g.columns {
		lines := 0
		for j := i; j < min(i+g.columns, len(g.captions)); j++ {
			lines = max(lines, len(g.captions[j]))
		}
		rows = append(rows, g.picture.Y+lineFactor*smallSize*vg.Length(lines))
	}
	return rows
}

// Size returns the size of the grid in points, with the margin.
func (g *Images) Size() (width, height vg.Length) {
	across := vg.Length(min(g.columns, len(g.pictures)))
	width = across*(g.cell+cellGap) - cellGap
	if g.Title != "" {
		width = max(width, textWidth(face(titleSize, true), g.Title))
	}
	height = g.titleHeight() - cellGap
	for _, h := range g.rowHeights() {
		height += h + cellGap
	}
	return width + 2*margin, height + 2*margin
}

// Draw draws the grid in the middle of c, made smaller as a whole where c is smaller than the grid.
func (g *Images) Draw(c draw.Canvas) {
	gw, gh := g.Size()
	gw, gh = gw-2*margin, gh-2*margin
	center(c, gw, gh)
	defer c.Pop()
	if g.Title != "" {
		write(c, face(titleSize, true), TextGrey, vg.Point{Y: -titleSize}, 0, g.Title)
	}
	f := face(smallSize, false)
	y := -g.titleHeight()
	for row, height := range g.rowHeights() {
		for i := row * g.columns; i < min((row+1)*g.columns, len(g.pictures)); i++ {
			x := vg.Length(i%g.columns) * (g.cell + cellGap)
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y - g.picture.Y}, Max: vg.Point{X: x + g.cell, Y: y}}
			c.DrawImage(box, g.pictures[i])
			c.SetLineStyle(draw.LineStyle{Color: MarkGrey, Width: 0.5}) // a white image on a white page has an edge too
			c.Stroke(box.Path())
			if i < len(g.captions) {
				for j, s := range g.captions[i] {
					at := vg.Point{X: x + g.cell/2, Y: y - g.picture.Y - lineFactor*smallSize*vg.Length(j) - 1.05*smallSize}
					write(c, f, TextGrey, at, 0.5, s)
				}
			}
		}
		y -= height + cellGap
	}
}
