package folder

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/internal/expect"
)

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	expect.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	expect.NoError(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

// pattern returns an opaque image in which every pixel differs from its neighbors.
func pattern(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, color.RGBA{uint8(40*x + 3*y), uint8(10*x + 50*y), uint8(200 - 9*x + 31*y), 255})
		}
	}
	return img
}

func uniform(width, height int, c color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, c)
		}
	}
	return img
}

// one returns a set of the single file given.
func one(t testing.TB, cfg Config, data []byte) *Set {
	t.Helper()
	return expect.Must(Open(fstest.MapFS{"class/image.png": {Data: data}}, cfg))(t)
}

// read decodes the single image of such a set.
func read(t testing.TB, cfg Config, data []byte) ([]uint8, error) {
	t.Helper()
	set := one(t, cfg, data)
	height, width, channels := set.Shape()
	dst := make([]uint8, height*width*channels)
	return dst, set.ReadImage(0, dst)
}

func mustRead(t testing.TB, cfg Config, data []byte) []uint8 {
	t.Helper()
	return expect.Must(read(t, cfg, data))(t)
}

// cmykJPEG writes by hand a JPEG file of 8×8 pixels of one color in CMYK, as Adobe's programs do: the four values are
// stored as 255 minus the ink. Each component is one block with nothing but its mean.
func cmykJPEG(ink [4]uint8) []byte {
	segment := func(marker byte, content ...byte) []byte {
		length := len(content) + 2
		return append([]byte{0xff, marker, byte(length >> 8), byte(length)}, content...)
	}
	out := []byte{0xff, 0xd8}
	out = append(out, segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...)...) // the last byte: no transform
	out = append(out, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	out = append(out, segment(0xc0, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)...)
	// The code of a mean: twelve words of four bits, the numbers 0 to 11 of further bits. Of the rest: one word, "0", the end.
	out = append(out, segment(0xc4, 0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)...)
	out = append(out, segment(0xc4, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)...)
	out = append(out, segment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)...)
	var bits strings.Builder
	write := func(value, n int) {
		for i := n - 1; i >= 0; i-- {
			bits.WriteByte('0' + byte(value>>i&1))
		}
	}
	for _, v := range ink {
		mean := 8 * (255 - int(v) - 128)
		size := 0
		for magnitude := max(mean, -mean); magnitude > 0; magnitude >>= 1 {
			size++
		}
		write(size, 4)
		if mean < 0 {
			mean += 1<<size - 1
		}
		write(mean, size)
		write(0, 1)
	}
	for bits.Len()%8 != 0 {
		bits.WriteByte('1')
	}
	for i := 0; i < bits.Len(); i += 8 {
		var b byte
		for _, bit := range bits.String()[i : i+8] {
			b = b<<1 | byte(bit-'0')
		}
		out = append(out, b)
		if b == 0xff {
			out = append(out, 0)
		}
	}
	return append(out, 0xff, 0xd9)
}
