package fashionmnist

import (
	"slices"

	"github.com/puclab/puclab/datasets/internal/classes"
)

// Name is the name of the data set's folder within a folder for data sets.
const Name = "fashion-mnist"

// Classes returns the names of the ten classes, in the order of their numbers 0 to 9.
func Classes() []string { return slices.Clone(classes.FashionMNIST) }

// FMNISTI returns the positive classes of the benchmark FMNIST-I: Trouser, Coat and Sneaker, a class prior of 0.3.
//
// Source: "Contrastive Positive Unlabeled Learning", appendix A.7.1.
func FMNISTI() []int { return []int{1, 4, 7} }

// FMNISTII returns the positive classes of the benchmark FMNIST-II: the seven that [FMNISTI] leaves, a class prior of
// 0.7. The source is the same.
func FMNISTII() []int { return []int{0, 2, 3, 5, 6, 8, 9} }
