package reduce

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/pucl/rows"
)

// The errors of this package wrap one of these values; test for them with errors.Is.
var (
	// ErrShape means that a matrix has too few rows, or a wrong number of columns or components.
	ErrShape = errors.New("wrong shape")
	// ErrNotFinite means that an entry is NaN or infinite.
	ErrNotFinite = errors.New("not a finite number")
	// ErrConfig means that a setting is invalid.
	ErrConfig = errors.New("a setting that cannot be used")
)

// Projection is a principal component analysis that was fitted to rows of d numbers and projects such rows onto the
// k directions in which the fitted rows vary most.
type Projection struct {
	Mean       []float64  // [d], the mean of the fitted rows
	Components *mat.Dense // [d, k], the directions in its columns, of length 1, in descending order of variance
	Explained  []float64  // [k], the share of the total variance along each direction; they sum to at most 1
}

// FitPCA computes the first k principal components of data, [n, d] with one example per row. The columns are centered,
// not scaled. The sign of a component is chosen so that its entry of largest magnitude is positive, which makes results
// reproducible.
//
// If all rows are equal, as after collapse, the shares are 0 and the directions arbitrary. A column constant up to
// [rows.Rounding] counts as constant. Neither an offset nor a scale of the data costs digits, see [rows.Near]. FitPCA
// returns an error if n < 2, if k is not between 1 and the smaller of n and d, if an entry is not finite, or if the
// singular value decomposition fails.
//
// Source: I. T. Jolliffe, Principal Component Analysis, 2nd edition (2002).
//
// [rows.Near]: https://pkg.go.dev/github.com/puclab/puclab/pucl/rows#Near
// [rows.Rounding]: https://pkg.go.dev/github.com/puclab/puclab/pucl/rows#Rounding
func FitPCA(data mat.Matrix, k int) (*Projection, error) {
	n, d := dims(data)
	if n < 2 {
		return nil, fmt.Errorf("reduce: PCA: %d rows; give 2 or more: %w", n, ErrShape)
	}
	if k < 1 || k > min(n, d) {
		return nil, fmt.Errorf("reduce: PCA: %d components of %d rows of %d numbers; take 1 to %d: %w", k, n, d, min(n, d), ErrShape)
	}
	if err := checkFinite("PCA", data); err != nil {
		return nil, err
	}
	near, origin := rows.Varying(mat.DenseCopyOf(data))
	unit := rows.Magnitude(max(mat.Max(near), -mat.Min(near)))
	near.Scale(1/unit, near)
	var pc stat.PC
	if !pc.PrincipalComponents(near, nil) {
		return nil, fmt.Errorf("reduce: PCA: the singular value decomposition of the %d by %d data did not converge", n, d)
	}
	var all mat.Dense
	pc.VectorsTo(&all)
	p := &Projection{Mean: make([]float64, d), Components: mat.DenseCopyOf(all.Slice(0, d, 0, k)), Explained: make([]float64, k)}
	for j := range d {
		if p.Mean[j] = unit * stat.Mean(mat.Col(nil, j, near), nil); origin != nil {
			p.Mean[j] += origin[j]
		}
	}
	variances := pc.VarsTo(nil)
	total := 0.0 // not floats.Sum, whose order and last bit depend on the processor
	for _, v := range variances {
		total += v
	}
	for j := range k {
		fixSign(p.Components, j)
		if total > 0 {
			p.Explained[j] = variances[j] / total
		}
	}
	return p, nil
}

// fixSign multiplies column j by −1 if its entry of largest magnitude is negative; of entries that are equal up to
// rounding the first one counts.
func fixSign(m *mat.Dense, j int) {
	column := mat.Col(nil, j, m)
	largest := 0.0
	for _, v := range column {
		if math.Abs(v) > math.Abs(largest)*(1+1e-9) {
			largest = v
		}
	}
	if largest < 0 {
		floats.Scale(-1, column)
		m.SetCol(j, column)
	}
}

// Project returns the coordinates [m, k] of rows [m, d] along the components; the fitted mean is at the origin. It
// accepts new rows, so that two sets can be drawn in one plane. It returns an error if rows has another number of
// columns than the fitted rows or an entry is not finite.
func (p *Projection) Project(rows mat.Matrix) (*mat.Dense, error) {
	m, d := dims(rows)
	if d != len(p.Mean) {
		return nil, fmt.Errorf("reduce: project: rows of %d numbers onto components of rows of %d; give rows of what was fitted: %w", d, len(p.Mean), ErrShape)
	}
	if err := checkFinite("project", rows); err != nil {
		return nil, err
	}
	centered := mat.NewDense(m, d, nil)
	centered.Apply(func(_, j int, v float64) float64 { return v - p.Mean[j] }, rows)
	var out mat.Dense
	out.Mul(centered, p.Components)
	return &out, nil
}

// PCA fits the first k principal components to data [n, d]. It returns the coordinates [n, k] of these rows and the
// share of the variance of each component. See FitPCA for the conventions and the errors; use FitPCA to project other
// rows too.
func PCA(data mat.Matrix, k int) (projected *mat.Dense, explained []float64, err error) {
	p, err := FitPCA(data, k)
	if err != nil {
		return nil, nil, err
	}
	projected, err = p.Project(data)
	return projected, p.Explained, err
}

// dims returns the shape of m, zeros if m is nil.
func dims(m mat.Matrix) (rows, cols int) {
	if dense, ok := m.(*mat.Dense); m == nil || ok && dense == nil {
		return 0, 0
	}
	return m.Dims()
}

// checkFinite returns an error that names the first entry of m that is NaN or infinite.
func checkFinite(what string, m mat.Matrix) error {
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			if v := m.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("reduce: %s: row %d, column %d is %g: %w; leave the row out, or look for a training that diverged", what, i, j, v, ErrNotFinite)
			}
		}
	}
	return nil
}
