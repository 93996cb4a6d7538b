package datasets

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
)

// Source gives the images of a set one at a time, be they in memory or in files too large for it. All its images have
// one size. Several goroutines may call ReadImage at once.
type Source interface {
	// Len returns the number of images.
	Len() int
	// Shape returns the size of every image.
	Shape() (height, width, channels int)
	// ReadImage writes the pixels of image i to dst, which has room for exactly one image, in the layout of [Images].
	ReadImage(i int, dst []uint8) error
}

// Shape returns the size of an image. With it and ReadImage a set in memory is a [Source] too.
func (m *Images) Shape() (height, width, channels int) { return m.Height, m.Width, m.Channels }

// ReadImage copies the pixels of image i to dst.
func (m *Images) ReadImage(i int, dst []uint8) error {
	if i < 0 || i >= m.Len() {
		return fmt.Errorf("datasets: there is no image %d: the set has %d images, numbered from 0", i, m.Len())
	}
	if len(dst) != m.imageSize() {
		return fmt.Errorf("datasets: room for %d pixel values given, but an image has %d", len(dst), m.imageSize())
	}
	copy(dst, m.At(i))
	return nil
}

// Collect reads a whole source into memory. It holds the pixels once: each image is read straight to its place.
//
// Image i gets the class labels[i], and classes names the classes; the result has copies of both. The images are read by workers goroutines, 0 meaning
// one per processor; the result does not depend on how many. Where images cannot be read, the error is that of the first
// of them. Canceling ctx ends the reading with its cause.
func Collect(ctx context.Context, src Source, labels []int, classes []string, workers int) (*Images, error) {
	if src == nil {
		return nil, errors.New("datasets: no source given to collect")
	}
	height, width, channels := src.Shape()
	out := &Images{Height: height, Width: width, Channels: channels,
		Labels: slices.Clone(labels), Classes: slices.Clone(classes)}
	if len(labels) != src.Len() {
		return nil, fmt.Errorf("datasets: %d labels for %d images: give one for each", len(labels), src.Len())
	}
	if height < 1 || width < 1 || channels < 1 {
		return nil, fmt.Errorf("datasets: images of %d×%d×%d (height×width×channels): every size must be at least 1",
			height, width, channels)
	}
	size, ok := product(len(labels), height, width, channels)
	if !ok {
		return nil, fmt.Errorf("datasets: %d images of %d×%d×%d are more bytes than this machine can address",
			len(labels), height, width, channels)
	}
	out.Pixels = make([]uint8, size)
	workers = min(atLeastOne(workers), max(1, len(labels)))

	var (
		group sync.WaitGroup
		mu    sync.Mutex // guards next, failed and cause
		next  int
		// The images are handed out in order and every one handed out is read to its end, so of all images that cannot
		// be read the first one is always among those tried.
		failed = len(labels)
		cause  error
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(labels) || cause != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range workers {
		group.Go(func() {
			for {
				i, more := take()
				if !more {
					return
				}
				if err := src.ReadImage(i, out.At(i)); err != nil {
					mu.Lock()
					if i < failed {
						failed, cause = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	if cause != nil {
		return nil, cause
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := out.Validate(); err != nil {
		return nil, err
	}
	return out, nil
}

// Stream reads the images of the given rows of src, in that order, while the caller works on earlier ones: workers
// goroutines, 0 meaning one per processor, read up to 2·workers images ahead. What comes does not depend on how many.
//
// The slice of pixels is good until the next turn of the loop; copy what is to be kept. An image that cannot be read and
// a canceled ctx end the loop with an error. All goroutines have ended when the loop has, however it ends.
func Stream(ctx context.Context, src Source, rows []int, workers int) iter.Seq2[[]uint8, error] {
	return func(yield func([]uint8, error) bool) {
		if src == nil {
			yield(nil, errors.New("datasets: no source given to stream"))
			return
		}
		height, width, channels := src.Shape()
		size, ok := product(max(0, height), max(0, width), max(0, channels))
		if !ok || size == 0 {
			yield(nil, fmt.Errorf("datasets: cannot stream images of %d×%d×%d (height×width×channels)", height, width,
				channels))
			return
		}
		workers := min(atLeastOne(workers), max(1, len(rows)))
		ahead := min(2*workers, len(rows))

		// The image at position p goes through slot p mod ahead: a slot is handed out again only after the caller is
		// done with it, so at any time at most ahead images are in memory.
		type slot struct {
			pixels []uint8
			err    error
			ready  chan struct{}
		}
		slots := make([]slot, ahead)
		todo := make(chan int, ahead)
		for p := range slots {
			slots[p] = slot{pixels: make([]uint8, size), ready: make(chan struct{}, 1)}
			todo <- p
		}
		ctx, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer close(todo)
		defer cancel()
		for range workers {
			group.Go(func() {
				for p := range todo {
					if ctx.Err() != nil {
						continue // empties the queue
					}
					s := &slots[p%ahead]
					s.err = src.ReadImage(rows[p], s.pixels)
					s.ready <- struct{}{}
				}
			})
		}
		for p := range rows {
			s := &slots[p%ahead]
			select {
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			case <-s.ready:
			}
			if s.err != nil {
				yield(nil, s.err)
				return
			}
			if !yield(s.pixels, nil) {
				return
			}
			if p+ahead < len(rows) {
				todo <- p + ahead // never waits: at most ahead positions are under way
			}
		}
	}
}

func atLeastOne(workers int) int {
	if workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}
