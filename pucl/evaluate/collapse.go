package evaluate

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/pucl/internal/parallel"
	"github.com/puclab/puclab/pucl/rows"
)

// Collapse holds measures of the diversity of embeddings. All are computed on rows scaled to length one, the space in
// which the contrastive losses compare.
type Collapse struct {
	// Alignment is the mean squared distance between two views of the same example: 0 at best, 4 for opposite views, NaN
	// without a second view.
	//
	// Source: T. Wang and P. Isola, "Understanding Contrastive Representation Learning through Alignment and Uniformity on
	// the Hypersphere" (2020), with α = 2.
	Alignment float64

	// Uniformity is the log of the mean of exp(−2‖x_i − x_j‖²) over all pairs of different rows: 0 if all rows are
	// equal. It falls as the rows spread more evenly, down to about −4 in high dimension.
	//
	// Source: as for Alignment, with t = 2.
	Uniformity float64

	// EffectiveRank is exp(−Σ p_k log p_k), where p_k are the singular values divided by their sum. It is the effective
	// number of directions, from 1 for rows on one line through the origin to min(n, d). The rows are not centered. It
	// is 0 for rows of zeros.
	//
	// Source: O. Roy and M. Vetterli, "The effective rank: A measure of effective dimensionality" (2007).
	EffectiveRank float64

	// MeanStd is the mean over dimensions of the standard deviation of an entry over the rows: 0 if all rows are equal,
	// and about 1/√d if they spread evenly over the sphere.
	//
	// Source: X. Chen and K. He, "Exploring Simple Siamese Representation Learning" (2021), section 4.1.
	MeanStd float64

	MeanCosine float64 // mean cosine over all pairs of different rows; 1 if all have one direction
	Rows       int     // embeddings
	Dimensions int     // entries of each embedding
	ZeroRows   int     // rows of zeros, which have no direction and stay unchanged
}

// LeastUniformity returns the infimum of [Collapse].Uniformity over many rows of d numbers: the value of the uniform
// distribution on the sphere. It is −1.57 on a circle (d = 2), −2.08 on a sphere (d = 3), and near −4 for large d. It
// panics if d is below 1.
//
//	−4 + log E exp(4 x·y) = −4 + log Σ_k 4^k / (k! · d/2 (d/2+1) ⋯ (d/2+k−1))
//
// Source: T. Wang and P. Isola (2020), as for Uniformity, section 4.1 and theorem 1; the series is that of the Bessel
// function.
func LeastUniformity(d int) float64 {
	if d < 1 {
		panic(fmt.Sprintf("evaluate: the uniformity of rows of %d numbers; they need 1 or more", d))
	}
	term, sum := 1.0, 1.0
	for k := 1.0; term > 1e-18*sum; k++ {
		term *= 4 / (k * (float64(d)/2 + k - 1))
		sum += term
	}
	return -4 + math.Log(sum)
}

// Diagnose measures embeddings [n, d] of two or more examples. The argument views holds other views of the same
// examples, row by row, for the alignment; nil leaves the alignment undefined. The time grows with n² for the
// uniformity; some thousand rows suffice to detect collapse.
//
// It is an error if an entry is not finite, if there are fewer than 2 rows, or if views has another shape.
func Diagnose(x, views *mat.Dense) (c Collapse, err error) {
	unit, err := unitRows(x)
	if err != nil {
		return c, err
	}
	n, d := unit.Dims()
	if n < 2 {
		return c, errors.New("evaluate: one embedding alone has no spread; at least 2 rows are needed")
	}
	c = Collapse{Alignment: math.NaN(), MeanStd: meanStd(unit), Rows: n, Dimensions: d, Uniformity: uniformity(unit)}
	if c.EffectiveRank, err = effectiveRank(unit); err == nil && views != nil {
		c.Alignment, err = alignment(unit, views)
	}
	if err != nil {
		return Collapse{}, err
	}
	// Σ_{i≠j} x_i·x_j = ‖Σ x_i‖² − Σ ‖x_i‖²
	sum, squares := make([]float64, d), 0.0
	for i := range n {
		row := unit.RawRowView(i)
		floats.Add(sum, row)
		length := floats.Dot(row, row)
		if squares += length; length == 0 {
			c.ZeroRows++
		}
	}
	c.MeanCosine = (floats.Dot(sum, sum) - squares) / (float64(n) * float64(n-1))
	return c, nil
}

