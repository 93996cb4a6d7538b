package cluster

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls work on every processor with the number of the worker, from 0, and its part of n rows, first to
// end−1. It waits for all. The result for a row must not depend on the part it is in.
func inParallel(n int, work func(worker, first, end int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { work(w, n*w/workers, n*(w+1)/workers) })
	}
	all.Wait()
}

// chunk is the number of rows that a processor takes at a time: few enough to stay in its cache from group to group of
// centers.
const chunk = 256

// inChunks is inParallel with a fixed number of workers. Each worker takes one chunk at a time until none is left.
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
