package cluster

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls work on every processor, each with its own number from 0 on and its own share of n rows, from first to
// end−1, and waits for all. What is made of a row must not depend on the share that it falls into.
func inParallel(n int, work func(worker, first, end int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { work(w, n*w/workers, n*(w+1)/workers) })
	}
	all.Wait()
}

// chunk is how many rows a processor takes at a time: so few that they stay in its cache from group to group of centers.
const chunk = 256

// inChunks is inParallel with a number of workers that stays the same, as that of processors need not; each takes a chunk at a
// time, as long as there are some.
func inChunks(workers, n int, work func(worker, first, end int)) {
	var all sync.WaitGroup
	var taken atomic.Int64
	for w := range min(workers, (n+chunk-1)/chunk) {
		all.Go(func() {
			for {
				end := int(taken.Add(chunk))
				first := end - chunk
				if first >= n {
					return
				}
				work(w, first, min(end, n))
			}
		})
	}
	all.Wait()
}
