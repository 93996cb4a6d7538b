package fashionmnist

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLoadTiny(t *testing.T) {
	images, labels := tinyImages, tinyLabels
	for name, fsys := range map[string]fstest.MapFS{
		"gzip":         folder(t, "tiny-images.gz", zipped(t, images), "tiny-labels.gz", zipped(t, labels)),
		"decompressed": folder(t, "tiny-images", images, "tiny-labels", labels),
		"mixed":        folder(t, "tiny-images.gz", zipped(t, images), "tiny-labels", labels),
		"wrong ending": folder(t, "tiny-images.gz", images, "tiny-labels", zipped(t, labels)),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tiny(t).load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
			if got.Height != 1 || got.Width != 2 || got.Channels != 1 ||
				!slices.Equal(got.Pixels, []uint8{1, 2, 3, 4}) || !slices.Equal(got.Labels, []int{9, 0}) {
				t.Errorf("got %+v", got)
			}
			if got.Classes[9] != "Ankle boot" || got.Classes[0] != "T-shirt/top" || len(got.Classes) != 10 {
				t.Errorf("classes %q", got.Classes)
			}
		})
	}
}

func TestLoadTinyErrors(t *testing.T) {
	images, labels := tinyImages, tinyLabels
	changed := bytes.Clone(images)
	changed[17]++
	packed := zipped(t, images)
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
			[]string{"tiny-images", "something else", sum(changed), sum(images), "MNIST"}},
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
			wantError(t, err, tt.want...)
			if got != nil {
				t.Error("a set in spite of the error")
			}
			if is := errors.Is(err, fs.ErrNotExist); is != tt.missing {
				t.Errorf("error %v: errors.Is(err, fs.ErrNotExist) = %v", err, is)
			}
		})
	}
	t.Run("count", func(t *testing.T) {
		p := tiny(t)
		p.count = 3
		_, err := p.load(folder(t, "tiny-images", images, "tiny-labels", labels))
		wantError(t, err, "2 images", "not 3")
	})
}

func TestLoadUnknownPart(t *testing.T) {
	_, err := Load(folder(t), Part(5))
	wantError(t, err, "unknown part 5", "train, test")
}

func TestPartString(t *testing.T) {
	if Train.String() != "train" || Test.String() != "test" {
		t.Errorf("%v, %v", Train, Test)
	}
}

// MNIST's files bear the same names, parse without a fault, and must not pass.
func TestLoadRefusesOtherDataOfTheSameNames(t *testing.T) {
	_, err := Load(folder(t, "t10k-images-idx3-ubyte", tinyImages, "t10k-labels-idx1-ubyte", tinyLabels), Test)
	wantError(t, err, "t10k-images-idx3-ubyte", "something else")
}

// The names as the data set's authors list them.
func TestClasses(t *testing.T) {
	const want = "T-shirt/top|Trouser|Pullover|Dress|Coat|Sandal|Shirt|Sneaker|Bag|Ankle boot"
	if got := strings.Join(Classes(), "|"); got != want {
		t.Errorf("classes %s, want %s", got, want)
	}
}

func TestBenchmarkClasses(t *testing.T) {
	both := slices.Sorted(slices.Values(append(FMNISTI(), FMNISTII()...)))
	if !slices.Equal(both, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("the two benchmarks' positive classes together are %v, want 0 to 9", both)
	}
	if !slices.Equal(FMNISTI(), []int{1, 4, 7}) {
		t.Errorf("FMNIST-I has the positive classes %v", FMNISTI())
	}
}
