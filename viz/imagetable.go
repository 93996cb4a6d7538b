package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ImageTable is a table of small images with two sides, as for binary image classification tasks: a row for each task,
// positive images on the left and negative ones on the right. Its Figure draws it.
type ImageTable struct {
	Title       string // over the table; may be empty
	Left, Right string // over the two sides
	Rows        []ImageRow
}

// ImageRow is one row of an ImageTable. The images of a row have one size; sizes may differ between rows.
type ImageRow struct {
	Name                    string
	Height, Width, Channels int // of every image of the row; channels is 1 (gray) or 3 (red, green, blue)
	// Left and Right are the pixels of the images of each side, one image after the other, each [Height, Width, Channels]
	// in row-major order, with 0 black and 255 full.
	Left, Right []uint8
	// Note replaces the images in a row that has none, for example with their source.
	Note string
}

// pictureRow is a row as it is drawn.
type pictureRow struct {
	name, note []string // lines
	pixels     [2][][]uint8
	sides      [2][]image.Image
	size       vg.Point // of the pictures
}

// Measures of a table of images, in points.
const (
	largestPicture = vg.Length(42)
	pictureGap     = vg.Length(3)
	sideGap        = vg.Length(16)  // between names and left side, and between the sides
	rowName        = vg.Length(110) // longer names are broken and cut
)

// Figure returns the table as a figure about as wide as a notebook, or narrower if there are few images. The pixels are
// copied.
//
// It returns an error if there is no row or no image at all, if the length of a row's pixels is not a multiple of the
// image size, or if a row has neither images nor a note.
func (t ImageTable) Figure() (*Drawing, error) {
	var across [2]int // pictures of the longest row of each side
	var names vg.Length
	rows := make([]pictureRow, len(t.Rows))
	for i, r := range t.Rows {
		rows[i].name = fit(r.Name, rowName, rowName, smallWidth)
		names = max(names, min(widest(smallWidth, wrap(r.Name, rowName, smallWidth)...), rowName)) // as wide as necessary
		if !r.hasImages() && r.Note == "" {
			return nil, fmt.Errorf("viz: image table: the row %q has no images and no note: %w", r.Name, ErrNoData)
		}
		for side, all := range [2][]uint8{r.Left, r.Right} {
			images, err := imagePixels(all, r.Height, r.Width, r.Channels)
			if err != nil && r.hasImages() {
				return nil, fmt.Errorf("viz: image table: the row %q: %w", r.Name, err)
			}
			rows[i].pixels[side] = images
			across[side] = max(across[side], len(images))
		}
	}
	if across == [2]int{} {
		return nil, fmt.Errorf("viz: image table: %w: there is no image", ErrNoData)
	}
	room := (defaultWidth-2*margin-names-2*sideGap)/vg.Length(across[0]+across[1]) - pictureGap
	room = max(min(room, largestPicture), smallestRow/2)
	var cell vg.Length // side of the square that holds a picture
	for i, r := range t.Rows {
		row := &rows[i]
		for side, images := range row.pixels {
			for _, p := range images {
				row.size = pictureSize(r.Height, r.Width, room)
				cell = max(cell, row.size.X, row.size.Y)
				row.sides[side] = append(row.sides[side], enlarge(p, r.Height, r.Width, r.Channels, row.size.X))
			}
		}
	}
	headings := [2]string{t.Left, t.Right}
	var widths [2]vg.Length // of the sides
	for side, heading := range headings {
		widths[side] = max(vg.Length(across[side])*(cell+pictureGap)-pictureGap, textWidth(face(smallSize, true), heading))
	}
	starts := [2]vg.Length{names + sideGap, names + 2*sideGap + widths[0]}
	var head vg.Length // height of the headings
	if t.Left+t.Right != "" {
		head = lineFactor*smallSize + 2
	}
	d := &Drawing{Title: t.Title, unit: dot, width: starts[1] + widths[1], height: head - cellGap}
	for i, r := range t.Rows {
		if !r.hasImages() {
			rows[i].note = wrap(r.Note, widths[0]+sideGap+widths[1], smallWidth)
		}
		d.height += rows[i].height(cell) + cellGap
	}
	d.draw = func(c draw.Canvas, title, _ vg.Length) {
		y := -(title + head)
		for side, heading := range headings {
			write(c, face(smallSize, true), TextGray, vg.Point{X: starts[side], Y: y + 0.5*smallSize + 2}, 0, heading)
		}
		for _, r := range rows {
			height := r.height(cell)
			writeSmallLines(c, vg.Point{Y: y - height/2}, 0, r.name)
			writeSmallLines(c, vg.Point{X: starts[0], Y: y - height/2}, 0, r.note)
			for side, images := range r.sides {
				for i, img := range images {
					x := starts[side] + vg.Length(i)*(cell+pictureGap) + (cell-r.size.X)/2
					// On a page of whole dots, as Size returns, all pictures start at a dot.
					corner := vg.Point{X: snap(x, dot), Y: snap(y-(height+r.size.Y)/2, dot)}
					drawPicture(c, vg.Rectangle{Min: corner, Max: corner.Add(r.size)}, img)
				}
			}
			y -= height + cellGap
		}
	}
	return d, nil
}

func (r ImageRow) hasImages() bool { return len(r.Left)+len(r.Right) > 0 }

func (r pictureRow) height(cell vg.Length) vg.Length {
	h := lineFactor * smallSize * vg.Length(max(len(r.name), len(r.note)))
	if r.note == nil {
		h = max(h, cell)
	}
	return h
}

// pictureSize returns the size at which an image is drawn within about room in both directions, with its own
// proportions. A small image gets a whole number of dots per pixel: it stays sharp, and the file small.
func pictureSize(height, width int, room vg.Length) vg.Point {
	pixel := room / vg.Length(max(height, width))
	if whole := math.Round(float64(pixel / dot)); whole >= 1 {
		pixel = dot * vg.Length(whole)
	}
	return vg.Point{X: pixel * vg.Length(width), Y: pixel * vg.Length(height)}
}
