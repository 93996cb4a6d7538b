package stl10

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

// tinyAll returns 20 labeled images, two of each class, numbered 0 to 19, and four unlabeled ones, 20 to 23.
func tinyAll() (labeled, rest part, files fstest.MapFS) {
	var train, unlabeled, labels []byte
	for i := range 20 {
		train = append(train, planes(i)...)
		labels = append(labels, byte(1+i%10))
	}
	for i := 20; i < 24; i++ {
		unlabeled = append(unlabeled, planes(i)...)
	}
	return part{
			images: file{"train_X.bin", int64(len(train)), md5sum(train)},
			labels: file{"train_y.bin", 20, md5sum(labels)},
			count:  20, perClass: 2,
		}, part{images: file{"unlabeled_X.bin", int64(len(unlabeled)), md5sum(unlabeled)}, count: 4}, fstest.MapFS{
			"stl10_binary/train_X.bin":     {Data: train},
			"stl10_binary/train_y.bin":     {Data: labels},
			"stl10_binary/unlabeled_X.bin": {Data: unlabeled},
		}
}

// number returns the number of the test image with these pixels; it is an error if there is none.
func number(t *testing.T, pixels []byte) int {
	t.Helper()
	for i := range 24 {
		if pixels[0] != value(i, 0, 0, 0) {
			continue
		}
		for at, got := range pixels {
			y, x, channel := at/3/96, at/3%96, at%3
			expect.Require(t, got == value(i, y, x, channel), "image %d at %d, %d, %d: %d", i, y, x, channel, got)
		}
		return i
	}
	t.Fatal("an image from nowhere")
	return 0
}

// The complete setup of STL-I: both parts on disk, a part held out, the split by name, and batches read on demand.
func TestAll(t *testing.T) {
	labeled, rest, files := tinyAll()
	all := expect.Must(openAll(labeled, rest, files, Options{}))(t)
	expect.Equal(t, all.String(), "20 images of STL-10 in 10 classes, and 4 without a class")
	buffer := make([]byte, imageSize)
	for i := range 24 {
		expect.NoError(t, all.ReadImage(i, buffer))
		expect.Equal(t, number(t, buffer), i, "image %d", i)
		if want := i % 10; i < 20 && all.Labels[i] != want || i >= 20 && all.Classes[all.Labels[i]] != UnlabeledClass {
			t.Errorf("image %d has class %d", i, all.Labels[i])
		}
	}
	expect.Error(t, all.ReadImage(24, buffer), "no image 24")
	expect.Error(t, all.ReadImage(-1, buffer), "no image -1")
	expect.Error(t, all.ReadImage(0, buffer[1:]), "room for 27647")

	set, held := expect.Must2(all.Holdout(0.5, 1))(t)
	perClass := make([]int, 11)
	seen := map[int]bool{}
	for _, part := range []*All{set, held} {
		expect.Require(t, part.Len() == 12, "%v", part)
		for i := range part.Len() {
			expect.NoError(t, part.ReadImage(i, buffer))
			n := number(t, buffer)
			expect.That(t, !seen[n] && (n >= 20 || n%10 == part.Labels[i]) && (n < 20 || part.Labels[i] == 10),
				"image %d, of class %d, seen before: %v", n, part.Labels[i], seen[n])
			seen[n] = true
			if part == held {
				perClass[part.Labels[i]]++
			}
		}
	}
	expect.That(t, slices.Equal(perClass, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}),
		"held out of each class: %v", perClass)

	benchmark := expect.Must(datasets.FindBenchmark("STL-I"))(t)
	cfg := expect.Must(benchmark.Config(set.Classes))(t)
	cfg.Labeled = 5
	split := expect.Must(datasets.NewSplit(set.Labels, set.Classes, cfg))(t)
	want := "STL-I: PU data (case-control): 5 labeled positives, 12 unlabeled, 2 of unknown class, estimated prior π̂ = 0.51, " +
		"γ = 0.4167, seed 0, positive: airplane, car, cat, ship, truck"
	expect.That(t, split.String() == want, "%q, want %q", split, want)
	batches := expect.Must(datasets.NewSourceBatches(set, split, datasets.BatchConfig{Size: 6, Share: 0.5}))(t)
	met := map[int]int{}
	for step := range 4 {
		pixels, labeled := expect.Must2(batches.Batch(step))(t)
		for i, isLabeled := range labeled {
			n := number(t, pixels[i*imageSize:(i+1)*imageSize])
			expect.That(t, !isLabeled || n < 20 && slices.Contains(benchmark.Positive, n%10), "image %d is labeled", n)
			if !isLabeled {
				met[n]++
			}
		}
	}
	expect.That(t, len(met) == 12 && slices.Max(slices.Collect(maps.Values(met))) <= 1,
		"one epoch of the unlabeled examples has the images %v", met)
	expect.NoError(t, all.Close())
}

// closing counts the open files.
type closing struct {
	fs.FS
	open int
}

func (c *closing) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	c.open++
	return &closingFile{f, f.(readerAt), c}, nil
}

type readerAt interface {
	ReadAt(p []byte, off int64) (int, error)
}

type closingFile struct {
	fs.File
	readerAt
	from *closing
}

func (f *closingFile) Close() error {
	f.from.open--
	return f.File.Close()
}

func TestOpenAllRefuses(t *testing.T) {
	labeled, rest, files := tinyAll()
	for _, tt := range []struct {
		spoil   func(fstest.MapFS)
		missing bool
		want    string
	}{
		{func(fstest.MapFS) {}, false, ""},
		{func(f fstest.MapFS) { delete(f, "stl10_binary/unlabeled_X.bin") }, true, "no unlabeled_X.bin"},
		{func(f fstest.MapFS) { delete(f, "stl10_binary/train_X.bin") }, true, "no train_X.bin"},
		{func(f fstest.MapFS) {
			data := bytes.Clone(f["stl10_binary/unlabeled_X.bin"].Data)
			data[7] ^= 1
			f["stl10_binary/unlabeled_X.bin"] = &fstest.MapFile{Data: data}
		}, false, "unlabeled_X.bin holds something else"},
	} {
		spoiled := maps.Clone(files)
		tt.spoil(spoiled)
		fsys := &closing{FS: spoiled}
		all, err := openAll(labeled, rest, fsys, Options{})
		if tt.want == "" {
			expect.Require(t, err == nil && fsys.open == 2, "%v, %d files open", err, fsys.open)
			_, _, err := all.Holdout(1, 0)
			expect.Error(t, err, "share of 1")
			expect.NoError(t, all.Close())
		} else {
			expect.Error(t, err, tt.want)
			expect.That(t, all == nil && errors.Is(err, fs.ErrNotExist) == tt.missing, "%v, %v", all, err)
		}
		expect.That(t, fsys.open == 0, "%d files stay open (%v)", fsys.open, err)
	}
	_, err := OpenAll(files, Options{AnyContent: true}) // the official sizes
	expect.Error(t, err, fmt.Sprintf("train_y.bin has 20 bytes, not %d", 5000))
}
