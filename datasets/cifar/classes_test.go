package cifar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The superclass of each class as the files of CIFAR-100 have it.
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

// The archives are those whose sums TensorFlow Datasets and others pin.
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

// The sizes that the authors' page gives.
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
