package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

func identity(d int) *mat.Dense {
	x := mat.NewDense(d, d, nil)
	for i := range d {
		x.Set(i, i, 3) // lengths do not matter
	}
	return x
}

func TestOrthogonalEmbeddings(t *testing.T) {
	c := expect.Must(Diagnose(identity(8), identity(8)))(t)
	near(t, "alignment", c.Alignment, 0, 0)
	near(t, "uniformity: all squared distances are 2", c.Uniformity, -4, 1e-12)
	near(t, "effective rank", c.EffectiveRank, 8, 1e-12)
	near(t, "mean std: one entry in eight is 1", c.MeanStd, math.Sqrt(1.0/8-1.0/64), 1e-12)
	near(t, "mean cosine", c.MeanCosine, 0, 1e-12)
	expect.That(t, !c.Collapsed() && !strings.Contains(c.String(), "collapsed"), "%v", c)
}

func TestCollapsedEmbeddings(t *testing.T) {
	one := mat.NewDense(5, 3, nil)
	for i := range 5 {
		one.SetRow(i, []float64{1 + float64(i), 2 * (1 + float64(i)), 0})
	}
	c := expect.Must(Diagnose(one, nil))(t)
	near(t, "uniformity", c.Uniformity, 0, 1e-12)
	near(t, "effective rank", c.EffectiveRank, 1, 1e-6)
	near(t, "mean std", c.MeanStd, 0, 1e-12)
	near(t, "mean cosine", c.MeanCosine, 1, 1e-12)
	if !c.Collapsed() || !strings.Contains(c.String(), "collapsed") || !math.IsNaN(c.Alignment) || strings.Contains(c.String(), "alignment") {
		t.Error(c)
	}
	zero := expect.Must(Diagnose(mat.NewDense(3, 2, []float64{0, 0, 0, 0, 1, 0}), nil))(t)
	expect.That(t, zero.Collapsed() && zero.ZeroRows == 2 && strings.Contains(zero.String(), "2 of 3 rows are zero"),
		"%v", zero)
	none := expect.Must(Diagnose(mat.NewDense(3, 2, nil), nil))(t)
	expect.That(t, none.EffectiveRank == 0 && none.Collapsed(), "%v", none)
}

// Two classes at two opposite points are the optimum of supervised losses, not collapse.
func TestTwoPointsAreNoCollapse(t *testing.T) {
	c := expect.Must(Diagnose(mat.NewDense(4, 2, []float64{1, 1, -1, -1, 2, 2, -3, -3}), nil))(t)
	near(t, "effective rank", c.EffectiveRank, 1, 1e-6)
	near(t, "uniformity: 8 of 12 ordered pairs lie 2 apart", c.Uniformity, math.Log((4+8*math.Exp(-8))/12), 1e-12)
	near(t, "mean cosine", c.MeanCosine, -1.0/3, 1e-12)
	expect.That(t, !c.Collapsed(), "%v", c)
}

// The uniformity of more rows than one block equals that of plain loops. A rotation changes no measure except the mean
// std.
func TestUniformityAcrossBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	rows := normals(rng, 600, 4)
	rows[7] = make([]float64, 4)
	sum := 0.0
	for i, a := range rows {
		for j, b := range rows {
			if i == j {
				continue
			}
			la, lb := math.Hypot(math.Hypot(a[0], a[1]), math.Hypot(a[2], a[3])), math.Hypot(math.Hypot(b[0], b[1]), math.Hypot(b[2], b[3]))
			squared := 0.0
			for k := range a {
				x, y := 0.0, 0.0
				if la > 0 {
					x = a[k] / la
				}
				if lb > 0 {
					y = b[k] / lb
				}
				squared += (x - y) * (x - y)
			}
			sum += math.Exp(-2 * squared)
		}
	}
	x := dense(rows)
	c := expect.Must(Diagnose(x, nil))(t)
	near(t, "uniformity", c.Uniformity, math.Log(sum/(600*599)), 1e-10)

	var qr mat.QR
	qr.Factorize(dense(normals(rng, 4, 4)))
	var q, turned mat.Dense
	qr.QTo(&q)
	turned.Mul(x, &q)
	rotated := expect.Must(Diagnose(&turned, nil))(t)
	near(t, "uniformity of rotated rows", rotated.Uniformity, c.Uniformity, 1e-10)
	near(t, "effective rank of rotated rows", rotated.EffectiveRank, c.EffectiveRank, 1e-9)
}

func TestDiagnoseErrors(t *testing.T) {
	x := identity(2)
	for says, err := range map[string]error{
		"one embedding alone has no spread … at least 2 rows":                       expect.Err(Diagnose(mat.NewDense(1, 2, []float64{1, 0}), nil)),
		"no rows given … embed at least one example":                                expect.Err(Diagnose(nil, nil)),
		"row 0 holds NaN in column 0 … rows must be finite: did training diverge?":  expect.Err(Diagnose(mat.NewDense(1, 2, []float64{math.NaN(), 0}), nil)),
		"row 1 holds +Inf in column 0 … rows must be finite: did training diverge?": expect.Err(Diagnose(x, mat.NewDense(2, 2, []float64{1, 0, math.Inf(1), 0}))),
		"[2, 2] and [4, 4] … both must show the same examples":                      expect.Err(Diagnose(x, identity(4))),
	} {
		refusal.Check(t, err, says)
	}
}

// On two points, a circle, a sphere and in many dimensions the series equals the closed forms. No even set of rows is
// below it.
func TestLeastUniformity(t *testing.T) {
	bessel := 0.0 // I₀(4), as the mean of exp(4 cos φ)
	for i := range 1000 {
		bessel += math.Exp(4*math.Cos(2*math.Pi*float64(i)/1000)) / 1000
	}
	for d, want := range map[int]float64{1: math.Log(math.Cosh(4)) - 4, 2: math.Log(bessel) - 4, 3: math.Log(math.Sinh(4)/4) - 4} {
		expect.Near(t, LeastUniformity(d), want, 1e-12, "d = %d", d)
	}
	got := LeastUniformity(1_000_000)
	expect.That(t, math.Abs(got+4) <= 1e-4, "in a million dimensions %g, want about -4", got)
	const n = 400
	circle := mat.NewDense(n, 2, nil)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		circle.SetRow(i, []float64{cos, sin})
	}
	c, err := Diagnose(circle, nil)
	expect.That(t, err == nil && math.Abs(c.Uniformity-LeastUniformity(2)) <= 0.02,
		"%d points about the circle: %g, %v, want about %g", n, c.Uniformity, err, LeastUniformity(2))
	defer func() { expect.Contains(t, fmt.Sprint(recover()), "rows of 0 numbers; they need 1 or more") }()
	LeastUniformity(0)
}
