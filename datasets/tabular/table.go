// Package tabular reads rows of features. Complete numbers from CSV files ([ReadCSV]) and NumPy's .npy and .npz files
// ([ReadNPY], [LoadNPY], [OpenNPZ]) become a [Table]. Columns of numbers and words with gaps ([ReadFrame]) become a
// [Frame], which an [Encoding] converts into numbers. The package also makes random views for contrastive learning
// ([Corruption]) and training batches of them ([NewBatches]).
//
// A Table has no gaps: a missing value, a number that is not finite and a row of another length are errors that name
// the position. A Frame may have gaps; its Encoding fills them from the training rows and, if these have gaps too,
// marks them.
//
// Package datasets has a table of accepted and rejected formats.
package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Table is a set of examples, each a row of features and, if known, a class.
type Table struct {
	// Features has a row for each example, and a column for each feature.
	Features *mat.Dense
	// Names holds the names of the columns of Features; nil for none.
	Names []string
	// Labels holds the class of each example, a number below len(Classes); nil if no classes are known.
	Labels []int
	// Classes holds the names of the classes.
	Classes []string
}

// dims returns the numbers of examples and features, 0 for a table without Features.
func (t *Table) dims() (rows, columns int) {
	if t.Features == nil {
		return 0, 0
	}
	return t.Features.Dims()
}

// Len returns the number of examples, 0 for a table without Features.
func (t *Table) Len() int {
	rows, _ := t.dims()
	return rows
}

// String describes the table in one line.
func (t *Table) String() string {
	rows, columns := t.dims()
	if t.Labels == nil {
		return fmt.Sprintf("%d examples of %d features, without classes", rows, columns)
	}
	return fmt.Sprintf("%d examples of %d features in %d classes", rows, columns, len(t.Classes))
}

// Validate returns an error that names the first inconsistency, or nil. All features must be finite.
func (t *Table) Validate() error {
	if t == nil || t.Features == nil || t.Features.IsEmpty() {
		return errors.New("tabular: no features given")
	}
	rows, columns := t.Features.Dims()
	i, j, beyond := firstBeyond(t.Features, math.MaxFloat64)
	return cmp.Or(
		fault.If(t.Names != nil && len(t.Names) != columns,
			"tabular: %d names for %d features: give one for each, or none", len(t.Names), columns),
		fault.If(t.Labels != nil && len(t.Labels) != rows,
			"tabular: %d labels for %d examples: give one for each, in the same order, or none", len(t.Labels), rows),
		check.Labels("tabular: example", t.Labels, len(t.Classes)),
		fault.If(beyond, "tabular: feature %d of example %d is %v", j, i, t.Features.At(i, j)))
}

// firstBeyond returns the position of the first value of x whose magnitude is above limit, or that is NaN.
func firstBeyond(x *mat.Dense, limit float64) (row, column int, found bool) {
	rows, _ := x.Dims()
	for i := range rows {
		for j, v := range x.RawRowView(i) {
			if !(math.Abs(v) <= limit) { // this form also detects NaN
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// Select returns a new table with copies of the given rows, in that order. A row may occur twice. An empty list and a
// row that does not exist are errors. Names and Classes are shared with t.
func (t *Table) Select(rows []int) (*Table, error) {
	if len(rows) == 0 {
		return nil, errors.New("tabular: no rows given to select")
	}
	have, _ := t.dims()
	for _, row := range rows {
		if row < 0 || row >= have {
			return nil, fmt.Errorf("tabular: cannot select row %d: the table has %d rows, numbered from 0", row, have)
		}
	}
	out := &Table{Features: gather(t.Features, rows), Names: t.Names, Classes: t.Classes}
	if t.Labels != nil {
		for _, row := range rows {
			out.Labels = append(out.Labels, t.Labels[row])
		}
	}
	return out, nil
}

// Standardize shifts and scales every feature to mean 0 and standard deviation 1 over the rows of t. It returns the
// means and the population standard deviations (dividing by the number of rows), which scale other rows, such as a test
// set, by [Table.Rescale]. A constant feature is shifted to 0 and not scaled, and its returned standard deviation is 1.
// Values that differ by at most 16 units in the last place count as equal. Finite features of any size are scaled to
// finite ones.
func (t *Table) Standardize() (mean, deviation []float64) {
	_, columns := t.dims()
	mean, deviation = make([]float64, columns), make([]float64, columns)
	for j := range columns {
		column := mat.Col(nil, j, t.Features)
		if constant(column) {
			mean[j], deviation[j] = column[0], 1
			continue
		}
		mean[j], deviation[j] = moments(column)
	}
	t.Rescale(mean, deviation)
	return mean, deviation
}

// constant reports whether values differ by no more than rounding: 16 units in the last place.
func constant(values []float64) bool {
	low, high := slices.Min(values), slices.Max(values)
	return low == high || high-low <= 0x1p-48*min(math.Abs(low), math.Abs(high))
}

// moments returns the mean and the standard deviation of values that are not [constant], and overwrites them. Values
// more than 1,000 times their range away from 0 are first shifted to 0 by an exact subtraction, because sums would lose
// their differences.
func moments(values []float64) (mean, deviation float64) {
	origin, low, high := 0.0, slices.Min(values), slices.Max(values)
	if min(math.Abs(low), math.Abs(high))/1000 > high-low {
		origin = low
		for i := range values {
			values[i] -= origin
		}
	}
	// Squares of very small and very large values leave float64, so all are first scaled near 1. A power of two does
	// not round.
	_, exponent := math.Frexp(max(-slices.Min(values), slices.Max(values)))
	unit := math.Ldexp(1, exponent-1)
	for i := range values {
		values[i] /= unit
	}
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / n
	}
	// Values that differ have a positive deviation, even if it is smaller than the smallest number.
	return mean*unit + origin, max(math.Sqrt(deviation)*unit, math.SmallestNonzeroFloat64)
}

// Rescale subtracts mean from every row and divides by deviation, feature by feature. It panics unless both have one
// number per feature.
func (t *Table) Rescale(mean, deviation []float64) {
	rows, columns := t.dims()
	if len(mean) != columns || len(deviation) != columns {
		panic(fmt.Sprintf("tabular: %d means and %d deviations for %d features", len(mean), len(deviation), columns))
	}
	for i := range rows {
		row := t.Features.RawRowView(i)
		for j := range row {
			row[j] = scaled(row[j], mean[j], deviation[j])
		}
	}
}

// scaled returns (v - mean) / deviation.
func scaled(v, mean, deviation float64) float64 {
	if difference := v - mean; !math.IsInf(difference, 0) {
		return difference / deviation
	}
	return (v/2 - mean/2) / (deviation / 2) // v and mean are near opposite limits of float64
}
