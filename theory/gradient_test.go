package theory

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// nearGradient compares a gradient with central differences of f in every coordinate of every atom.
func nearGradient(t *testing.T, what string, got PointGradient, p Population, f func(Population) float64) {
	t.Helper()
	const h = 1e-5
	for class, atoms := range [][]Atom{p.Positive, p.Negative} {
		rows := got.Positive
		if class == 1 {
			rows = got.Negative
		}
		expect.Require(t, len(rows) == len(atoms), "%s: %d rows for %d atoms", what, len(rows), len(atoms))
		for i := range atoms {
			for k, x := range atoms[i].Z {
				step := h * math.Hypot(atoms[i].Z[0], atoms[i].Z[1])
				atoms[i].Z[k] = x + step
				up := f(p)
				atoms[i].Z[k] = x - step
				down := f(p)
				atoms[i].Z[k] = x
				near(t, fmt.Sprintf("%s: class %d, atom %d, coordinate %d", what, class, i, k), rows[i][k], (up-down)/(2*step), 1e-8)
			}
		}
	}
}

func TestGradientAgainstFiniteDifferences(t *testing.T) {
	const tau = 0.5
	for _, tt := range []struct {
		objective pucl.Objective
		design    Design
	}{
		{pucl.PUCL(), Design{Labeled: 1, Unlabeled: 1, Prior: 0.35, SameView: 0.3}},
		{pucl.SCLPU(), Design{Labeled: 2, Unlabeled: 1, Prior: 0.35, Scheme: SingleDataset, LabelRate: 0.5}},
	} {
		p := quartet()
		got := expect.Must(meterOf(t, tt.objective, tau).Gradient(p, tt.design))(t)
		nearGradient(t, tt.objective.Name, got, p, func(p Population) float64 {
			return theorytest.Study(worldOf(p, tt.design), tau, nil, tt.objective.Name)[tt.objective.Name].Mean[2]
		})
	}
}

// The gradient for an atom is the derivative for moving it alone, even if another atom has the same point.
func TestGradientTellsAtomsOnOnePointApart(t *testing.T) {
	p := quartet()
	p.Negative[1].Z = []float64{2, 0} // the point of the first positive atom
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.35}
	got := expect.Must(meterOf(t, pucl.PUCL(), 0.5).Gradient(p, d))(t)
	nearGradient(t, "PUCL", got, p, func(p Population) float64 {
		return theorytest.Study(worldOf(p, d), 0.5, nil, "PUCL")["PUCL"].Mean[2]
	})
}

func TestIdealGradientAgainstFiniteDifferences(t *testing.T) {
	p := quartet()
	for _, negatives := range []int{0, 4} {
		got := expect.Must(IdealGradient(p, 0.35, negatives, 0.5))(t)
		nearGradient(t, fmt.Sprintf("ideal loss with %d negatives", negatives), got, p, func(p Population) float64 {
			attraction, partition := theorytest.Ideal(worldOf(p, Design{Prior: 0.35}), negatives, 0.5)
			return partition - attraction
		})
	}
}

func TestPointGradientArithmetic(t *testing.T) {
	a := PointGradient{[][]float64{{3, 1}}, [][]float64{{0, 7}, {2, 2}}}
	b := PointGradient{[][]float64{{1, 1}}, [][]float64{{0, 3}, {2, -2}}}
	d := a.Minus(b)
	expect.That(t, d.Positive[0][0] == 2 && d.Negative[0][1] == 4 && d.Negative[1][1] == 4, "%v", d)
	near(t, "norm", d.Norm(), 6, 1e-15) // √(4 + 16 + 16)
}

// loopCovariance enumerates every sequence of examples, and moves every coordinate of every atom in each batch.
func loopCovariance(p Population, d Design, tau float64, attracts theorytest.Rule) [][]float64 {
	const h = 1e-5
	atoms := append(slices.Clone(p.Positive), p.Negative...)
	b, dim := d.Examples(), p.Dim()
	var weights []float64
	var gradients [][]float64
	worldOf(p, d).Batches(func(rows []int, _ int, weight float64) {
		loss := func() (sum float64) {
			for i := range rows {
				similarities := make([]float64, len(rows))
				for j := range rows {
					similarities[j] = cosine(atoms[rows[i]].Z, atoms[rows[j]].Z) / tau
				}
				sum += attracts.AnchorLoss(i, similarities, func(row int) bool { return row%b < d.Labeled }, nil)
			}
			return sum / float64(len(rows))
		}
		var g []float64
		for i := range atoms {
			for k, x := range atoms[i].Z {
				atoms[i].Z[k] = x + h
				up := loss()
				atoms[i].Z[k] = x - h
				g = append(g, (up-loss())/(2*h))
				atoms[i].Z[k] = x
			}
		}
		weights, gradients = append(weights, weight), append(gradients, g)
	})
	size := len(atoms) * dim
	covariance := make([][]float64, size)
	mean := make([]float64, size)
	for i, g := range gradients {
		for k := range size {
			mean[k] += weights[i] * g[k]
		}
	}
	for r := range size {
		covariance[r] = make([]float64, size)
		for c := range size {
			for i, g := range gradients {
				covariance[r][c] += weights[i] * (g[r] - mean[r]) * (g[c] - mean[c])
			}
		}
	}
	return covariance
}

