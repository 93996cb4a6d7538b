package cifar

import (
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
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

// The archives are those that datasets.FindArchive fetches, and the folder is the one that it unpacks to.
func TestArchives(t *testing.T) {
	for name, f := range map[string]format{Name10: format10(), Name100: format100()} {
		a, err := datasets.FindArchive(name)
		if err != nil {
			t.Fatal(err)
		}
		if a.File.Name != f.archive || a.File.Size != f.archiveSize || a.File.SHA256 != string(f.archiveSum) || a.Folder != f.folder {
			t.Errorf("%s: %s of %d bytes, SHA-256 %s, folder %s; want %s of %d, %s, %s", name, f.archive, f.archiveSize,
				f.archiveSum, f.folder, a.File.Name, a.File.Size, a.File.SHA256, a.Folder)
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
				t.Errorf("%s, %v: %d files of %d images and %d classes of %d", f.folder, which, len(p.files), p.images,
					len(f.classes), p.perClass)
			}
		}
	}
}
