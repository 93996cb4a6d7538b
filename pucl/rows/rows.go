// Package rows selects, scales and checks the rows of a matrix of embeddings and per-row data: labels, classes, masks.
//
// Everywhere in this module an embedding is a row of a [mat.Dense] [n, k] in float64, and per-example data are slices
// of length n in the same order.
package rows

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Unit returns a copy of x with every row scaled to length one; a row of zeros is unchanged. The contrastive losses
// compare directions only, in this space.
func Unit(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, _ := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		if norm := floats.Norm(row, 2); norm > 0 {
			for j := range row {
				row[j] /= norm
			}
		}
	}
	return out
}

// Take returns the rows of x at index, in that order; a row may occur more than once. For example, it selects the
// embeddings of a PU data set among the embeddings of all images.
//
// It is an error if x has no rows, or if index is empty or holds a number that is not a row of x.
func Take(x *mat.Dense, index []int) (*mat.Dense, error) {
	if len(index) == 0 {
		return nil, errors.New("rows: no rows to take; give the number of at least one")
	}
	if x == nil || x.IsEmpty() {
		return nil, errNone
	}
	n, k := x.Dims()
	out := mat.NewDense(len(index), k, nil)
	for i, row := range index {
		if row < 0 || row >= n {
			return nil, fmt.Errorf("rows: there is no row %d; %d rows are numbered from 0 to %d", row, n, n-1)
		}
		out.SetRow(i, x.RawRowView(row))
	}
	return out, nil
}

// All returns the row numbers 0 to n−1.
func All(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// Pick returns x[i] for each i in index, like [Take] for slices. It panics if an entry of index is out of range.
func Pick[T any](x []T, index []int) []T {
	out := make([]T, len(index))
	for i, at := range index {
		out[i] = x[at]
	}
	return out
}

// Split returns the numbers of the rows with a true and with a false mask, each in increasing order.
func Split(mask []bool) (selected, others []int) {
	for i, m := range mask {
		if m {
			selected = append(selected, i)
		} else {
			others = append(others, i)
		}
	}
	return selected, others
}
