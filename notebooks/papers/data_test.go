package papers

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/stl10"
	"github.com/puclab/puclab/pucl/rows"
)

// builtIn are data that are on every machine.
var builtIn = Data{Benchmark: "FMNIST-I", Files: BuiltIn, Labeled: 200, HeldOut: 0.1}

// Data are split as the protocol says.
func TestProtocol(t *testing.T) {
	o, err := builtIn.open(3)
	if err != nil {
		t.Fatal(err)
	}
	if n := [2]int{o.train.NumLabeled(), o.train.NumUnlabeled()}; n != [2]int{200, 7200} {
		t.Errorf("%d labeled and unlabeled to learn from", n)
	}
	if n := [2]int{o.held.NumLabeled(), o.held.NumUnlabeled()}; n != [2]int{20, 800} {
		t.Errorf("%d labeled and unlabeled held out", n)
	}
	positives := 0
	for _, positive := range o.truth {
		if positive {
			positives++
		}
	}
	for what, prior := range map[string]float64{
		"to learn from": o.train.Prior, "held out": o.held.Prior, "to test on": float64(positives) / float64(o.test.Len()),
	} {
		if math.Abs(prior-0.3) > 1e-12 {
			t.Errorf("a share of %g is positive %s", prior, what)
		}
	}
	// No image is in two parts, and the labeled ones are among the unlabeled again.
	seen := map[string]string{}
	for name, source := range map[string]datasets.Source{"train": o.train.images, "held": o.held.images, "test": o.test} {
		pixels := make([]uint8, 784)
		for i := range source.Len() {
			if err := source.ReadImage(i, pixels); err != nil {
				t.Fatal(err)
			}
			if other := seen[string(pixels)]; other != "" && other != name {
				t.Fatalf("image %d of %s is in %s too", i, name, other)
			}
			seen[string(pixels)] = name
		}
	}
	if unlabeled := o.train.Index[200:]; !slices.Contains(unlabeled, o.train.Index[0]) {
		t.Error("a labeled image is not among the unlabeled")
	}
}

// All draws follow from the seed.
func TestSeeds(t *testing.T) {
	var heldOut, labeled []string
	for _, seed := range []uint64{1, 1, 2} {
		o, err := builtIn.open(seed)
		if err != nil {
			t.Fatal(err)
		}
		held, err := read(o.held.images, rows.All(o.held.images.Len()))
		if err != nil {
			t.Fatal(err)
		}
		image, err := read(o.train.images, o.train.Index[:1])
		if err != nil {
			t.Fatal(err)
		}
		heldOut, labeled = append(heldOut, string(held)), append(labeled, string(image))
	}
	if heldOut[0] != heldOut[1] || labeled[0] != labeled[1] {
		t.Error("seed 1 gives other data the second time")
	}
	if heldOut[0] == heldOut[2] || labeled[0] == labeled[2] {
		t.Error("seeds 1 and 2 give the same data")
	}
}

// A subset reads the images that it names.
func TestRows(t *testing.T) {
	images := &datasets.Images{
		Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b"}, Pixels: []uint8{10, 11, 12}, Labels: []int{0, 1, 0},
	}
	part := set{images, images.Labels, images.Classes}.rows([]int{2, 1})
	pixels, err := read(part, []int{1, 0, 1})
	if err != nil || !bytes.Equal(pixels, []byte{11, 12, 11}) || part.Len() != 2 || !slices.Equal(part.labels, []int{0, 1}) {
		t.Errorf("%d images, labels %d, pixels %d, %v", part.Len(), part.labels, pixels, err)
	}
}

// Data that are not on the machine are said to be missing, with the cure.
func TestMissingFiles(t *testing.T) {
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, tt := range []struct {
		data Data
		want string
	}{
		{Data{Benchmark: "FMNIST-I", Files: Official}, "setup -data"},
		{Data{Benchmark: "CIFAR-I", Files: Official}, "setup -data=cifar-10"},
		{Data{Benchmark: "CIFAR-I", Files: JPEGCopies}, "do the runs of size paper"},
		{Data{Benchmark: "STL-II", Files: Official}, "setup -data=stl10"},
	} {
		_, err := tt.data.open(1)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q in it", tt.data, err, tt.want)
		}
	}
}

// Where the JPEG copies of CIFAR-10 are on this machine, they are those of the committed results.
func TestJPEGCopies(t *testing.T) {
	data := Data{Benchmark: "CIFAR-I", Files: JPEGCopies, Labeled: 1000, HeldOut: 0.1}
	o, err := data.open(1)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("CIFAR-10 is not on this machine")
	}
	if err != nil && strings.Contains(err.Error(), "there are the runs of size paper") {
		t.Skip("CIFAR-10 is on this machine in other files: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := [4]int{o.train.NumLabeled(), o.train.NumUnlabeled(), o.held.Len(), o.test.Len()}; n != [4]int{1000, 45_000, 5100, 10_000} {
		t.Errorf("labeled, unlabeled, held out and to test on: %d", n)
	}
	if o.train.Prior != 0.4 || o.note != "CIFAR-10 (JPEG copies)" {
		t.Errorf("π = %g, %s", o.train.Prior, o.note)
	}
}

// Of STL-10 most images are of unknown class: they are unlabeled, and the prior is the paper's estimate.
func TestUnknownClasses(t *testing.T) {
	classes := append(stl10.Classes(), stl10.UnlabeledClass)
	var labels []int
	for i := range 110 {
		labels = append(labels, i%11)
	}
	images := &datasets.Images{Height: 1, Width: 1, Channels: 1, Classes: classes, Pixels: make([]uint8, 110), Labels: labels}
	data := Data{Benchmark: "STL-I", Files: Official, Labeled: 20, HeldOut: 0.1}
	b, err := datasets.FindBenchmark(data.Benchmark)
	if err != nil {
		t.Fatal(err)
	}
	p, err := data.split(b, set{images, labels, classes}, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	unknown := 0
	for _, u := range p.Unknown {
		if u {
			unknown++
		}
	}
	if p.NumLabeled() != 20 || p.NumUnlabeled() != 110 || unknown != 10 || p.Prior != 0.51 {
		t.Errorf("%d labeled, %d unlabeled, %d of them unknown, π = %g", p.NumLabeled(), p.NumUnlabeled(), unknown, p.Prior)
	}
}
