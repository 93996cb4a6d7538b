//go:build cgo && linux && amd64

package cluster

/*
#cgo CFLAGS: -O3 -fopenmp-simd -Wno-psabi
#cgo LDFLAGS: -lm
#include "kernels.h"
*/
import "C"

import "unsafe"

// lanes is the number of centers in a block of centers.packed.
const lanes = C.LANES

// allowed is the widest vector instruction set that twoBest uses. Tests lower it.
var allowed C.int = C.AVX512

// pack copies the centers into the layout of twoBest.
func (c *centers) pack() {
	if c.packed == nil {
		c.packed = make([]float32, len(c.rows))
	}
	for s := range c.half {
		to := c.packed[s/lanes*lanes*c.d+s%lanes:]
		for j, value := range c.row(s) {
			to[j*lanes] = value
		}
	}
}

// twoBest writes, for each row of index, the two best scores among k centers from a slot on, and the slot of the best.
func (c *centers) twoBest(rows []float32, index []int32, from, k int, best, second []float32, at []int32) {
	half := f32(c.half[from:])
	if k <= few {
		C.few_best(f32(rows), C.int64_t(c.d), i32(index), C.int64_t(len(index)), f32(c.rows[from*c.d:]), half, C.int64_t(k),
			f32(best), f32(second), i32(at))
	} else {
		C.two_best(allowed, f32(rows), C.int64_t(c.d), i32(index), C.int64_t(len(index)), f32(c.packed[from*c.d:]), half, C.int64_t((k+lanes-1)/lanes),
			f32(best), f32(second), i32(at))
	}
	for i := range index {
		at[i] += int32(from)
	}
}

// ownScores writes, for each row of index, the score of the center at its slot.
func (c *centers) ownScores(rows []float32, index, slots []int32, scores []float32) {
	C.own_scores(f32(rows), C.int64_t(c.d), i32(index), C.int64_t(len(index)), f32(c.rows), f32(c.half), i32(slots), f32(scores))
}

// moveRows subtracts each row of index from the sum of its old cluster, from, unless that number is negative, and adds
// it to the sum of its new cluster, to.
func moveRows(rows []float32, d int, index, from, to []int32, sums []float64) {
	C.move_rows(f32(rows), C.int64_t(d), i32(index), C.int64_t(len(index)), i32(from), i32(to), f64(sums))
}

// survey updates the sum, the smallest and the largest entry of some columns, from column first on.
func (p *piece) survey(first int, sum []float64, low, high []float32) {
	C.survey_columns(f32(p.unmoved()), C.int64_t(p.d), C.int64_t(p.n), C.int64_t(first), C.int64_t(len(sum)), f64(sum), f32(low), f32(high))
}

// centerRows writes raw rows centered, scaled and rounded, and their squared lengths. The slices raw and rows may be
// the same.
func centerRows(raw, rows []float32, mean []float64, scale float64, squared []float64) {
	C.center_rows(f32(raw), f32(rows), C.int64_t(len(mean)), C.int64_t(len(squared)), f64(mean), C.double(scale), roundTo24, f64(squared))
}

func f32(list []float32) *C.float  { return (*C.float)(unsafe.SliceData(list)) }
func f64(list []float64) *C.double { return (*C.double)(unsafe.SliceData(list)) }
func i32(list []int32) *C.int32_t  { return (*C.int32_t)(unsafe.SliceData(list)) }
