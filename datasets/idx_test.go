package datasets

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

// Two images of 2×3 pixels and their labels, byte by byte in the format.
const (
	twoImages = "00000803 00000002 00000002 00000003" + "000102 030405" + "0a0b0c 0d0eff"
	twoLabels = "00000801 00000002" + "03 01"
)

// unhex decodes hexadecimal digits with arbitrary spaces.
func unhex(tb testing.TB, digits string) []byte {
	tb.Helper()
	return expect.Must(hex.DecodeString(strings.ReplaceAll(digits, " ", "")))(tb)
}

func TestReadImages(t *testing.T) {
	images, labels := unhex(t, twoImages), unhex(t, twoLabels)
	for _, tt := range []struct {
		name           string
		images, labels []byte
	}{
		{"plain", images, labels},
		{"gzip", packtest.Gzip(t, images), packtest.Gzip(t, labels)},
		{"mixed", packtest.Gzip(t, images), labels},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// One byte at a time: the reader must not depend on full reads.
			got := expect.Must(ReadImages(iotest.OneByteReader(bytes.NewReader(tt.images)), bytes.NewReader(tt.labels),
				[]string{"zero", "one", "two", "three"}))(t)
			expect.That(t, got.Height == 2 && got.Width == 3 && got.Channels == 1 && got.Len() == 2,
				"got %v, want 2 images of 2×3×1", got)
			expect.Equal(t, got.Pixels, []uint8{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 255}, "pixels")
			expect.Equal(t, got.Labels, []int{3, 1}, "labels")
			expect.That(t, got.Classes[got.Labels[0]] == "three", "class names %v", got.Classes)
		})
	}
	t.Run("classes by number", func(t *testing.T) {
		got := expect.Must(ReadImages(bytes.NewReader(images), bytes.NewReader(labels), nil))(t)
		expect.Equal(t, got.Classes, []string{"0", "1", "2", "3"}, "classes")
	})
	t.Run("no images", func(t *testing.T) {
		got, err := ReadImages(bytes.NewReader(unhex(t, "00000803 00000000 00000002 00000003")),
			bytes.NewReader(unhex(t, "00000801 00000000")), nil)
		expect.That(t, err == nil && got.Len() == 0, "got %v, %v, want no images", got, err)
	})
}

func TestReadImagesErrors(t *testing.T) {
	for _, tt := range []struct {
		name           string
		images, labels string
		cut            bool // the error wraps io.ErrUnexpectedEOF
		want           []string
	}{
		{"empty image file", "", twoLabels, true, []string{"image file", "header"}},
		{"half a first number", "0000", twoLabels, true, []string{"header"}},
		{"header cut", "00000803 00000002 0000", twoLabels, true, []string{"header"}},
		{"pixels cut", twoImages[:len(twoImages)-2], twoLabels, true, []string{"cut short", "12 bytes", "11 came"}},
		{"no pixels", twoImages[:35], twoLabels, true, []string{"cut short", "0 came"}},
		{"bytes after the pixels", twoImages + "00", twoLabels, false, []string{"goes on after the 12 bytes"}},
		{"labels cut", twoImages, "00000801 00000003 03 01", true, []string{"label file", "3 bytes", "2 came"}},
		{"bytes after the labels", twoImages, twoLabels + "02", false, []string{"label file", "goes on after the 2"}},
		{"wrong first number", "00000804 00000002", twoLabels, false, []string{"not an IDX file", "00000804", "00000803"}},
		{"32-bit numbers", "00000c03 00000002", twoLabels, false, []string{"IDX file of int32", "convert"}},
		{"little-endian", "03080000 02000000", twoLabels, false, []string{"not an IDX file"}},
		{"swapped", twoLabels, twoImages, false, []string{"image file holds labels", "swapped"}},
		{"images twice", twoImages, twoImages, false, []string{"label file holds images"}},
		{"counts differ", twoImages, "00000801 00000003 00 01 02", false, []string{"2 images but 3 labels"}},
		{"label out of range", twoImages, "00000801 00000002 03 04", false, []string{"image 1", "class 4", "4 classes"}},
		{"zero height", "00000803 7fffffff 00000000 00000003", twoLabels, false, []string{"0×3", "zero"}},
		{"zero width", "00000803 00000002 00000003 00000000", twoLabels, false, []string{"3×0", "zero"}},
		{"size overflows", "00000803 7fffffff 7fffffff 7fffffff", twoLabels, false, []string{"more bytes than"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadImages(bytes.NewReader(unhex(t, tt.images)), bytes.NewReader(unhex(t, tt.labels)),
				[]string{"zero", "one", "two", "three"})
			expect.Error(t, err, tt.want...)
			expect.Equal(t, errors.Is(err, io.ErrUnexpectedEOF), tt.cut, "error")
		})
	}
}

