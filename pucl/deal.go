package pucl

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
)

// shuffled returns a function that deals out batches of size rows of n for ever, in a new random order every time that it
// has gone through them; rows that fill no batch wait for the next order.
func shuffled(n, size int, rng *rand.Rand) func() []int {
	var order []int
	return func() []int {
		if len(order) < size {
			order = rng.Perm(n)
		}
		batch := order[:size]
		order = order[size:]
		return batch
	}
}

// stratified returns a function that deals out batches of size rows for ever, each with the overall share of true labels,
// rounded, going through the rows of either kind in random order.
func stratified(labels []bool, size int, rng *rand.Rand) func() []int {
	var kinds [2][]int
	for i, l := range labels {
		kind := 0
		if l {
			kind = 1
		}
		kinds[kind] = append(kinds[kind], i)
	}
	take := [2]int{0, int(math.Round(float64(size) * float64(len(kinds[1])) / float64(len(labels))))}
	if len(kinds[1]) > 0 {
		take[1] = max(take[1], 1)
	}
	if len(kinds[0]) > 0 {
		take[1] = min(take[1], size-1)
	}
	take[0] = size - take[1]
	var next [2]int
	for _, rows := range kinds {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	return func() []int {
		batch := make([]int, 0, size)
		for kind, rows := range kinds {
			for range take[kind] {
				if next[kind] == len(rows) {
					rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
					next[kind] = 0
				}
				batch = append(batch, rows[next[kind]])
				next[kind]++
			}
		}
		return batch
	}
}

// pick are the entries of x that index names.
func pick[T any](x []T, index []int) []T {
	out := make([]T, len(index))
	for i, at := range index {
		out[i] = x[at]
	}
	return out
}

// labelsOf are the entries of all, one for each row, that a step is given, [rows].
func labelsOf[T int32 | bool](all []T) func(rows []int) *tensors.Tensor {
	return func(rows []int) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(pick(all, rows), len(rows)) }
}

// int32s are classes as graphs take them.
func int32s(classes []int) []int32 {
	out := make([]int32, len(classes))
	for i, class := range classes {
		out[i] = int32(class)
	}
	return out
}
