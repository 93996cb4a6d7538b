// Package fashionmnist reads Fashion-MNIST: 70,000 gray images of 28×28 pixels of clothes in ten classes, 60,000 for
// training and 10,000 for testing.
//
// The 10,000 are part of this package ([Embedded]), so everything runs without a download; the 60,000 are found on the
// machine ([Find]) or fetched ([Download], 26 MB). [Open] returns the largest set available and states its source.
//
// Source: Xiao, Rasul and Vollgraf, "Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning
// Algorithms", arXiv 1708.07747. The data are under the MIT license, copyright 2017 Zalando SE; see [License].
package fashionmnist

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/puclab/puclab/datasets"
)

// The license is included in every program together with the data.
//
//go:embed data/t10k-images-idx3-ubyte.gz data/t10k-labels-idx1-ubyte.gz data/LICENSE
var embedded embed.FS

// Embedded returns the built-in official test part, 10,000 images with 1,000 of each class. Each call returns a new
// set.
func Embedded() (*datasets.Images, error) {
	data, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return Load(data, Test)
}

// License returns the license of the data, which must accompany every copy of them.
func License() (string, error) {
	text, err := embedded.ReadFile("data/LICENSE")
	return string(text), err
}

// Source describes the result of [Open].
type Source struct {
	// Full is true for all 70,000 images, and false for the 10,000 built-in ones.
	Full bool
	// Description is a sentence or two for a reader; it names no folder of the machine.
	Description string
}

// String returns the description.
func (s Source) String() string { return s.Description }

// heldOutShare and heldOutSeed fix the split of the built-in images in Open.
const (
	heldOutShare = 0.2
	heldOutSeed  = 0
)

// Open returns disjoint training and test images.
//
// If [Find] finds the 60,000 images, they are the training images and the official 10,000 are the test images, as in
// papers. Otherwise the built-in 10,000 are split into 8,000 for training and 2,000 for testing, 800 and 200 of each
// class, by datasets.Holdout with seed 0: the same split on every machine. Open never downloads. Damaged files are an
// error; Open does not fall back to the smaller set.
func Open() (train, test *datasets.Images, source Source, err error) {
	builtIn, err := Embedded()
	if err != nil {
		return nil, nil, Source{}, err
	}
	dir, err := Find()
	if err == nil {
		if train, err = Load(os.DirFS(dir), Train); err != nil {
			return nil, nil, Source{}, fmt.Errorf("in the folder %s: %w", dir, err)
		}
		return train, builtIn, Source{Full: true,
			Description: "Fashion-MNIST, all 70,000 images: 60,000 to learn from and the official 10,000 held out."}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, Source{}, err
	}
	train, test, err = datasets.Holdout(builtIn, heldOutShare, heldOutSeed)
	if err != nil {
		return nil, nil, Source{}, err
	}
	return train, test, Source{
		Description: "Fashion-MNIST, the 10,000 images that are built in: 8,000 to learn from and 2,000 held out. " +
			"For all 70,000 run `go run ./notebooks setup -data` (26 MB), or set PUCL_DATA_DIR to a folder that has them.",
	}, nil
}
