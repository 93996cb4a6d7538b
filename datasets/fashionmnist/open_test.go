package fashionmnist

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

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
	// Which images are held out was computed apart from this package; the sums add up to that of all 10,000.
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

// TestFullSet runs where PUCL_DATA_DIR names a folder that has the 60,000 images: in it, or in fashion-mnist below it.
// The numbers were taken from the files by a few lines of Python.
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

	// The published test part, if it is there too, is the one that is built in.
	dir := expect.Must(Find())(t)
	if parts[Test].in(dir) == nil {
		published := expect.Must(Load(os.DirFS(dir), Test))(t)
		expect.That(t, bytes.Equal(published.Pixels, test.Pixels) && slices.Equal(published.Labels, test.Labels),
			"the test part in the folder differs from the one that is built in")
	}
}
