package tabular

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

func table(columns int, values ...float64) *Table {
	return &Table{Features: mat.NewDense(len(values)/columns, columns, values)}
}

func TestValidate(t *testing.T) {
	good := func() *Table {
		x := table(2, 1, 2, 3, 4)
		x.Names, x.Labels, x.Classes = []string{"a", "b"}, []int{1, 0}, []string{"no", "yes"}
		return x
	}
	expect.NoError(t, good().Validate())
	expect.NoError(t, table(1, 5).Validate())
	for want, spoil := range map[string]func(*Table){
		"no features":                    func(x *Table) { x.Features = nil },
		"1 names for 2 features":         func(x *Table) { x.Names = x.Names[:1] },
		"3 labels for 2 examples":        func(x *Table) { x.Labels = []int{0, 0, 0} },
		"example 1 has class 2":          func(x *Table) { x.Labels[1] = 2 },
		"example 0 has class -1":         func(x *Table) { x.Labels[0] = -1 },
		"feature 0 of example 1 is NaN":  func(x *Table) { x.Features.Set(1, 0, math.NaN()) },
		"feature 1 of example 0 is -Inf": func(x *Table) { x.Features.Set(0, 1, math.Inf(-1)) },
	} {
		x := good()
		spoil(x)
		expect.Error(t, x.Validate(), want)
	}
	expect.Error(t, (*Table)(nil).Validate(), "no features")
	expect.Equal(t, good().String(), "2 examples of 2 features in 2 classes", "String()")
	expect.Equal(t, table(3, 1, 2, 3).String(), "1 examples of 3 features, without classes", "String()")
}

func TestSelect(t *testing.T) {
	x := table(2, 0, 1, 10, 11, 20, 21)
	x.Labels, x.Classes = []int{0, 1, 0}, []string{"a", "b"}
	got := expect.Must(x.Select([]int{2, 1, 2}))(t)
	want := []float64{20, 21, 10, 11, 20, 21}
	expect.That(t, slices.Equal(got.Features.RawMatrix().Data, want) && slices.Equal(got.Labels, []int{0, 1, 0}),
		"got %v of the classes %v", got.Features.RawMatrix().Data, got.Labels)
	got.Features.Set(0, 0, 99)
	expect.That(t, x.Features.At(2, 0) == 20, "Select shares the features, want copies")
	expect.Error(t, expect.Err(x.Select([]int{3})), "row 3", "3 rows")
	expect.Error(t, expect.Err(x.Select([]int{-1})), "row -1")
	expect.Error(t, expect.Err(x.Select(nil)), "no rows")
}

// A table without features has no rows, and nothing to select, scale or describe.
func TestEmptyTable(t *testing.T) {
	for _, empty := range []*Table{{}, {Features: &mat.Dense{}}} {
		expect.That(t, empty.Len() == 0, "%d rows, want 0", empty.Len())
		expect.Error(t, expect.Err(empty.Select([]int{0})), "row 0", "0 rows")
		mean, deviation := empty.Standardize()
		expect.That(t, len(mean) == 0 && len(deviation) == 0, "means %v and deviations %v of nothing", mean, deviation)
		expect.Equal(t, empty.String(), "0 examples of 0 features, without classes", "String()")
	}
}

// Features near the limits of float64 are scaled like any others: the deviation of 0 and 2 is 1, their mean 1.
func TestStandardizeExtremes(t *testing.T) {
	for _, unit := range []float64{5e-324, 1e-310, 1e-170, 1, 1e160, 1e200, 8e307} {
		x := table(1, 0, 2*unit)
		mean, deviation := x.Standardize()
		expect.That(t, math.Abs(mean[0]/unit-1) <= 1e-12 && math.Abs(deviation[0]/unit-1) <= 1e-12,
			"unit %g: mean %g and deviation %g, want both %[1]g", unit, mean[0], deviation[0])
		if got := x.Features.RawMatrix().Data; !(math.Abs(got[0]+1) <= 1e-12) || !(math.Abs(got[1]-1) <= 1e-12) {
			t.Errorf("unit %g: %v, want -1 and 1", unit, got)
		}
	}
	// A constant added to 100,000 numbers changes their deviation only by their rounding, and rounding is not a
	// deviation.
	for _, offset := range []float64{1e9, -1e12, 1e15} {
		x := table(1, slices.Repeat([]float64{offset, offset + 34}, 50_000)...)
		mean, deviation := x.Standardize()
		expect.That(t, mean[0] == offset+17 && math.Abs(deviation[0]-17) < 1e-9,
			"%g: mean %v, deviation %v", offset, mean, deviation)
	}
	_, deviation := table(1, 0.3, math.Nextafter(0.3, 1), 0.3).Standardize()
	expect.Equal(t, deviation[0], 1.0)
	// From one limit of float64 to the other, and a deviation of half the smallest number.
	for _, ends := range [][]float64{{-math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}} {
		x := table(1, slices.Clone(ends)...)
		_, deviation := x.Standardize()
		for _, v := range append(x.Features.RawMatrix().Data, deviation[0]) {
			if math.IsNaN(v) || math.IsInf(v, 0) || deviation[0] == 0 {
				t.Errorf("%v: %v with the deviation %v", ends, x.Features.RawMatrix().Data, deviation)
				break
			}
		}
	}
}

