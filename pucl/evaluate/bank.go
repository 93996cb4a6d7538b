package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Bank holds the embeddings among which [KNN] looks for neighbors, together with what is known of them. What it knows decides
// what a result is worth, so a bank carries it by name.
type Bank struct {
	x       *mat.Dense
	lengths []float64 // of the rows of x; 1 for a row of zeros
	classes []int     // of the rows of x, from 0
	count   int       // number of classes
	known   string

	supervised bool // knows true classes
}

// LabeledPositives makes a bank of a PU training set: the rows of x [n, d] and which of them are labeled positives. It sees no
// true class, so that watching training through it gives nothing away. Class 1 is "labeled positive", class 0 "unlabeled": the
// vote for class 1 orders examples by how positive they look, but is no probability of being positive, since positives are
// among the unlabeled. [Threshold] finds where to cut.
//
// The bank shares x and knows the lengths that its rows have now: do not change x afterwards, or cosines are wrong.
func LabeledPositives(x *mat.Dense, labeled []bool) (*Bank, error) {
	if _, _, err := rows.Check(x, len(labeled), "labels"); err != nil {
		return nil, err
	}
	positives, unlabeled := rows.Split(labeled)
	count := len(positives)
	if count == 0 || len(unlabeled) == 0 {
		return nil, fmt.Errorf("evaluate: %d of %d rows of the bank are labeled; it needs labeled and unlabeled ones", count, len(labeled))
	}
	return newBank(x, asClasses(labeled), 2, fmt.Sprintf("labeled positives only (%d of %d rows)", count, len(labeled)), false)
}

// Supervised makes a bank of the rows of x [n, d], whose true classes, from 0 to count−1, are all known. This is what papers call kNN
// accuracy, and what nobody has who learns from positive and unlabeled data. The bank shares x, as that of [LabeledPositives] does: do not
// change x afterwards.
func Supervised(x *mat.Dense, classes []int, count int) (*Bank, error) {
	_, _, err := rows.Check(x, len(classes), "true classes")
	if err = cmp.Or(err, rows.CheckClasses(count, classes, "row")); err != nil {
		return nil, err
	}
	known := fmt.Sprintf("all true classes (%d rows, %d classes)", len(classes), count)
	return newBank(x, slices.Clone(classes), count, known, true)
}

// SupervisedBinary is [Supervised] for two classes, 1 being the positive one.
func SupervisedBinary(x *mat.Dense, positive []bool) (*Bank, error) {
	return Supervised(x, asClasses(positive), 2)
}

// asClasses returns class 1 for true and 0 for false.
func asClasses(positive []bool) []int {
	classes := make([]int, len(positive))
	for i, p := range positive {
		if p {
			classes[i] = 1
		}
	}
	return classes
}

// newBank makes a bank that shares x, which may be large.
func newBank(x *mat.Dense, classes []int, count int, known string, supervised bool) (*Bank, error) {
	lengths, err := rowLengths(x)
	if err != nil {
		return nil, err
	}
	return &Bank{x: x, lengths: lengths, classes: classes, count: count, known: known, supervised: supervised}, nil
}

// check returns an error unless b was made by one of the functions above.
func (b *Bank) check() error {
	if b == nil || b.x == nil {
		return errors.New("evaluate: no bank; make one with LabeledPositives or Supervised")
	}
	return nil
}

// Len returns the number of rows.
func (b *Bank) Len() int { return len(b.classes) }

// String says what the bank knows: "labeled positives only (1000 of 60000 rows)" or "all true classes (60000 rows, 10
// classes)".
func (b *Bank) String() string { return b.known }

// rowLengths returns the Euclidean length of every row, and 1 for a row of zeros, which is to stay as it is. It is an error if
// there are no rows, or if an entry or a length is not finite.
func rowLengths(x *mat.Dense) ([]float64, error) {
	if err := rows.CheckFinite(x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	lengths := make([]float64, n)
	for i := range lengths {
		switch lengths[i] = floats.Norm(x.RawRowView(i), 2); {
		case math.IsInf(lengths[i], 1):
			return nil, fmt.Errorf("evaluate: row %d is too long: the sum of its squares overflows; scale all rows down", i)
		case lengths[i] == 0:
			lengths[i] = 1
		}
	}
	return lengths, nil
}
