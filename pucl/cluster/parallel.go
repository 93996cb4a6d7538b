package cluster

import (
	"runtime"
	"sync"
)

// inParallel calls work on every processor, each with its own number from 0 on and its own share of n rows, from first to
// end−1, and waits for all. What is made of a row must not depend on the share that it falls into.
func inParallel(n int, work func(worker, first, end int)) { inShares(runtime.GOMAXPROCS(0), n, work) }

// inShares is inParallel with a number of workers that stays the same, as that of processors need not.
func inShares(workers, n int, work func(worker, first, end int)) {
	workers = min(workers, n)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { work(w, n*w/workers, n*(w+1)/workers) })
	}
	all.Wait()
}
