package viz

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// filterImages returns a smooth picture, a drawing in color, and drawings with palettes of 1 and 8 bits a pixel.
func filterImages() map[string]image.Image {
	random := rand.New(rand.NewPCG(3, 4))
	bounds := image.Rect(0, 0, 61, 47) // a line of one bit a pixel ends within a byte
	smooth, drawing := image.NewRGBA(bounds), image.NewRGBA(bounds)
	gray := make(color.Palette, 256)
	for i := range gray {
		gray[i] = color.Gray{Y: uint8(i)}
	}
	shades := image.NewPaletted(bounds, gray)
	bits := image.NewPaletted(bounds, palette.Plan9[:2])
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			level := uint8(2*x + 2*y + random.IntN(3))
			smooth.SetRGBA(x, y, color.RGBA{level, level / 2, 255 - level, 255})
			shades.SetColorIndex(x, y, level)
			bits.SetColorIndex(x, y, uint8(random.IntN(2)))
			drawing.SetRGBA(x, y, white)
			if x%13 == 0 || random.IntN(40) == 0 {
				drawing.SetRGBA(x, y, color.RGBA{uint8(random.IntN(256)), 0x72, uint8(y), 255})
			}
		}
	}
	return map[string]image.Image{"smooth": smooth, "drawing": drawing, "shades": shades, "bits": bits}
}

// TestFiltered: the pixels stay, and the file is never larger. Pictures with a palette gain most, as image/png does
// not filter them.
func TestFiltered(t *testing.T) {
	compressed(t)
	for name, img := range filterImages() {
		file := expect.Must(compress(img))(t)
		got := expect.Must(filtered(file))(t)
		expect.That(t, len(got) <= len(file) && (name != "shades" || 10*len(got) <= 6*len(file)),
			"%s: %d bytes became %d", name, len(file), len(got))
		samePixels(t, name, decode(t, got), img)
	}
}

// TestPNGFilters has image/png read what each filter writes.
func TestPNGFilters(t *testing.T) {
	for name, img := range filterImages() {
		file := expect.Must(compress(img))(t)
		var packed []byte
		for _, c := range pngChunks(file) {
			if c.kind == "IDAT" {
				packed = append(packed, c.data...)
			}
		}
		lines := expect.Must(readLines(pngChunks(file)[0].data, packed))(t)
		for _, filter := range []byte{noFilter, leftFilter, aboveFilter, meanFilter, paethFilter} {
			var pixels, out bytes.Buffer
			expect.NoError(t, lines.compress(&pixels, filter))
			out.WriteString(pngSignature)
			for _, c := range pngChunks(file) {
				if c.kind == "IEND" {
					writeChunk(&out, "IDAT", pixels.Bytes())
				}
				if c.kind != "IDAT" {
					writeChunk(&out, c.kind, c.data)
				}
			}
			samePixels(t, name, decode(t, out.Bytes()), img)
			again, err := readLines(pngChunks(file)[0].data, pixels.Bytes())
			expect.That(t, err == nil && bytes.Equal(again.pixels, lines.pixels),
				"%s, filter %d: the pixels read back differ: %v", name, filter, err)
		}
	}
	if _, err := readLines([]byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 0}, []byte("no zlib")); err == nil {
		t.Error("pixels that are not compressed were read")
	}
}

func samePixels(t *testing.T, name string, got, want image.Image) {
	t.Helper()
	expect.Require(t, got.Bounds().Size() == want.Bounds().Size(),
		"%s: %v pixels, want %v", name, got.Bounds().Size(), want.Bounds().Size())
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			g, w := color.RGBAModel.Convert(got.At(x, y)), color.RGBAModel.Convert(want.At(x, y))
			expect.Require(t, g == w, "%s: pixel %d, %d is %v, want %v", name, x, y, g, w)
		}
	}
}
