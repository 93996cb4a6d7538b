package fashionmnist

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
)

func TestOpenBuiltIn(t *testing.T) {
	data, _, _ := places(t)
	train, test, source, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 8000 || test.Len() != 2000 {
		t.Fatalf("%d and %d images, want 8000 and 2000", train.Len(), test.Len())
	}
	for class := range 10 {
		if a, b := train.Counts()[class], test.Counts()[class]; a != 800 || b != 200 {
			t.Errorf("class %d: %d and %d images, want 800 and 200", class, a, b)
		}
	}
	// Which images are held out was computed apart from this package; the sums add up to that of all 10,000.
	if a, b := pixelSum(train), pixelSum(test); a != 459_117_693 || b != 114_351_389 {
		t.Errorf("the pixels add up to %d and %d, want 459117693 and 114351389", a, b)
	}
	all, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range []int{3, 11, 18, 23, 25, 27, 28, 37} {
		if !slices.Equal(test.At(i), all.At(row)) || test.Labels[i] != all.Labels[row] {
			t.Errorf("held-out image %d is not image %d of the test part", i, row)
		}
	}
	if source.Full {
		t.Error("the built-in images pass for the full set")
	}
	for _, want := range []string{"10,000", "8,000", "2,000", "setup -data", datasets.EnvDataDir} {
		if !strings.Contains(source.String(), want) {
			t.Errorf("source %q lacks %q", source, want)
		}
	}
	if strings.Contains(source.String(), filepath.Dir(data)) {
		t.Errorf("source %q names a folder of the machine", source)
	}
}

func TestOpenDamaged(t *testing.T) {
	data, _, _ := places(t)
	write(t, data, "train-images-idx3-ubyte.gz", []byte("half"))
	write(t, data, "train-labels-idx1-ubyte.gz", []byte("half"))
	_, _, _, err := Open()
	wantError(t, err, "train-images-idx3-ubyte.gz", data)
}

func TestOpenDataDirIsAFile(t *testing.T) {
	data, _, _ := places(t)
	write(t, filepath.Dir(data), filepath.Base(data), nil)
	_, _, _, err := Open()
	wantError(t, err, data)
}

// TestFullSet runs where PUCL_DATA_DIR names a folder that has the 60,000 images: in it, or in fashion-mnist below it.
// The numbers were taken from the files by a few lines of Python.
func TestFullSet(t *testing.T) {
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("set %s to the folder that has fashion-mnist to test with all 60,000 images", datasets.EnvDataDir)
	}
	train, test, source, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if !source.Full || train.Len() != 60_000 || test.Len() != 10_000 {
		t.Fatalf("%d and %d images, %v", train.Len(), test.Len(), source)
	}
	if err := train.Validate(); err != nil {
		t.Error(err)
	}
	for class, n := range train.Counts() {
		if n != 6000 {
			t.Errorf("%d images of class %d, want 6000", n, class)
		}
	}
	if got := pixelSum(train); got != 3_431_114_169 {
		t.Errorf("the pixels add up to %d, want 3431114169", got)
	}
	if got, want := train.Labels[:10], []int{9, 0, 0, 3, 0, 2, 7, 2, 5, 5}; !slices.Equal(got, want) {
		t.Errorf("first labels %v, want %v", got, want)
	}
	pu, err := datasets.NewPU(train, datasets.SplitConfig{Positive: FMNISTI(), Labeled: 1000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pu.Index[:6], []int{35643, 59471, 50910, 36678, 52343, 59354}; !slices.Equal(got, want) {
		t.Errorf("labeled rows %v, want %v", got, want)
	}
	if pu.Prior != 0.3 || pu.Len() != 61_000 {
		t.Errorf("%v", pu)
	}

	// The published test part, if it is there too, is the one that is built in.
	dir, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if parts[Test].in(dir) == nil {
		published, err := Load(os.DirFS(dir), Test)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(published.Pixels, test.Pixels) || !slices.Equal(published.Labels, test.Labels) {
			t.Error("the test part in the folder differs from the one that is built in")
		}
	}
}
