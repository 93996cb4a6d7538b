package reduce

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// TestPCAByHand: the covariance matrix of these four points is diag(8/3, 2/3), so the axes are the components, in this
// order, with 4/5 and 1/5 of the variance.
func TestPCAByHand(t *testing.T) {
	data := mat.NewDense(4, 2, []float64{12, 5, 8, 5, 10, 6, 10, 4})
	p := expect.Must(FitPCA(data, 2))(t)
	near := func(what string, got, want float64) {
		t.Helper()
		expect.That(t, math.Abs(got-want) <= 1e-12, "%s: %g, want %g", what, got, want)
	}
	near("mean 0", p.Mean[0], 10)
	near("mean 1", p.Mean[1], 5)
	near("share 0", p.Explained[0], 0.8)
	near("share 1", p.Explained[1], 0.2)
	for i, want := range []float64{1, 0, 0, 1} {
		near("component", p.Components.At(i/2, i%2), want)
	}
	// A new row: (10, 5) + 3·(1, 0) − 2·(0, 1).
	q := expect.Must(p.Project(mat.NewDense(1, 2, []float64{13, 3})))(t)
	near("new row 0", q.At(0, 0), 3)
	near("new row 1", q.At(0, 1), -2)
}

// TestPCAProperties checks on random data that the components are orthonormal, that coordinates are uncorrelated with
// descending variances, that all components together reconstruct the data, and the sign rule. The data have more rows
// than columns, and fewer.
func TestPCAProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{40, 5}, {4, 9}} {
		n, d := shape[0], shape[1]
		data := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				data.Set(i, j, float64(j+1)*rng.NormFloat64()+3)
			}
		}
		k := min(n, d)
		p := expect.Must(FitPCA(data, k))(t)
		z := expect.Must(p.Project(data))(t)
		total := 0.0
		for a := range k {
			largest := 0.0
			for i := range d {
				if v := p.Components.At(i, a); math.Abs(v) > math.Abs(largest) {
					largest = v
				}
			}
			expect.That(t, largest >= 0, "%v: the largest entry of component %d is %g", shape, a, largest)
			for b := range k {
				dot, cov := 0.0, 0.0
				for i := range d {
					dot += p.Components.At(i, a) * p.Components.At(i, b)
				}
				for i := range n {
					cov += z.At(i, a) * z.At(i, b)
				}
				want := 0.0
				if a == b {
					want = 1
				}
				expect.That(t, math.Abs(dot-want) <= 1e-10, "%v: components %d and %d: product %g", shape, a, b, dot)
				expect.That(t, a == b || math.Abs(cov) <= 1e-8,
					"%v: coordinates %d and %d: covariance %g", shape, a, b, cov)
			}
			expect.That(t, a <= 0 || p.Explained[a] <= p.Explained[a-1],
				"%v: shares %v do not descend", shape, p.Explained)
			total += p.Explained[a]
		}
		expect.That(t, math.Abs(total-1) <= 1e-12, "%v: the shares sum to %g", shape, total)
		for i := range n {
			for j := range d {
				back := p.Mean[j]
				for a := range k {
					back += z.At(i, a) * p.Components.At(j, a)
				}
				expect.Require(t, math.Abs(back-data.At(i, j)) <= 1e-9,
					"%v: entry %d, %d comes back as %g, was %g", shape, i, j, back, data.At(i, j))
			}
		}
	}
}

// TestPCACollapsed: rows that are equal up to rounding have no variance, and equal rows project to the origin. The mean
// of 500 numbers 0.1 is not 0.1.
func TestPCACollapsed(t *testing.T) {
	for _, at := range []float64{0, 1e-320, 0.1, -1e10, 1e300} {
		x := mat.NewDense(500, 2, nil)
		x.Apply(func(_, j int, _ float64) float64 { return at * float64(1+6*j) }, x)
		z, explained := expect.Must2(PCA(x, 2))(t)
		expect.That(t, explained[0] == 0 && explained[1] == 0 && mat.Norm(z, 2) == 0,
			"%g: shares %v, coordinates %v", at, explained, mat.Formatted(z.Slice(0, 3, 0, 2)))
		for i := range 250 { // differ by one unit in the last place
			x.Set(i, 1, math.Nextafter(x.At(i, 1), math.Inf(1)))
		}
		_, explained = expect.Must2(PCA(x, 2))(t)
		expect.That(t, explained[0] == 0 || math.Abs(at) < 1e-300, "%g, rounded: shares %v", at, explained)
	}
}

