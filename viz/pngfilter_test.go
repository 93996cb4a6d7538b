package viz

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/png"
	"math/rand/v2"
	"testing"
	"time"

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

// TestFiltered checks that the pixels are preserved, that the file is never larger, and that files with a palette
// become much smaller.
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

// TestPNGFilters decodes the output of each filter with image/png.
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
	expect.That(t, expect.Err(readLines([]byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 0}, []byte("no zlib"))) != nil,
		"pixels that are not compressed were read")
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

// readAPNG plays an APNG file by the specification, with no code of the encoder: it returns the still image, the screen
// after each frame, and the delays.
func readAPNG(t *testing.T, file []byte) (still image.Image, frames []image.Image, delays []time.Duration) {
	t.Helper()
	var header, palette, control, pixels []byte
	var screen *image.RGBA
	word := binary.BigEndian.Uint32
	write := func(b *bytes.Buffer, kind string, data []byte) {
		binary.Write(b, binary.BigEndian, uint32(len(data)))
		b.WriteString(kind)
		b.Write(data)
		binary.Write(b, binary.BigEndian, crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data))
	}
	show := func() {
		if control == nil {
			return
		}
		var b bytes.Buffer
		b.WriteString("\x89PNG\r\n\x1a\n")
		write(&b, "IHDR", append(append([]byte{}, control[4:12]...), header[8:]...))
		if palette != nil {
			write(&b, "PLTE", palette)
		}
		write(&b, "IDAT", pixels)
		write(&b, "IEND", nil)
		part, err := png.Decode(&b)
		expect.Require(t, err == nil, "frame %d: %v", len(frames), err)
		if screen == nil {
			screen = image.NewRGBA(image.Rect(0, 0, int(word(header)), int(word(header[4:]))))
		}
		corner := image.Pt(int(word(control[12:])), int(word(control[16:])))
		for y := range part.Bounds().Dy() {
			for x := range part.Bounds().Dx() {
				expect.Require(t, image.Pt(x, y).Add(corner).In(screen.Rect), "frame %d leaves the image", len(frames))
				screen.Set(corner.X+x, corner.Y+y, part.At(x, y))
			}
		}
		copied := *screen
		copied.Pix = bytes.Clone(screen.Pix)
		frames = append(frames, &copied)
		unit := time.Second / time.Duration(binary.BigEndian.Uint16(control[22:]))
		delays = append(delays, time.Duration(binary.BigEndian.Uint16(control[20:]))*unit)
		pixels = nil
	}
	next, announced := uint32(0), -1
	number := func(data []byte) {
		got := word(data)
		expect.Require(t, got == next, "number %d of the sequence stands where %d should", got, next)
		next++
	}
	for rest := file[8:]; len(rest) > 0; {
		n := word(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		expect.Require(t, crc32.ChecksumIEEE(rest[4:8+n]) == word(rest[8+n:]),
			"the check sum of a chunk %s is wrong", kind)
		switch kind {
		case "IHDR":
			header = data
		case "PLTE":
			palette = data
		case "acTL":
			announced = int(word(data))
		case "fcTL":
			number(data)
			show()
			control = data
		case "fdAT":
			number(data)
			pixels = append(pixels, data[4:]...)
		case "IEND":
			show()
		}
		rest = rest[12+n:]
	}
	expect.Equal(t, announced, len(frames), "frames announced")
	still, err := png.Decode(bytes.NewReader(file)) // ignores the chunks of the animation
	expect.NoError(t, err)
	return still, frames, delays
}

func sameImage(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, b1, k := a.At(x, y).RGBA()
			s, h, b2, l := b.At(x, y).RGBA()
			if r != s || g != h || b1 != b2 || k != l {
				return false
			}
		}
	}
	return true
}

// TestAPNG plays encoded frames that change in a part, not at all, and everywhere, paletted and in full color.
func TestAPNG(t *testing.T) {
	frame := func(shade uint8, part image.Rectangle) *image.RGBA {
		m := image.NewRGBA(image.Rect(0, 0, 40, 30))
		for y := range 30 {
			for x := range 40 {
				c := color.RGBA{255, 255, 255, 255}
				if image.Pt(x, y).In(part) {
					c = color.RGBA{shade, uint8(5 * x), 7, 255}
				}
				m.SetRGBA(x, y, c)
			}
		}
		return m
	}
	pixels := []*image.RGBA{
		frame(10, image.Rect(2, 3, 9, 20)), frame(10, image.Rect(2, 3, 9, 20)),
		frame(90, image.Rect(5, 10, 30, 29)), frame(200, image.Rect(0, 0, 40, 30)),
	}
	want := []time.Duration{20 * time.Millisecond, time.Second, 250 * time.Millisecond, 2 * time.Second}
	full := make([]image.Image, len(pixels))
	for i, p := range pixels {
		full[i] = p
	}
	for name, images := range map[string][]image.Image{"palette": shrinkTogether(pixels), "full color": full} {
		file := expect.Must(encodeAPNG(images, want))(t)
		still, got, delays := readAPNG(t, file)
		expect.Require(t, len(got) == len(images) && sameImage(still, images[len(images)-1]),
			"%s: %d frames, or the image that stands is not the last one", name, len(got))
		for i := range got {
			expect.That(t, sameImage(got[i], images[i]) && delays[i] == want[i],
				"%s: frame %d is another one, for %v instead of %v", name, i, delays[i], want[i])
		}
	}
	_, ok := shrinkTogether(pixels)[0].(*image.Paletted)
	expect.That(t, ok, "the frames have no palette")
	expect.Equal(t, difference(pixels[0], pixels[1]), image.Rect(0, 0, 1, 1), "two equal frames differ in")
	expect.Equal(t, difference(pixels[1], pixels[2]), image.Rect(2, 3, 30, 29), "two frames differ in")
}
