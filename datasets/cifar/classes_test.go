package cifar

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The superclass of each class as the files of CIFAR-100 have it.
func TestSuperclass100(t *testing.T) {
	want := []int{
		4, 1, 14, 8, 0, 6, 7, 7, 18, 3, 3, 14, 9, 18, 7, 11, 3, 9, 7, 11, 6, 11, 5, 10, 7, 6, 13, 15, 3, 15, 0, 11, 1, 10, 12,
		14, 16, 9, 11, 5, 5, 19, 8, 8, 15, 13, 14, 17, 18, 10, 16, 4, 17, 4, 2, 0, 17, 4, 18, 17, 10, 3, 2, 12, 12, 16, 12, 1,
		9, 19, 2, 10, 0, 1, 16, 12, 9, 13, 15, 13, 16, 19, 2, 4, 6, 19, 5, 5, 8, 19, 18, 1, 2, 15, 6, 0, 17, 8, 14, 13,
	}
	if got := Superclass100(); !slices.Equal(got, want) {
		t.Errorf("superclasses %v, want %v", got, want)
	}
}

func TestClasses(t *testing.T) {
	if got, want := strings.Join(Classes10(), " "),
		"airplane automobile bird cat deer dog frog horse ship truck"; got != want {
		t.Errorf("classes %s, want %s", got, want)
	}
	classes := Classes100()
	if len(classes) != 100 || !slices.IsSorted(classes) || len(slices.Compact(slices.Clone(classes))) != 100 {
		t.Errorf("%d classes: %v, want 100 different ones in the order of the alphabet", len(classes), classes)
	}
	if super := Superclasses100(); len(super) != 20 || !slices.IsSorted(super) {
		t.Errorf("superclasses %v, want 20 in the order of the alphabet", super)
	}
	// Every class belongs to one superclass, by name.
	in := map[string]int{}
	for _, s := range superclasses {
		for _, class := range s.classes {
			in[class]++
			if !slices.Contains(classes, class) {
				t.Errorf("%s has a class %s that does not exist", s.name, class)
			}
		}
	}
	if len(in) != 100 {
		t.Errorf("the superclasses have %d different classes, want 100", len(in))
	}
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
		if got := fmt.Sprintf("%s of %d bytes, %s, %s", a.File.Name, a.File.Size, a.File.SHA256, a.Folder); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The sizes that the authors' page gives.
func TestFormats(t *testing.T) {
	f, g := format10(), format100()
	if got := f.fileSize(f.parts[Train]); got != 30_730_000 || f.fileSize(f.parts[Test]) != got {
		t.Errorf("files of CIFAR-10 of %d bytes, want 30,730,000", got)
	}
	if got := g.fileSize(g.parts[Train]); got != 153_700_000 {
		t.Errorf("train.bin of CIFAR-100 of %d bytes, want 153,700,000", got)
	}
	for _, f := range []format{f, g} {
		for which, p := range f.parts {
			if len(p.files)*p.images != len(f.classes)*p.perClass {
				t.Errorf("%s, %v: %d files of %d images and %d classes of %d", f.archive.Folder, which, len(p.files), p.images,
					len(f.classes), p.perClass)
			}
		}
	}
}
