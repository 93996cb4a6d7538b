package datasets

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"
)

// wantGoroutines fails unless the number of goroutines falls back to what it was.
func wantGoroutines(t *testing.T, before int) {
	t.Helper()
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 5*time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// batchesOf40 cuts data of 40 images whose pixel says which one it is.
func batchesOf40(t *testing.T) *Batches {
	t.Helper()
	images := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b"}}
	for i := range 40 {
		images.Pixels = append(images.Pixels, uint8(i))
		images.Labels = append(images.Labels, i%2)
	}
	pu := newPU(t, images, PUConfig{Positive: []int{1}, Labeled: 6, Seed: 2})
	return newBatches(t, pu, BatchConfig{Size: 7, Share: 0.3, Seed: 5})
}

func TestFromIsBatch(t *testing.T) {
	before := runtime.NumGoroutine()
	b := batchesOf40(t)
	for _, workers := range []int{0, 1, 2, 3, 8} {
		for _, first := range []int{0, 1, 9} {
			step := first
			for batch := range b.From(context.Background(), first, workers) {
				pixels, labeled := b.Batch(step)
				if batch.Step != step || !slices.Equal(batch.Pixels, pixels) || !slices.Equal(batch.Labeled, labeled) {
					t.Errorf("%d workers from %d: batch %v, want step %d: %v %v", workers, first, batch, step, pixels, labeled)
				}
				if step++; step == first+50 {
					break
				}
			}
			wantGoroutines(t, before)
		}
	}
}

// A run that goes on at some step sees what it would have seen, batch by batch.
func TestFromResumesExactly(t *testing.T) {
	b := batchesOf40(t)
	var whole []uint8
	for batch := range b.From(context.Background(), 0, 3) {
		whole = append(whole, batch.Pixels...)
		if batch.Step == 29 {
			break
		}
	}
	var parts []uint8
	for first := 0; first < 30; first += 10 {
		for batch := range batchesOf40(t).From(context.Background(), first, 2) {
			parts = append(parts, batch.Pixels...)
			if batch.Step == first+9 {
				break
			}
		}
	}
	if !slices.Equal(whole, parts) {
		t.Errorf("30 steps: %v\n3·10 steps: %v", whole, parts)
	}
}

func TestFromEndsWhenCanceled(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	steps := 0
	for range batchesOf40(t).From(ctx, 0, 4) {
		if steps++; steps == 5 {
			cancel()
		}
	}
	if steps != 5 {
		t.Errorf("%d steps, want 5", steps)
	}
	wantGoroutines(t, before)
	for range batchesOf40(t).From(ctx, 0, 4) {
		t.Error("a batch after the end")
	}
	wantGoroutines(t, before)
}

// A body that panics must not leave goroutines behind either.
func TestFromEndsWithAPanic(t *testing.T) {
	before := runtime.NumGoroutine()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		for range batchesOf40(t).From(context.Background(), 0, 4) {
			panic("on purpose")
		}
	}()
	wantGoroutines(t, before)
	defer func() {
		if recover() == nil {
			t.Error("a negative step is accepted")
		}
	}()
	batchesOf40(t).From(context.Background(), -1, 1)
}

// No more than two batches for each worker are ever ahead of the consumer.
func TestFromStaysWithinItsMemory(t *testing.T) {
	b := batchesOf40(t)
	const workers = 3
	furthest := func() int { // the order of the unlabeled tells how far it was asked: its last epoch
		b.rest.mu.Lock()
		defer b.rest.mu.Unlock()
		epoch := uint64(0)
		for _, kept := range b.rest.kept {
			epoch = max(epoch, kept.epoch)
		}
		return int(epoch)
	}
	for batch := range b.From(context.Background(), 0, workers) {
		if batch.Step > 20 {
			break
		}
		time.Sleep(2 * time.Millisecond)                         // the workers run as far ahead as they may
		ahead := ((batch.Step+2*workers+1)*5 + 4) / b.rest.count // epoch of the last example that may have been asked for
		if got := furthest(); got > ahead {
			t.Errorf("at step %d the workers are in epoch %d, want at most %d", batch.Step, got, ahead)
		}
	}
}

func TestPrefetcher(t *testing.T) {
	before := runtime.NumGoroutine()
	b := batchesOf40(t)
	p := b.Prefetch(3)
	for _, step := range []int{0, 1, 2, 3, 9, 10, 4, 5, 5, 5, 0} { // in sequence, ahead, back, the same again
		pixels, labeled := p.Batch(step)
		wantPixels, wantLabeled := b.Batch(step)
		if !slices.Equal(pixels, wantPixels) || !slices.Equal(labeled, wantLabeled) {
			t.Errorf("step %d: %v %v, want %v %v", step, pixels, labeled, wantPixels, wantLabeled)
		}
	}
	p.Close()
	wantGoroutines(t, before)
	if pixels, _ := p.Batch(2); len(pixels) != 7 {
		t.Errorf("after Close: %v", pixels)
	}
	p.Close()
	p.Close()
	wantGoroutines(t, before)
	if p.Size() != 7 || p.String() != b.String() {
		t.Error("a Prefetcher is not its Batches")
	}
}

// Two goroutines at the border of two epochs must not make each other compute permutations over and over.
func TestOrderKeepsTwoEpochs(t *testing.T) {
	o := newOrder(0, 10, 1, allStream)
	out := make([]int, 10)
	o.fill(out, 0)
	o.fill(out, 10)
	first, second := &o.kept[0].numbers[0], &o.kept[1].numbers[0]
	o.fill(out, 5)
	o.fill(out, 15-10)
	if first != &o.kept[0].numbers[0] || second != &o.kept[1].numbers[0] {
		t.Error("a permutation was computed again")
	}
	o.fill(out, 20)
	if first == &o.kept[0].numbers[0] || o.kept[0].epoch != 2 {
		t.Error("epoch 2 is not kept")
	}
}

func TestScheduleOfASplit(t *testing.T) {
	s := newSplit(t, PUConfig{Positive: []int{1, 3}, Draw: Independent,
		Propensity: func(int) float64 { return 0.2 }, Seed: 1})
	schedule, err := NewSchedule(s, BatchConfig{Size: 10, Share: 0.2, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for step := range 30 {
		for i, row := range schedule.Rows(step) {
			if s.Labeled[row] != (i < 2) {
				t.Fatalf("step %d: example %d is labeled: %v", step, row, s.Labeled[row])
			}
		}
	}
	_, err = NewSchedule(nil, BatchConfig{})
	wantError(t, err, "no PU data")
	_, err = NewBatches(nil, BatchConfig{})
	wantError(t, err, "no PU data")
}
