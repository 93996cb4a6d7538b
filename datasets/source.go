package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puclab/puclab/datasets/internal/check"
)

// Source provides the images of a set one at a time, from memory or from files. All images have one size. ReadImage
// must be safe for concurrent use.
//
// A package that takes images need not import this one: it can declare an interface with the same methods, which every
// Source implements.
type Source interface {
	// Len returns the number of images.
	Len() int
	// Shape returns the size of every image.
	Shape() (height, width, channels int)
	// ReadImage writes the pixels of image i to dst, which has the size of exactly one image, in the layout of
	// [Images].
	ReadImage(i int, dst []uint8) error
}

// Shape returns the size of an image. With it and ReadImage, Images implements [Source].
func (m *Images) Shape() (height, width, channels int) { return m.Height, m.Width, m.Channels }

// ReadImage copies the pixels of image i to dst.
func (m *Images) ReadImage(i int, dst []uint8) error {
	if err := check.Image(i, m.Len(), len(dst), m.imageSize()); err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	copy(dst, m.At(i))
	return nil
}

// pixelCount returns the number of bytes of n images of src; n is at least 1.
func pixelCount(n int, src Source) (int, error) {
	height, width, channels := src.Shape()
	if height < 1 || width < 1 || channels < 1 {
		return 0, errImageShape(height, width, channels)
	}
	size, ok := check.Product(n, height, width, channels)
	if !ok {
		return 0, fmt.Errorf("datasets: %d images of %d×%d×%d are more bytes than this machine can address", n, height, width, channels)
	}
	return size, nil
}

// imageAt returns the part of pixels that holds image i, of images of size bytes.
func imageAt(pixels []uint8, i, size int) []uint8 { return pixels[i*size : (i+1)*size : (i+1)*size] }

// inParallel calls do for 0 to n-1 from the given number of goroutines, 0 meaning one per processor, and returns the
// error of the smallest failing number. After an error, and once ctx is done, it starts no more calls; a canceled ctx
// gives its cause.
func inParallel(ctx context.Context, n, workers int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for !failed.Load() && ctx.Err() == nil {
			// Numbers are handed out in order and each one is completed, so the smallest failing number is always
			// tried.
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = do(i); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	var group sync.WaitGroup
	for range min(atLeastOne(workers), n) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return cmp.Or(cmp.Or(errs...), context.Cause(ctx))
}

// Collect reads a whole source into memory. Each image is read directly to its place, so the pixels are held once.
//
// Image i gets the class labels[i], and classes names the classes; the result has copies of both. The given number of
// goroutines, 0 meaning one per processor, reads the images; the result does not depend on it. If images cannot be
// read, the error is that of the first one. Canceling ctx ends the reading with its cause.
func Collect(ctx context.Context, src Source, labels []int, classes []string, workers int) (*Images, error) {
	if src == nil {
		return nil, errors.New("datasets: no source given to collect")
	}
	if len(labels) != src.Len() {
		return nil, fmt.Errorf("datasets: %d labels for %d images: give one for each", len(labels), src.Len())
	}
	size, err := pixelCount(len(labels), src)
	if err != nil {
		return nil, err
	}
	out := &Images{Pixels: make([]uint8, size), Labels: slices.Clone(labels), Classes: slices.Clone(classes)}
	out.Height, out.Width, out.Channels = src.Shape()
	err = inParallel(ctx, len(labels), workers, func(i int) error { return src.ReadImage(i, out.At(i)) })
	if err := cmp.Or(err, out.Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

// Stream reads the images of the given rows of src, in that order, ahead of the caller: the given number of images at a
// time, each in its own goroutine, 0 meaning one per processor. The result does not depend on the number.
//
// The slice of pixels is valid until the next iteration; copy it to keep it. An unreadable image and a canceled ctx end
// the loop with an error. No goroutine outlives the loop.
func Stream(ctx context.Context, src Source, rows []int, workers int) iter.Seq2[[]uint8, error] {
	return func(yield func([]uint8, error) bool) {
		if src == nil {
			yield(nil, errors.New("datasets: no source given to stream"))
			return
		}
		size, err := pixelCount(1, src)
		if err != nil {
			yield(nil, err)
			return
		}
		var group sync.WaitGroup
		defer group.Wait()
		// One slot more than images read at a time, for the caller's current image.
		type slot struct {
			pixels []uint8
			read   chan error
		}
		slots := make([]slot, min(atLeastOne(workers), len(rows))+1)
		begin := func(p int) {
			if p < len(rows) {
				s := slots[p%len(slots)]
				group.Go(func() { s.read <- src.ReadImage(rows[p], s.pixels) })
			}
		}
		for p := range slots {
			slots[p] = slot{make([]uint8, size), make(chan error, 1)}
		}
		for p := range len(slots) - 1 {
			begin(p)
		}
		for p := range rows {
			s, err := slots[p%len(slots)], context.Cause(ctx)
			if err == nil {
				select {
				case <-ctx.Done():
					err = context.Cause(ctx)
				case err = <-s.read:
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			begin(p + len(slots) - 1)
			if !yield(s.pixels, nil) {
				return
			}
		}
	}
}

// atLeastOne returns workers, or the number of processors if workers is not positive.
func atLeastOne(workers int) int { return cmp.Or(max(workers, 0), runtime.GOMAXPROCS(0)) }