func TestStandardize(t *testing.T) {
	x := table(3, 1, 0.1, 100, 3, 0.1, 200, 5, 0.1, 300, 7, 0.1, 400)
	mean, deviation := x.Standardize()
	// The squares of -3, -1, 1, 3 have the mean 5; 50 times that in the last column.
	expect.That(t, slices.Equal(mean, []float64{4, 0.1, 250}) && math.Abs(deviation[0]-math.Sqrt(5)) <= 1e-12 &&
		deviation[1] == 1 && math.Abs(deviation[2]-50*math.Sqrt(5)) <= 1e-9, "means %v, deviations %v", mean, deviation)
	for i, v := range []float64{-3, -1, 1, 3} {
		if want := v / math.Sqrt(5); !(math.Abs(x.Features.At(i, 0)-want) <= 1e-12) || x.Features.At(i, 1) != 0 ||
			!(math.Abs(x.Features.At(i, 2)-want) <= 1e-12) {
			t.Errorf("row %d: %v, want %g, 0 and the same", i, x.Features.RawRowView(i), want)
		}
	}
	y := table(3, 4, 1.1, 250)
	y.Rescale(mean, deviation)
	expect.That(t, slices.Equal(y.Features.RawRowView(0), []float64{0, 1, 0}),
		"rescaled by the same numbers: %v, want [0 1 0]", y.Features.RawRowView(0))
	defer func() { expect.That(t, recover() != nil, "no panic for a mean too few") }()
	y.Rescale(mean[:2], deviation)
}

// places returns rows whose value at row i and column j is 1000·j + i, so that each value identifies its origin.
func places(rows, columns int) *mat.Dense {
	x := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			x.Set(i, j, float64(1000*j+i))
		}
	}
	return x
}

