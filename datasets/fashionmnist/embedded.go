package fashionmnist

import (
	"embed"
	"io/fs"

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
