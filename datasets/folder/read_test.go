package folder

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

func TestSameSizeIsExact(t *testing.T) {
	img := pattern(5, 3)
	got := mustRead(t, Config{Width: 5, Height: 3}, pngOf(t, img))
	var want []uint8
	for y := range 3 {
		for x := range 5 {
			c := img.RGBAAt(x, y)
			want = append(want, c.R, c.G, c.B)
		}
	}
	expect.That(t, slices.Equal(got, want), "pixels %v, want %v", got, want)
}

// The luminance of ITU-R BT.601, within half a step.
func TestGray(t *testing.T) {
	img := pattern(4, 4)
	got := mustRead(t, Config{Height: 4, Gray: true}, pngOf(t, img))
	for i, v := range got {
		c := img.RGBAAt(i%4, i/4)
		want := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
		expect.Near(t, float64(v), want, 0.51, "pixel %d", i)
	}
}

// scaled is bilinear downscaling in plain loops: each new pixel is the mean of the old ones, weighted by a triangle
// that reaches to the centers of the neighboring new pixels.
func scaled(img *image.RGBA, from image.Rectangle, width, height int) (out []float64) {
	weights := func(size, count, at int) (w []float64) {
		scale := max(1, float64(size)/float64(count))
		middle := (float64(at) + 0.5) * float64(size) / float64(count)
		total := 0.0
		for i := range size {
			v := max(0, 1-math.Abs(float64(i)+0.5-middle)/scale)
			w = append(w, v)
			total += v
		}
		for i := range w {
			w[i] /= total
		}
		return w
	}
	for y := range height {
		wy := weights(from.Dy(), height, y)
		for x := range width {
			wx := weights(from.Dx(), width, x)
			var sum [3]float64
			for j, v := range wy {
				for i, h := range wx {
					c := img.RGBAAt(from.Min.X+i, from.Min.Y+j)
					sum[0] += v * h * float64(c.R)
					sum[1] += v * h * float64(c.G)
					sum[2] += v * h * float64(c.B)
				}
			}
			out = append(out, sum[:]...)
		}
	}
	return out
}

func TestScaling(t *testing.T) {
	for _, tt := range []struct {
		name          string
		width, height int // of the file
		cfg           Config
		kept          image.Rectangle
	}{
		{"half", 8, 8, Config{Height: 4}, image.Rect(0, 0, 8, 8)},
		{"third, wide", 16, 9, Config{Height: 3}, image.Rect(3, 0, 12, 9)},
		{"tall", 4, 11, Config{Height: 2}, image.Rect(0, 3, 4, 7)},
		{"wanted wide", 10, 10, Config{Height: 2, Width: 5}, image.Rect(0, 3, 10, 7)},
		{"wanted tall", 10, 10, Config{Height: 5, Width: 2}, image.Rect(3, 0, 7, 10)},
		{"stretched", 9, 4, Config{Height: 3, Fit: Stretch}, image.Rect(0, 0, 9, 4)},
		{"larger", 3, 3, Config{Width: 7}, image.Rect(0, 0, 3, 3)},
		{"from one pixel", 1, 1, Config{Height: 2, Width: 3}, image.Rect(0, 0, 1, 1)},
		{"from a line", 50, 1, Config{Height: 2}, image.Rect(24, 0, 25, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := pattern(tt.width, tt.height)
			got := mustRead(t, tt.cfg, pngOf(t, img))
			cfg := expect.Must(tt.cfg.withDefaults())(t)
			want := scaled(img, tt.kept, cfg.Width, cfg.Height)
			expect.Require(t, len(got) == len(want), "%d values, want %d", len(got), len(want))
			for i := range got {
				expect.Near(t, float64(got[i]), want[i], 1, "value %d", i)
			}
		})
	}
}

