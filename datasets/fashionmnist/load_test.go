package fashionmnist

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

func TestLoadTiny(t *testing.T) {
	images, labels := tinyImages, tinyLabels
	for name, fsys := range map[string]fstest.MapFS{
		"gzip":         folder(t, "tiny-images.gz", packtest.Gzip(t, images), "tiny-labels.gz", packtest.Gzip(t, labels)),
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
	// MNIST's files have the same names and format, and must be rejected.
	_, err := Load(folder(t, "t10k-images-idx3-ubyte", tinyImages, "t10k-labels-idx1-ubyte", tinyLabels), Test)
	expect.Error(t, err, "t10k-images-idx3-ubyte", "something else")
	expect.Error(t, expect.Err(Load(folder(t), Part(5))), "unknown part 5", "train, test")
	expect.Equal(t, Train.String()+" "+Test.String(), "train test")
}

// The names as listed by the authors.
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

// The files of a minimal part: two images of 1×2 pixels, an ankle boot and a T-shirt.
var (
	tinyImages = []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4}
	tinyLabels = []byte{0, 0, 8, 1, 0, 0, 0, 2, 9, 0}
)

// tiny returns the description of these files.
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

func TestOpenBuiltIn(t *testing.T) {
	data, _, _ := places(t)
	train, test, source, err := Open()
	expect.NoError(t, err)
	expect.Require(t, train.Len() == 8000 && test.Len() == 2000,
		"%d and %d images, want 8000 and 2000", train.Len(), test.Len())
	for class := range 10 {
		a, b := train.Counts()[class], test.Counts()[class]
		expect.That(t, a == 800 && b == 200, "class %d: %d and %d images, want 800 and 200", class, a, b)
	}
	// The held-out images were computed independently of this package; the sums add up to that of all 10,000.
	if a, b := pixelSum(train), pixelSum(test); a != 459_117_693 || b != 114_351_389 {
		t.Errorf("the pixels add up to %d and %d, want 459117693 and 114351389", a, b)
	}
	all := expect.Must(Embedded())(t)
	for i, row := range []int{3, 11, 18, 23, 25, 27, 28, 37} {
		expect.That(t, slices.Equal(test.At(i), all.At(row)) && test.Labels[i] == all.Labels[row],
			"held-out image %d is not image %d of the test part", i, row)
	}
	expect.That(t, !source.Full, "the built-in images pass for the full set")
	expect.Contains(t, source.String(), "10,000", "8,000", "2,000", "setup -data", datasets.EnvDataDir)
	expect.That(t, !strings.Contains(source.String(), filepath.Dir(data)),
		"source %q names a folder of the machine", source)
}

func TestOpenDamaged(t *testing.T) {
	data, _, _ := places(t)
	expect.File(t, data, nil) // no folder
	_, _, _, err := Open()
	expect.Error(t, err, data)
	expect.NoError(t, os.Remove(data))
	expect.File(t, filepath.Join(data, "train-images-idx3-ubyte.gz"), []byte("half"))
	expect.File(t, filepath.Join(data, "train-labels-idx1-ubyte.gz"), []byte("half"))
	_, _, _, err = Open()
	expect.Error(t, err, "train-images-idx3-ubyte.gz", data)
}

// TestFullSet runs if PUCL_DATA_DIR names a folder with the 60,000 images, directly or in fashion-mnist. The numbers
// were computed from the files in Python.
func TestFullSet(t *testing.T) {
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("set %s to the folder that has fashion-mnist to test with all 60,000 images", datasets.EnvDataDir)
	}
	train, test, source, err := Open()
	expect.NoError(t, err)
	expect.Require(t, source.Full && train.Len() == 60_000 && test.Len() == 10_000,
		"%d and %d images, %v", train.Len(), test.Len(), source)
	expect.NoError(t, train.Validate())
	for class, n := range train.Counts() {
		expect.That(t, n == 6000, "%d images of class %d, want 6000", n, class)
	}
	expect.Equal(t, pixelSum(train), 3_431_114_169, "the pixels add up to")
	expect.Equal(t, train.Labels[:10], []int{9, 0, 0, 3, 0, 2, 7, 2, 5, 5}, "first labels")
	pu := expect.Must(datasets.NewPU(train, datasets.SplitConfig{Positive: FMNISTI(), Labeled: 1000, Seed: 1}))(t)
	expect.Equal(t, pu.Index[:6], []int{35643, 59471, 50910, 36678, 52343, 59354}, "labeled rows")
	expect.That(t, pu.Prior == 0.3 && pu.Len() == 61_000, "%v", pu)

	// The published test part, if available too, equals the built-in one.
	dir := expect.Must(Find())(t)
	if parts[Test].in(dir) == nil {
		published := expect.Must(Load(os.DirFS(dir), Test))(t)
		expect.That(t, bytes.Equal(published.Pixels, test.Pixels) && slices.Equal(published.Labels, test.Labels),
			"the test part in the folder differs from the one that is built in")
	}
}

// pixelSum adds up all pixels.
func pixelSum(set *datasets.Images) (sum int64) {
	for _, p := range set.Pixels {
		sum += int64(p)
	}
	return sum
}

// The numbers were computed from the files in Python.
func TestEmbedded(t *testing.T) {
	set := expect.Must(Embedded())(t)
	expect.NoError(t, set.Validate())
	expect.That(t, set.Len() == 10_000 && set.Height == 28 && set.Width == 28 && set.Channels == 1,
		"got %v, want 10000 of 28×28×1", set)
	for class, n := range set.Counts() {
		expect.That(t, n == 1000, "%d images of class %d, want 1000", n, class)
	}
	expect.Equal(t, pixelSum(set), 573_469_082, "the pixels add up to")
	expect.Equal(t, set.Labels[:10], []int{9, 2, 1, 1, 6, 1, 4, 6, 5, 7}, "first labels")
	first, last := 0, 0
	for i := range 28 * 28 {
		first += int(set.At(0)[i])
		last += int(set.At(9999)[i])
	}
	expect.That(t, first == 33_456 && last == 24_390,
		"the pixels of the first and last image add up to %d and %d, want 33456 and 24390", first, last)
	set.Pixels[0]++
	again := expect.Must(Embedded())(t)
	expect.Equal(t, pixelSum(again), 573_469_082, "a change to one set reached the next")
}

func TestLicense(t *testing.T) {
	expect.Contains(t, expect.Must(License())(t), "MIT License", "Zalando SE", "substantial portions")
}

// The named benchmarks have the classes of this package.
func TestNamedBenchmarks(t *testing.T) {
	for name, positive := range map[string][]int{"FMNIST-I": FMNISTI(), "FMNIST-II": FMNISTII()} {
		b := expect.Must(datasets.FindBenchmark(name))(t)
		expect.That(t, slices.Equal(b.Classes, Classes()) && slices.Equal(b.Positive, positive),
			"%s: classes %q, positive %v", name, b.Classes, b.Positive)
		images := expect.Must(Embedded())(t)
		cfg := expect.Must(b.Config(images.Classes))(t)
		pu := expect.Must(datasets.NewPU(images, cfg))(t)
		expect.That(t, pu.Prior == b.Prior(), "%s: prior %v of the test part, want %v", name, pu.Prior, b.Prior())
	}
}
