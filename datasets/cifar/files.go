package cifar

import (
	"github.com/puclab/puclab/datasets/internal/content"
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
	archive     string // name of the official archive
	archiveSize int64
	archiveSum  content.Sum
	folder      string // in which the archive holds the files
	labelBytes  int    // before the pixels of a record; the last one is the class
	classes     []string
	superclass  []int // of each class, nil in a set without
	parts       map[Part]part
}

// part says how many images each file of a part holds, and each class of the part.
type part struct {
	files    []string
	images   int // in each file
	perClass int // in all of them
}

func (f format) recordSize() int { return f.labelBytes + imageSize }

func (f format) fileSize(p part) int64 { return int64(p.images) * int64(f.recordSize()) }

// The size and SHA-256 of the archive of CIFAR-10 are those that TensorFlow Datasets pins, and its MD5 is the one on the
// authors' page; those of CIFAR-100 are pinned by several libraries.
func format10() format {
	return format{
		archive:     "cifar-10-binary.tar.gz",
		archiveSize: 170_052_171,
		archiveSum:  "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
		folder:      "cifar-10-batches-bin",
		labelBytes:  1,
		classes:     Classes10(),
		parts: map[Part]part{
			Train: {
				files: []string{
					"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin",
				},
				images: 10_000, perClass: 5_000,
			},
			Test: {files: []string{"test_batch.bin"}, images: 10_000, perClass: 1_000},
		},
	}
}

func format100() format {
	return format{
		archive:     "cifar-100-binary.tar.gz",
		archiveSize: 168_513_733,
		archiveSum:  "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
		folder:      "cifar-100-binary",
		labelBytes:  2,
		classes:     Classes100(),
		superclass:  Superclass100(),
		parts: map[Part]part{
			Train: {files: []string{"train.bin"}, images: 50_000, perClass: 500},
			Test:  {files: []string{"test.bin"}, images: 10_000, perClass: 100},
		},
	}
}