// Collapsed reports whether nearly all embeddings are one point: the mean cosine is above 0.99 (an angle of 8 degrees),
// or more than half of the rows are zero. It is a rule of thumb for complete collapse. EffectiveRank detects partial
// collapse to few dimensions. However, two classes at two points also have a rank below 2, and supervised losses aim at
// that.
func (c Collapse) Collapsed() bool { return c.MeanCosine > 0.99 || 2*c.ZeroRows > c.Rows }

// String returns all measures with their best values, and states whether the embeddings have collapsed.
func (c Collapse) String() string {
	var b strings.Builder
	if !math.IsNaN(c.Alignment) {
		fmt.Fprintf(&b, "alignment %.3f, ", withoutMinusZero(c.Alignment))
	}
	fmt.Fprintf(&b, "uniformity %.3f, effective rank %.1f of %d, mean std %.4f (spread evenly: %.4f), mean cosine %.3f",
		withoutMinusZero(c.Uniformity), c.EffectiveRank, min(c.Rows, c.Dimensions), c.MeanStd, 1/math.Sqrt(float64(c.Dimensions)),
		withoutMinusZero(c.MeanCosine))
	if c.ZeroRows > 0 {
		fmt.Fprintf(&b, ", %d of %d rows are zero", c.ZeroRows, c.Rows)
	}
	if c.Collapsed() {
		b.WriteString("; collapsed: the embeddings hardly differ")
	}
	return b.String()
}

// withoutMinusZero rounds x to three digits and turns −0 into 0, so that rounding errors near 0 print the same on every
// platform.
func withoutMinusZero(x float64) float64 { return math.Round(1000*x)/1000 + 0 }

func alignment(a, views *mat.Dense) (float64, error) {
	b, err := unitRows(views)
	if err != nil {
		return 0, err
	}
	n, d := a.Dims()
	if m, k := b.Dims(); m != n || k != d {
		return 0, fmt.Errorf("evaluate: views of shapes [%d, %d] and [%d, %d]; both must show the same examples", n, d, m, k)
	}
	sum := 0.0
	for i := range n {
		distance := floats.Distance(a.RawRowView(i), b.RawRowView(i), 2)
		sum += distance * distance
	}
	return sum / float64(n), nil
}

func uniformity(unit *mat.Dense) float64 {
	n, d := unit.Dims()
	lengths := make([]float64, n) // squared; 1, or 0 for a row of zeros
	for i := range n {
		lengths[i] = floats.Dot(unit.RawRowView(i), unit.RawRowView(i))
	}
	const block = 256 // rows compared with all others at once, which bounds memory
	var products mat.Dense
	sums := make([]float64, n)
	for first := 0; first < n; first += block {
		end := min(first+block, n)
		products.Reset()
		products.Mul(unit.Slice(first, end, 0, d), unit.T())
		parallel.Each(end-first, func(i int) {
			for j, p := range products.RawRowView(i) {
				if j != first+i {
					sums[first+i] += math.Exp(-2 * max(lengths[first+i]+lengths[j]-2*p, 0))
				}
			}
		})
	}
	return math.Log(floats.Sum(sums) / (float64(n) * float64(n-1)))
}

func effectiveRank(unit *mat.Dense) (float64, error) {
	var svd mat.SVD
	if !svd.Factorize(unit, mat.SVDNone) {
		return 0, errors.New("evaluate: the singular values of the embeddings were not found; are all entries finite?")
	}
	values := svd.Values(nil)
	total := floats.Sum(values)
	if total == 0 {
		return 0, nil
	}
	floats.Scale(1/total, values)
	return math.Exp(stat.Entropy(values)), nil
}

func meanStd(unit *mat.Dense) float64 {
	_, d := unit.Dims()
	var column []float64
	sum := 0.0
	for j := range d {
		column = mat.Col(column, j, unit)
		sum += stat.PopStdDev(column, nil)
	}
	return sum / float64(d)
}

// unitRows returns the rows of x scaled to length one, by [rows.Unit]. It is an error if there are no rows or if an
// entry is not finite.
func unitRows(x *mat.Dense) (*mat.Dense, error) {
	if _, err := rowLengths(x); err != nil {
		return nil, err
	}
	return rows.Unit(x), nil
}
