package cifar

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
)

// checkFile reads a part of one possibly damaged file: the result is an error, or the content of the bytes.
func checkFile(t *testing.T, f format, name string, data []byte) {
	t.Helper()
	set, super, err := f.load(fstest.MapFS{name: {Data: data}}, Test, Options{AnyContent: true})
	if err != nil {
		expect.That(t, set == nil, "a set in spite of the error %v", err)
		return
	}
	var again []byte // the file, encoded from the set
	for i := range set.Len() {
		if super != nil {
			again = append(again, byte(super[i]))
		}
		again = append(again, byte(set.Labels[i]))
		for channel := range 3 {
			for pixel := range 1024 {
				again = append(again, set.At(i)[3*pixel+channel])
			}
		}
	}
	expect.That(t, bytes.Equal(again, data), "the set is not what the file holds")
}

func FuzzLoad10(f *testing.F) {
	whole := files10()["cifar-10-batches-bin/test_batch.bin"].Data
	f.Add(whole)
	f.Add(whole[:3073])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, tiny10(), "test_batch.bin", data) })
}

func FuzzLoad100(f *testing.F) {
	whole := files100()["test.bin"].Data
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, tiny100(), "test.bin", data) })
}

func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	ten, hundred := files10()["cifar-10-batches-bin/test_batch.bin"].Data, files100()["test.bin"].Data
	for range 300 {
		checkFile(t, tiny10(), "test_batch.bin", damage.One(rng, ten))
		checkFile(t, tiny100(), "test.bin", damage.One(rng, hundred))
	}
}

// Files that are far too small cost little memory, although the real ones are large.
func TestSmallFilesCostLittle(t *testing.T) {
	small := fstest.MapFS{"train.bin": {Data: make([]byte, 3074)}, "data_batch_1.bin": {Data: make([]byte, 3073)}}
	for _, f := range []format{format10(), format100()} {
		got := damage.Allocated(func() {
			_, _, err := f.load(small, Train, Options{AnyContent: true})
			expect.Error(t, err, "bytes, not")
		})
		expect.That(t, got <= 1<<20, "%s: %d bytes taken for a file of 3 kB", f.archive.Folder, got)
	}
}

// A damaged file, or a damaged SHA256SUMS, never gives other images.
func TestFaultDamagedFiles(t *testing.T) {
	const name, list = "cifar-10-batches-bin/test_batch.bin", "cifar-10-batches-bin/SHA256SUMS"
	good := files10()[name].Data
	content := func(images, sums []byte, opts Options) (string, error) {
		files := fstest.MapFS{name: {Data: images}}
		if sums != nil {
			files[list] = &fstest.MapFile{Data: sums}
		}
		set, _, err := tiny10().load(files, Test, opts)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(set.Labels) + string(set.Pixels), nil
	}
	lines := []byte(sums(files10(), name).Data)
	for _, tt := range []struct {
		name    string
		data    []byte
		checked bool
		read    func(data []byte) (string, error)
	}{
		{"images, listed", good, true, func(data []byte) (string, error) { return content(data, lines, Options{}) }},
		{"SHA256SUMS", lines, true, func(data []byte) (string, error) { return content(good, bytes.Clone(data), Options{}) }},
		{"images, any content", good, false, func(data []byte) (string, error) { return content(data, nil, Options{AnyContent: true}) }},
	} {
		result := expect.Must(damagetest.Try(tt.data, 1500, tt.read))(t)
		expect.That(t, result.Panicked <= 0 && result.Refused != 0 && (!tt.checked || result.Other <= 0) &&
			(tt.checked || result.Other != 0), "%s: %v", tt.name, result)
		t.Logf("| damaged CIFAR-10 %s, %d bytes | %v |", tt.name, len(tt.data), result)
	}
}

// tiny10 is CIFAR-10 with two classes, two training files of two images, and one test file.
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

// image returns the pixels of an image, which vary over every plane.
func image(number int) (planes []byte) {
	for i := range imageSize {
		planes = append(planes, byte(number*31+i*7+i/251))
	}
	return planes
}

