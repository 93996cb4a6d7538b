package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// leaky is a source of which some images cannot be read for now.
type leaky struct {
	*Images
	bad  map[int]bool // not changed while anything is read
	read atomic.Int64
}

func (l *leaky) ReadImage(i int, dst []uint8) error {
	l.read.Add(1)
	if l.bad[i] {
		return fmt.Errorf("image%d.jpg is broken", i)
	}
	return l.Images.ReadImage(i, dst)
}

// streamedOf40 reads the data of batchesOf40 from a source.
func streamedOf40(t *testing.T) (*StreamedBatches, *leaky, *Batches) {
	t.Helper()
	inMemory := batchesOf40(t)
	src := &leaky{Images: inMemory.images, bad: map[int]bool{}}
	b, err := NewStreamedBatches(src, inMemory.split, inMemory.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b, src, inMemory
}

// Streamed batches are those from memory: asked for singly, in sequence from any step, by any number of goroutines.
func TestStreamedBatchesAreThoseFromMemory(t *testing.T) {
	before := runtime.NumGoroutine()
	b, _, want := streamedOf40(t)
	check := func(how string, step int, pixels []uint8, labeled []bool, err error) {
		t.Helper()
		wantPixels, wantLabeled := want.Batch(step)
		if err != nil || !slices.Equal(pixels, wantPixels) || !slices.Equal(labeled, wantLabeled) {
			t.Fatalf("%s, step %d: %v %v %v, want %v %v", how, step, pixels, labeled, err, wantPixels, wantLabeled)
		}
	}
	for _, step := range []int{30, 0, 7, 6} {
		pixels, labeled, err := b.ReadBatch(step)
		check("singly", step, pixels, labeled, err)
	}
	for _, workers := range []int{0, 1, 3, 8} {
		for _, first := range []int{0, 9} {
			step := first
			for batch, err := range b.From(t.Context(), first, workers) {
				check(fmt.Sprintf("%d workers from %d", workers, first), step, batch.Pixels, batch.Labeled, err)
				if batch.Step != step {
					t.Fatalf("step %d, want %d", batch.Step, step)
				}
				if step++; step == first+30 {
					break
				}
			}
		}
	}
	p := b.Prefetch(3)
	for _, step := range []int{0, 1, 2, 3, 9, 10, 4, 5, 5, 0} {
		pixels, labeled, err := p.ReadBatch(step)
		check("prefetched", step, pixels, labeled, err)
	}
	p.Close()
	p.Close()
	wantGoroutines(t, before)
	h, w, c := b.ImageShape()
	if h != 1 || w != 1 || c != 1 || b.Size() != 7 || b.String() != want.String() || p.StepsPerEpoch() != want.StepsPerEpoch() {
		t.Errorf("%d×%d×%d, %d: %q, want %q", h, w, c, b.Size(), b, want)
	}
}

// The error is that of the first bad image of the first bad batch, comes after all good batches, and is the last.
func TestStreamedBatchesEndWithTheError(t *testing.T) {
	before := runtime.NumGoroutine()
	b, src, want := streamedOf40(t)
	rows := want.Rows(5)
	src.bad[want.split.Index[rows[3]]], src.bad[want.split.Index[rows[5]]] = true, true
	// An image can be in a batch twice, so the first bad one need not be at place 3.
	first := want.split.Index[rows[slices.IndexFunc(rows, func(example int) bool { return src.bad[want.split.Index[example]] })]]
	bad := 0 // the first step with one of the two
	for ; ; bad++ {
		if slices.ContainsFunc(want.Rows(bad), func(example int) bool { return src.bad[want.split.Index[example]] }) {
			break
		}
	}
	if bad == 0 {
		t.Fatal("the test needs good batches first")
	}
	for _, workers := range []int{1, 2, 5} {
		step, failed := 0, 0
		for batch, err := range b.From(t.Context(), 0, workers) {
			if err != nil {
				if failed++; failed > 2 {
					break // it would not end
				}
				wantError(t, err, ".jpg is broken", fmt.Sprintf("for step %d", bad))
				continue
			}
			if batch.Step != step {
				t.Errorf("step %d, want %d", batch.Step, step)
			}
			step++
		}
		if step != bad || failed != 1 {
			t.Errorf("%d good batches and %d errors, want %d and 1", step, failed, bad)
		}
	}
	_, _, err := b.ReadBatch(5)
	wantError(t, err, fmt.Sprintf("image %d for step 5: image%d.jpg is broken", first, first))
	wantGoroutines(t, before)

	// Once the images are mended, a prefetcher that has met the error goes on.
	p := b.Prefetch(2)
	defer p.Close()
	for step := range bad {
		if _, _, err := p.ReadBatch(step); err != nil {
			t.Error(err)
		}
	}
	pixels, labeled, err := p.ReadBatch(bad)
	wantError(t, err, "is broken")
	if pixels != nil || labeled != nil {
		t.Error("half a batch beside the error")
	}
	wantGoroutines(t, before)
	clear(src.bad)
	pixels, _, err = p.ReadBatch(bad)
	if wantPixels, _ := want.Batch(bad); err != nil || !slices.Equal(pixels, wantPixels) {
		t.Errorf("after mending: %v, %v", pixels, err)
	}
}

func TestStreamedBatchesEndWhenCanceled(t *testing.T) {
	before := runtime.NumGoroutine()
	b, _, _ := streamedOf40(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	steps, failed := 0, 0
	for _, err := range b.From(ctx, 0, 4) {
		if err != nil {
			failed++
			if !errors.Is(err, cause) {
				t.Errorf("error %v, want the cause", err)
			}
			continue
		}
		if steps++; steps == 5 {
			cancel(cause)
		}
	}
	if steps != 5 || failed != 1 {
		t.Errorf("%d batches and %d errors, want 5 and 1", steps, failed)
	}
	wantGoroutines(t, before)
	// A batch under way is given up between two images.
	b, src, _ := streamedOf40(t)
	if read := b.read(ctx, 0); !errors.Is(read.err, cause) || src.read.Load() != 0 {
		t.Errorf("error %v after %d images", read.err, src.read.Load())
	}
}

// shaped is a source that lies about its size.
type shaped struct {
	*leaky
	height, width int
}

func (s shaped) Shape() (height, width, channels int) { return s.height, s.width, 1 }

func TestNewStreamedBatchesRefuses(t *testing.T) {
	b, src, _ := streamedOf40(t)
	few, err := src.Select([]int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		src   Source
		split *Split
		cfg   BatchConfig
		want  string
	}{
		{"no source", nil, b.split, BatchConfig{Size: 2}, "source is nil"},
		{"no split", src, nil, BatchConfig{Size: 2}, "no PU data"},
		{"too few images", few, b.split, BatchConfig{Size: 2}, "there are 3"},
		{"size", src, b.split, BatchConfig{Size: 99}, "99 examples"},
		{"no pixels", shaped{src, 0, 4}, b.split, BatchConfig{Size: 2}, "0×4×1"},
		{"negative", shaped{src, 4, -4}, b.split, BatchConfig{Size: 2}, "4×-4×1"},
		{"beyond memory", shaped{src, math.MaxInt32, math.MaxInt32}, b.split, BatchConfig{Size: 3}, "2147483647×"},
	} {
		_, err := NewStreamedBatches(tt.src, tt.split, tt.cfg)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		wantError(t, err, tt.want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative step is accepted")
		}
	}()
	b.From(t.Context(), -1, 1)
}