func TestReadIDXDamagedGzip(t *testing.T) {
	whole := packtest.Gzip(t, unhex(t, twoImages))
	for end := 2; end < len(whole); end++ {
		if _, _, err := ReadIDX(bytes.NewReader(whole[:end])); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			t.Errorf("the first %d of %d bytes: error %v, want an unexpected end", end, len(whole), err)
		}
	}
	badSum := slices.Clone(whole)
	badSum[len(badSum)-8] ^= 1 // in the CRC-32, which precedes the length
	_, _, err := ReadIDX(bytes.NewReader(badSum))
	expect.That(t, errors.Is(err, gzip.ErrChecksum), "wrong CRC: error %v, want %v", err, gzip.ErrChecksum)
	if _, _, err := ReadIDX(bytes.NewReader(append(slices.Clone(whole), "more"...))); err == nil {
		t.Error("bytes after the gzip stream: no error")
	}
}

func TestReadIDXPassesReadErrors(t *testing.T) {
	broken := errors.New("broken disk")
	whole := unhex(t, twoImages)
	for _, n := range []int{0, 1, 3, 10, 16, 20, len(whole)} {
		r := io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(broken))
		_, _, err := ReadIDX(r)
		expect.That(t, errors.Is(err, broken), "after %d bytes: error %v, want %v", n, err, broken)
	}
}

// A header may announce gigabytes over a file of a few bytes.
func TestReadIDXDoesNotTrustTheHeader(t *testing.T) {
	lie := unhex(t, "00000803 0000ffff 00000fff 00000003") // 805,097,475 bytes, of which three come
	lie = append(lie, 1, 2, 3)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := ReadIDX(bytes.NewReader(lie))
	runtime.ReadMemStats(&after)
	expect.Error(t, err, "cut short", "3 came")
	got := after.TotalAlloc - before.TotalAlloc
	expect.That(t, got <= 1<<20, "%d bytes allocated for a file of %d", got, len(lie))
}

// Larger than the initial buffer, so that it must grow, and stop growing at the end.
func TestReadIDXGrows(t *testing.T) {
	const count = 1000
	file := unhex(t, "00000803 000003e8 0000001c 0000001c")
	for i := range count * 28 * 28 {
		file = append(file, uint8(i*i>>3))
	}
	dims, data := expect.Must2(ReadIDX(bytes.NewReader(packtest.Gzip(t, file))))(t)
	expect.That(t, slices.Equal(dims, []int{count, 28, 28}) && bytes.Equal(data, file[16:]),
		"dims %v and %d bytes, want [1000 28 28] and the %d bytes written", dims, len(data), len(file)-16)
	expect.That(t, cap(data) == len(data), "capacity %d for %d bytes", cap(data), len(data))
}

func FuzzReadIDX(f *testing.F) {
	images, labels := unhex(f, twoImages), unhex(f, twoLabels)
	f.Add(images)
	f.Add(labels)
	f.Add(packtest.Gzip(f, images))
	f.Add(packtest.Gzip(f, labels))
	f.Add(images[:20])
	f.Add(append(slices.Clone(labels), 0))
	f.Add(unhex(f, "00000803 ffffffff ffffffff ffffffff"))
	f.Add(unhex(f, "00000803 ffffffff 00000000 00000001"))
	f.Add(unhex(f, "1f8b"))
	f.Add([]byte{})
	f.Fuzz(checkIDX)
}

// checkIDX reads a possibly damaged file: the result is an error, or the content of the bytes.
func checkIDX(t *testing.T, file []byte) {
	dims, data, err := ReadIDX(bytes.NewReader(file))
	if err != nil {
		expect.That(t, dims == nil && data == nil, "error %v, and yet a result", err)
		return
	}
	// The result, encoded again, equals the file.
	size := 1
	again := []byte{0, 0, 8, uint8(len(dims))}
	for _, n := range dims {
		size *= n
		again = append(again, uint8(n>>24), uint8(n>>16), uint8(n>>8), uint8(n))
	}
	expect.That(t, size == len(data), "dims %v with %d bytes", dims, len(data))
	again = append(again, data...)
	said := file
	if file[0] == 0x1f {
		r := expect.Must(gzip.NewReader(bytes.NewReader(file)))(t)
		said = expect.Must(io.ReadAll(r))(t)
	}
	expect.That(t, bytes.Equal(again, said), "read dims %v and %d bytes from other content", dims, len(data))
}

func TestDamagedIDX(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 28))
	images, labels := unhex(t, twoImages), unhex(t, twoLabels)
	for range 300 {
		for _, whole := range [][]byte{images, labels, packtest.Gzip(t, images)} {
			checkIDX(t, damage.One(rng, whole))
		}
	}
}
