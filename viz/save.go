package viz

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"github.com/puclab/puclab/internal/wholefile"
)

// Save writes f to a file whose name ends in .svg, .png (at twice the screen resolution), .pdf or .apng; an [Animation]
// moves in .apng and is a still in the other formats. Sizes are in points; a width or height of 0 means the size of the
// figure, by default 6.5 by 4 inches. An existing file is replaced.
//
// It returns an error for another ending, a size out of range or a file that cannot be written; the folder must exist.
func Save(f Drawer, path string, width, height vg.Length) error {
	w, h, err := checkedSize("save "+path, f, width, height)
	if err != nil {
		return err
	}
	var data []byte
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
		data, err = encodeSVG(f, w, h, titleOf(f), "")
	case ".png":
		data, err = encodePNG(f, w, h)
	case ".pdf":
		data, err = encodeTo(outlined{vgpdf.New(w, h)}, f)
	case ".apng":
		a, ok := f.(*Animation)
		if !ok {
			return fmt.Errorf("viz: save %s: %w: only an Animation moves; end the name in .svg, .png or .pdf", path, ErrFormat)
		}
		data, err = a.encode(width, height)
	default:
		return fmt.Errorf("viz: save %s: %w %q: end the name in .svg, .png or .pdf", path, ErrFormat, ext)
	}
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, wholefile.Bytes(data)); err != nil {
		return fmt.Errorf("viz: save: %w", err)
	}
	return nil
}

// encodeTo draws f on a canvas of a file format and returns the file.
func encodeTo(c interface {
	vg.CanvasSizer
	io.WriterTo
}, f Drawer) ([]byte, error) {
	if err := drawOn(f, c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("viz: writing the figure: %w", err)
	}
	return b.Bytes(), nil
}

// pngDPI is twice the 96 dots per inch of browsers, so that a figure stays sharp on a high-resolution screen.
const pngDPI = 192

// encodePNG draws f as a PNG file at twice the screen resolution.
func encodePNG(f Drawer, w, h vg.Length) ([]byte, error) {
	img, err := rasterize(f, w, h, pngDPI)
	if err != nil {
		return nil, err
	}
	file, err := compress(shrinkColors(img))
	if err != nil {
		return nil, err
	}
	return filtered(file)
}

// rasterize draws f as pixels.
func rasterize(f Drawer, w, h vg.Length, dpi int) (*image.RGBA, error) {
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	if err := drawOn(f, c); err != nil {
		return nil, err
	}
	return c.Image().(*image.RGBA), nil // of this type if vgimg creates the image itself
}

// These levels make PNG files as small as possible, which takes most of the encoding time. They are variables so that
// tests of pixels can use faster levels.
var (
	pngLevel  = png.BestCompression
	zlibLevel = zlib.BestCompression
)

// compress returns img as a PNG file.
func compress(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: pngLevel}
	if err := e.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("viz: PNG: %w", err)
	}
	return b.Bytes(), nil
}

// shrinkColors returns img with at most 256 colors, which reduces a PNG file of a drawing to a third. A drawing has a
// few flat colors, which are kept, and their shades at smooth edges. Shades that agree in the leading five bits of red,
// green and blue, or else in the leading four, become the most frequent of them. An image that has more colors even
// then, such as one with photographs, is not changed.
func shrinkColors(img *image.RGBA) image.Image { return shrinkTogether([]*image.RGBA{img})[0] }

// shrinkTogether returns images with one palette of at most 256 colors, as shrinkColors does with one.
func shrinkTogether(images []*image.RGBA) []image.Image {
	count := map[color.RGBA]int{}
	out := make([]image.Image, len(images))
	for k, img := range images {
		for i := 0; i+3 < len(img.Pix); i += 4 {
			count[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3]}]++
		}
		out[k] = img
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
		// Sorted, since map order varies between runs and the file must not.
		for i, c := range slices.SortedFunc(maps.Values(best), compare) {
			colors = append(colors, c)
			index[cell(c)] = uint8(i)
		}
		for k, img := range images {
			shrunk := image.NewPaletted(img.Rect, colors)
			for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
				for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
					shrunk.SetColorIndex(x, y, index[cell(img.RGBAAt(x, y))])
				}
			}
			out[k] = shrunk
		}
		break
	}
	return out
}

// compare orders colors by red, green, blue and opacity.
func compare(a, b color.RGBA) int {
	return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
}

// outlined is a PDF canvas that draws letters as filled outlines and images upright. The text of vgpdf
// (gonum.org/v1/plot v0.17.0) supports only one code page of western letters, without τ, λ or a real minus sign, and no
// bold face. Its images are upside down.
type outlined struct {
	*vgpdf.Canvas
}

// FillString draws the outlines of s with its baseline starting at pt.
func (c outlined) FillString(f font.Face, pt vg.Point, s string) {
	if path := outline(f, pt, s); len(path) > 0 {
		c.Fill(path)
	}
}

// DrawImage draws img into rect.
func (c outlined) DrawImage(rect vg.Rectangle, img image.Image) {
	c.Canvas.DrawImage(rect, flipped{img})
}

// flipped is an image upside down.
type flipped struct{ image.Image }

func (f flipped) At(x, y int) color.Color {
	b := f.Bounds()
	return f.Image.At(x, b.Min.Y+b.Max.Y-1-y)
}

// outline returns the outlines of s as one path. A letter that the font lacks takes the shape of a missing letter.
func outline(f font.Face, pt vg.Point, s string) vg.Path {
	var (
		path vg.Path
		buf  sfnt.Buffer
		ppem = fixed.Int26_6(f.Face.UnitsPerEm()) // 1 font unit is 1/64 pixel
		unit = f.Font.Size / vg.Length(ppem)
		last sfnt.GlyphIndex
	)
	for i, r := range s {
		// If the font lacks a part, such as a kerning table, it returns an error and 0 or nothing.
		glyph, _ := f.Face.GlyphIndex(&buf, r)
		if i > 0 {
			kern, _ := f.Face.Kern(&buf, last, glyph, ppem, 0)
			pt.X += unit * vg.Length(kern)
		}
		segments, _ := f.Face.LoadGlyph(&buf, glyph, ppem, nil)
		at := func(p fixed.Point26_6) vg.Point { // y points down in fonts
			return vg.Point{X: pt.X + unit*vg.Length(p.X), Y: pt.Y - unit*vg.Length(p.Y)}
		}
		for j, g := range segments {
			switch g.Op {
			case sfnt.SegmentOpMoveTo:
				if j > 0 {
					path.Close()
				}
				path.Move(at(g.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(at(g.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(g.Args[0]), at(g.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(g.Args[0]), at(g.Args[1]), at(g.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		step, _ := f.Face.GlyphAdvance(&buf, glyph, ppem, 0)
		pt.X += unit * vg.Length(step)
		last = glyph
	}
	return path
}
