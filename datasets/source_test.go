package datasets

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// slow is a source of images that hold their number and take different times to read.
type slow struct {
	n    int
	bad  []int // these cannot be read
	read atomic.Int64
	most atomic.Int64 // images read at once
	now  atomic.Int64
}

func (s *slow) Len() int { return s.n }

func (s *slow) Shape() (height, width, channels int) { return 1, 2, 1 }

func (s *slow) ReadImage(i int, dst []uint8) error {
	s.read.Add(1)
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	time.Sleep(time.Duration((i*7)%5) * time.Millisecond)
	if slices.Contains(s.bad, i) {
		return fmt.Errorf("image %d is bad", i)
	}
	dst[0], dst[1] = uint8(i), uint8(i+100)
	return nil
}

func TestStreamKeepsTheOrder(t *testing.T) {
	rows := []int{9, 3, 3, 0, 7, 1, 2, 8, 6, 5, 4, 9, 0, 0, 7}
	for _, workers := range []int{0, 1, 2, 3, 50} {
		synctest.Test(t, func(t *testing.T) {
			src := &slow{n: 10}
			var got []int
			for pixels, err := range Stream(t.Context(), src, rows, workers) {
				expect.NoError(t, err)
				expect.That(t, pixels[1] == pixels[0]+100, "pixels %v", pixels)
				got = append(got, int(pixels[0]))
			}
			expect.That(t, slices.Equal(got, rows), "%d workers: images %v, want %v", workers, got, rows)
			if most := src.most.Load(); workers > 1 && most < 2 || workers > 0 && most > int64(workers) {
				t.Errorf("%d workers read %d images at once", workers, most)
			}
		})
	}
}

// The reader is at most as many images ahead of the caller as it reads at a time.
func TestStreamReadsNotTooFarAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &slow{n: 100}
		rows := make([]int, 100)
		seen := 0
		for _, err := range Stream(t.Context(), src, rows, 3) {
			expect.NoError(t, err)
			seen++
			synctest.Wait()
			time.Sleep(time.Second)
			ahead := int(src.read.Load()) - seen
			expect.Require(t, ahead <= 3, "%d images ahead", ahead)
		}
		expect.That(t, seen == 100, "%d images, want 100", seen)
	})
}

func TestStreamErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []int
		var failure error
		for pixels, err := range Stream(t.Context(), &slow{n: 10, bad: []int{4, 6}}, []int{1, 2, 6, 3, 4}, 4) {
			if err != nil {
				failure = err
				continue // a continued loop must get no more images
			}
			got = append(got, int(pixels[0]))
		}
		expect.That(t, slices.Equal(got, []int{1, 2}), "images %v before the first bad one, want [1 2]", got)
		expect.Error(t, failure, "image 6 is bad")
	})
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		n := 0
		var failure error
		for _, err := range Stream(ctx, &slow{n: 10}, []int{0, 1, 2, 3, 4, 5, 6, 7}, 2) {
			if failure = err; err == nil {
				if n++; n == 3 {
					cancel(reason)
				}
			}
		}
		expect.That(t, n >= 3 && n != 8 && errors.Is(failure, reason), "%d images, error %v", n, failure)
	})
	for range 20 { // a canceled loop ends at once, even if the next image is ready
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := 0
			for _, err := range Stream(ctx, &slow{n: 10}, []int{0, 1, 2, 3}, 2) {
				if err == nil {
					n++
					time.Sleep(time.Second)
					cancel()
				}
			}
			expect.That(t, n == 1, "%d images, want the one before the end", n)
		})
	}
	for _, err := range Stream(t.Context(), &Images{}, []int{0}, 1) {
		expect.Error(t, err, "0×0×0")
	}
	for _, err := range Stream(t.Context(), six(), []int{6}, 1) {
		expect.Error(t, err, "no image 6", "6 images")
	}
	for range Stream(t.Context(), six(), nil, 0) {
		t.Error("an image of no rows")
	}
}

func TestStreamOfNoSource(t *testing.T) {
	turns := 0
	for pixels, err := range Stream(t.Context(), nil, []int{0}, 1) {
		turns++
		expect.Error(t, err, "no source")
		expect.That(t, pixels == nil, "pixels %v in spite of the error", pixels)
	}
	expect.That(t, turns == 1, "%d turns of the loop, want 1 with the error", turns)
}

// A loop left early leaves no goroutine behind; synctest fails the test otherwise.
func TestStreamLeftEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		for range Stream(t.Context(), &slow{n: 10}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4) {
			break
		}
		expect.Equal(t, runtime.NumGoroutine(), before, "goroutines")
	})
}

func TestCollect(t *testing.T) {
	labels, classes := []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, []string{"a", "b"}
	for _, workers := range []int{0, 1, 3, 100} {
		got := expect.Must(Collect(t.Context(), &slow{n: 10}, labels, classes, workers))(t)
		for i := range 10 {
			at := got.At(i)
			expect.That(t, at[0] == uint8(i) && at[1] == uint8(i+100), "%d workers: image %d is %v", workers, i, at)
		}
		expect.That(t, slices.Equal(got.Labels, labels) && slices.Equal(got.Classes, classes),
			"labels %v of %v", got.Labels, got.Classes)
	}
	own := expect.Must(Collect(t.Context(), &slow{n: 10}, labels, classes, 1))(t)
	own.Labels[0], own.Classes[0] = 1, "changed"
	expect.That(t, labels[0] == 0 && classes[0] == "a",
		"Collect shares its labels or classes with the caller, want copies")
	// Of two bad images the first is named, in any order of reading: image 5 takes no time, image 4 three milliseconds.
	for range 20 {
		_, err := Collect(t.Context(), &slow{n: 10, bad: []int{5, 4}}, labels, classes, 4)
		expect.Error(t, err, "image 4 is bad")
	}
	expect.Error(t, expect.Err(Collect(t.Context(), nil, nil, nil, 1)), "no source")
	expect.Error(t, expect.Err(Collect(t.Context(), &slow{n: 3}, labels, classes, 1)), "10 labels for 3 images")
	expect.Error(t, expect.Err(Collect(t.Context(), &slow{n: 10}, labels, classes[:1], 1)), "class 1", "1 classes")
	expect.Error(t, expect.Err(Collect(t.Context(), &Images{}, nil, nil, 1)), "0×0×0")
	canceled, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	cancel(reason)
	src := &slow{n: 10}
	if _, err := Collect(canceled, src, labels, classes, 2); !errors.Is(err, reason) || src.read.Load() != 0 {
		t.Errorf("canceled: error %v after %d images", err, src.read.Load())
	}
}

func TestImagesAreASource(t *testing.T) {
	m := six()
	var src Source = m
	h, w, c := src.Shape()
	expect.That(t, h == 1 && w == 2 && c == 1, "shape %d×%d×%d", h, w, c)
	dst := make([]uint8, 2)
	err := src.ReadImage(3, dst)
	expect.That(t, err == nil && slices.Equal(dst, []uint8{30, 31}), "image 3 is %v, error %v", dst, err)
	dst[0] = 9
	expect.That(t, m.Pixels[6] == 30, "ReadImage gave a view, want a copy")
	expect.Error(t, src.ReadImage(6, dst), "no image 6")
	expect.Error(t, src.ReadImage(-1, dst), "no image -1")
	expect.Error(t, src.ReadImage(0, dst[:1]), "room for 1", "has 2")
}
