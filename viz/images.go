package viz

import (
	"fmt"
	"image"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measures of an image grid, in points.
const (
	largestCell = vg.Length(84)
	smallestRow = vg.Length(26) // a picture narrower than this shows nothing
	cellGap     = vg.Length(8)
)

// ImageGrid returns a grid of images, row by row, as for a look at the data or at the views that augmentation makes
// of them. pixels holds the images one after the other, each [height, width, channels] in row-major order, with 0
// black and 255 full; channels is 1 (gray) or 3 (red, green, blue). columns is the number of images in a row, 0 for
// as many as there are but at most 8. captions holds a line for each image, or is nil; long ones are broken at
// spaces and cut.
//
// Set Title of the result for a title. ImageGrid returns an error if there is no image, pixels is not a whole number
// of them, or captions has another length.
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

// drawPicture draws an image into a box, with a thin rim: a white image on a white page has an edge too.
func drawPicture(c draw.Canvas, box vg.Rectangle, img image.Image) {
	c.DrawImage(box, img)
	stroke(c, draw.LineStyle{Color: MarkGray, Width: 0.5}, box.Path())
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
