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
)

// slow is a source of images of one value, their number, that takes longer for some than for others.
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
				if err != nil {
					t.Fatal(err)
				}
				if pixels[1] != pixels[0]+100 {
					t.Errorf("pixels %v", pixels)
				}
				got = append(got, int(pixels[0]))
			}
			if !slices.Equal(got, rows) {
				t.Errorf("%d workers: images %v, want %v", workers, got, rows)
			}
			if most := src.most.Load(); workers > 1 && most < 2 || workers > 0 && most > int64(workers) {
				t.Errorf("%d workers read %d images at once", workers, most)
			}
		})
	}
}

// The reader stays at most as many images ahead of the caller as it reads at a time.
func TestStreamReadsNotTooFarAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &slow{n: 100}
		rows := make([]int, 100)
		seen := 0
		for _, err := range Stream(t.Context(), src, rows, 3) {
			if err != nil {
				t.Fatal(err)
			}
			seen++
			synctest.Wait()
			time.Sleep(time.Second)
			if ahead := int(src.read.Load()) - seen; ahead > 3 {
				t.Fatalf("%d images ahead", ahead)
			}
		}
		if seen != 100 {
			t.Errorf("%d images, want 100", seen)
		}
	})
}

func TestStreamErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []int
		var failure error
		for pixels, err := range Stream(t.Context(), &slow{n: 10, bad: []int{4, 6}}, []int{1, 2, 6, 3, 4}, 4) {
			if err != nil {
				failure = err
				continue // a loop that goes on must not see more
			}
			got = append(got, int(pixels[0]))
		}
		if !slices.Equal(got, []int{1, 2}) {
			t.Errorf("images %v before the first bad one, want [1 2]", got)
		}
		wantError(t, failure, "image 6 is bad")
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
		if n < 3 || n == 8 || !errors.Is(failure, reason) {
			t.Errorf("%d images, error %v", n, failure)
		}
	})
	for range 20 { // a canceled loop ends at once, though the next image is there already
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
			if n != 1 {
				t.Errorf("%d images, want the one before the end", n)
			}
		})
	}
	for _, err := range Stream(t.Context(), &Images{}, []int{0}, 1) {
		wantError(t, err, "0×0×0")
	}
	for _, err := range Stream(t.Context(), six(), []int{6}, 1) {
		wantError(t, err, "no image 6", "6 images")
	}
	for range Stream(t.Context(), six(), nil, 0) {
		t.Error("an image of no rows")
	}
}

func TestStreamOfNoSource(t *testing.T) {
	turns := 0
	for pixels, err := range Stream(t.Context(), nil, []int{0}, 1) {
		turns++
		wantError(t, err, "no source")
		if pixels != nil {
			t.Errorf("pixels %v in spite of the error", pixels)
		}
	}
	if turns != 1 {
		t.Errorf("%d turns of the loop, want 1 with the error", turns)
	}
}

// A loop that is left early leaves no goroutine behind. synctest fails the test where one stays.
func TestStreamLeftEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		for range Stream(t.Context(), &slow{n: 10}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4) {
			break
		}
		if after := runtime.NumGoroutine(); after != before {
			t.Errorf("%d goroutines, %d before", after, before)
		}
	})
}

func TestCollect(t *testing.T) {
	labels, classes := []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, []string{"a", "b"}
	for _, workers := range []int{0, 1, 3, 100} {
		got, err := Collect(t.Context(), &slow{n: 10}, labels, classes, workers)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if at := got.At(i); at[0] != uint8(i) || at[1] != uint8(i+100) {
				t.Errorf("%d workers: image %d is %v", workers, i, at)
			}
		}
		if !slices.Equal(got.Labels, labels) || !slices.Equal(got.Classes, classes) {
			t.Errorf("labels %v of %v", got.Labels, got.Classes)
		}
	}
	own, err := Collect(t.Context(), &slow{n: 10}, labels, classes, 1)
	if err != nil {
		t.Fatal(err)
	}
	own.Labels[0], own.Classes[0] = 1, "changed"
	if labels[0] != 0 || classes[0] != "a" {
		t.Error("Collect shares its labels or classes with the caller, want copies")
	}
	// Of two bad images the first is named, whichever is read first: image 5 takes no time, image 4 three milliseconds.
	for range 20 {
		_, err := Collect(t.Context(), &slow{n: 10, bad: []int{5, 4}}, labels, classes, 4)
		wantError(t, err, "image 4 is bad")
	}
	_, err = Collect(t.Context(), nil, nil, nil, 1)
	wantError(t, err, "no source")
	_, err = Collect(t.Context(), &slow{n: 3}, labels, classes, 1)
	wantError(t, err, "10 labels for 3 images")
	_, err = Collect(t.Context(), &slow{n: 10}, labels, classes[:1], 1)
	wantError(t, err, "class 1", "1 classes")
	_, err = Collect(t.Context(), &Images{}, nil, nil, 1)
	wantError(t, err, "0×0×0")
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
	if h, w, c := src.Shape(); h != 1 || w != 2 || c != 1 {
		t.Errorf("shape %d×%d×%d", h, w, c)
	}
	dst := make([]uint8, 2)
	if err := src.ReadImage(3, dst); err != nil || !slices.Equal(dst, []uint8{30, 31}) {
		t.Errorf("image 3 is %v, error %v", dst, err)
	}
	dst[0] = 9
	if m.Pixels[6] != 30 {
		t.Error("ReadImage gave a view, want a copy")
	}
	wantError(t, src.ReadImage(6, dst), "no image 6")
	wantError(t, src.ReadImage(-1, dst), "no image -1")
	wantError(t, src.ReadImage(0, dst[:1]), "room for 1", "has 2")
}
