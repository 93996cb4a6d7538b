// Package fashionmnist reads Fashion-MNIST: 70,000 gray images of 28×28 pixels of clothes in ten classes, 60,000 to
// learn from and 10,000 to test on.
//
// The 10,000 are part of this package ([Embedded]), so everything runs without a download; the 60,000 are found on the
// machine ([Find]) or fetched ([Download], 26 MB). [Open] takes the best that is there and says which it took.
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

// The license goes into every program together with the data that it covers.
//
//go:embed data/t10k-images-idx3-ubyte.gz data/t10k-labels-idx1-ubyte.gz data/LICENSE
var embedded embed.FS

// Embedded returns the official test part, 10,000 images with 1,000 of each class, which is built into the package.
// Each call returns a set of its own.
func Embedded() (*datasets.Images, error) {
	data, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return Load(data, Test)
}

// License returns the license of the data, which has to go along with every copy of them.
func License() (string, error) {
	text, err := embedded.ReadFile("data/LICENSE")
	return string(text), err
}

// Source says what [Open] gave.
type Source struct {
	// Full is true for all 70,000 images, and false for the 10,000 that are built in.
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

// Open returns images to learn from and images to test on, never the same in both.
//
// Where [Find] sees the 60,000 images these are for learning, and the 10,000 of the official test part are held out: the
// data on which papers report. Elsewhere the built-in 10,000 are split into 8,000 to learn from and 2,000 held out, 800
// and 200 of each class, by datasets.Holdout with seed 0: the same split on every machine. Open never downloads. Files
// that are there but damaged are an error, not a reason to take the smaller set.
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
