package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Corruption makes random views of the rows of a table: it replaces some features of a row by the same features of
// other rows, drawn independently. Every feature keeps its marginal distribution but loses its dependence on the
// others. In contrastive learning, two views of a row are a positive pair.
//
// [NewCorruption] returns one; the zero value has no values to draw from, so View rejects it.
//
// Source: Bahri, Jiang, Tay and Metzler, "SCARF: Self-Supervised Contrastive Learning using Random Feature Corruption",
// ICLR 2022. SCARF replaces a fixed number of features and leaves one of the two views uncorrupted.
type Corruption struct {
	from  *mat.Dense
	rate  float64
	exact bool
}

// NewCorruption returns a corruption that draws values from the rows of from, usually the training rows, which it
// copies. Each feature is replaced with probability rate; 0 means 0.6, the rate of SCARF. It is an error if rate is not
// in [0, 1] or if from has no values.
func NewCorruption(from *mat.Dense, rate float64) (*Corruption, error) {
	if from == nil || from.IsEmpty() {
		return nil, errors.New("tabular: no rows given to draw values from")
	}
	if !(rate >= 0 && rate <= 1) { // this form also rejects NaN
		return nil, fmt.Errorf("tabular: replacing features with a probability of %v: give a number from 0 to 1", rate)
	}
	return &Corruption{from: mat.DenseCopyOf(from), rate: cmp.Or(rate, 0.6)}, nil
}

// Exactly returns a corruption that replaces the same number of features in every row, ⌊rate·features⌋ random ones, as
// SCARF does.
func (c *Corruption) Exactly() *Corruption {
	return &Corruption{from: c.from, rate: c.rate, exact: true}
}

// empty reports whether there are no values to draw from.
func (c *Corruption) empty() bool { return c == nil || c.from == nil }

var errEmptyCorruption = errors.New("tabular: a corruption with no values to draw from: make one with NewCorruption")

// String describes the corruption.
func (c *Corruption) String() string {
	if c.empty() {
		return "no values to replace features by"
	}
	if c.exact {
		return fmt.Sprintf("%d of %d features replaced by those of random rows", c.count(), c.from.RawMatrix().Cols)
	}
	return fmt.Sprintf("each feature replaced by that of a random row with probability %g", c.rate)
}

// count returns the number of features replaced by an exact corruption. The small addend keeps 0.6·5 from becoming 2 by
// rounding.
func (c *Corruption) count() int {
	return int(math.Floor(c.rate*float64(c.from.RawMatrix().Cols) + 1e-9))
}

// View returns a corrupted copy of x, drawn with rng. x has one row per example; it is an error if its number of
// features differs from the rows that values are drawn from.
//
// A replacement may come from the row itself and may thus be the original value.
func (c *Corruption) View(x *mat.Dense, rng *rand.Rand) (*mat.Dense, error) {
	if c.empty() {
		return nil, errEmptyCorruption
	}
	sources, features := c.from.Dims()
	if x == nil || x.IsEmpty() {
		return nil, errors.New("tabular: no rows given to make views of")
	}
	if _, columns := x.Dims(); columns != features {
		return nil, fmt.Errorf("tabular: rows of %d features to be corrupted by values of %d features", columns, features)
	}
	view := mat.DenseCopyOf(x)
	rows, _ := view.Dims()
	exactly := c.count()
	for i := range rows {
		row := view.RawRowView(i)
		if c.exact {
			for _, j := range rng.Perm(features)[:exactly] {
				row[j] = c.from.At(rng.IntN(sources), j)
			}
			continue
		}
		for j := range row {
			if rng.Float64() < c.rate {
				row[j] = c.from.At(rng.IntN(sources), j)
			}
		}
	}
	return view, nil
}

// Views returns two views of the rows of x, corrupted independently of each other. For SCARF's own pair use x and one
// View. One state of rng gives one pair, on every platform.
func (c *Corruption) Views(x *mat.Dense, rng *rand.Rand) (first, second *mat.Dense, err error) {
	if first, err = c.View(x, rng); err != nil {
		return nil, nil, err
	}
	second, err = c.View(x, rng)
	return first, second, err
}
