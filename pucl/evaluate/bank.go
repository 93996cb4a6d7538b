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

// Bank holds the embeddings among which [KNN] searches for neighbors, and their labels: labeled or unlabeled, or the
// true classes. Results made with the two kinds of bank are not comparable, so every result names its bank.
type Bank struct {
	x       *mat.Dense
	lengths []float64 // of the rows of x; 1 for a row of zeros
	classes []int     // of the rows of x, from 0
	count   int       // number of classes
	known   string

	supervised bool // classes are the true classes
}

// LabeledPositives returns a bank of a PU training set: the rows of x [n, d] and the mask labeled [n] of the labeled
// positives. It uses no true class, so monitoring with it does not leak test information. Class 1 is "labeled positive"
// and class 0 "unlabeled". The vote for class 1 ranks examples, but is no probability of being positive, because the
// unlabeled rows contain positives. [Threshold] returns a threshold for it.
//
// The bank shares x and stores the lengths of its rows. Do not change x afterwards, or the cosines are wrong.
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

// Supervised returns a bank of the rows of x [n, d] with their true classes, from 0 to count−1. Accuracy with such a
// bank is the kNN accuracy of papers; PU data do not suffice for it. The bank shares x, as in [LabeledPositives]: do
// not change x afterwards.
func Supervised(x *mat.Dense, classes []int, count int) (*Bank, error) {
	_, _, err := rows.Check(x, len(classes), "true classes")
	if err = cmp.Or(err, rows.CheckClasses(count, classes, "row")); err != nil {
		return nil, err
	}
	known := fmt.Sprintf("all true classes (%d rows, %d classes)", len(classes), count)
	return newBank(x, slices.Clone(classes), count, known, true)
}

// SupervisedBinary is [Supervised] for two classes; class 1 is the positive one.
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

// newBank returns a bank that shares x, which may be large.
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

// String returns the kind of the bank: "labeled positives only (1000 of 60000 rows)" or "all true classes (60000 rows,
// 10 classes)".
func (b *Bank) String() string { return b.known }

// rowLengths returns the Euclidean length of every row, and 1 for a row of zeros, so that division leaves that row
// unchanged. It is an error if there are no rows, or if an entry or a length is not finite.
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