func nearMatrix(t *testing.T, what string, got mat.Symmetric, want [][]float64, tol float64) {
	t.Helper()
	expect.Require(t, got.SymmetricDim() == len(want), "%s has %d rows, want %d", what, got.SymmetricDim(), len(want))
	for r := range want {
		for c := range want[r] {
			near(t, fmt.Sprintf("%s [%d][%d]", what, r, c), got.At(r, c), want[r][c], tol)
		}
	}
}

func TestGradientCovarianceAgainstLoops(t *testing.T) {
	const tau = 0.5
	p := quartet()
	for _, o := range []pucl.Objective{pucl.SSCL(), pucl.PUCL(), pucl.SCLPU()} {
		for _, d := range []Design{
			{Labeled: 2, Unlabeled: 1, Prior: 0.35},
			{Labeled: 1, Unlabeled: 2, Prior: 0.6, SameView: 0.3},
		} {
			got := expect.Must(meterOf(t, o, tau).GradientCovariance(p, d))(t)
			nearMatrix(t, fmt.Sprintf("%s, m = %d", o.Name, d.Labeled), got, loopCovariance(p, d, tau, theorytest.Rules[o.Name]), 1e-7)
		}
	}
	_, err := meterOf(t, pucl.PUCL(), tau).GradientCovariance(Population{}, Design{Unlabeled: 1})
	wantError(t, "no population", err, "at least one atom")
}

// The result does not depend on the partition of the batches into blocks.
func TestGradientCovarianceInManyChunks(t *testing.T) {
	sums := newOuterSums(2)
	sums.add([]float64{0.25}, [][]float64{{1, 2}})
	sums.add(nil, nil)
	sums.add([]float64{0.25, 0.5}, [][]float64{{3, -2}, {4, 1}})
	nearMatrix(t, "covariance", sums.covariance(), [][]float64{{1.5, -0.5}, {-0.5, 2.25}}, 1e-15)
}

func TestPairGradientRest(t *testing.T) {
	const tau, h = 0.5, 1e-6
	p := quartet()
	atoms := append(slices.Clone(p.Positive), p.Negative...)
	slope := func(i, j int) []float64 {
		var g []float64
		for a := range atoms {
			for k, x := range atoms[a].Z {
				atoms[a].Z[k] = x + h
				up := cosine(atoms[i].Z, atoms[j].Z) / tau
				atoms[a].Z[k] = x - h
				g = append(g, (up-cosine(atoms[i].Z, atoms[j].Z)/tau)/(2*h))
				atoms[a].Z[k] = x
			}
		}
		return g
	}
	positive, negative := expect.Must2(p.PairGradientRest(tau))(t)
	for first, got := range map[int]*mat.SymDense{0: positive, 2: negative} {
		want := make([][]float64, 8)
		for r := range want {
			want[r] = make([]float64, 8)
		}
		for i := first; i < first+2; i++ {
			for j := first; j < first+2; j++ {
				rest := make([]float64, 8)
				for k := range rest {
					rest[k] = slope(i, j)[k]
					for a := first; a < first+2; a++ {
						rest[k] -= atoms[a].P * (slope(i, a)[k] + slope(j, a)[k])
						for b := first; b < first+2; b++ {
							rest[k] += atoms[a].P * atoms[b].P * slope(a, b)[k]
						}
					}
				}
				for r := range want {
					for c := range want {
						want[r][c] += atoms[i].P * atoms[j].P * rest[r] * rest[c]
					}
				}
			}
		}
		nearMatrix(t, fmt.Sprintf("class of atom %d", first), got, want, 1e-7)
	}
	_, _, err := p.PairGradientRest(0)
	wantError(t, "temperature", err, "τ = 0")
}

func TestLeastEigenvalue(t *testing.T) {
	near(t, "least eigenvalue", LeastEigenvalue(mat.NewSymDense(2, []float64{1, 2, 2, 1})), -1, 1e-14)
}
