package stl10

import (
	"slices"

	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/content"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Name is the name of the data set's folder within a folder for data sets.
const Name = "stl10"

// Part is one of the three parts in which STL-10 is published.
type Part int

// The parts of STL-10.
const (
	Train     Part = iota // 5,000 images, 500 of each class
	Test                  // 8,000 images, 800 of each class
	Unlabeled             // 100,000 images of these and other things, without classes
)

var partNames = enum.Names[Part]{Unknown: "stl10: unknown part", Names: []string{"train", "test", "unlabeled"}}

// String returns "train", "test" or "unlabeled".
func (p Part) String() string { return partNames.String(p) }

// Classes returns the names of the ten classes in the order of their numbers, which here start from 0; in the files they
// start from 1.
func Classes() []string { return slices.Clone(classes.STL10) }

// UnlabeledClass is the name of the one class that all images of the unlabeled part are given.
const UnlabeledClass = classes.STL10Unlabeled

// Every image is 96×96 pixels: a plane of red, one of green and one of blue, each column by column.
const (
	side      = 96
	plane     = side * side
	imageSize = 3 * plane
)

// folder is what the official archive unpacks to.
const folder = "stl10_binary"

type file struct {
	name string
	size int64
	sum  content.Sum
}

type part struct {
	images, labels file // labels has no name where there are none
	count          int
	perClass       int
}

// The MD5 sums are those by which torchvision knows the members of the archive.
var parts = map[Part]part{
	Train: {images: file{"train_X.bin", 5_000 * imageSize, "918c2871b30a85fa023e0c44e0bee87f"},
		labels: file{"train_y.bin", 5_000, "5a34089d4802c674881badbb80307741"}, count: 5_000, perClass: 500},
	Test: {images: file{"test_X.bin", 8_000 * imageSize, "7f263ba9f9e0b06b93213547f721ac82"},
		labels: file{"test_y.bin", 8_000, "36f9794fa4beb8a2c72628de14fa638e"}, count: 8_000, perClass: 800},
	Unlabeled: {images: file{"unlabeled_X.bin", 100_000 * imageSize, "5242ba1fed5e4be9e1e742405eb56ca4"}, count: 100_000},
}
