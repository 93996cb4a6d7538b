package cluster

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// grouped returns the indices of the centers in as few groups of at most size as possible, each in increasing order.
// Centers of a group lie near each other: sets are halved along the direction from their mean to the center farthest
// from it.
func grouped(centers [][]float64, size int) [][]int {
	index := make([]int, len(centers))
	for c := range index {
		index[c] = c
	}
	var groups [][]int
	var halve func(index []int, parts int)
	halve = func(index []int, parts int) {
		if parts == 1 {
			slices.Sort(index)
			groups = append(groups, index)
			return
		}
		along := farthestFromMean(centers, index)
		place := make(map[int]float64, len(index))
		for _, c := range index {
			place[c] = floats.Dot(centers[c], along)
		}
		slices.SortFunc(index, func(a, b int) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
		left := parts / 2
		cut := (len(index)*left/parts + lanes/2) / lanes * lanes // blocks are full, or nearly
		halve(index[:cut], left)
		halve(index[cut:], parts-left)
	}
	halve(index, (len(centers)+size-1)/size)
	return groups
}

// farthestFromMean returns the difference between the mean of the centers at index and the center farthest from it.
func farthestFromMean(centers [][]float64, index []int) []float64 {
	mean := make([]float64, len(centers[0]))
	for _, c := range index {
		floats.AddScaled(mean, 1/float64(len(index)), centers[c])
	}
	farthest, at := -1.0, 0
	for _, c := range index {
		if far := squaredDistance(centers[c], mean); far > farthest {
			farthest, at = far, c
		}
	}
	return floats.SubTo(mean, centers[at], mean)
}
