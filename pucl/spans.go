package pucl

import "sync"

// spanRows is how many rows one goroutine takes at a time. It is fixed, so that sums over spans do not depend on the number
// of processors.
const spanRows = 2048

// spans is the number of spans that n rows make.
func spans(n int) int { return (n + spanRows - 1) / spanRows }

// overSpans calls work for every span of n rows, several at a time, and waits for all.
func overSpans(n int, work func(span, first, end int)) {
	var all sync.WaitGroup
	for span := range spans(n) {
		all.Go(func() { work(span, span*spanRows, min((span+1)*spanRows, n)) })
	}
	all.Wait()
}

// squaredDistance is ‖a−b‖². Four running sums keep the processor from waiting for each addition.
func squaredDistance(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(a); k += 4 {
		a, b := a[k:k+4:k+4], b[k:k+4:k+4]
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0, s1, s2, s3 = s0+d0*d0, s1+d1*d1, s2+d2*d2, s3+d3*d3
	}
	for ; k < len(a); k++ {
		d := a[k] - b[k]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}
