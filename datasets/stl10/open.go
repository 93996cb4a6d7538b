// Package stl10 reads STL-10 in its binary form: color images of 96×96 pixels, 5,000 for training and 8,000 for testing
// in ten classes, and 100,000 more without a class.
//
// [Load] reads a part into memory. [Open] leaves it on disk, because the unlabeled part has 2.8 GB, and reads one image
// at a time. Its result is a datasets.Source, so datasets.Stream reads it ahead in parallel, in any order.
//
// Source: Coates, Lee and Ng, "An Analysis of Single-Layer Networks in Unsupervised Feature Learning", AISTATS 2011.
package stl10

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/content"
)

// Options sets what [Load] and [Open] accept. The zero value accepts only the published files, by MD5.
type Options struct {
	// AnyContent accepts files of the correct size with any images; Open then does not read the whole file first. The
	// labels must still be classes, and each class must have as many images as in the published part: 500 in Train, 800
	// in Test.
	AnyContent bool
}

// Set is one part of STL-10 on disk. It is a datasets.Source. Close it after use.
type Set struct {
	// Labels holds the class of each image. In the unlabeled part all are 0.
	Labels []int
	// Classes holds the names of [Classes], or only [UnlabeledClass].
	Classes []string

	name    string
	file    fs.File
	at      io.ReaderAt
	buffers sync.Pool // of imageSize bytes
}

// Load reads one part into memory, once: 138 MB for Train, 221 MB for Test, 2.8 GB for Unlabeled. File names and errors
// are those of [Open].
func Load(fsys fs.FS, which Part, opts Options) (*datasets.Images, error) {
	if err := partNames.Check(which); err != nil {
		return nil, err
	}
	return parts[which].load(fsys, opts)
}

// Open opens one part of STL-10 from the files train_X.bin and train_y.bin, test_X.bin and test_y.bin, or
// unlabeled_X.bin, in the root of fsys or in its folder stl10_binary. Images are 96×96×3 and upright, classes start
// from 0.
//
// The file of images is read once to verify it, unless opts.AnyContent is set; memory holds at most one image. Errors
// name the file, the fault and, for a wrong label, its place. If a file is missing the error wraps fs.ErrNotExist.
// Files of fsys must implement io.ReaderAt, as those of os.DirFS do; Load does not require it.
func Open(fsys fs.FS, which Part, opts Options) (*Set, error) {
	if err := partNames.Check(which); err != nil {
		return nil, err
	}
	return parts[which].open(fsys, opts)
}

func (p part) open(fsys fs.FS, opts Options) (set *Set, err error) {
	defer check.Prefix(&err, "stl10")
	set, err = p.describe(fsys, opts)
	if err != nil {
		return nil, err
	}
	if err := content.Check(fsys, set.name, p.images.size, p.images.sum); err != nil {
		return nil, err
	}
	if set.file, err = fsys.Open(set.name); err != nil {
		return nil, err
	}
	var ok bool
	if set.at, ok = set.file.(io.ReaderAt); !ok {
		return nil, errors.Join(fmt.Errorf("%s cannot be read from the middle in this file system: use Load, "+
			"or unpack it to a folder", set.name), set.file.Close())
	}
	return set, nil
}

// describe reads the labels and finds the file of images. If opts accept any content, it clears the checksums of p.
func (p *part) describe(fsys fs.FS, opts Options) (set *Set, err error) {
	if opts.AnyContent {
		p.images.sum, p.labels.sum = "", ""
	}
	set = &Set{Classes: Classes()}
	set.buffers.New = func() any { return new([imageSize]byte) }
	if set.name, err = find(fsys, p.images.name); err != nil {
		return nil, err
	}
	if p.labels.name == "" {
		set.Labels, set.Classes = make([]int, p.count), []string{UnlabeledClass}
		return set, nil
	}
	name, err := find(fsys, p.labels.name)
	if err != nil {
		return nil, err
	}
	data, err := content.ReadFile(fsys, name, p.labels.size, p.labels.sum)
	if err != nil {
		return nil, err
	}
	for i, label := range data {
		if label < 1 || int(label) > len(set.Classes) {
			return nil, fmt.Errorf("%s, byte %d: label %d, but labels are 1 to %d", name, i, label, len(set.Classes))
		}
		set.Labels = append(set.Labels, int(label)-1)
	}
	if err := check.Counts(name, set.Labels, set.Classes, p.perClass); err != nil {
		return nil, err
	}
	return set, nil
}

// find returns the name of the file in fsys.
func find(fsys fs.FS, name string) (string, error) {
	nowhere := content.Missing(fmt.Sprintf("no %s, neither here nor in a folder %s", name, folder))
	nowhere = nowhere.Explain(fsys, "get "+folder+".tar.gz, the binary version, and unpack it",
		content.Variant{Kind: "an archive", Names: []string{folder + ".tar.gz"}},
		content.Variant{Kind: "the Matlab version", Names: []string{"stl10_matlab.tar.gz", "stl10_matlab",
			"train.mat", "test.mat", "unlabeled.mat"}})
	return content.First(fsys, nowhere, name, path.Join(folder, name))
}

// Len returns the number of images.
func (s *Set) Len() int { return len(s.Labels) }

// Shape returns the size of an image, 96×96×3.
func (s *Set) Shape() (height, width, channels int) { return side, side, 3 }

// ReadImage reads image i from the file, turns it upright and writes it to dst. It is safe for concurrent use.
func (s *Set) ReadImage(i int, dst []uint8) (err error) {
	defer check.Prefix(&err, "stl10")
	if err := check.Image(i, s.Len(), len(dst), imageSize); err != nil {
		return err
	}
	buffer := s.buffers.Get().(*[imageSize]byte)
	defer s.buffers.Put(buffer)
	n, err := s.at.ReadAt(buffer[:], int64(i)*imageSize)
	if n < imageSize { // at the end of a file a full read may return io.EOF
		return fmt.Errorf("%s, image %d: %w", s.name, i, err)
	}
	upright(dst, buffer[:])
	return nil
}

// Load reads all images into memory, in parallel.
func (s *Set) Load(ctx context.Context) (*datasets.Images, error) {
	return datasets.Collect(ctx, s, s.Labels, s.Classes, 0)
}

// Close closes the file.
func (s *Set) Close() error { return s.file.Close() }

// load reads images one after the other and computes their sum meanwhile, so that the file is read only once.
func (p part) load(fsys fs.FS, opts Options) (images *datasets.Images, err error) {
	defer check.Prefix(&err, "stl10")
	set, err := p.describe(fsys, opts)
	if err != nil {
		return nil, err
	}
	err = content.With(fsys, set.name, p.images.size, p.images.sum, func(r io.Reader) error {
		images = &datasets.Images{Height: side, Width: side, Channels: 3,
			Pixels: make([]uint8, p.images.size), Labels: set.Labels, Classes: set.Classes}
		buffer := make([]uint8, imageSize)
		for i := range p.count {
			if _, err := io.ReadFull(r, buffer); err != nil {
				return fmt.Errorf("%s, image %d: %w", set.name, i, err)
			}
			upright(images.At(i), buffer)
		}
		return images.Validate()
	})
	if err != nil {
		return nil, err
	}
	return images, nil
}

// upright converts three planes of columns into rows of pixels with three adjacent values.
func upright(pixels, planes []uint8) {
	for y := range side {
		row := pixels[3*side*y : 3*side*(y+1)]
		for x := range side {
			from := side*x + y
			row[3*x], row[3*x+1], row[3*x+2] = planes[from], planes[plane+from], planes[2*plane+from]
		}
	}
}