func record(number int, labels ...byte) []byte { return append(bytes.Clone(labels), image(number)...) }

func file(records ...[]byte) *fstest.MapFile { return &fstest.MapFile{Data: bytes.Join(records, nil)} }

// files10 returns the files of tiny10 in the folder of the unpacked archive, and files100 those of tiny100 in the root.
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

// withArchive returns f with the checksum of an archive of the files in reverse order, and its file system.
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

// sums returns the file SHA256SUMS of the named files, in the format of sha256sum.
func sums(files fstest.MapFS, names ...string) *fstest.MapFile {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s  %s\n", packtest.SHA256(files[name].Data), name[strings.LastIndex(name, "/")+1:])
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}

// The superclass of each class, from the files of CIFAR-100.
func TestSuperclass100(t *testing.T) {
	want := []int{
		4, 1, 14, 8, 0, 6, 7, 7, 18, 3, 3, 14, 9, 18, 7, 11, 3, 9, 7, 11, 6, 11, 5, 10, 7, 6, 13, 15, 3, 15, 0, 11, 1, 10, 12,
		14, 16, 9, 11, 5, 5, 19, 8, 8, 15, 13, 14, 17, 18, 10, 16, 4, 17, 4, 2, 0, 17, 4, 18, 17, 10, 3, 2, 12, 12, 16, 12, 1,
		9, 19, 2, 10, 0, 1, 16, 12, 9, 13, 15, 13, 16, 19, 2, 4, 6, 19, 5, 5, 8, 19, 18, 1, 2, 15, 6, 0, 17, 8, 14, 13,
	}
	expect.Equal(t, Superclass100(), want, "superclasses")
}

func TestClasses(t *testing.T) {
	expect.Equal(t, strings.Join(Classes10(), " "),
		"airplane automobile bird cat deer dog frog horse ship truck", "classes")
	classes := Classes100()
	expect.That(t, len(classes) == 100 && slices.IsSorted(classes) && len(slices.Compact(slices.Clone(classes))) == 100,
		"%d classes: %v, want 100 different ones in the order of the alphabet", len(classes), classes)
	if super := Superclasses100(); len(super) != 20 || !slices.IsSorted(super) {
		t.Errorf("superclasses %v, want 20 in the order of the alphabet", super)
	}
	// Every class belongs to one superclass, by name.
	in := map[string]int{}
	for _, s := range superclasses {
		for _, class := range s.classes {
			in[class]++
			expect.That(t, slices.Contains(classes, class), "%s has a class %s that does not exist", s.name, class)
		}
	}
	expect.That(t, len(in) == 100, "the superclasses have %d different classes, want 100", len(in))
}

// The archives have the sums pinned by TensorFlow Datasets and others.
func TestArchives(t *testing.T) {
	for want, f := range map[string]format{
		"cifar-10-binary.tar.gz of 170052171 bytes, c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd, " +
			"cifar-10-batches-bin": format10(),
		"cifar-100-binary.tar.gz of 168513733 bytes, 58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec, " +
			"cifar-100-binary": format100(),
	} {
		a := f.archive
		expect.Equal(t, fmt.Sprintf("%s of %d bytes, %s, %s", a.File.Name, a.File.Size, a.File.SHA256, a.Folder), want)
	}
}

// The sizes stated on the authors' page.
func TestFormats(t *testing.T) {
	f, g := format10(), format100()
	if got := f.fileSize(f.parts[Train]); got != 30_730_000 || f.fileSize(f.parts[Test]) != got {
		t.Errorf("files of CIFAR-10 of %d bytes, want 30,730,000", got)
	}
	expect.Equal(t, g.fileSize(g.parts[Train]), 153_700_000, "bytes of train.bin of CIFAR-100")
	for _, f := range []format{f, g} {
		for which, p := range f.parts {
			expect.Equal(t, len(p.files)*p.images, len(f.classes)*p.perClass,
				"%s, %v: %d files of %d images and %d classes of %d", f.archive.Folder, which, len(p.files), p.images,
				len(f.classes), p.perClass)
		}
	}
}