func TestViewDrawsFromTheOwnColumn(t *testing.T) {
	from := places(50, 4)
	c := expect.Must(NewCorruption(from, 0.5))(t)
	from.Set(0, 0, 77777) // the corruption keeps a copy
	x := mat.NewDense(3000, 4, nil)
	for i := range 3000 {
		x.SetRow(i, []float64{-1, -2, -3, -4})
	}
	view := expect.Must(c.View(x, rand.New(rand.NewPCG(1, 1))))(t)
	expect.That(t, x.At(0, 0) == -1, "View changed what it was given")
	replaced := make([]int, 4)
	counts := make([]int, 50) // number of values of column 2 from each row
	pairs := 0                // number of rows in which columns 0 and 1 are both replaced
	for i := range 3000 {
		row := view.RawRowView(i)
		for j, v := range row {
			switch {
			case v == float64(-1-j):
			case v >= float64(1000*j) && v < float64(1000*j+50):
				replaced[j]++
				if j == 2 {
					counts[int(v)-2000]++
				}
			default:
				t.Fatalf("row %d, column %d: %g, from another column", i, j, v)
			}
		}
		if row[0] >= 0 && row[1] >= 0 {
			pairs++
		}
	}
	// 3,000 rows with probability 1/2: 1,500 with a standard deviation of 27. Five standard deviations are 137.
	for j, n := range replaced {
		expect.That(t, n >= 1363 && n <= 1637, "column %d was replaced in %d of 3000 rows, want about 1500", j, n)
	}
	// Both with probability 1/4: 750 with a standard deviation of 23.7.
	expect.That(t, pairs >= 631 && pairs <= 869,
		"columns 0 and 1 were replaced together in %d rows, want about 750", pairs)
	// All 50 rows are equally likely: chi-squared of 49 degrees has the mean 49 and the standard deviation 9.9.
	expected, chi2 := float64(replaced[2])/50, 0.0
	for _, n := range counts {
		chi2 += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	expect.That(t, chi2 <= 49+5*9.9, "chi-squared %g of the rows drawn from, want about 49: %v", chi2, counts)
}

// Each row has SCARF's number of replaced features, and each feature is replaced equally often.
func TestExactly(t *testing.T) {
	for rate, want := range map[float64]int{0: 3, 0.6: 3, 0.59: 2, 0.2: 1, 0.1: 0, 1: 5} {
		c := expect.Must(NewCorruption(places(10, 5), rate))(t)
		x := mat.NewDense(1000, 5, slices.Repeat([]float64{-1}, 5000))
		view := expect.Must(c.Exactly().View(x, rand.New(rand.NewPCG(2, 2))))(t)
		per := make([]int, 5)
		for i := range 1000 {
			n := 0
			for j, v := range view.RawRowView(i) {
				if v >= 0 {
					n++
					per[j]++
				}
			}
			expect.Require(t, n == want, "rate %g: %d features replaced, want %d", rate, n, want)
		}
		p := float64(want) / 5
		for j, n := range per {
			expect.Near(t, float64(n), 1000*p, 5*math.Sqrt(1000*p*(1-p)), "rate %g: feature %d replaced", rate, j)
		}
	}
}

func TestViews(t *testing.T) {
	x := places(40, 6)
	c := expect.Must(NewCorruption(x, 0))(t) // 0.6
	a, b := expect.Must2(c.Views(x, rand.New(rand.NewPCG(3, 3))))(t)
	again, _ := expect.Must2(c.Views(x, rand.New(rand.NewPCG(3, 3))))(t)
	expect.That(t, mat.Equal(a, again), "one seed gave two views")
	expect.That(t, !mat.Equal(a, b) && !mat.Equal(a, x), "the views are the same, or not corrupted")
	// 240 values, each changed with probability 0.6·39/40: 140.4 with a standard deviation of 7.6.
	changed := 0
	for i := range 40 {
		for j := range 6 {
			if a.At(i, j) != x.At(i, j) {
				changed++
			}
		}
	}
	expect.That(t, changed >= 102 && changed <= 179, "%d of 240 values changed, want about 140", changed)
	// Computed independently of this package, with the published formulas of PCG-DXSM and of Lemire's bounded draw.
	expect.Equal(t, a.RawRowView(0), []float64{18, 1000, 2000, 3008, 4019, 5000}, "the first row of seed 3 became")
	all := expect.Must(NewCorruption(places(1, 6), 1))(t)
	view := expect.Must(all.View(x, rand.New(rand.NewPCG(4, 4))))(t)
	for i := range 40 {
		expect.Require(t, slices.Equal(view.RawRowView(i), []float64{0, 1000, 2000, 3000, 4000, 5000}),
			"rate 1 from one row: %v", view.RawRowView(i))
	}
}

func TestCorruptionErrors(t *testing.T) {
	for _, rate := range []float64{-0.1, 1.1, math.NaN()} {
		expect.Error(t, expect.Err(NewCorruption(places(2, 2), rate)), "from 0 to 1")
	}
	_, err := NewCorruption(nil, 0.5)
	expect.Error(t, err, "no rows given")
	expect.Error(t, expect.Err(NewCorruption(&mat.Dense{}, 0.5)), "no rows given")
	c := expect.Must(NewCorruption(places(2, 2), 0.5))(t)
	rng := rand.New(rand.NewPCG(1, 1))
	expect.Error(t, expect.Err(c.View(places(2, 3), rng)), "3 features", "2 features")
	_, _, err = c.Views(nil, rng)
	expect.Error(t, err, "no rows given")
	for _, empty := range []*Corruption{nil, {}, (&Corruption{}).Exactly()} {
		expect.Error(t, expect.Err(empty.View(places(2, 2), rng)), "no values", "NewCorruption")
		expect.Equal(t, empty.String(), "no values to replace features by", "String() of an empty corruption")
	}
}
