package rows

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

func TestRows(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{3, 4, 0, 0, 0, -2})
	taken, err := Take(x, []int{2, 0, 2})
	expect.That(t, err == nil && mat.Equal(taken, mat.NewDense(3, 2, []float64{0, -2, 3, 4, 0, -2})),
		"taken %v, %v", taken, err)
	expect.Equal(t, Pick([]string{"a", "b", "c"}, []int{2, 0, 2}), []string{"c", "a", "c"})
	selected, others := Split([]bool{true, false, true})
	expect.That(t, slices.Equal(selected, []int{0, 2}) && slices.Equal(others, []int{1}),
		"selected %v, others %v", selected, others)
	_, others = Split([]bool{true, true})
	expect.That(t, len(others) == 0, "a mask that selects all left %v", others)
	if unit := Unit(x); !mat.EqualApprox(unit, mat.NewDense(3, 2, []float64{0.6, 0.8, 0, 0, 0, -1}), 1e-15) || x.At(0, 0) != 3 {
		t.Errorf("unit rows %v of %v", unit, x)
	}
	// Squares of these entries would overflow or vanish.
	if unit := Unit(mat.NewDense(2, 2, []float64{3e200, 4e200, 3e-200, 4e-200})); !mat.EqualApprox(unit,
		mat.NewDense(2, 2, []float64{0.6, 0.8, 0.6, 0.8}), 1e-15) {
		t.Errorf("unit rows of extremes %v", unit)
	}
}

// Near moves the columns far from 0 exactly, and Magnitude brings squares into range.
func TestNearAndMagnitude(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{
		1e15 + 2, 5, -0.1, 0,
		1e15, 1e9, -0.1, 0,
		1e15 + 1, 7, -0.1, 0,
	})
	near, origin := Near(x)
	expect.That(t, slices.Equal(origin, []float64{1e15, 0, -0.1, 0}) && x.At(0, 0) == 1e15+2 &&
		mat.Equal(near, mat.NewDense(3, 4, []float64{2, 5, 0, 0, 0, 1e9, 0, 0, 1, 7, 0, 0})), "%v from %v", near, origin)
	plain := mat.NewDense(2, 1, []float64{999, 1000})
	near, origin = Near(plain)
	expect.That(t, near == plain && origin == nil, "999 times the range counts as far")
	_, origin = Near(mat.NewDense(2, 1, []float64{1001, 1002}))
	expect.That(t, slices.Equal(origin, []float64{1001}), "1001 times the range is moved by %v", origin)
	ulp := math.Nextafter(0.3, 1)
	x = mat.NewDense(2, 4, []float64{0.3, -1e15, 1, -5, ulp, -1e15 + 8, 2, -6}) // the last two columns are not far
	near, origin = Varying(x)
	want := mat.NewDense(2, 4, []float64{0, 0, 1, -5, 0, 8, 2, -6})
	expect.That(t, slices.Equal(origin, []float64{0.3, -1e15, 0, 0}) && mat.Equal(near, want), "%v from %v", near, origin)
	expect.Each(t, func(v float64) bool {
		unit := Magnitude(math.Abs(v))
		square := (v / unit) * (v / unit)
		return unit == 1 || square > 1e-30 && square < 8 && !math.IsInf(1/unit, 0)
	}, map[float64]bool{0: true, 1e-99: true, -1e99: true, 1e101: true, -math.MaxFloat64: true, 1e-101: true, 1e-310: true})
	expect.Equal(t, Magnitude(1e99), 1.0)
}

// The complete error messages, with the given value, the expected one and the remedy. Other tests of this module need
// not compare them.
func TestErrors(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), math.Inf(1), 0})
	check := func(x *mat.Dense, n int) error { _, _, err := Check(x, n, "labels"); return err }
	take := func(index ...int) error { _, err := Take(x, index); return err }
	if rows, columns, err := Check(x, 3, "labels"); rows != 3 || columns != 2 || err != nil {
		t.Errorf("the shape of 3×2 is %d×%d, %v", rows, columns, err)
	}
	const lower = "Lower its learning rate; in features of your own, fill in the value or drop the row"
	for _, tt := range []struct {
		err  error
		want string
	}{
		{check(x, 3), ""},
		{check(x, 2), "rows: 3 rows and 2 labels; give one for each row, in the same order"},
		{check(nil, 0), "rows: no rows given; embed at least one example"},
		{check(&mat.Dense{}, 0), "rows: no rows given; embed at least one example"},
		{CheckClasses(3, []int{0, 2, 1}, "row"), ""},
		{CheckClasses(3, []int{0, 3}, "test row"), "rows: test row 1 has class 3; 3 classes are numbered from 0 to 2"},
		{CheckClasses(2, []int{-1}, "image"), "rows: image 0 has class -1; 2 classes are numbered from 0 to 1"},
		{CheckBoth([]bool{true, false}), ""},
		{CheckBoth([]bool{true, true}), "rows: 2 labels are true and 0 are not; a classifier learns from both: mark the positives, by labels or " +
			"pseudo-labels, and leave the others unmarked"},
		{CheckFinite(nil), "rows: no rows given; embed at least one example"},
		{CheckFinite(x.Slice(0, 1, 0, 2).(*mat.Dense)), ""},
		{CheckFinite(mat.NewDense(1, 2, []float64{math.MaxFloat64, math.MaxFloat64})), ""},
		{CheckFinite(x), "rows: row 1 holds NaN in column 1; rows must be finite: did training diverge? " + lower},
		{CheckFinite(x.Slice(2, 3, 0, 2).(*mat.Dense)), "rows: row 0 holds +Inf in column 0; rows must be finite: did training diverge? " + lower},
		{take(), "rows: no rows to take; give the number of at least one"},
		{take(0, 3), "rows: there is no row 3; 3 rows are numbered from 0 to 2"},
		{take(-1), "rows: there is no row -1; 3 rows are numbered from 0 to 2"},
	} {
		expect.Equal(t, message(tt.err), tt.want)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestTakeOfNothing(t *testing.T) {
	for _, none := range []*mat.Dense{nil, {}} {
		refusal.Check(t, refusal.Err(Take(none, []int{0})), "no rows given … embed at least one example")
	}
	for _, classes := range []int{0, -1} {
		refusal.Check(t, CheckClasses(classes, []int{0}, "row"), "classes … give their number, 1 or more")
	}
}
