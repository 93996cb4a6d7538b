package theory

import (
	"errors"
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// ErrorMeter measures the errors of the losses of several objectives, and of their gradients, against the ideal ones on
// the same batch. Like a [Meter] it compiles once for each number of examples and coordinates.
type ErrorMeter struct {
	MaxBatches int                       // as of a [Meter]
	Progress   func(done, total float64) // as of a [Meter]

	objectives []pucl.Objective
	meter      *Meter // its values are the losses, each [c], and then the gradients, each [c, 2b, d]
}

// NewErrorMeter returns an ErrorMeter of the objectives at temperature tau, which must be positive. Close it after use.
func NewErrorMeter(eng *engine.Engine, objectives []pucl.Objective, tau float64) (m *ErrorMeter, err error) {
	defer must.Catch(&err)
	if len(objectives) == 0 {
		must.Fail("theory: no objectives, whose errors are asked for; name at least one")
	}
	for _, o := range objectives {
		must.Do(checkMeasurable(eng, o, tau))
	}
	objectives = slices.Clone(objectives) // graphs are built later
	values := must.Get(NewExec(eng.Backend, func(z, labeled, class *Node) []*Node {
		losses := lists.Map(objectives, func(o pucl.Objective) *Node {
			return o.Loss(pucl.Views{Z: z, Labeled: labeled, Class: class}, tau)
		})
		return append(losses, lists.Map(losses, func(loss *Node) *Node { return Gradient(ReduceAllSum(loss), z)[0] })...)
	}))
	values.SetMaxCache(-1)
	return &ErrorMeter{objectives: objectives, meter: &Meter{tau: tau, eng: eng, scores: len(objectives), values: values}}, nil
}

// Close frees the compiled graphs.
func (m *ErrorMeter) Close() { m.meter.values.Finalize() }

// SquaredErrors returns the exact second moments of the errors of the objectives. Entry k, l of loss is E[e_k e_l] with
// e_k = L_k − L*_CL on a batch, (3) with N = 2b − 2. For gradient it is E[e_k · e_l] with the gradients' errors in the
// points of the atoms. The diagonal holds the mean squared errors, squared bias plus variance. Limits and symmetries
// are those of [Meter.Gradient].
func (m *ErrorMeter) SquaredErrors(p Population, d Design) (loss, gradient *mat.SymDense, err error) {
	defer must.Catch(&err)
	must.Do(validate(p, d, m.meter.tau))
	m.meter.MaxBatches, m.meter.Progress = m.MaxBatches, m.Progress
	s := p.support(false)
	ideal := must.Get(IdealLoss(p, d.Prior, d.Negatives(), m.meter.tau)).Loss.Value
	slope := must.Get(IdealGradient(p, d.Prior, d.Negatives(), m.meter.tau)).flat()
	count, rows, dim := len(m.objectives), d.Rows(), p.Dim()
	losses, gradients := newProducts(count), newProducts(count)
	batches, _, report := m.meter.enumerate(d, s)
	m.meter.run(m.meter.values, d, s.points, batches, func(c chunk, out [][]float64) {
		for i, weight := range c.weights {
			off, turned := make([][]float64, count), make([][]float64, count)
			for k, o := range m.objectives {
				off[k] = []float64{out[k][i] - ideal}
				turned[k] = floats.ScaleTo(make([]float64, len(slope)), -1, slope)
				for row, point := range c.rows[i*rows : (i+1)*rows] {
					at := (i*rows + row) * dim
					floats.Add(turned[k][point*dim:(point+1)*dim], out[count+k][at:at+dim])
				}
				if !isFinite(off[k][0]) || !isFinite(floats.Sum(turned[k])) {
					must.Fail("theory: the loss or the gradient of objective %q is not finite for the batch %s%s", o.Name,
						c.describe(i, d, s.points), c.blame(m.meter.eng, o, m.meter.tau, i, d, s.points))
				}
			}
			losses.add(weight, off)
			gradients.add(weight, turned)
		}
		report(len(c.weights))
	})
	return losses.matrix(), gradients.matrix(), nil
}

// products accumulates the expected inner products of weighted vectors.
type products [][]kahan

func newProducts(count int) products {
	return lists.Table(count, count, func(int, int) (zero kahan) { return })
}

func (p products) add(weight float64, vectors [][]float64) {
	for k := range p {
		for l := range k + 1 {
			p[k][l].add(weight * floats.Dot(vectors[k], vectors[l]))
		}
	}
}

func (p products) matrix() *mat.SymDense {
	m := mat.NewSymDense(len(p), nil)
	for k := range p {
		for l := range k + 1 {
			m.SetSym(k, l, p[k][l].value())
		}
	}
	return m
}

// BestMixture returns the weights w, adding up to 1, of the objective Σ_k w_k L_k with the least mean squared error,
// and that error. They are w = M⁻¹1/(1ᵀM⁻¹1) and 1/(1ᵀM⁻¹1), for one of the matrices M of [ErrorMeter.SquaredErrors]. A
// weight may be negative. [pucl.WeightedSum] makes the objective. It returns an error if one of the objectives is a
// mixture of the others, for example a duplicate, since the best mixture is then not unique. It also returns an error
// if some mixture has no error at all.
func BestMixture(m mat.Symmetric) (weights []float64, least float64, err error) {
	n := m.SymmetricDim()
	var factors mat.Cholesky
	if n == 0 || !factors.Factorize(m) || factors.Cond() > 1e12 {
		return nil, 0, errors.New("theory: the errors determine no one best mixture, or one without any error; leave out " +
			"objectives that mixtures of the others make up")
	}
	var solved mat.VecDense
	if err := factors.SolveVecTo(&solved, mat.NewVecDense(n, lists.Make(n, func(int) float64 { return 1 }))); err != nil {
		return nil, 0, fmt.Errorf("theory: the best mixture: %w", err)
	}
	total := mat.Sum(&solved)
	return lists.Make(n, func(k int) float64 { return solved.AtVec(k) / total }), 1 / total, nil
}
