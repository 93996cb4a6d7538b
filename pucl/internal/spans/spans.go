// Package spans processes the rows of a matrix on all processors, in spans of a fixed size, so that sums by span do not
// depend on the number of processors.
package spans

import "sync"

// Rows is the number of rows in a span; the last may have fewer.
const Rows = 2048

// Count returns the number of spans for n rows.
func Count(n int) int { return (n + Rows - 1) / Rows }

// Each calls work for every span of n rows, several at a time, and waits for all: span is its number, and its rows are
// first to end−1.
func Each(n int, work func(span, first, end int)) { EachOf(n, Rows, work) }

// EachOf is Each with spans of the given number of rows, for rows that take long.
func EachOf(n, rows int, work func(span, first, end int)) {
	var all sync.WaitGroup
	for span := range (n + rows - 1) / rows {
		all.Go(func() { work(span, span*rows, min((span+1)*rows, n)) })
	}
	all.Wait()
}
