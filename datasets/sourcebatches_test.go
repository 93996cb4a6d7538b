package datasets

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// batchesOf40 returns batches of 40 images; the pixel of each is its number.
func batchesOf40(t *testing.T) *Batches {
	t.Helper()
	images := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b"}}
	for i := range 40 {
		images.Pixels = append(images.Pixels, uint8(i))
		images.Labels = append(images.Labels, i%2)
	}
	pu := newPU(t, images, SplitConfig{Positive: []int{1}, Labeled: 6, Seed: 2})
	return newBatches(t, pu, BatchConfig{Size: 7, Share: 0.3, Seed: 5})
}

// leaky is a source with temporarily unreadable images.
type leaky struct {
	*Images
	bad  map[int]bool // not changed during reading
	read atomic.Int64
}

func (l *leaky) ReadImage(i int, dst []uint8) error {
	l.read.Add(1)
	if l.bad[i] {
		return fmt.Errorf("image%d.jpg is broken", i)
	}
	return l.Images.ReadImage(i, dst)
}

// sourceOf40 reads the data of batchesOf40 from a source.
func sourceOf40(t *testing.T) (*Batches, *leaky, *Batches) {
	t.Helper()
	inMemory := batchesOf40(t)
	src := &leaky{Images: inMemory.source.(*Images), bad: map[int]bool{}}
	b := expect.Must(NewSourceBatches(src, inMemory.split, inMemory.cfg))(t)
	return b, src, inMemory
}

// wantBatch fails unless both have the same batch of step.
func wantBatch(t *testing.T, got, want *Batches, step int) {
	t.Helper()
	pixels, labeled, err := got.Batch(step)
	wantPixels, wantLabeled, wantErr := want.Batch(step)
	expect.That(t, err == nil && wantErr == nil && slices.Equal(pixels, wantPixels) &&
		slices.Equal(labeled, wantLabeled),
		"step %d: %v %v %v, want %v %v %v", step, pixels, labeled, err, wantPixels, wantLabeled, wantErr)
}

// Batches of a source equal those from memory: in any order of steps, for any number of goroutines and callers.
func TestSourceBatchesAreThoseFromMemory(t *testing.T) {
	before := runtime.NumGoroutine()
	b, _, want := sourceOf40(t)
	for _, b.workers = range []int{0, 1, 2, 3, 8} {
		for _, step := range []int{30, 0, 1, 2, 3, 9, 10, 4, 5, 5, 7, 6} {
			wantBatch(t, b, want, step)
		}
		var group sync.WaitGroup
		for step := range 20 {
			group.Go(func() { wantBatch(t, b, want, step) })
		}
		group.Wait()
	}
	wantGoroutines(t, before)
	h, w, c := b.ImageShape()
	expect.That(t, h == 1 && w == 1 && c == 1 && b.Size() == 7 && b.String() == want.String() &&
		b.StepsPerEpoch() == want.StepsPerEpoch(), "%d×%d×%d, %d: %q, want %q", h, w, c, b.Size(), b, want)
}

// patient is a source whose images are returned only while two of them are being read.
type patient struct {
	*Images
	both sync.WaitGroup
	read atomic.Int64
}

func (p *patient) ReadImage(i int, dst []uint8) error {
	if p.read.Add(1) <= 2 {
		p.both.Done()
		p.both.Wait()
	}
	return p.Images.ReadImage(i, dst)
}

// Several goroutines read the images of one batch concurrently.
func TestBatchIsReadInParallel(t *testing.T) {
	inMemory := batchesOf40(t)
	src := &patient{Images: inMemory.source.(*Images)}
	src.both.Add(2)
	b := expect.Must(NewSourceBatches(src, inMemory.split, inMemory.cfg))(t)
	if runtime.GOMAXPROCS(0) == 1 {
		b.workers = 2
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wantBatch(t, b, inMemory, 3)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("one image is read after the other")
	}
}

// The error is that of the first bad image of the batch, without other results; once the images are readable again,
// batches are correct.
func TestBatchThatCannotBeRead(t *testing.T) {
	before := runtime.NumGoroutine()
	b, src, want := sourceOf40(t)
	rows := want.Rows(5)
	src.bad[want.split.Index[rows[3]]], src.bad[want.split.Index[rows[5]]] = true, true
	// An image can occur twice in a batch, so the first bad one need not be at place 3.
	bad := func(example int) bool { return src.bad[want.split.Index[example]] }
	first := want.split.Index[rows[slices.IndexFunc(rows, bad)]]
	for _, b.workers = range []int{0, 1, 2, 5} {
		for step := range 10 {
			if !slices.ContainsFunc(want.Rows(step), bad) {
				wantBatch(t, b, want, step)
				continue
			}
			pixels, labeled, err := b.Batch(step)
			expect.Error(t, err, ".jpg is broken", fmt.Sprintf("for step %d", step))
			expect.That(t, pixels == nil && labeled == nil, "half a batch beside the error")
		}
		_, _, err := b.Batch(5)
		expect.Error(t, err, fmt.Sprintf("image %d for step 5: image%d.jpg is broken", first, first))
	}
	wantGoroutines(t, before)
	clear(src.bad)
	wantBatch(t, b, want, 5)
}

// shaped is a source that reports a wrong size.
type shaped struct {
	*leaky
	height, width int
}

func (s shaped) Shape() (height, width, channels int) { return s.height, s.width, 1 }

func TestNewSourceBatchesRefuses(t *testing.T) {
	b, src, _ := sourceOf40(t)
	few := expect.Must(src.Select([]int{0, 1, 2}))(t)
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
		expect.Error(t, expect.Err(NewSourceBatches(tt.src, tt.split, tt.cfg)), tt.want)
	}
}

// wantGoroutines fails unless the number of goroutines returns to before.
func wantGoroutines(t *testing.T, before int) {
	t.Helper()
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		expect.Require(t, time.Since(begin) <= 5*time.Second,
			"%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}
