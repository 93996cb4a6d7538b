package datasets

import (
	"cmp"
	"slices"

	"github.com/puclab/puclab/datasets/internal/enum"
)

// Shots is a group of classes by how many examples they have to learn from.
type Shots int

// The groups, from the head of a long tail to its end.
const (
	Many Shots = iota
	Medium
	Few
)

var shotsNames = enum.Names[Shots]{Names: []string{"many", "medium", "few"}}

// String returns "many", "medium" or "few".
func (s Shots) String() string { return shotsNames.String(s) }

// ShotsByCount puts each class into a group by its number of examples: Many above 100, Few below 20, Medium between.
// Results on ImageNet-100-LT are reported so.
//
// Source: Liu, Miao, Zhan, Wang, Gong and Yu, "Large-Scale Long-Tailed Recognition in an Open World", 2019.
func ShotsByCount(counts []int) []Shots {
	groups := make([]Shots, len(counts))
	for class, n := range counts {
		switch {
		case n > 100:
			groups[class] = Many
		case n >= 20:
			groups[class] = Medium
		default:
			groups[class] = Few
		}
	}
	return groups
}

// ShotsByRank puts the smallest third of the classes, rounded down, into Few, the next as many into Medium and the
// others into Many; of classes of one size the one with the smaller number counts as larger. Results on long-tailed CIFAR
// are reported so.
//
// Source: the code that Jiang, Chen, Chen and Wang published with "Improving Contrastive Learning on Imbalanced Seed Data
// via Open-World Sampling", 2021.
func ShotsByRank(counts []int) []Shots {
	order := make([]int, len(counts))
	for class := range order {
		order[class] = class
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	third := len(counts) / 3
	groups := make([]Shots, len(counts))
	for rank, class := range order {
		switch {
		case rank >= len(counts)-third:
			groups[class] = Few
		case rank >= len(counts)-2*third:
			groups[class] = Medium
		}
	}
	return groups
}
