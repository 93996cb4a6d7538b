package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/puclab/puclab/internal/expect"
)

// mixed returns readable images of the grays 10, 20 and 30 and broken files between them.
func mixed(t *testing.T) (files fstest.MapFS, broken []string) {
	photo := jpegOf(t, pattern(20, 20))
	gray := func(v uint8) *fstest.MapFile { return &fstest.MapFile{Data: pngOf(t, uniform(4, 4, color.Gray{v}))} }
	return fstest.MapFS{
		"a/1.png": gray(10), "a/2.jpg": {Data: photo[:len(photo)-20]}, "a/3.png": {Data: []byte("a text, not an image")},
		"a/4.png": gray(20), "b/1.png": {}, "b/2.png": gray(30),
	}, []string{"a/2.jpg: the file is damaged or cut off: ", "a/3.png: neither a JPEG nor a PNG file", "b/1.png: the file is empty"}
}

func TestLoadListsAllBrokenFiles(t *testing.T) {
	files, broken := mixed(t)
	set := expect.Must(Open(files, Config{Height: 2, Gray: true}))(t)
	images, err := set.Load(t.Context())
	expect.Error(t, err, append(broken, "folder: 3 of 6 image files cannot be read", "LoadReadable")...)
	expect.That(t, images == nil, "images in spite of the error")
	for i := range 30 {
		files[fmt.Sprintf("c/%02d.png", i)] = &fstest.MapFile{Data: []byte("<html>")}
	}
	set = expect.Must(Open(files, Config{Height: 2}))(t)
	err = expect.Err(set.Load(t.Context()))
	expect.Error(t, err, "33 of 36", "c/16.png", "and 13 more")
	expect.That(t, !strings.Contains(err.Error(), "c/17.png"), "%v lists more than 20 files", err)
	_, _, _, err = set.LoadReadable(t.Context())
	expect.Error(t, err, "33 of 36", "none of the class c can", "c/16.png")
	_, _, err = set.Readable(t.Context())
	expect.Error(t, err, "none of the class c can")
}

func TestBrokenFilesAreLeftOut(t *testing.T) {
	files, broken := mixed(t)
	set := expect.Must(Open(files, Config{Height: 1, Gray: true}))(t)
	images, readable, errs, err := set.LoadReadable(t.Context())
	expect.NoError(t, err)
	expect.NoError(t, images.Validate())
	expect.That(t, bytes.Equal(images.Pixels, []uint8{10, 20, 30}), "pixels %v", images.Pixels)
	expect.That(t, slices.Equal(images.Labels, []int{0, 0, 1}) && slices.Equal(images.Classes, []string{"a", "b"}),
		"labels %v of %q", images.Labels, images.Classes)
	only, again, err := set.Readable(t.Context())
	expect.NoError(t, err)
	for _, got := range []*Set{readable, only} {
		expect.Equal(t, paths(got), []string{"a/1.png", "a/4.png", "b/2.png"})
		loaded := expect.Must(got.Load(t.Context()))(t)
		expect.That(t, bytes.Equal(loaded.Pixels, images.Pixels) && slices.Equal(loaded.Labels, images.Labels), "%v", loaded)
	}
	for _, list := range [][]error{errs, again} {
		expect.Require(t, len(list) == len(broken), "broken: %v", list)
		for i, want := range broken {
			expect.Error(t, list[i], "folder: "+want)
		}
	}
	expect.Equal(t, set.Len(), 6)
	// A set without broken files is returned unchanged.
	whole := expect.Must(Open(fstest.MapFS{"a/1.png": files["a/1.png"]}, Config{Height: 1}))(t)
	images, readable, errs, err = whole.LoadReadable(t.Context())
	expect.That(t, err == nil && errs == nil && readable == whole && images.Len() == 1, "%v, %v, %v", images, errs, err)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, _, err = set.LoadReadable(canceled)
	expect.Is(t, err, context.Canceled)
	_, _, err = set.Readable(canceled)
	expect.Is(t, err, context.Canceled)
	delete(files, "a/4.png")
	_, _, errs, err = set.LoadReadable(t.Context())
	expect.NoError(t, err)
	expect.Require(t, len(errs) == 4, "broken: %v", errs)
	expect.Is(t, errs[2], fs.ErrNotExist)
}

