package viz

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

func TestImageGridErrors(t *testing.T) {
	four := []uint8{0, 1, 2, 3}
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"none", second(ImageGrid(nil, 2, 2, 1, 0, nil)), ErrNoData},
		{"no height", second(ImageGrid(four, 0, 2, 1, 0, nil)), ErrRange},
		{"two channels", second(ImageGrid(four, 2, 1, 2, 0, nil)), ErrRange},
		{"columns", second(ImageGrid(four, 2, 2, 1, -1, nil)), ErrRange},
		{"part of an image", second(ImageGrid(four, 3, 1, 1, 0, nil)), ErrLength},
		{"captions", second(ImageGrid(four, 2, 2, 1, 0, []string{"a", "b"})), ErrLength},
	} {
		expect.That(t, errors.Is(tt.err, tt.want), "%s: %v, want %v", tt.name, tt.err, tt.want)
	}
}

// decode returns the image in a PNG file.
func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	return expect.Must(png.Decode(bytes.NewReader(data)))(t)
}

// TestImageGridPixels looks at the middle of each pixel of two images of 2 by 2 pixels in color.
func TestImageGridPixels(t *testing.T) {
	pixels := []uint8{
		255, 0, 0 /**/, 0, 255, 0,
		0, 0, 255 /**/, 10, 20, 30,

		255, 255, 0 /**/, 0, 255, 255,
		90, 90, 90 /**/, 0, 0, 0,
	}
	g := expect.Must(ImageGrid(pixels, 2, 2, 3, 1, nil))(t)
	before := append([]uint8(nil), pixels...)
	w, h := g.Size()
	data := expect.Must(encodePNG(g, w, h))(t)
	expect.That(t, bytes.Equal(pixels, before), "the pixels changed")
	for i := range pixels {
		pixels[i] = 7 // the grid has its own copy
	}
	again := expect.Must(encodePNG(g, w, h))(t)
	expect.That(t, bytes.Equal(again, data), "the grid changed with the pixels")
	img := decode(t, data)
	const dots = pngDPI / 72.0 // a point
	for i := range 8 {
		n, y, x := i/4, i/2%2, i%2
		px := int(dots * float64(margin+largestCell*(0.25+0.5*vg.Length(x))))
		py := int(dots * float64(margin+(largestCell+cellGap)*vg.Length(n)+largestCell*(0.25+0.5*vg.Length(y))))
		want := color.RGBA{before[3*i], before[3*i+1], before[3*i+2], 255}
		got := color.RGBAModel.Convert(img.At(px, py))
		expect.That(t, got == want, "image %d, row %d, column %d: %v, want %v", n, y, x, got, want)
	}
}

func TestImageGridLayout(t *testing.T) {
	g, err := ImageGrid(make([]uint8, 10*4*2), 4, 2, 1, 0, nil) // ten images twice as high as wide
	expect.NoError(t, err)
	boxes, _ := drawn(t, g)
	expect.Require(t, len(boxes) == 10, "%d pictures, want 10", len(boxes))
	for i, box := range boxes {
		if column, row := i%8, i/8; box.Min.X != boxes[column].Min.X || box.Min.Y != boxes[8*row].Min.Y {
			t.Errorf("picture %d lies at %v, not in column %d of row %d", i, box, column, row)
		}
		size := box.Size()
		expect.That(t, math.Abs(float64(size.Y-2*size.X)) <= 1e-9, "a picture of %v, want twice as high as wide", size)
	}
	expect.That(t, boxes[8].Max.Y <= boxes[0].Min.Y,
		"the second row at %v lies over the first at %v", boxes[8], boxes[0])
	if w, _ := g.Size(); w > defaultWidth+0.01 {
		t.Errorf("the grid is %g points wide, the notebook %g", w.Points(), defaultWidth.Points())
	}
	long := "antidisestablishmentarianism"
	g = expect.Must(ImageGrid(make([]uint8, 8), 1, 1, 1, 8, []string{long, "", "", "", "", "", "", "two words"}))(t)
	_, words := drawn(t, g)
	var captions []string
	for s := range words {
		captions = append(captions, s)
	}
	slices.Sort(captions)
	expect.That(t, len(captions) >= 2 && strings.HasPrefix(captions[0], "anti") && captions[0] != long &&
		strings.Join(captions[1:], " ") == "two words", "captions %q", captions)
}

// drawn returns where the pictures and the words of f lie when it is drawn in its own size, from its upper left corner.
func drawn(t *testing.T, f Drawer) (pictures []vg.Rectangle, words map[string]vg.Rectangle) {
	t.Helper()
	w, h := sizeOf(f, 0, 0)
	paper := &sheetOfPaper{w: w, h: h}
	expect.NoError(t, drawOn(f, paper))
	for _, a := range paper.Actions {
		if a, ok := a.(*recorder.DrawImage); ok {
			pictures = append(pictures, a.Rectangle)
		}
	}
	return pictures, paper.words()
}
