package theory

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PointGradient is the derivative of a loss with respect to the points of a population's atoms, in the same order and
// with as many coordinates. Since only the direction of a point matters, each row is perpendicular to its point, and is
// inversely proportional to the point's length.
type PointGradient struct {
	Positive, Negative [][]float64
}

// Minus returns the difference of two gradients on the same population; the gradient bias is [Meter.Gradient] minus
// [IdealGradient].
func (g PointGradient) Minus(other PointGradient) PointGradient {
	subtract := func(a, b [][]float64) [][]float64 {
		return lists.Make(len(a), func(i int) []float64 { return floats.SubTo(make([]float64, len(a[i])), a[i], b[i]) })
	}
	return PointGradient{subtract(g.Positive, other.Positive), subtract(g.Negative, other.Negative)}
}

// Norm returns the Euclidean length of g taken as one vector.
func (g PointGradient) Norm() float64 {
	norm := 0.0
	for _, x := range g.flat() {
		norm = math.Hypot(norm, x)
	}
	return norm
}

// flat returns all entries of g, one point after the other, the positive ones first.
func (g PointGradient) flat() []float64 {
	return slices.Concat(slices.Concat(g.Positive, g.Negative)...)
}

// Gradient returns the gradient of the objective's mean loss, which is the mean of its gradients: the engine
// differentiates every batch's loss, weighted with the batch's probability. Limits and symmetries are those of
// [Meter.Exact].
//
// Atoms count separately, even if two of them have the same point: each row is the derivative for moving one atom
// alone.
func (m *Meter) Gradient(p Population, d Design) (g PointGradient, err error) {
	defer must.Catch(&err)
	must.Do(validate(p, d, m.tau))
	dim := p.Dim()
	sums := make([]kahan, (len(p.Positive)+len(p.Negative))*dim)
	m.eachGradient(p, d, func(c chunk, slopes []float64) {
		for row, point := range c.rows {
			for k, slope := range slopes[row*dim : (row+1)*dim] {
				sums[point*dim+k].add(c.weights[row/d.Rows()] * slope)
			}
		}
	})
	return newGradient(p, func(point, k int) float64 { return sums[point*dim+k].value() }), nil
}

// eachGradient calls visit with the batches of the design, chunk by chunk, and the gradient of each batch's loss in its
// rows, with as many numbers per row as a point has coordinates. The points are numbered as the atoms are, the positive
// ones first.
func (m *Meter) eachGradient(p Population, d Design, visit func(c chunk, slopes []float64)) {
	s := p.support(false)
	batches, _, report := m.enumerate(d, s)
	n, dim := d.Rows(), p.Dim()
	m.run(m.gradients, d, s.points, batches, func(c chunk, out [][]float64) {
		for i, slope := range out[0][:len(c.rows)*dim] {
			if !isFinite(slope) {
				must.Fail("theory: the gradient of objective %q holds %g for the batch %s%s", m.objective.Name, slope,
					c.describe(i/dim/n, d, s.points), c.blame(m.eng, m.objective, m.tau, i/dim/n, d, s.points))
			}
		}
		visit(c, out[0])
		report(len(c.weights))
	})
}

// GradientBias returns the Euclidean length of the gradient bias of the objective in the points of the population: the
// gradient of its mean loss, [Meter.Gradient], minus the gradient of the ideal loss, [IdealGradient].
func (m *Meter) GradientBias(p Population, d Design) (bias float64, err error) {
	defer must.Catch(&err)
	g, ideal := must.Get(m.Gradient(p, d)), must.Get(IdealGradient(p, d.Prior, d.Negatives(), m.tau))
	return g.Minus(ideal).Norm(), nil
}

// IdealGradient returns the gradient of the ideal loss (3), arguments and limits as for [IdealLoss].
func IdealGradient(p Population, prior float64, negatives int, tau float64) (g PointGradient, err error) {
	defer must.Catch(&err)
	must.Do(validateIdeal(p, prior, negatives, tau))
	s := p.support(false)
	// First with respect to the similarities: ∂(log Z − s_ij)/∂s_ik is the softmax probability of k, minus 1 for k = j.
	slopes := lists.Table(len(s.points), len(s.points), func(int, int) (zero kahan) { return })
	idealTerms(s, prior, negatives, tau, func(t idealTerm) {
		slopes[t.i][t.j].add(t.p * (math.Exp(t.sim[t.j]-t.logZ) - 1))
		for k, m := range t.negative {
			if t.counts[k] > 0 {
				slopes[t.i][m.point].add(t.p * float64(t.counts[k]) * math.Exp(t.sim[m.point]-t.logZ))
			}
		}
	})
	// Then with respect to the points: ∂s_ij/∂z_i = (u_j − (u_i·u_j) u_i)/(τ|z_i|) with u the unit points, which is
	// correctly 0 for i = j.
	unit := s.unit()
	g = newGradient(p, func(int, int) float64 { return 0 })
	rows := slices.Concat(g.Positive, g.Negative)
	for i := range s.points {
		for j := range s.points {
			cos, slope := floats.Dot(unit[i], unit[j]), slopes[i][j].value()
			for k := range rows[i] {
				rows[i][k] += slope * (unit[j][k] - cos*unit[i][k]) / tau / floats.Norm(s.points[i], 2)
				rows[j][k] += slope * (unit[i][k] - cos*unit[j][k]) / tau / floats.Norm(s.points[j], 2)
			}
		}
	}
	return g, nil
}

// newGradient builds a gradient from its entries, given by the number of the point (positive atoms first) and
// coordinate.
func newGradient(p Population, entry func(point, k int) float64) PointGradient {
	rows := lists.Table(len(p.Positive)+len(p.Negative), p.Dim(), entry)
	return PointGradient{rows[:len(p.Positive)], rows[len(p.Positive):]}
}
