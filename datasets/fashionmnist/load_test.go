package fashionmnist

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

func TestLoadTiny(t *testing.T) {
	images, labels := tinyImages, tinyLabels
	for name, fsys := range map[string]fstest.MapFS{
		"gzip": folder(t, "tiny-images.gz", packtest.Gzip(t, images), "tiny-labels.gz",
			packtest.Gzip(t, labels)),
		"decompressed": folder(t, "tiny-images", images, "tiny-labels", labels),
		"mixed":        folder(t, "tiny-images.gz", packtest.Gzip(t, images), "tiny-labels", labels),
		"wrong ending": folder(t, "tiny-images.gz", images, "tiny-labels", packtest.Gzip(t, labels)),
	} {
		t.Run(name, func(t *testing.T) {
			got := expect.Must(tiny(t).load(fsys))(t)
			expect.NoError(t, got.Validate())
			expect.That(t, got.Height == 1 && got.Width == 2 && got.Channels == 1 &&
				slices.Equal(got.Pixels, []uint8{1, 2, 3, 4}) && slices.Equal(got.Labels, []int{9, 0}), "got %+v", got)
			expect.That(t, got.Classes[9] == "Ankle boot" && got.Classes[0] == "T-shirt/top" && len(got.Classes) == 10,
				"classes %q", got.Classes)
		})
	}
}

func TestLoadTinyErrors(t *testing.T) {
	images, labels := tinyImages, tinyLabels
	changed := bytes.Clone(images)
	changed[17]++
	packed := packtest.Gzip(t, images)
	corrupt := bytes.Clone(packed)
	corrupt[len(corrupt)-6] ^= 0xff // in the checksum at the end
	for _, tt := range []struct {
		name    string
		fsys    fs.FS
		missing bool
		want    []string
	}{
		{"empty folder", folder(t), true, []string{"no tiny-images.gz and no tiny-images"}},
		{"no labels", folder(t, "tiny-images", images), true, []string{"no tiny-labels.gz"}},
		{"other content", folder(t, "tiny-images", changed, "tiny-labels", labels), false,
			[]string{"tiny-images", "something else", packtest.SHA256(changed), packtest.SHA256(images), "MNIST"}},
		{"swapped", folder(t, "tiny-images", labels, "tiny-labels", images), false, []string{"tiny-images", "something else"}},
		{"cut short", folder(t, "tiny-images", images[:19], "tiny-labels", labels), false, []string{"tiny-images", "damaged"}},
		{"too long", folder(t, "tiny-images", append(bytes.Clone(images), 0), "tiny-labels", labels), false, []string{"something else"}},
		{"empty file", folder(t, "tiny-images", []byte{}, "tiny-labels", labels), false, []string{"something else"}},
		{"gzip cut short", folder(t, "tiny-images.gz", packed[:20], "tiny-labels", labels), false, []string{"tiny-images.gz", "damaged"}},
		{"gzip header cut", folder(t, "tiny-images.gz", packed[:5], "tiny-labels", labels), false, []string{"tiny-images.gz"}},
		{"gzip checksum", folder(t, "tiny-images.gz", corrupt, "tiny-labels", labels), false, []string{"tiny-images.gz is damaged"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tiny(t).load(tt.fsys)
			expect.Error(t, err, tt.want...)
			expect.That(t, got == nil, "a set in spite of the error")
			expect.Equal(t, errors.Is(err, fs.ErrNotExist), tt.missing, "error")
		})
	}
	t.Run("count", func(t *testing.T) {
		p := tiny(t)
		p.count = 3
		_, err := p.load(folder(t, "tiny-images", images, "tiny-labels", labels))
		expect.Error(t, err, "2 images", "not 3")
	})
	// MNIST's files bear the same names, parse without a fault, and must not pass.
	_, err := Load(folder(t, "t10k-images-idx3-ubyte", tinyImages, "t10k-labels-idx1-ubyte", tinyLabels), Test)
	expect.Error(t, err, "t10k-images-idx3-ubyte", "something else")
	expect.Error(t, expect.Err(Load(folder(t), Part(5))), "unknown part 5", "train, test")
	expect.Equal(t, Train.String()+" "+Test.String(), "train test")
}

// The names as the data set's authors list them.
func TestClasses(t *testing.T) {
	const want = "T-shirt/top|Trouser|Pullover|Dress|Coat|Sandal|Shirt|Sneaker|Bag|Ankle boot"
	expect.Equal(t, strings.Join(Classes(), "|"), want, "classes")
}

func TestBenchmarkClasses(t *testing.T) {
	both := slices.Sorted(slices.Values(append(FMNISTI(), FMNISTII()...)))
	expect.That(t, slices.Equal(both, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
		"the two benchmarks' positive classes together are %v, want 0 to 9", both)
	expect.That(t, slices.Equal(FMNISTI(), []int{1, 4, 7}), "FMNIST-I has the positive classes %v", FMNISTI())
}

// The files of a part that is as small as can be: two images of 1×2 pixels, an ankle boot and a T-shirt.
var (
	tinyImages = []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4}
	tinyLabels = []byte{0, 0, 8, 1, 0, 0, 0, 2, 9, 0}
)

// tiny describes these files as the package describes the published ones.
func tiny(t *testing.T) part {
	t.Helper()
	describe := func(name string, content []byte) file {
		packed := packtest.Gzip(t, content)
		return file{name: name, size: int64(len(content)), sum: packtest.SHA256(content), gzSize: int64(len(packed)),
			gzSum: packtest.SHA256(packed)}
	}
	return part{count: 2, images: describe("tiny-images", tinyImages), labels: describe("tiny-labels", tinyLabels)}
}

// folder makes a file system of names and contents in turn.
func folder(t *testing.T, namesAndContents ...any) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i < len(namesAndContents); i += 2 {
		fsys[namesAndContents[i].(string)] = &fstest.MapFile{Data: namesAndContents[i+1].([]byte)}
	}
	return fsys
}
