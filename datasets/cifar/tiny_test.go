package cifar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/packtest"
)

// tiny10 is CIFAR-10 with two classes, two files of two images to learn from, and one to test on.
func tiny10() format {
	f := format10()
	f.classes = []string{"cat", "ship"}
	f.parts = map[Part]part{
		Train: {files: []string{"data_batch_1.bin", "data_batch_2.bin"}, images: 2, perClass: 2},
		Test:  {files: []string{"test_batch.bin"}, images: 2, perClass: 1},
	}
	return f
}

// tiny100 is CIFAR-100 with four classes in two superclasses, and one image of each class in a part.
func tiny100() format {
	f := format100()
	f.classes = []string{"apple", "bus", "pear", "train"}
	f.superclass = []int{0, 1, 0, 1}
	f.parts = map[Part]part{
		Train: {files: []string{"train.bin"}, images: 4, perClass: 1},
		Test:  {files: []string{"test.bin"}, images: 4, perClass: 1},
	}
	return f
}

// image returns the pixels that the tests put into an image: a different value at every place of every plane, as far as
// bytes go, and different in every image.
func image(number int) (planes []byte) {
	for i := range imageSize {
		planes = append(planes, byte(number*31+i*7+i/251))
	}
	return planes
}

func record(number int, labels ...byte) []byte { return append(bytes.Clone(labels), image(number)...) }

func file(records ...[]byte) *fstest.MapFile { return &fstest.MapFile{Data: bytes.Join(records, nil)} }

// files10 holds the files of tiny10 in the folder that the archive unpacks to, and files100 those of tiny100 in the root.
func files10() fstest.MapFS {
	return fstest.MapFS{
		"cifar-10-batches-bin/data_batch_1.bin": file(record(0, 1), record(1, 0)),
		"cifar-10-batches-bin/data_batch_2.bin": file(record(2, 0), record(3, 1)),
		"cifar-10-batches-bin/test_batch.bin":   file(record(4, 0), record(5, 1)),
	}
}

func files100() fstest.MapFS {
	return fstest.MapFS{
		"train.bin": file(record(0, 1, 3), record(1, 0, 0), record(2, 0, 2), record(3, 1, 1)),
		"test.bin":  file(record(4, 0, 0), record(5, 1, 1), record(6, 0, 2), record(7, 1, 3)),
	}
}

// withArchive returns f knowing the checksum of an archive of the files, and a file system with that archive alone. The
// files go in reverse order of their names, so that a reader cannot lean on the order.
func withArchive(t *testing.T, f format, files fstest.MapFS, names ...string) (format, fstest.MapFS) {
	t.Helper()
	var entries []packtest.Entry
	for _, name := range slices.Backward(names) {
		entries = append(entries, packtest.Entry{Name: name, Content: string(files[name].Data)})
	}
	data := packtest.TarGzip(t, entries...)
	f.archive.File.Size, f.archive.File.SHA256 = int64(len(data)), packtest.SHA256(data)
	return f, fstest.MapFS{f.archive.File.Name: {Data: data}}
}

// sums returns the file SHA256SUMS of the named files, as the program sha256sum writes it.
func sums(files fstest.MapFS, names ...string) *fstest.MapFile {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s  %s\n", packtest.SHA256(files[name].Data), name[strings.LastIndex(name, "/")+1:])
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}
