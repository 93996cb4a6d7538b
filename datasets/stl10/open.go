// Package stl10 reads STL-10 in its binary form: color images of 96×96 pixels, 5,000 to learn from and 8,000 to test on
// in ten classes, and 100,000 more without a class.
//
// [Load] reads a part into memory. [Open] leaves it on disk and reads one image at a time: the unlabeled part has 2.8 GB.
// What Open gives is a datasets.Source, so datasets.Stream reads it ahead in parallel, in any order.
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

// Options says what [Load] and [Open] accept. The zero value accepts the published files only, by MD5.
type Options struct {
	// AnyContent accepts files of the right size whatever images they hold, and saves Open the reading of the whole file.
	// The labels have to be classes all the same, and each class must have as many images as in the published part: 500
	// in Train, 800 in Test.
	AnyContent bool
}

// Set is one part of STL-10 on disk. It is a datasets.Source. Close it after use.
type Set struct {
	// Labels gives the class of each image. In the unlabeled part all are 0.
	Labels []int
	// Classes names the classes: those of [Classes], or the only [UnlabeledClass].
	Classes []string

	name    string
	file    fs.File
	at      io.ReaderAt
	buffers sync.Pool // of imageSize bytes
}

// Load reads one part into memory, once: 138 MB for Train, 221 MB for Test, 2.8 GB for Unlabeled. The names of the files
// and the errors are those of [Open].
func Load(fsys fs.FS, which Part, opts Options) (*datasets.Images, error) {
	if err := partNames.Check(which); err != nil {
		return nil, err
	}
	return parts[which].load(fsys, opts)
}

// Open opens one part of STL-10, of which fsys holds the files train_X.bin and train_y.bin, test_X.bin and test_y.bin, or
// unlabeled_X.bin, in its root or in its folder stl10_binary. Images are 96×96×3 and upright, classes start from 0.
//
// The file of images is read once to check it, unless opts.AnyContent is set; no more than one image at a time is in
// memory. Errors name the file, what is wrong and, for a wrong label, its place. Where a file is missing the error wraps
// fs.ErrNotExist. Files of fsys have to implement io.ReaderAt, as those of os.DirFS do; Load does without.
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

// describe reads the labels and finds the file of images. Where opts accept any content, p forgets its checksums.
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

// find returns the name by which fsys has the file.
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

// ReadImage reads image i from the file, turns it upright and writes it to dst. Several goroutines may read at once.
func (s *Set) ReadImage(i int, dst []uint8) (err error) {
	defer check.Prefix(&err, "stl10")
	if err := check.Image(i, s.Len(), len(dst), imageSize); err != nil {
		return err
	}
	buffer := s.buffers.Get().(*[imageSize]byte)
	defer s.buffers.Put(buffer)
	n, err := s.at.ReadAt(buffer[:], int64(i)*imageSize)
	if n < imageSize { // at the end of a file a full read may come with io.EOF
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

// load reads images one after the other and checks their sum on the way, so that the file is read once only.
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

// upright turns three planes of columns into rows of pixels with three values side by side.
func upright(pixels, planes []uint8) {
	for y := range side {
		row := pixels[3*side*y : 3*side*(y+1)]
		for x := range side {
			from := side*x + y
			row[3*x], row[3*x+1], row[3*x+2] = planes[from], planes[plane+from], planes[2*plane+from]
		}
	}
}
