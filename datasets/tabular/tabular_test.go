package tabular

import (
	"math"
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
	for _, tt := range []struct {
		spoil func(*Table)
		want  string
	}{
		{func(x *Table) { x.Features = nil }, "no features"},
		{func(x *Table) { x.Names = x.Names[:1] }, "1 names for 2 features"},
		{func(x *Table) { x.Labels = []int{0, 0, 0} }, "3 labels for 2 examples"},
		{func(x *Table) { x.Labels[1] = 2 }, "example 1 has class 2"},
		{func(x *Table) { x.Labels[0] = -1 }, "example 0 has class -1"},
		{func(x *Table) { x.Features.Set(1, 0, math.NaN()) }, "feature 0 of example 1 is NaN"},
		{func(x *Table) { x.Features.Set(0, 1, math.Inf(-1)) }, "feature 1 of example 0 is -Inf"},
	} {
		x := good()
		tt.spoil(x)
		expect.Error(t, x.Validate(), tt.want)
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

// A table without features has no rows, and nothing to select, scale or tell of.
func TestEmptyTable(t *testing.T) {
	for _, empty := range []*Table{{}, {Features: &mat.Dense{}}} {
		expect.That(t, empty.Len() == 0, "%d rows, want 0", empty.Len())
		expect.Error(t, expect.Err(empty.Select([]int{0})), "row 0", "0 rows")
		mean, deviation := empty.Standardize()
		expect.That(t, len(mean) == 0 && len(deviation) == 0, "means %v and deviations %v of nothing", mean, deviation)
		expect.Equal(t, empty.String(), "0 examples of 0 features, without classes", "String()")
	}
}

// Features as small or as large as numbers can be are scaled as any others: the deviation of 0 and 2 is 1, their mean 1.
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
	// From one end of the numbers to the other, and a deviation that is half of the smallest number.
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
	defer func() {
		expect.That(t, recover() != nil, "no panic for a mean too few")
	}()
	y.Rescale(mean[:2], deviation)
}