// One image, in memory or in a file, gives the same pixels as in a set.
func TestPixelsAndDecode(t *testing.T) {
	half := uniform(9, 4, color.NRGBA{200, 0, 50, 102})
	part := pattern(30, 20).SubImage(image.Rect(3, 2, 24, 19)) // its corner is not at the origin
	for _, cfg := range []Config{{}, {Height: 3, Width: 5}, {Height: 4, Gray: true}, {Height: 3, Fit: Stretch}} {
		for _, img := range []image.Image{pattern(20, 11), half, part} {
			data := pngOf(t, img)
			want := mustRead(t, cfg, data)
			expect.That(t, bytes.Equal(expect.Must(cfg.Pixels(img))(t), want), "%+v: Pixels differ", cfg)
			decoded := expect.Must(cfg.Decode(iotest.OneByteReader(bytes.NewReader(data))))(t)
			expect.That(t, bytes.Equal(decoded, want), "%+v: Decode differs", cfg)
		}
		photo := jpegOf(t, pattern(20, 20))
		decoded := expect.Must(cfg.Decode(bytes.NewReader(photo)))(t)
		expect.That(t, bytes.Equal(decoded, mustRead(t, cfg, photo)), "%+v: Decode of a JPEG file differs", cfg)
	}
}

func TestPixelsAndDecodeErrors(t *testing.T) {
	whole := pngOf(t, pattern(20, 20))
	decode := func(cfg Config, data []byte) error { return expect.Err(cfg.Decode(bytes.NewReader(data))) }
	expect.Error(t, decode(Config{Height: -1}, whole), "each side")
	expect.Error(t, decode(Config{MaxBytes: 100}, whole), "folder: ", "101 or more bytes", "Config.MaxBytes")
	expect.NoError(t, decode(Config{MaxBytes: int64(len(whole))}, whole))
	expect.Error(t, decode(Config{MaxPixels: 399}, whole), "folder: ", "20×20", "Config.MaxPixels")
	expect.Error(t, decode(Config{}, pngHeader(7000, 7000)), "33 bytes cannot hold")
	expect.Error(t, decode(Config{}, nil), "folder: the file is empty")
	expect.Error(t, decode(Config{}, []byte("text")), "neither a JPEG nor a PNG")
	expect.Error(t, decode(Config{}, whole[:len(whole)-20]), "damaged or cut off")
	broken := errors.New("broken line")
	expect.Is(t, expect.Err(Config{}.Decode(iotest.ErrReader(broken))), broken)
	expect.Error(t, expect.Err(Config{Fit: 7}.Pixels(pattern(2, 2))), "unknown fit")
	expect.Error(t, expect.Err(Config{}.Pixels(nil)), "no image given")
	expect.Error(t, expect.Err(Config{}.Pixels(image.NewRGBA(image.Rectangle{}))), "0×0")
	expect.Error(t, expect.Err(Config{}.Pixels(image.White)), "folder: ", "longer than 65535") // without bounds
	expect.Error(t, expect.Err(Config{MaxPixels: 5}.Pixels(pattern(2, 3))), "2×3", "5 allowed")
}

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

// cmykJPEG returns a hand-made JPEG file of 8×8 pixels of one color in CMYK, as from Adobe's programs: the four values
// are stored as 255 minus the ink. Each component is one block with only its mean.
func cmykJPEG(ink [4]uint8) []byte {
	segment := func(marker byte, content ...byte) []byte {
		length := len(content) + 2
		return append([]byte{0xff, marker, byte(length >> 8), byte(length)}, content...)
	}
	out := []byte{0xff, 0xd8}
	out = append(out, segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...)...) // the last byte: no transform
	out = append(out, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	out = append(out, segment(0xc0, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)...)
	// The code of a mean: twelve words of four bits, for 0 to 11 further bits. Of the other coefficients: one word,
	// "0", the end.
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
