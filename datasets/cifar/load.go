// Package cifar reads CIFAR-10 and CIFAR-100 in their binary form: 60,000 color images of 32×32 pixels each, 50,000 for
// training and 10,000 for testing, in ten classes or in a hundred classes that belong to twenty superclasses.
//
// [Load10] and [Load100] take any file system with the official archive (cifar-10-binary.tar.gz or
// cifar-100-binary.tar.gz) or its .bin files. The archive's SHA-256 is published, so its content is verified. None is
// published for the .bin files: see [Options] for their verification.
//
// Source: Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", technical report, University of Toronto,
// 2009.
package cifar

import (
	"cmp"
	"io/fs"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/enum"
)

// Part is the training or the test part of both sets.
type Part int

// The parts of CIFAR-10 and CIFAR-100.
const (
	Train Part = iota // 50,000 images
	Test              // 10,000 images
)

var partNames = enum.Names[Part]{Unknown: "unknown part", Names: []string{"train", "test"}}

// String returns "train" or "test".
func (p Part) String() string { return partNames.String(p) }

// Every image is 32×32 pixels: 1,024 bytes of red, then as many of green and of blue, each plane row by row.
const (
	side      = 32
	plane     = side * side
	imageSize = 3 * plane
)

// sumsFile is the optional file of checksums beside the .bin files.
const sumsFile = "SHA256SUMS"

// format describes the files of one of the two sets.
type format struct {
	archive    datasets.Archive // the official archive, with the folder of the files in it
	labelBytes int              // before the pixels of a record; the last one is the class
	classes    []string
	superclass []int // of each class; nil without superclasses
	parts      map[Part]part
}

// part holds the numbers of images in each file and of each class of a part.
type part struct {
	files    []string
	images   int // in each file
	perClass int // in all of them
}

func (f format) recordSize() int { return f.labelBytes + imageSize }

func (f format) fileSize(p part) int64 { return int64(p.images) * int64(f.recordSize()) }

// published returns the official archive of the named set from package datasets.
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

// Options sets what [Load10] and [Load100] accept. The zero value accepts only verified content.
//
// Data from an archive are always verified by SHA-256. For separate .bin files no checksum is published; they are
// accepted if a file SHA256SUMS beside them, in the format of sha256sum, has a line with the correct sum for each.
type Options struct {
	// AnyContent accepts .bin files of the correct size and form with any content, for example CIFAR-10 rebuilt from
	// JPEG copies. Sums in a file SHA256SUMS must still agree.
	AnyContent bool
}

// Load10 reads one part of CIFAR-10 from fsys: from the .bin files data_batch_1.bin to data_batch_5.bin, or
// test_batch.bin, in its root or in its folder cifar-10-batches-bin, or from the archive cifar-10-binary.tar.gz. The
// archive has priority unless opts.AnyContent is set. Images are 32×32×3, in the order of the files, and classes are
// numbered as in [Classes10].
//
// Errors name the file, the fault and, for a wrong label, the image. If the files are missing the error wraps
// fs.ErrNotExist. Every part has equally many images of each class; files with other counts are rejected.
func Load10(fsys fs.FS, which Part, opts Options) (*datasets.Images, error) {
	set, _, err := format10().load(fsys, which, opts)
	return set, err
}

// Load100 reads one part of CIFAR-100 from fsys: from the file train.bin or test.bin, in its root or in its folder
// cifar-100-binary, or from the archive cifar-100-binary.tar.gz. The search order and the errors are as in [Load10].
//
// The images are returned twice, with the hundred classes of [Classes100] and with the twenty of [Superclasses100];
// both sets share one slice of pixels. An image whose class does not belong to its superclass is an error.
func Load100(fsys fs.FS, which Part, opts Options) (fine, coarse *datasets.Images, err error) {
	fine, super, err := format100().load(fsys, which, opts)
	if err != nil {
		return nil, nil, err
	}
	coarse = &datasets.Images{Height: side, Width: side, Channels: 3, Pixels: fine.Pixels, Labels: super, Classes: Superclasses100()}
	return fine, coarse, coarse.Validate()
}

// load returns the images by class, and the superclass of each if the set has superclasses.
func (f format) load(fsys fs.FS, which Part, opts Options) (set *datasets.Images, super []int, err error) {
	defer check.Prefix(&err, "cifar")
	if err := partNames.Check(which); err != nil {
		return nil, nil, err
	}
	p := f.parts[which]
	folder, err := f.find(fsys, p.files[0])
	_, archiveErr := fs.Stat(fsys, f.archive.File.Name)
	switch {
	case archiveErr == nil && (err != nil || !opts.AnyContent):
		set, super, err = f.fromArchive(fsys, p)
	case err == nil:
		set, super, err = f.fromFiles(fsys, folder, p, opts)
	}
	if err != nil {
		return nil, nil, err
	}
	// Changed labels are detected: by the authors' description each class has the same number of images.
	err = cmp.Or(set.Validate(), check.Counts(p.files[0]+" and its like", set.Labels, f.classes, p.perClass))
	if err != nil {
		return nil, nil, err
	}
	return set, super, nil
}
