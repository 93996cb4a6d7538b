package rows

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
)

var errNone = errors.New("rows: no rows given; embed at least one example")

// Check returns the shape of x. It is an error if x has no rows, or if their number differs from n; what names the n
// items, such as "labels".
func Check(x *mat.Dense, n int, what string) (rows, columns int, err error) {
	if x == nil || x.IsEmpty() {
		return 0, 0, errNone
	}
	if rows, columns = x.Dims(); rows != n {
		return 0, 0, fmt.Errorf("rows: %d rows and %d %s; give one for each row, in the same order", rows, n, what)
	}
	return rows, columns, nil
}

// CheckClasses returns an error if there are no classes, or if a label is not from 0 to classes−1. The argument what
// names the labeled item, such as "row".
func CheckClasses(classes int, labels []int, what string) error {
	if classes < 1 {
		return fmt.Errorf("rows: %d classes; give their number, 1 or more", classes)
	}
	for i, class := range labels {
		if class < 0 || class >= classes {
			return fmt.Errorf("rows: %s %d has class %d; %d classes are numbered from 0 to %d", what, i, class, classes, classes-1)
		}
	}
	return nil
}

// CheckBoth returns an error unless true and false labels occur.
func CheckBoth(labels []bool) error {
	yes, no := Split(labels)
	return fault.If(len(yes) == 0 || len(no) == 0, "rows: %d labels are true and %d are not; a classifier learns from both: mark the positives, by labels "+
		"or pseudo-labels, and leave the others unmarked", len(yes), len(no))
}

// CheckFinite returns an error if x has no rows, or an error that names the row and column of the first entry that is
// NaN or infinite.
func CheckFinite(x *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return errNone
	}
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		if sum := floats.Sum(row); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			continue // a finite sum has finite entries; an infinite sum may be an overflow
		}
		for j, value := range row {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return fmt.Errorf("rows: row %d holds %g in column %d; rows must be finite: did training diverge? "+
					"Lower its learning rate; in features of your own, fill in the value or drop the row", i, value, j)
			}
		}
	}
	return nil
}

// Bounds on the spread of entries for computing with squares of distances.
const leastSpread, largestSpread = leastPlain, largestPlain

// CheckSpread returns an error if the distances between the rows of x, which must be finite, are unusable: all rows are
// equal up to rounding, or squares of distances leave the range of float64.
func CheckSpread(x *mat.Dense) error {
	n, _ := x.Dims()
	x, _ = Varying(x)
	first, spread := x.RawRowView(0), 0.0
	for i := 1; i < n; i++ {
		spread = max(spread, floats.Distance(x.RawRowView(i), first, math.Inf(1)))
	}
	return cmp.Or(
		fault.If(spread == 0, "rows: all %d rows are the same, so that nothing tells them apart; give features that differ, or, where they are an "+
			"embedding, which has collapsed, train again with another loss or learning rate", n),
		fault.If(!(spread >= leastSpread && spread <= largestSpread),
			"rows: entries lie up to %.3g apart, and squares of that cannot be computed with; scale the features", spread))
}
