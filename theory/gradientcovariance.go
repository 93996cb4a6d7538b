package theory

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// GradientCovariance returns the covariance matrix of the gradient of a batch's loss with respect to the points of the
// atoms, over all batches that the design can draw. Its rows and columns are the coordinates of the points, one point
// after the other, the positive atoms first. Limits and symmetries are those of [Meter.Exact]; atoms count separately,
// as in [Meter.Gradient].
//
// An encoder whose parameters move the points with Jacobian J has gradients with covariance JᵀCJ. So if the difference
// of two such matrices is positive semi-definite, it is so for every encoder.
func (m *Meter) GradientCovariance(p Population, d Design) (covariance *mat.SymDense, err error) {
	defer must.Catch(&err)
	must.Do(validate(p, d, m.tau))
	n, dim := d.Rows(), p.Dim()
	sums := newOuterSums((len(p.Positive) + len(p.Negative)) * dim)
	m.eachGradient(p, d, func(c chunk, slopes []float64) {
		gradients := lists.Table(len(c.weights), sums.size(), func(int, int) (zero float64) { return })
		for row, point := range c.rows {
			floats.Add(gradients[row/n][point*dim:(point+1)*dim], slopes[row*dim:(row+1)*dim])
		}
		sums.add(c.weights, gradients)
	})
	return sums.covariance(), nil
}

// outerSums accumulates the covariance matrix of weighted vectors, block by block as type weighted does.
type outerSums struct {
	weight  float64
	mean    []float64
	squares *mat.SymDense // Σ w (x − mean)(x − mean)ᵀ
}

func newOuterSums(size int) outerSums {
	return outerSums{mean: make([]float64, size), squares: mat.NewSymDense(size, nil)}
}

func (o *outerSums) size() int { return len(o.mean) }

// add adds a block; it changes values.
func (o *outerSums) add(weights []float64, values [][]float64) {
	weight := floats.SumCompensated(weights)
	if weight == 0 {
		return
	}
	mean := lists.Make(o.size(), func(k int) float64 {
		var total kahan
		for i, w := range weights {
			total.add(w * values[i][k])
		}
		return total.value() / weight
	})
	for i, w := range weights {
		floats.Sub(values[i], mean)
		o.squares.SymRankOne(o.squares, w, mat.NewVecDense(o.size(), values[i]))
	}
	shift := floats.SubTo(make([]float64, o.size()), mean, o.mean)
	joined := o.weight + weight
	o.squares.SymRankOne(o.squares, o.weight*weight/joined, mat.NewVecDense(o.size(), shift))
	floats.AddScaled(o.mean, weight/joined, shift)
	o.weight = joined
}

// covariance returns the matrix; the total weight must be positive.
func (o *outerSums) covariance() *mat.SymDense {
	o.squares.ScaleSym(1/o.weight, o.squares)
	return o.squares
}

// PairGradientRest returns, for both classes, the Rest of [PairVariance] for the gradient of a pair's similarity in
// place of the similarity. With g(z, z') the gradient of z·z' = cos(z, z')/τ with respect to the points of the atoms,
// for two independent draws of the class, it is the matrix E[r rᵀ] of
//
//	r(z, z') = g(z, z') − E[g | z] − E[g | z'] + E[g].
//
// Rows and columns are those of [Meter.GradientCovariance].
func (p Population) PairGradientRest(tau float64) (positive, negative *mat.SymDense, err error) {
	defer must.Catch(&err)
	must.Do(errors.Join(p.Validate(), checkTau(tau)))
	s := p.support(false)
	dim, unit := p.Dim(), s.unit()
	size := len(s.points) * dim
	slope := func(i, j int) []float64 { // of s_ij; 0 for i = j, since that similarity is constant
		g := make([]float64, size)
		cos := floats.Dot(unit[i], unit[j])
		for _, end := range [][2]int{{i, j}, {j, i}} {
			of, to := end[0], end[1]
			for k := range dim {
				g[of*dim+k] += (unit[to][k] - cos*unit[of][k]) / tau / floats.Norm(s.points[of], 2)
			}
		}
		return g
	}
	rest := func(class []mass) *mat.SymDense {
		pairs := lists.Table(len(class), len(class), func(a, b int) []float64 { return slope(class[a].point, class[b].point) })
		given, mean := lists.Table(len(class), size, func(int, int) (zero float64) { return }), make([]float64, size)
		for a := range class {
			for b := range class {
				floats.AddScaled(given[a], class[b].p, pairs[a][b])
			}
			floats.AddScaled(mean, class[a].p, given[a])
		}
		matrix := mat.NewSymDense(size, nil)
		for a := range class {
			for b := range class {
				r := pairs[a][b]
				floats.Sub(r, given[a])
				floats.Sub(r, given[b])
				floats.Add(r, mean)
				matrix.SymRankOne(matrix, class[a].p*class[b].p, mat.NewVecDense(size, r))
			}
		}
		return matrix
	}
	return rest(s.positive), rest(s.negative), nil
}

// LeastEigenvalue returns the smallest eigenvalue of a symmetric matrix, NaN if there is none. If it is below 0 by more
// than rounding, the matrix is not positive semi-definite.
func LeastEigenvalue(matrix mat.Symmetric) float64 {
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, false) {
		return math.NaN()
	}
	return floats.Min(eigen.Values(nil))
}
