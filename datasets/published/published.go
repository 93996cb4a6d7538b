// Package published opens the training images of the data sets of benchmarks, by the name in datasets.Benchmark.Set,
// from files on this machine.
//
//	set, err := published.Open("CIFAR-10")
//	// set.Labels: the class of each image, set.Classes: their names
//
// It downloads nothing: see datasets.FindArchive.
package published

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/datasets/stl10"
)

// Set is the training part of a published data set.
type Set struct {
	datasets.Source
	Labels  []int    // the class of each image, a number below len(Classes)
	Classes []string // the names of the classes
	Note    string   // a sentence on the files and whether they are verified
}

// sets lists the data sets by the names used in benchmarks.
var sets = []struct {
	name string
	open func() (*Set, error)
}{
	{"Fashion-MNIST", fashionMNIST}, {"CIFAR-10", cifar10}, {"STL-10", stl}, {"Imagenette and Imagewoof", netteAndWoof},
}

// Names returns the names of all data sets that Open accepts.
func Names() (names []string) {
	for _, s := range sets {
		names = append(names, s.name)
	}
	return names
}

// Open opens the training images of the named data set. Images of CIFAR-10 and Fashion-MNIST are in memory, the others
// stay on disk. Images of Imagenette and Imagewoof are cropped to squares and scaled to 32×32. A part of Fashion-MNIST
// is always available, see fashionmnist.Open. Unofficial files of CIFAR-10 and STL-10 are accepted, and Note states
// that.
//
// If the files are missing the error names the archives to fetch and wraps fs.ErrNotExist; for an unknown name it lists
// the names.
func Open(name string) (*Set, error) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("published: there is no data set %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	set, err := sets[i].open()
	if err != nil {
		return nil, fmt.Errorf("published: %w", err)
	}
	return set, nil
}

// Pick returns the pixels of n images of the named classes, which alternate, in the order of the set. It is an error if
// a class is unknown or has too few images.
func (s *Set) Pick(classes []string, n int) (pixels []uint8, err error) {
	if n > 0 && len(classes) == 0 {
		return nil, errors.New("published: images of no class: name at least one")
	}
	height, width, channels := s.Shape()
	image := make([]uint8, height*width*channels)
	next := make([]int, len(classes)) // position of the next image of each class
	for i := range n {
		k := i % len(classes)
		at := slices.Index(s.Labels[next[k]:], slices.Index(s.Classes, classes[k]))
		if at < 0 {
			return nil, fmt.Errorf("published: image %d of the class %q: the set has no more of them; its classes are %s",
				i/len(classes)+1, classes[k], strings.Join(s.Classes, ", "))
		}
		if err := s.ReadImage(next[k]+at, image); err != nil {
			return nil, err
		}
		pixels = append(pixels, image...)
		next[k] += at + 1
	}
	return pixels, nil
}

func fashionMNIST() (*Set, error) {
	train, _, source, err := fashionmnist.Open()
	if err != nil {
		return nil, err
	}
	return &Set{train, train.Labels, train.Classes, source.Description}, nil
}

func cifar10() (*Set, error) {
	return official("CIFAR-10", "cifar-10", func(dir fs.FS, anyContent bool) (*Set, error) {
		images, err := cifar.Load10(dir, cifar.Train, cifar.Options{AnyContent: anyContent})
		if err != nil {
			return nil, err
		}
		return &Set{Source: images, Labels: images.Labels, Classes: images.Classes}, nil
	})
}

func stl() (*Set, error) {
	return official("STL-10", "stl10", func(dir fs.FS, anyContent bool) (*Set, error) {
		set, err := stl10.Open(dir, stl10.Train, stl10.Options{AnyContent: anyContent})
		if err != nil {
			return nil, err
		}
		return &Set{Source: set, Labels: set.Labels, Classes: set.Classes}, nil
	})
}

// official opens the official files of an archive, or otherwise any files, which the note states.
func official(name, archive string, open func(dir fs.FS, anyContent bool) (*Set, error)) (*Set, error) {
	dir, err := unpacked(name, archive)
	if err != nil {
		return nil, err
	}
	set, err := open(dir, false)
	note := ", the official files."
	if err != nil {
		set, err = open(dir, true)
		note = " from files without a checksum: good to look at, not to report numbers on."
	}
	if err != nil {
		return nil, err
	}
	set.Note = name + note
	return set, nil
}

func netteAndWoof() (*Set, error) {
	nette, netteErr := squares("Imagenette", folder.Imagenette(), "imagenette2-160", "imagenette2-320")
	woof, woofErr := squares("Imagewoof", folder.Imagewoof(), "imagewoof2-160", "imagewoof2-320")
	if err := cmp.Or(netteErr, woofErr); err != nil {
		return nil, err
	}
	both, err := folder.Join(nette, woof)
	if err != nil {
		return nil, err
	}
	return &Set{both, both.Labels, both.Classes, "Imagenette and Imagewoof, joined."}, nil
}

// squares opens the training images of the first available archive, cropped and scaled to 32×32.
func squares(name string, classes map[string]string, archives ...string) (*folder.Set, error) {
	dir, err := unpacked(name, archives...)
	if err != nil {
		return nil, err
	}
	train, err := fs.Sub(dir, "train")
	if err != nil {
		return nil, err
	}
	return folder.Open(train, folder.Config{Height: 32, Names: classes})
}

// unpacked returns the folder of the first of the named archives on this machine.
func unpacked(name string, archives ...string) (fs.FS, error) {
	for _, archive := range archives {
		a, err := datasets.FindArchive(archive)
		if err != nil {
			return nil, err
		}
		dir, err := a.Find()
		if err == nil {
			return os.DirFS(dir), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s is not on this machine: fetch the archive %s: %w", name, archives[0], fs.ErrNotExist)
}
