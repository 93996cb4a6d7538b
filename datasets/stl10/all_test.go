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
)

// tinyAll has 20 labeled images, two of each class, of the numbers 0 to 19, and four unlabeled ones, 20 to 23.
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
		}, part{
			images: file{"unlabeled_X.bin", int64(len(unlabeled)), md5sum(unlabeled)},
			count:  4,
		}, fstest.MapFS{
			"stl10_binary/train_X.bin":     {Data: train},
			"stl10_binary/train_y.bin":     {Data: labels},
			"stl10_binary/unlabeled_X.bin": {Data: unlabeled},
		}
}

// number tells which of the images of the tests the pixels are; it is an error where they are none.
func number(t *testing.T, pixels []byte) int {
	t.Helper()
	for i := range 24 {
		if pixels[0] != value(i, 0, 0, 0) {
			continue
		}
		for at, got := range pixels {
			if y, x, channel := at/3/96, at/3%96, at%3; got != value(i, y, x, channel) {
				t.Fatalf("image %d at %d, %d, %d: %d", i, y, x, channel, got)
			}
		}
		return i
	}
	t.Fatal("an image from nowhere")
	return 0
}

// The whole way of STL-I: both parts on disk, a part held out, the split by name, and batches read while they are needed.
func TestAll(t *testing.T) {
	labeled, rest, files := tinyAll()
	all, err := openAll(labeled, rest, files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := all.String(); got != "20 images of STL-10 in 10 classes, and 4 without a class" {
		t.Errorf("%q", got)
	}
	buffer := make([]byte, imageSize)
	for i := range 24 {
		if err := all.ReadImage(i, buffer); err != nil {
			t.Fatal(err)
		}
		if got := number(t, buffer); got != i {
			t.Errorf("image %d is %d", i, got)
		}
		if want := i % 10; i < 20 && all.Labels[i] != want || i >= 20 && all.Classes[all.Labels[i]] != UnlabeledClass {
			t.Errorf("image %d has class %d", i, all.Labels[i])
		}
	}
	wantError(t, all.ReadImage(24, buffer), "no image 24")
	wantError(t, all.ReadImage(-1, buffer), "no image -1")
	wantError(t, all.ReadImage(0, buffer[1:]), "room for 27647")

	set, held, err := all.Holdout(0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	perClass := make([]int, 11)
	seen := map[int]bool{}
	for _, part := range []*All{set, held} {
		if part.Len() != 12 {
			t.Fatalf("%v", part)
		}
		for i := range part.Len() {
			if err := part.ReadImage(i, buffer); err != nil {
				t.Fatal(err)
			}
			n := number(t, buffer)
			if seen[n] || n < 20 && n%10 != part.Labels[i] || n >= 20 && part.Labels[i] != 10 {
				t.Errorf("image %d, of class %d, seen before: %v", n, part.Labels[i], seen[n])
			}
			seen[n] = true
			if part == held {
				perClass[part.Labels[i]]++
			}
		}
	}
	if !slices.Equal(perClass, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}) {
		t.Errorf("held out of each class: %v", perClass)
	}

	benchmark, err := datasets.FindBenchmark("STL-I")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := benchmark.Config(set.Classes)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Labeled = 5
	split, err := datasets.NewSplit(set.Labels, set.Classes, cfg)
	if err != nil {
		t.Fatal(err)
	}
	want := "STL-I: PU data (case-control): 5 labeled positives, 12 unlabeled, 2 of unknown class, estimated prior π̂ = 0.51, " +
		"γ = 0.4167, seed 0, positive: airplane, car, cat, ship, truck"
	if split.String() != want {
		t.Errorf("%q, want %q", split, want)
	}
	batches, err := datasets.NewSourceBatches(set, split, datasets.BatchConfig{Size: 6, Share: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	met := map[int]int{}
	for step := range 4 {
		pixels, labeled, err := batches.Batch(step)
		if err != nil {
			t.Fatal(err)
		}
		for i, isLabeled := range labeled {
			n := number(t, pixels[i*imageSize:(i+1)*imageSize])
			if isLabeled && (n >= 20 || !slices.Contains(benchmark.Positive, n%10)) {
				t.Errorf("image %d is labeled", n)
			}
			if !isLabeled {
				met[n]++
			}
		}
	}
	if len(met) != 12 || slices.Max(slices.Collect(maps.Values(met))) > 1 {
		t.Errorf("one epoch of the unlabeled examples has the images %v", met)
	}
	if err := all.Close(); err != nil {
		t.Error(err)
	}
}

// closing counts the files that are open.
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
			if err != nil || fsys.open != 2 {
				t.Fatalf("%v, %d files open", err, fsys.open)
			}
			_, _, err := all.Holdout(1, 0)
			wantError(t, err, "share of 1")
			if err := all.Close(); err != nil {
				t.Error(err)
			}
		} else {
			wantError(t, err, tt.want)
			if all != nil || errors.Is(err, fs.ErrNotExist) != tt.missing {
				t.Errorf("%v, %v", all, err)
			}
		}
		if fsys.open != 0 {
			t.Errorf("%d files stay open (%v)", fsys.open, err)
		}
	}
	_, err := OpenAll(files, Options{AnyContent: true}) // the true sizes
	wantError(t, err, fmt.Sprintf("train_y.bin has 20 bytes, not %d", 5000))
}
