package folder

import (
	"context"
	"fmt"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/check"
)

// Load reads all images into memory, in parallel, with a deterministic result. If files cannot be read, it still tries
// all others and returns one error that lists the broken ones, each with its cause: the first 20 and the number of the
// others. [Set.LoadReadable] omits them instead. Canceling ctx stops the reading.
func (s *Set) Load(ctx context.Context) (*datasets.Images, error) {
	images, broken, err := s.load(ctx)
	if err == nil {
		err = check.List(s.count(broken)+"; replace or remove them, or use LoadReadable", broken.list())
	}
	if err != nil {
		return nil, err
	}
	return images, nil
}

// LoadReadable reads all readable images into memory, in parallel. The result readable is the set of their files, in
// the order of images, so that readable.Path(i) is the file of image i; without broken files it is s itself. The result
// broken has an error for every other file, with its path and cause, in the order of s. It is an error if no image of a
// non-empty class can be read. Canceling ctx stops the reading.
func (s *Set) LoadReadable(ctx context.Context) (images *datasets.Images, readable *Set, broken []error, err error) {
	images, errs, err := s.load(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	readable, broken, err = s.without(errs)
	if err != nil || len(broken) == 0 {
		return images, readable, broken, err
	}
	kept := 0
	for i, err := range errs {
		if err == nil {
			copy(images.At(kept), images.At(i))
			kept++
		}
	}
	height, width, channels := s.Shape()
	images.Pixels = slices.Clip(images.Pixels[:kept*height*width*channels])
	images.Labels = slices.Clone(readable.Labels)
	return images, readable, broken, nil
}

// Readable decodes all images once, in parallel, and returns the set of readable files in the same order, for
// datasets.Stream and training from files. It holds few images at a time. The result broken and the errors are as in
// [Set.LoadReadable].
func (s *Set) Readable(ctx context.Context) (readable *Set, broken []error, err error) {
	source := &tolerant{s, make(failures, s.Len())}
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	for _, err := range datasets.Stream(ctx, source, rows, 0) {
		if err != nil {
			return nil, nil, err
		}
	}
	return s.without(source.errs)
}

// load reads all readable images; the pixels of the others are undefined.
func (s *Set) load(ctx context.Context) (*datasets.Images, failures, error) {
	source := &tolerant{s, make(failures, s.Len())}
	images, err := datasets.Collect(ctx, source, s.Labels, s.Classes, 0)
	return images, source.errs, err
}

// failures has one entry per image of a set: the error of reading it, or nil.
type failures []error

// list returns the errors that are not nil.
func (f failures) list() []error {
	return slices.DeleteFunc(slices.Clone(f), func(err error) bool { return err == nil })
}

// tolerant is a set that records the errors of its images and continues.
type tolerant struct {
	*Set
	errs failures
}

// ReadImage reads image i. Several goroutines may read different images at once.
func (s *tolerant) ReadImage(i int, dst []uint8) error {
	s.errs[i] = s.Set.ReadImage(i, dst)
	return nil
}

// count returns a text with the number of unreadable images.
func (s *Set) count(errs failures) string {
	return fmt.Sprintf("folder: %d of %d image files cannot be read", len(errs.list()), s.Len())
}

// without returns the set of the images without an error, and the errors of the others.
func (s *Set) without(errs failures) (*Set, []error, error) {
	broken := errs.list()
	if len(broken) == 0 {
		return s, nil, nil
	}
	out := &Set{Classes: slices.Clone(s.Classes), cfg: s.cfg}
	left := make([]bool, len(s.Classes))
	for i, err := range errs {
		if err == nil {
			left[s.Labels[i]] = true
			out.files, out.Labels = append(out.files, s.files[i]), append(out.Labels, s.Labels[i])
		}
	}
	for _, class := range s.Labels {
		if !left[class] {
			what := fmt.Sprintf("%s, none of the class %s can", s.count(errs), s.Classes[class])
			return nil, nil, check.List(what, broken)
		}
	}
	return out, broken, nil
}
