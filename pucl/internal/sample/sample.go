// Package sample draws batches of rows for training probes and for fine-tuning.
package sample

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/puclab/puclab/pucl/rows"
)

// Shuffled returns a function that returns batches of size of the rows 0 to n−1 endlessly, in a new random order for
// every pass over the rows; rows that fill no batch wait for the next pass. size must be at most n.
func Shuffled(n, size int, rng *rand.Rand) func() []int {
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

// Stratified returns a function that returns batches of size rows endlessly, each with the overall share of true
// labels, rounded, with the rows of each kind in random order. If both kinds occur and size is 2 or more, each batch
// holds both; batches of a single row are [Shuffled].
func Stratified(labels []bool, size int, rng *rand.Rand) func() []int {
	if size < 2 {
		return Shuffled(len(labels), size, rng)
	}
	var kinds [2][]int // rows with false and with true labels
	kinds[1], kinds[0] = rows.Split(labels)
	take := [2]int{0, int(math.Round(float64(size) * float64(len(kinds[1])) / float64(len(labels))))}
	if len(kinds[1]) > 0 {
		take[1] = max(take[1], 1)
	}
	if len(kinds[0]) > 0 {
		take[1] = min(take[1], size-1)
	}
	take[0] = size - take[1]
	shuffle := func(rows []int) { rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] }) }
	for _, rows := range kinds {
		shuffle(rows)
	}
	var next [2]int
	return func() []int {
		batch := make([]int, 0, size)
		for kind, rows := range kinds {
			for range take[kind] {
				if next[kind] == len(rows) {
					shuffle(rows)
					next[kind] = 0
				}
				batch = append(batch, rows[next[kind]])
				next[kind]++
			}
		}
		return batch
	}
}

// Labels returns a function that picks a batch's entries of all, one for each row, as a tensor [rows].
func Labels[T int32 | bool](all []T) func(batch []int) *tensors.Tensor {
	return func(batch []int) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(rows.Pick(all, batch), len(batch))
	}
}

// Classes is [Labels] of classes, which graphs take as int32.
func Classes(all []int) func(batch []int) *tensors.Tensor {
	classes := make([]int32, len(all))
	for i, class := range all {
		classes[i] = int32(class)
	}
	return Labels(classes)
}
