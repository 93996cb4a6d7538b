package mak

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/rows"
)

// Prototypes summarizes the features [n, d] of a seed set by count rows of length one: the normalized centers of
// k-means on the features scaled to length one. The argument seed is the random seed of k-means.
//
// It is an error if there are fewer images than prototypes, or if a row of features has no direction.
func Prototypes(features *mat.Dense, count int, seed uint64) (*mat.Dense, error) {
	if err := checkFeatures(features, "the seed set"); err != nil {
		return nil, err
	}
	n, _ := features.Dims()
	if count < 1 || count > n {
		return nil, fmt.Errorf("mak: %d prototypes of a seed set of %d images; take 1 or more, and at most one for each image", count, n)
	}
	found, err := cluster.KMeans{K: count, Seed: seed}.Fit(cluster.Dense(rows.Unit(features)))
	if err != nil {
		return nil, fmt.Errorf("mak: prototypes: %w", err)
	}
	for i := range count {
		if mat.Norm(found.Centers.RowView(i), 2) == 0 {
			return nil, fmt.Errorf("mak: prototype %d has no direction, as the features around it cancel out; take more prototypes", i)
		}
	}
	return rows.Unit(found.Centers), nil
}

// Distances returns D of each image of a pool: 1 − its largest cosine to a prototype, between 0 and 2. Features [n, d] and prototypes
// [k, d] need not have length one.
//
// Source: equation 3, with the minimum over prototypes of s⁰ in place of all its images.
func Distances(features, prototypes *mat.Dense) ([]float64, error) {
	err := checkFeatures(features, "the pool")
	if err = cmp.Or(err, checkFeatures(prototypes, "the set of prototypes")); err != nil {
		return nil, err
	}
	n, d := features.Dims()
	_, e := prototypes.Dims()
	if err := fault.If(d != e, "mak: features of %d numbers and prototypes of %d; embed both by one model", d, e); err != nil {
		return nil, err
	}
	unit := rows.Unit(prototypes)
	out := make([]float64, n)
	var cosines mat.Dense
	for first := 0; first < n; first += distanceRows {
		end := min(first+distanceRows, n)
		cosines.Reset()
		cosines.Mul(rows.Unit(features.Slice(first, end, 0, d).(*mat.Dense)), unit.T())
		for i := first; i < end; i++ {
			largest := math.Inf(-1)
			for _, cosine := range cosines.RawRowView(i - first) {
				largest = max(largest, cosine)
			}
			out[i] = max(0, 1-largest) // rounding
		}
	}
	return out, nil
}

// distanceRows is the number of images compared at once.
const distanceRows = 4096

// withoutPackage returns the text of an error after the name of its package.
func withoutPackage(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}
