package datasets_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/stl10"
	"github.com/puclab/puclab/datasets/tabular"
)

// Wherever images or rows come with labels, another number of labels is refused: the message as a user meets it, whole, with
// what was given, what was expected and the mend.
func TestLabelsOfAnotherNumber(t *testing.T) {
	classes := []string{"cat", "dog"}
	four := &datasets.Images{Height: 2, Width: 1, Channels: 1, Pixels: make([]uint8, 8), Labels: []int{0, 1, 0, 1}, Classes: classes}
	three := &datasets.Images{Height: 2, Width: 1, Channels: 1, Pixels: make([]uint8, 8), Labels: []int{0, 1, 0}, Classes: classes}
	table := &tabular.Table{Features: mat.NewDense(4, 1, []float64{1, 2, 3, 4}), Labels: four.Labels, Classes: classes}
	config := datasets.PUConfig{Positive: []int{1}, Labeled: 1}
	ofThree, err := datasets.NewSplit(three.Labels, classes, config)
	if err != nil {
		t.Fatal(err)
	}
	two := datasets.BatchConfig{Size: 2}
	idx := func(header string, data ...byte) io.Reader { return bytes.NewReader(append([]byte(header), data...)) }
	npy := func(shape string, bytes int) *fstest.MapFile {
		header := "{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + "), }"
		header += strings.Repeat(" ", 117-len(header)) + "\n"
		return &fstest.MapFile{Data: append([]byte("\x93NUMPY\x01\x00\x76\x00"+header), make([]byte, bytes)...)}
	}
	const each = "datasets: 4 images of 2×1×1 (height×width×channels), but 3 labels: give one for each image, in the same order"
	const split = "datasets: a split of the classes of 3 examples, but there are 4: make it of the classes of just these, one for each, " +
		"in the same order"
	for _, tt := range []struct {
		name string
		err  func() error
		want string
	}{
		{"Images", three.Validate, each},
		{"NewPU", func() error { _, err := datasets.NewPU(three, config); return err }, each},
		{"IsPositive", func() error { _, err := datasets.IsPositive(three, []int{1}); return err }, each},
		{"Holdout", func() error { _, _, err := datasets.Holdout(three, 0.5, 1); return err }, each},
		{"Collect", func() error { _, err := datasets.Collect(t.Context(), four, three.Labels, classes, 1); return err },
			"datasets: 3 labels for 4 images: give one for each"},
		{"NewBatches, images", func() error {
			_, err := datasets.NewBatches(&datasets.PU{Images: three, Split: ofThree}, two)
			return err
		}, each},
		{"NewBatches, split", func() error {
			_, err := datasets.NewBatches(&datasets.PU{Images: four, Split: ofThree}, two)
			return err
		}, split},
		{"NewSourceBatches", func() error { _, err := datasets.NewSourceBatches(four, ofThree, two); return err }, split},
		{"IDX files", func() error {
			_, err := datasets.ReadImages(idx("\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01", 5, 6),
				idx("\x00\x00\x08\x01\x00\x00\x00\x03", 0, 1, 0), nil)
			return err
		}, "datasets: 2 images but 3 labels: the two files do not belong together; take both from the same part of the data set"},
		{"CIFAR file", func() error {
			_, err := cifar.Load10(fstest.MapFS{"test_batch.bin": {Data: make([]byte, 3073)}}, cifar.Test, cifar.Options{AnyContent: true})
			return err
		}, "test_batch.bin has 3073 bytes, not 30730000: it is another file, or damaged; get it again"},
		{"STL-10 file", func() error {
			files := fstest.MapFS{"train_X.bin": {}, "train_y.bin": {Data: bytes.Repeat([]byte{1}, 4999)}}
			_, err := stl10.Load(files, stl10.Train, stl10.Options{AnyContent: true})
			return err
		}, "train_y.bin has 4999 bytes, not 5000: it is another file, or damaged; get it again"},
		{"Table", func() error {
			return (&tabular.Table{Features: table.Features, Labels: three.Labels, Classes: classes}).Validate()
		},
			"tabular: 3 labels for 4 examples: give one for each, in the same order, or none"},
		{"NewBatches of a table", func() error { _, err := tabular.NewBatches(table, ofThree, nil, two); return err }, split},
		{"NPY files", func() error {
			_, err := tabular.LoadNPY(fstest.MapFS{"x.npy": npy("4, 1", 4), "y.npy": npy("3,", 3)}, "x.npy", "y.npy", nil)
			return err
		}, "tabular: y.npy has the shape [3], but x.npy has 4 rows: give one class for each row"},
	} {
		if err := tt.err(); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// A split from a file, or one that was written by hand, can list rows that are not there.
func TestSplitOfRowsThatAreNotThere(t *testing.T) {
	for _, row := range []int{-1, 4} {
		if err := (&datasets.Split{Of: 4, Index: []int{3, row}}).Fits(4); err == nil || !strings.Contains(err.Error(), "of 4, numbered from 0") {
			t.Errorf("row %d of 4: %v", row, err)
		}
	}
	if err := (&datasets.Split{Of: 4, Index: []int{3, 0}}).Fits(4); err != nil {
		t.Error(err)
	}
}
