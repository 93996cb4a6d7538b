package papers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/fashionmnist"
	imagefolder "github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/datasets/stl10"
)

// Files selects files of a data set.
type Files string

// The available files.
const (
	Official   Files = "official files"
	BuiltIn    Files = "built-in images" // the 10,000 images of Fashion-MNIST in this module: 8,000 for training
	JPEGCopies Files = "JPEG copies"     // CIFAR-10 rebuilt from lossy copies, in another order
)

// jpegCopies is the SHA-256 of the JPEG copies: training images and the class of each, a byte, then test images and
// theirs.
const jpegCopies = "f3c1e4abc4bed2a923f84311e486067bb0f394aebde116f4111bfac006d0c694"

// openFiles opens files of a data set: its training images, and in the result the test images, a note and a function
// that closes both.
func openFiles(name string, files Files) (train set, o *opened, err error) {
	open := map[string]func(Files) (set, *opened, error){
		"Fashion-MNIST": openFashionMNIST, "CIFAR-10": openCIFAR, "STL-10": openSTL, "Imagenette and Imagewoof": openWoofAndNette,
	}[name]
	if open == nil {
		return set{}, nil, fmt.Errorf("papers: no table has runs on %s", name)
	}
	if train, o, err = open(files); err != nil {
		return set{}, nil, fmt.Errorf("papers: %s, %s: %w", name, files, err)
	}
	o.note = fmt.Sprintf("%s (%s)", name, files)
	return train, o, nil
}

// inMemory returns opened images that are in memory.
func inMemory(train, test *datasets.Images) (set, *opened) {
	return set{train, train.Labels, train.Classes},
		&opened{test: set{test, test.Labels, test.Classes}, close: func() error { return nil }}
}

func openFashionMNIST(files Files) (set, *opened, error) {
	train, test, source, err := fashionmnist.Open()
	switch {
	case err != nil:
		return set{}, nil, err
	case files == Official && !source.Full:
		return set{}, nil, fmt.Errorf("the 60,000 images to learn from are not on this machine: fetch them by "+
			"`go run ./notebooks setup -data`, or set %s to a folder that has them: %w", datasets.EnvDataDir, fs.ErrNotExist)
	case files == BuiltIn && source.Full:
		all, err := fashionmnist.Embedded()
		if err != nil {
			return set{}, nil, err
		}
		// This equals fashionmnist.Open without other files.
		if train, test, err = datasets.Holdout(all, 0.2, 0); err != nil {
			return set{}, nil, err
		}
	}
	s, o := inMemory(train, test)
	return s, o, nil
}

func openCIFAR(files Files) (set, *opened, error) {
	dir, err := folder("cifar-10")
	if files == JPEGCopies && errors.Is(err, fs.ErrNotExist) {
		return set{}, nil, fmt.Errorf("%w. Those are not the copies, which nobody offers for download: where you have them, put them there; "+
			"else do the runs of size paper, which are on the official files", err)
	}
	if err != nil {
		return set{}, nil, err
	}
	options := cifar.Options{AnyContent: files == JPEGCopies}
	train, trainErr := cifar.Load10(dir, cifar.Train, options)
	test, testErr := cifar.Load10(dir, cifar.Test, options)
	if err := errors.Join(trainErr, testErr); err != nil {
		return set{}, nil, err
	}
	if files == JPEGCopies {
		sum := sha256.New()
		for _, images := range []*datasets.Images{train, test} {
			addImages(sum, images)
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)); got != jpegCopies {
			return set{}, nil, fmt.Errorf("the images have the SHA-256 %s, the JPEG copies %s, and results of different images must not stand "+
				"in one table: on the official files there are the runs of size paper", got, jpegCopies)
		}
	}
	s, o := inMemory(train, test)
	return s, o, nil
}

// addImages adds images and their classes to a checksum.
func addImages(sum hash.Hash, images *datasets.Images) {
	sum.Write(images.Pixels)
	for _, class := range images.Labels {
		sum.Write([]byte{byte(class)})
	}
}

// openSTL opens STL-10 with its unlabeled images, which stay on disk.
func openSTL(Files) (set, *opened, error) {
	dir, err := folder("stl10")
	if err != nil {
		return set{}, nil, err
	}
	all, err := stl10.OpenAll(dir, stl10.Options{})
	if err != nil {
		return set{}, nil, err
	}
	test, err := stl10.Open(dir, stl10.Test, stl10.Options{})
	if err != nil {
		return set{}, nil, errors.Join(err, all.Close())
	}
	return set{all, all.Labels, all.Classes}, &opened{
		test:  set{test, test.Labels, test.Classes},
		close: func() error { return errors.Join(all.Close(), test.Close()) },
	}, nil
}

// woofAndNetteSide is the height and width in pixels of cropped images of Imagenette and Imagewoof: the center of
// images with a shorter side of 160.
const woofAndNetteSide = 128

// openWoofAndNette opens the ten classes of Imagenette and then the ten of Imagewoof, which stay on disk.
func openWoofAndNette(Files) (set, *opened, error) {
	part := func(name string) (*imagefolder.Set, error) {
		var both []*imagefolder.Set
		for _, archive := range []struct {
			name    string
			classes map[string]string
		}{{"imagenette2-160", imagefolder.Imagenette()}, {"imagewoof2-160", imagefolder.Imagewoof()}} {
			dir, err := folder(archive.name)
			if err != nil {
				return nil, err
			}
			if dir, err = fs.Sub(dir, name); err != nil {
				return nil, err
			}
			images, err := imagefolder.Open(dir, imagefolder.Config{Height: woofAndNetteSide, Names: archive.classes})
			if err != nil {
				return nil, err
			}
			both = append(both, images)
		}
		return imagefolder.Join(both...)
	}
	train, err := part("train")
	if err != nil {
		return set{}, nil, err
	}
	test, err := part("val")
	if err != nil {
		return set{}, nil, err
	}
	return set{train, train.Labels, train.Classes},
		&opened{test: set{test, test.Labels, test.Classes}, close: func() error { return nil }}, nil
}

// folder returns the folder of an unpacked archive. If it is missing, the error states how to get it.
func folder(archive string) (fs.FS, error) {
	a, err := datasets.FindArchive(archive)
	if err != nil {
		return nil, err
	}
	dir, err := a.Find()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; `go run ./notebooks setup -data=%s` gets the official files", err, archive)
	}
	if err != nil {
		return nil, err
	}
	return os.DirFS(dir), nil
}
