// Package parallel runs a function for many numbers on all processors.
package parallel

import (
	"runtime"
	"sync"
)

// Each calls work for 0 to n−1 on all processors and waits for all.
func Each(n int, work func(i int)) {
	var all sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		all.Go(func() {
			for i := w; i < n; i += workers {
				work(i)
			}
		})
	}
	all.Wait()
}