// Every color model of the two formats, in one color, is read as that color.
func TestColorModels(t *testing.T) {
	orange := color.RGBA{230, 120, 10, 255}
	paletted := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, orange})
	draw.Draw(paletted, paletted.Bounds(), image.NewUniform(orange), image.Point{}, draw.Src)
	deep := image.NewRGBA64(image.Rect(0, 0, 8, 8))
	draw.Draw(deep, deep.Bounds(), image.NewUniform(orange), image.Point{}, draw.Src)
	gray := image.NewGray(image.Rect(0, 0, 8, 8))
	draw.Draw(gray, gray.Bounds(), image.NewUniform(color.Gray{77}), image.Point{}, draw.Src)
	gray16 := image.NewGray16(image.Rect(0, 0, 8, 8))
	draw.Draw(gray16, gray16.Bounds(), image.NewUniform(color.Gray16{77 * 257}), image.Point{}, draw.Src)
	for _, tt := range []struct {
		name string
		data []byte
		want [3]int
		near int
	}{
		{"PNG", pngOf(t, uniform(8, 8, orange)), [3]int{230, 120, 10}, 0},
		{"PNG with a palette", pngOf(t, paletted), [3]int{230, 120, 10}, 0},
		{"PNG of 16 bits", pngOf(t, deep), [3]int{230, 120, 10}, 0},
		{"gray PNG", pngOf(t, gray), [3]int{77, 77, 77}, 0},
		{"gray PNG of 16 bits", pngOf(t, gray16), [3]int{77, 77, 77}, 0},
		{"transparent PNG", pngOf(t, uniform(8, 8, color.NRGBA{200, 10, 10, 0})), [3]int{255, 255, 255}, 0},
		// 0.4 of the color and 0.6 of white.
		{"half transparent PNG", pngOf(t, uniform(8, 8, color.NRGBA{200, 0, 50, 102})), [3]int{233, 153, 173}, 1},
		{"JPEG", jpegOf(t, uniform(8, 8, orange)), [3]int{230, 120, 10}, 3},
		{"gray JPEG", jpegOf(t, gray), [3]int{77, 77, 77}, 1},
		// The light left by an ink times the light left by black: 255·(1-51/255)·(1-51/255) = 163.2 and so on.
		{"CMYK JPEG", cmykJPEG([4]uint8{51, 204, 0, 51}), [3]int{163, 41, 204}, 1},
		{"CMYK JPEG, white", cmykJPEG([4]uint8{0, 0, 0, 0}), [3]int{255, 255, 255}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i, v := range mustRead(t, Config{Height: 4}, tt.data) {
				d := int(v) - tt.want[i%3]
				expect.Require(t, d <= tt.near && d >= -tt.near, "value %d is %d, want %d", i, v, tt.want[i%3])
			}
		})
	}
}

// pngHeader returns the start of a PNG file with the given size, in 8-bit RGB, without image data.
func pngHeader(width, height uint32) []byte {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, width)
	header = binary.BigEndian.AppendUint32(header, height)
	header = append(header, 8, 2, 0, 0, 0)
	out := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	out = append(out, header...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(header))
}

