package tabular

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

var nan = math.NaN()

// sameNumbers compares two lists of numbers, in which NaN equals NaN.
func sameNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
}

func TestNewFrame(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, nan, 3, 4, 5, 6})
	f := expect.Must(NewFrame(x, nil))(t)
	expect.Equal(t, f.Len(), 3)
	expect.Equal(t, f.String(), "3 rows of 2 columns: 2 of numbers, 0 of words")
	expect.Equal(t, f.Columns[1].Name, "feature 2")
	expect.That(t, sameNumbers(f.Columns[0].Numbers, []float64{1, 3, 5}) &&
		sameNumbers(f.Columns[1].Numbers, []float64{nan, 4, 6}), "columns %v", f.Columns)
	x.Set(0, 0, 99)
	expect.Equal(t, f.Columns[0].Numbers[0], 1) // a copy
	named := expect.Must(NewFrame(x, []string{"age", "größe"}))(t)
	expect.Equal(t, named.Columns[1].Name, "größe")
	expect.Error(t, expect.Err(NewFrame(nil, nil)), "no rows given")
	expect.Error(t, expect.Err(NewFrame(&mat.Dense{}, nil)), "no rows given")
	expect.Error(t, expect.Err(NewFrame(x, []string{"a"})), "1 names for 2 columns")
	expect.Error(t, expect.Err(NewFrame(x, []string{"a", "a"})), "columns 1 and 2", `"a"`, "rename")
	expect.Error(t, expect.Err(NewFrame(mat.NewDense(1, 1, []float64{math.Inf(-1)}), nil)), "feature 1, row 0", "infinite")
}

func TestFrameValidate(t *testing.T) {
	a := Column{Name: "a", Numbers: []float64{1, nan}}
	b := Column{Name: "b", Words: []string{"x", ""}}
	expect.NoError(t, (&Frame{Columns: []Column{a, b}}).Validate())
	for _, tt := range []struct {
		name  string
		frame *Frame
		want  []string
	}{
		{"nil", nil, []string{"without columns"}},
		{"no columns", &Frame{}, []string{"without columns"}},
		{"no rows", &Frame{[]Column{{Name: "a", Numbers: []float64{}}}}, []string{"column a has no rows"}},
		{"neither", &Frame{[]Column{{Name: "a"}}}, []string{"column a has no rows"}},
		{"both", &Frame{[]Column{a, {Name: "c", Numbers: a.Numbers, Words: b.Words}}}, []string{"column c has both"}},
		{"lengths", &Frame{[]Column{a, {Name: "c", Words: []string{"x"}}}},
			[]string{"column c has 1 rows", "column a has 2"}},
		{"twice", &Frame{[]Column{b, a, b}}, []string{"columns 1 and 3", `"b"`}},
		{"no name", &Frame{[]Column{a, {Words: b.Words}}}, []string{"column 2", "no name"}},
		{"infinite", &Frame{[]Column{a, {Name: "c", Numbers: []float64{1, math.Inf(1)}}}},
			[]string{"column c, row 1", "infinite", "NaN"}},
		{"not UTF-8", &Frame{[]Column{{Name: "c", Words: []string{"Z\xfcrich"}}}}, []string{`"Z\xfcrich"`, "UTF-8"}},
		{"name not UTF-8", &Frame{[]Column{{Name: "Gr\xf6sse", Words: []string{"x"}}}}, []string{"UTF-8"}},
	} {
		t.Run(tt.name, func(t *testing.T) { expect.Error(t, tt.frame.Validate(), tt.want...) })
	}
	expect.Equal(t, (*Frame)(nil).Len(), 0)
	expect.Equal(t, (*Frame)(nil).String(), "no frame")
}

func TestFrameSelect(t *testing.T) {
	f := &Frame{[]Column{{Name: "a", Numbers: []float64{1, nan, 3}}, {Name: "b", Words: []string{"x", "", "z"}}}}
	got := expect.Must(f.Select([]int{2, 1, 2}))(t)
	expect.NoError(t, got.Validate())
	expect.That(t, got.Columns[0].Name == "a" && got.Columns[1].Name == "b" &&
		sameNumbers(got.Columns[0].Numbers, []float64{3, nan, 3}) &&
		slices.Equal(got.Columns[1].Words, []string{"z", "", "z"}), "%v", got.Columns)
	got.Columns[0].Numbers[0] = 7
	expect.Equal(t, f.Columns[0].Numbers[2], 3) // a copy
	expect.Error(t, expect.Err(f.Select(nil)), "no rows")
	expect.Error(t, expect.Err(f.Select([]int{0, 3})), "row 3", "3 rows")
	expect.Error(t, expect.Err(f.Select([]int{-1})), "row -1")
	expect.Error(t, expect.Err((&Frame{}).Select([]int{0})), "without columns")
}
