// Package spans works through the rows of a matrix on all processors, in spans of a fixed size, so that what is summed span
// by span does not depend on the number of processors.
package spans

import "sync"

// Rows is how many rows a span has; the last may have fewer.
const Rows = 2048

// Count returns the number of spans that n rows make.
func Count(n int) int { return (n + Rows - 1) / Rows }

// Each calls work for every span of n rows, several at a time, and waits for all: span is its number, and its rows are first
// to end−1.
func Each(n int, work func(span, first, end int)) { EachOf(n, Rows, work) }

// EachOf is Each with spans of so many rows, for rows that take long.
func EachOf(n, rows int, work func(span, first, end int)) {
	var all sync.WaitGroup
	for span := range (n + rows - 1) / rows {
		all.Go(func() { work(span, span*rows, min((span+1)*rows, n)) })
	}
	all.Wait()
}
