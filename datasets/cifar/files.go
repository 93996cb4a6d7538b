package cifar

import (
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Part is one of the two parts in which both sets are published.
type Part int

// The parts of CIFAR-10 and CIFAR-100.
const (
	Train Part = iota // 50,000 images
	Test              // 10,000 images
)

var partNames = enum.Names[Part]{Names: []string{"train", "test"}}

// String returns "train" or "test".
func (p Part) String() string { return partNames.String(p) }

// Every image is 32×32 pixels: 1,024 bytes of red, then as many of green and of blue, each plane row by row.
const (
	side      = 32
	plane     = side * side
	imageSize = 3 * plane
)

// sumsFile is where checksums of the .bin files may stand, beside them.
const sumsFile = "SHA256SUMS"

// format describes the files of one of the two sets.
type format struct {
	archive    datasets.Archive // the official one, and the folder in which it holds the files
	labelBytes int              // before the pixels of a record; the last one is the class
	classes    []string
	superclass []int // of each class, nil in a set without
	parts      map[Part]part
}

// part says how many images each file of a part holds, and each class of the part.
type part struct {
	files    []string
	images   int // in each file
	perClass int // in all of them
}

func (f format) recordSize() int { return f.labelBytes + imageSize }

func (f format) fileSize(p part) int64 { return int64(p.images) * int64(f.recordSize()) }

// published returns the official archive of the named set, one of those that package datasets has.
func published(name string) datasets.Archive {
	a, err := datasets.FindArchive(name)
	if err != nil {
		panic(err)
	}
	return a
}

func format10() format {
	return format{archive: published(Name10), labelBytes: 1, classes: Classes10(), parts: map[Part]part{
		Train: {[]string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
			10_000, 5_000},
		Test: {[]string{"test_batch.bin"}, 10_000, 1_000},
	}}
}

func format100() format {
	return format{archive: published(Name100), labelBytes: 2, classes: Classes100(), superclass: Superclass100(),
		parts: map[Part]part{Train: {[]string{"train.bin"}, 50_000, 500}, Test: {[]string{"test.bin"}, 10_000, 100}}}
}