// TestPCAOfAnyNumbers: offsets and factors change neither shares nor components, and coordinates only by the factor.
func TestPCAOfAnyNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(200, 3, nil)
	x.Apply(func(_, j int, _ float64) float64 { return math.Round(rng.NormFloat64()*1000) * float64(j+1) }, x)
	want := expect.Must(FitPCA(x, 2))(t)
	z := expect.Must(want.Project(x))(t)
	for _, other := range []struct{ offset, factor float64 }{
		{1e9, 1}, {-1e12, 1}, {1e15, 1}, {0, 1e200}, {0, 1e-200}, {0, 1e300}, {0, 0x1p-1000}, {0x1p+990, 0x1p+950},
	} {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, _ int, v float64) float64 { return v*other.factor + other.offset }, y)
		p := expect.Must(FitPCA(y, 2))(t)
		got := expect.Must(p.Project(y))(t)
		expect.That(t, mat.EqualApprox(p.Components, want.Components, 1e-9),
			"%v: components %v", other, mat.Formatted(p.Components))
		for k := range 2 {
			expect.Near(t, p.Explained[k], want.Explained[k], 1e-9, "%v", other)
		}
		for i := range 200 { // the mean has as many digits as the rows
			rounding := 1e-6 + math.Abs(other.offset/other.factor)*0x1p-51
			expect.Near(t, got.At(i, 0)/other.factor, z.At(i, 0), rounding, "%v", other)
		}
	}
}

func TestPCAErrors(t *testing.T) {
	good := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7})
	p := expect.Must(FitPCA(good, 2))(t)
	bad := mat.DenseCopyOf(good)
	bad.Set(1, 1, math.NaN())
	for _, tt := range []struct {
		name string
		err  error
		want error
		says string
	}{
		{"no rows", expect.Err(FitPCA(&mat.Dense{}, 1)), ErrShape, "PCA: 0 rows … give 2 or more"},
		{"one row", expect.Err(FitPCA(mat.NewDense(1, 2, nil), 1)), ErrShape, "PCA: 1 rows … give 2 or more"},
		{"no components", expect.Err(FitPCA(good, 0)), ErrShape, "0 components of 3 rows … take 1 to 2"},
		{"too many", expect.Err(FitPCA(good, 3)), ErrShape, "3 components of 3 rows … take 1 to 2"},
		{"NaN", expect.Err(FitPCA(bad, 1)), ErrNotFinite, "row 1, column 1 is NaN … leave the row out"},
		{"project NaN", expect.Err(p.Project(bad)), ErrNotFinite, "row 1, column 1 is NaN … leave the row out"},
		{"project others", expect.Err(p.Project(mat.NewDense(1, 3, nil))), ErrShape, "rows of 3 numbers onto components of rows of 2 … rows of what was fitted"},
	} {
		refusal.Check(t, tt.err, tt.says)
		expect.That(t, errors.Is(tt.err, tt.want), "%s: %v, want %v", tt.name, tt.err, tt.want)
	}
	if _, _, err := PCA(bad, 1); !errors.Is(err, ErrNotFinite) {
		t.Errorf("PCA of NaN: %v", err)
	}
}

func TestNoData(t *testing.T) {
	for _, none := range []mat.Matrix{nil, (*mat.Dense)(nil), &mat.Dense{}} {
		refusal.Check(t, refusal.Err(FitPCA(none, 1)), "0 rows … give 2 or more")
		_, _, err := PCA(none, 1)
		refusal.Check(t, err, "0 rows … give 2 or more")
		_, _, err = TSNE(t.Context(), none, TSNEConfig{})
		refusal.Check(t, err, "0 rows … want 3 rows of 2 numbers or more")
		refusal.Check(t, refusal.Err((&Projection{Mean: []float64{1}}).Project(none)), "rows of 0 numbers … onto components of rows of 1")
	}
}

// turned returns rows of the plane rotated by an angle, after a reflection at the x axis if mirror is true.
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

// TestAlign compares the closed form: in the plane, the best rotation is by the angle of Σ conj(x_i)·target_i as
// complex numbers.
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
	// In more dimensions lengths are unchanged, and no small rotation in any plane brings the rows nearer.
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

// Frames that differ only by rotations become one frame; the last frame and the arguments are unchanged.
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
	if got, err := Align(x, x); err != nil || !mat.Equal(got, x) { // all zeros
		t.Errorf("%v, %v", got, err)
	}
}
