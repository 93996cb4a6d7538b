package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

// turned returns rows of the plane turned by an angle, and mirrored at the x axis before where asked.
func turned(x *mat.Dense, angle float64, mirror bool) *mat.Dense {
	sin, cos := math.Sincos(angle)
	q := mat.NewDense(2, 2, []float64{cos, sin, -sin, cos})
	if mirror {
		q.Mul(mat.NewDiagDense(2, []float64{1, -1}), q)
	}
	var out mat.Dense
	out.Mul(x, q)
	return &out
}

// TestAlign has the solution in closed form: of the plane, the best turn is by the angle of Σ conj(x_i)·target_i as complex
// numbers.
func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(40, 2, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(2-j) * rng.NormFloat64() }, x)
	for _, mirror := range []bool{false, true} {
		got := expect.Must(Align(turned(x, 2.2, mirror), x))(t)
		expect.That(t, mat.EqualApprox(got, x, 1e-12), "mirrored %v: turning back leaves a difference", mirror)
	}
	noisy := turned(x, 0.8, false)
	noisy.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rng.NormFloat64() }, noisy)
	got := expect.Must(Align(noisy, x))(t)
	var sum complex128
	for i := range 40 {
		sum += complex(noisy.At(i, 0), -noisy.At(i, 1)) * complex(x.At(i, 0), x.At(i, 1))
	}
	want := turned(noisy, math.Atan2(imag(sum), real(sum)), false)
	expect.That(t, mat.EqualApprox(got, want, 1e-12), "the turn is not the best one")
	// In more dimensions lengths stay and no small turn in any plane brings the rows nearer.
	a, b := mat.NewDense(30, 4, nil), mat.NewDense(30, 4, nil)
	for _, m := range []*mat.Dense{a, b} {
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	}
	got = expect.Must(Align(a, b))(t)
	far := func(m mat.Matrix) float64 {
		var d mat.Dense
		d.Sub(m, b)
		return mat.Norm(&d, 2)
	}
	expect.That(t, math.Abs(mat.Norm(got, 2)-mat.Norm(a, 2)) <= 1e-10 && far(got) < far(a),
		"length %g became %g, distance %g became %g", mat.Norm(a, 2), mat.Norm(got, 2), far(a), far(got))
	for i := range 4 {
		for j := range i {
			for _, angle := range []float64{-0.01, 0.01} {
				sin, cos := math.Sincos(angle)
				moved := mat.DenseCopyOf(got)
				for r := range 30 {
					moved.Set(r, i, cos*got.At(r, i)-sin*got.At(r, j))
					moved.Set(r, j, sin*got.At(r, i)+cos*got.At(r, j))
				}
				expect.That(t, far(moved) >= far(got),
					"a turn by %g in the plane of columns %d and %d comes nearer", angle, i, j)
			}
		}
	}
}

// Frames that only turn become one frame; the last stays as it is, and the arguments too.
func TestAlignSequence(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 0, 0, 2, -1, 0.5})
	frames := []mat.Matrix{turned(x, 1, true), turned(x, -2.5, false), x}
	before := mat.DenseCopyOf(frames[0])
	got := expect.Must(AlignSequence(frames))(t)
	for i, m := range got {
		expect.That(t, mat.EqualApprox(m, x, 1e-12), "frame %d is %v", i, mat.Formatted(m))
	}
	expect.That(t, mat.Equal(got[2], x) && mat.Equal(frames[0], before) && got[2] != x,
		"the last frame or an argument was changed")
}

func TestAlignErrors(t *testing.T) {
	x, nan := mat.NewDense(3, 2, nil), mat.NewDense(3, 2, []float64{0, 0, 0, math.NaN(), 0, 0})
	for _, tt := range []struct {
		name   string
		frames []mat.Matrix
		want   error
	}{
		{"none", nil, ErrShape},
		{"rows", []mat.Matrix{mat.NewDense(2, 2, nil), x}, ErrShape},
		{"columns", []mat.Matrix{mat.NewDense(3, 3, nil), x}, ErrShape},
		{"NaN first", []mat.Matrix{nan, x}, ErrNotFinite},
		{"NaN last", []mat.Matrix{x, nan}, ErrNotFinite},
		{"NaN alone", []mat.Matrix{nan}, ErrNotFinite},
	} {
		expect.Is(t, expect.Err(AlignSequence(tt.frames)), tt.want)
	}
	if got, err := Align(x, x); err != nil || !mat.Equal(got, x) { // nothing but zeros
		t.Errorf("%v, %v", got, err)
	}
}
