package evaluate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Bank is the embeddings among which [KNN] looks for neighbours, together with what is known of them. What it knows decides
// what a result is worth, so a bank carries it by name.
type Bank struct {
	rows    *mat.Dense
	lengths []float64 // of the rows; 1 for a row of zeros
	classes []int     // of the rows, from 0
	count   int       // number of classes
	known   string

	supervised bool // knows true classes
}

// LabeledPositives makes a bank of a PU training set: rows [n, d] and which of them are labeled positives. It sees no true
// class, so that watching training through it gives nothing away. Class 1 is "labeled positive", class 0 "unlabeled": the
// vote for class 1 orders examples by how positive they look, but is no probability of being positive, since positives are
// among the unlabeled. [Threshold] finds where to cut.
func LabeledPositives(rows *mat.Dense, labeled []bool) (*Bank, error) {
	if err := checkOneEach(rows, len(labeled), "labels"); err != nil {
		return nil, err
	}
	classes := make([]int, len(labeled))
	count := 0
	for i, l := range labeled {
		if l {
			classes[i] = 1
			count++
		}
	}
	if count == 0 || count == len(labeled) {
		return nil, fmt.Errorf("evaluate: %d of %d rows of the bank are labeled; it needs labeled and unlabeled ones",
			count, len(labeled))
	}
	return newBank(rows, classes, 2, fmt.Sprintf("labeled positives only (%d of %d rows)", count, len(labeled)))
}

// Supervised makes a bank of rows [n, d] whose true classes, from 0 to count−1, are all known. This is what papers call kNN
// accuracy, and what nobody has who learns from positive and unlabeled data.
func Supervised(rows *mat.Dense, classes []int, count int) (*Bank, error) {
	if err := checkOneEach(rows, len(classes), "true classes"); err != nil {
		return nil, err
	}
	if err := checkClasses(classes, count); err != nil {
		return nil, err
	}
	known := fmt.Sprintf("all true classes (%d rows, %d classes)", len(classes), count)
	bank, err := newBank(rows, slices.Clone(classes), count, known)
	if err != nil {
		return nil, err
	}
	bank.supervised = true
	return bank, nil
}

// SupervisedBinary is [Supervised] for two classes, 1 being the positive one.
func SupervisedBinary(rows *mat.Dense, positive []bool) (*Bank, error) {
	classes := make([]int, len(positive))
	for i, p := range positive {
		if p {
			classes[i] = 1
		}
	}
	return Supervised(rows, classes, 2)
}

// newBank does not copy rows, which may be large.
func newBank(rows *mat.Dense, classes []int, count int, known string) (*Bank, error) {
	lengths, err := rowLengths(rows)
	if err != nil {
		return nil, err
	}
	return &Bank{rows: rows, lengths: lengths, classes: classes, count: count, known: known}, nil
}

// check refuses a bank that was not made by one of the functions above.
func (b *Bank) check() error {
	if b == nil || b.rows == nil {
		return errors.New("evaluate: no bank; make one with LabeledPositives or Supervised")
	}
	return nil
}

// Len is the number of rows.
func (b *Bank) Len() int { return len(b.classes) }

// Classes is the number of classes; 2 for a bank of labeled positives.
func (b *Bank) Classes() int { return b.count }

// String names what the bank knows: "labeled positives only (1000 of 60000 rows)" or "all true classes (60000 rows, 10
// classes)".
func (b *Bank) String() string { return b.known }

// checkOneEach refuses embeddings with another number of labels, or of what else is known of each.
func checkOneEach(rows *mat.Dense, labels int, what string) error {
	if rows == nil || rows.IsEmpty() {
		return errNoRows
	}
	if n, _ := rows.Dims(); n != labels {
		return fmt.Errorf("evaluate: %d embeddings and %d %s; give one for each row, in the same order", n, labels, what)
	}
	return nil
}

var errNoRows = errors.New("evaluate: no embeddings; at least one row is needed")

// rowLengths returns the Euclidean length of every row, and 1 for a row of zeros, which is to stay as it is. It refuses
// entries that are not finite.
func rowLengths(x *mat.Dense) ([]float64, error) {
	if x == nil || x.IsEmpty() {
		return nil, errNoRows
	}
	n, _ := x.Dims()
	lengths := make([]float64, n)
	for i := range lengths {
		lengths[i] = floats.Norm(x.RawRowView(i), 2)
		if math.IsNaN(lengths[i]) || math.IsInf(lengths[i], 0) {
			return nil, fmt.Errorf("evaluate: embedding %d holds a value that is not finite; did training diverge?", i)
		}
		if lengths[i] == 0 {
			lengths[i] = 1
		}
	}
	return lengths, nil
}
