package datasets

import (
	"context"
	"iter"
	"sync"
)

const defaultWorkers = 2

// Batch is what one training step learns from.
type Batch struct {
	Step    int     // its number, counted from 0
	Pixels  []uint8 // of the images, one after the other, as Batches.Batch returns them
	Labeled []bool  // for each image whether it is a labeled positive
}

// From returns the batches of the steps first, first+1 and so on without end, in order, each prepared before it is asked
// for: workers goroutines, 0 meaning 2, each stay up to two batches ahead, so the memory of up to 2·workers batches
// beside the one in use is spent on not waiting. The batches are those that Batch returns, so going on at some step after
// a break needs its number and nothing else.
//
// The sequence ends early when ctx is canceled: ask ctx.Err() after the loop. When the loop ends, however it ends, all
// goroutines have ended too. The sequence can be ranged over several times, and starts at first each time. A negative
// first panics, as an index does.
func (b *Batches) From(ctx context.Context, first, workers int) iter.Seq[Batch] {
	if first < 0 {
		b.Rows(first) // panics with the usual message, and here rather than in a goroutine
	}
	if workers <= 0 {
		workers = defaultWorkers
	}
	return ahead(ctx, first, workers, func(_ context.Context, step int) Batch {
		pixels, labeled := b.Batch(step)
		return Batch{Step: step, Pixels: pixels, Labeled: labeled}
	})
}

// ahead is the sequence of what prepare returns for first, first+1 and so on, without end but that of ctx. It is prepared by
// workers goroutines, each up to two steps ahead; prepare should come back soon when its context is done.
func ahead[T any](ctx context.Context, first, workers int, prepare func(ctx context.Context, step int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var working sync.WaitGroup
		defer working.Wait()
		defer cancel()
		// Worker w prepares every workers-th step, so reading the channels in turn gives all of them in order.
		ready := make([]chan T, workers)
		for w := range ready {
			out := make(chan T, 1)
			ready[w] = out
			working.Go(func() {
				for step := first + w; ; step += workers {
					made := prepare(ctx, step)
					select {
					case out <- made:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		for w := 0; ; w = (w + 1) % workers {
			select {
			case made := <-ready[w]:
				if ctx.Err() != nil || !yield(made) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// Prefetcher is [Batches] for a caller that asks for one step after the other: it prepares the next batches meanwhile.
// It gives the same batches as Batches in any order of steps, but only steps in sequence are prepared ahead. It must be
// closed, and is for one goroutine at a time.
type Prefetcher struct {
	*Batches
	pull puller[Batch]
}

// Prefetch returns a Prefetcher of b that works with so many goroutines, 0 meaning 2, until it is closed.
func (b *Batches) Prefetch(workers int) *Prefetcher {
	return &Prefetcher{b, puller[Batch]{from: func(first int) iter.Seq[Batch] {
		return b.From(context.Background(), first, workers)
	}}}
}

// Batch returns the images of a step's batch as Batches.Batch does.
func (p *Prefetcher) Batch(step int) (pixels []uint8, labeled []bool) {
	batch := p.pull.at(step)
	return batch.Pixels, batch.Labeled
}

// Close ends the goroutines. A Prefetcher that is used after that starts anew.
func (p *Prefetcher) Close() { p.pull.close() }

// puller asks an endless sequence for one step after the other, and starts it anew for any other step.
type puller[T any] struct {
	from func(first int) iter.Seq[T]
	step int // that comes next
	next func() (T, bool)
	stop func()
}

func (p *puller[T]) at(step int) T {
	if p.next == nil || step != p.step {
		p.close()
		p.next, p.stop = iter.Pull(p.from(step))
		p.step = step
	}
	made, _ := p.next() // there is no end but that of close
	p.step++
	return made
}

func (p *puller[T]) close() {
	if p.stop != nil {
		p.stop()
	}
	p.next, p.stop = nil, nil
}