func TestReadErrors(t *testing.T) {
	whole := pngOf(t, pattern(20, 20))
	photo := jpegOf(t, pattern(20, 20))
	for _, tt := range []struct {
		name string
		cfg  Config
		data []byte
		want []string
	}{
		{"empty", Config{}, nil, []string{"the file is empty"}},
		{"text", Config{}, []byte("<html>"), []string{"neither a JPEG nor a PNG", "3c 68 74"}},
		{"GIF", Config{}, []byte("GIF89a"), []string{"neither a JPEG nor a PNG"}},
		{"PNG cut", Config{}, whole[:len(whole)-20], []string{"EOF"}},
		{"JPEG cut", Config{}, photo[:len(photo)-20], []string{"JPEG"}},
		{"JPEG header cut", Config{}, photo[:100], []string{"EOF"}},
		{"changed PNG", Config{}, func() []byte { d := bytes.Clone(whole); d[len(d)-20] ^= 1; return d }(), []string{"checksum"}},
		{"too many pixels", Config{MaxPixels: 399}, whole, []string{"20×20", "399", "Config.MaxPixels"}},
		{"too long a file", Config{MaxBytes: 100}, whole, []string{"more than the 100 allowed", "Config.MaxBytes"}},
		{"a trap", Config{}, pngHeader(7000, 7000), []string{"7000×7000", "33 bytes cannot hold"}},
		{"a larger trap", Config{}, pngHeader(60000, 60000), []string{"60000×60000", "64000000 allowed"}},
		{"a line", Config{}, pngHeader(70000, 1), []string{"70000×1", "longer than 65535"}},
		{"no pixels", Config{}, pngHeader(0, 5), []string{"non-positive"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var err error
			got := damage.Allocated(func() { _, err = read(t, tt.cfg, tt.data) })
			expect.Error(t, err, append(tt.want, "folder: class/image.png: ")...)
			expect.That(t, got <= 4<<20, "%d bytes taken for a file of %d", got, len(tt.data))
		})
	}
	expect.Must(read(t, Config{Height: 2, MaxBytes: math.MaxInt64, MaxPixels: math.MaxInt}, whole))(t)
	set := one(t, Config{Height: 2}, whole)
	expect.Error(t, set.ReadImage(1, make([]byte, 12)), "no image 1", "1 images")
	expect.Error(t, set.ReadImage(-1, make([]byte, 12)), "no image -1")
	expect.Error(t, set.ReadImage(0, make([]byte, 11)), "room for 11", "has 12")
	gone := one(t, Config{Height: 2}, whole)
	gone.files[0].fsys = fstest.MapFS{}
	expect.Is(t, gone.ReadImage(0, make([]byte, 12)), fs.ErrNotExist, "a file that is gone")
}

// An image of the largest size that its file allows is accepted: a white one compresses best.
func TestLargestBelievableImages(t *testing.T) {
	expect.Slow(t)
	t.Parallel()
	white := image.NewGray(image.Rect(0, 0, 3000, 3000))
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	two := image.NewPaletted(image.Rect(0, 0, 4000, 4000), color.Palette{color.White, color.Black})
	for name, data := range map[string][]byte{
		"gray PNG": pngOf(t, white), "PNG of two colors": pngOf(t, two), "JPEG": jpegOf(t, white),
		"RGB PNG": pngOf(t, uniform(2000, 2000, color.White)),
	} {
		for i, v := range mustRead(t, Config{Height: 2}, data) {
			expect.That(t, v >= 254, "%s of %d bytes: value %d is %d, want white", name, len(data), i, v)
		}
	}
}

// checkFile checks that a damaged file gives an error or an image of the requested size, within the memory limit.
func checkFile(t *testing.T, data []byte) {
	t.Helper()
	set := one(t, Config{Height: 4, MaxPixels: 1 << 20, MaxBytes: 1 << 20}, data)
	dst := bytes.Repeat([]byte{7}, 48)
	var err error
	taken := damage.Allocated(func() { err = set.ReadImage(0, dst) })
	expect.That(t, err != nil || !bytes.Equal(dst, bytes.Repeat([]byte{7}, 48)), "no error, and no pixels")
	if err == nil { // pixels are read back unchanged
		img := image.NewRGBA(image.Rect(0, 0, 4, 4))
		for i := range 16 {
			copy(img.Pix[4*i:], append(slices.Clone(dst[3*i:3*i+3]), 255))
		}
		expect.Equal(t, mustRead(t, Config{Height: 4}, pngOf(t, img)), dst, "written and read again")
	}
	limit := uint64(1<<20 + 1024*40*len(data))
	expect.That(t, taken <= limit, "%d bytes taken for a file of %d", taken, len(data))
}

func FuzzReadImage(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(checkFile)
}

func seeds(tb testing.TB) [][]byte {
	return [][]byte{
		pngOf(tb, pattern(9, 7)), jpegOf(tb, pattern(9, 7)), cmykJPEG([4]uint8{10, 200, 30, 90}),
		pngOf(tb, uniform(8, 8, color.NRGBA{200, 0, 50, 102})), pngHeader(1000, 1000), {},
	}
}

func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 224))
	for _, data := range seeds(t) {
		for range 100 {
			checkFile(t, damage.One(rng, data))
		}
	}
}
