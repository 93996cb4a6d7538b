package stl10

import (
	"slices"

	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/content"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Name is the name of the data set's folder within a folder for data sets.
const Name = "stl10"

// Part is one of the three published parts of STL-10.
type Part int

// The parts of STL-10.
const (
	Train     Part = iota // 5,000 images, 500 of each class
	Test                  // 8,000 images, 800 of each class
	Unlabeled             // 100,000 images of these and other classes, without labels
)

var partNames = enum.Names[Part]{Unknown: "stl10: unknown part", Names: []string{"train", "test", "unlabeled"}}

// String returns "train", "test" or "unlabeled".
func (p Part) String() string { return partNames.String(p) }

// Classes returns the names of the ten classes in the order of their numbers, which start from 0 here and from 1 in the
// files.
func Classes() []string { return slices.Clone(classes.STL10) }

// UnlabeledClass is the class name of all images of the unlabeled part.
const UnlabeledClass = classes.STL10Unlabeled

// Every image is 96×96 pixels: a plane of red, one of green and one of blue, each column by column.
const (
	side      = 96
	plane     = side * side
	imageSize = 3 * plane
)

// folder is the folder in the official archive.
const folder = "stl10_binary"

type file struct {
	name string
	size int64
	sum  content.Sum
}

type part struct {
	images, labels file // labels has no name if there are none
	count          int
	perClass       int
}

// The MD5 sums of the archive's members in torchvision.
var parts = map[Part]part{
	Train: {images: file{"train_X.bin", 5_000 * imageSize, "918c2871b30a85fa023e0c44e0bee87f"},
		labels: file{"train_y.bin", 5_000, "5a34089d4802c674881badbb80307741"}, count: 5_000, perClass: 500},
	Test: {images: file{"test_X.bin", 8_000 * imageSize, "7f263ba9f9e0b06b93213547f721ac82"},
		labels: file{"test_y.bin", 8_000, "36f9794fa4beb8a2c72628de14fa638e"}, count: 8_000, perClass: 800},
	Unlabeled: {images: file{"unlabeled_X.bin", 100_000 * imageSize, "5242ba1fed5e4be9e1e742405eb56ca4"}, count: 100_000},
}
