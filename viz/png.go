package viz

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngDPI is twice the 96 dots per inch that browsers count with, so that a figure stays sharp on a dense screen.
const pngDPI = 192

// encodePNG draws f as a PNG file at twice the screen resolution.
func encodePNG(f Drawer, w, h vg.Length) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))
	if err := drawOn(f, c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	// Where nobody gives it an image, vgimg draws on one of this type.
	if err := e.Encode(&b, shrinkColors(c.Image().(*image.RGBA))); err != nil {
		return nil, fmt.Errorf("viz: PNG: %w", err)
	}
	return b.Bytes(), nil
}

// shrinkColors returns img with at most 256 colors, which makes a PNG file of a drawing a third as large. A drawing
// has a few flat colors, which stay as they are, and their shades at smooth edges: shades that agree in the leading
// five bits of red, green and blue, or else in the leading four, become the most frequent of them. An image for which
// that is not enough, such as one with photographs, stays as it is.
func shrinkColors(img *image.RGBA) image.Image {
	count := map[color.RGBA]int{}
	for i := 0; i+3 < len(img.Pix); i += 4 {
		count[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3]}]++
	}
	for _, bits := range []uint{8, 5, 4} {
		cell := func(c color.RGBA) color.RGBA {
			s := 8 - bits
			return color.RGBA{c.R >> s, c.G >> s, c.B >> s, c.A >> s}
		}
		best := map[color.RGBA]color.RGBA{}
		for c, n := range count {
			b, ok := best[cell(c)]
			if !ok || n > count[b] || (n == count[b] && compare(c, b) < 0) {
				best[cell(c)] = c
			}
		}
		if len(best) > 256 {
			continue
		}
		var colors color.Palette
		index := map[color.RGBA]uint8{}
		// Sorted, since the order of a map changes from run to run and the file should not.
		for i, c := range slices.SortedFunc(maps.Values(best), compare) {
			colors = append(colors, c)
			index[cell(c)] = uint8(i)
		}
		out := image.NewPaletted(img.Rect, colors)
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				out.SetColorIndex(x, y, index[cell(img.RGBAAt(x, y))])
			}
		}
		return out
	}
	return img
}

// compare orders colors by red, green, blue and opacity.
func compare(a, b color.RGBA) int {
	return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
}
