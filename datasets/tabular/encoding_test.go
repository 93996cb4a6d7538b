package tabular

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

// cities returns a frame of four rows with gaps in all columns except one.
func cities() *Frame {
	return &Frame{[]Column{
		{Name: "age", Numbers: []float64{30, nan, 50, 10}},
		{Name: "visits", Numbers: []float64{2, 4, 4, 6}},
		{Name: "city", Words: []string{"Genève, VD", "Bern", "", "Bern"}},
		{Name: "sex", Words: []string{"m", "f", "f", "m"}},
		{Name: "clinic", Numbers: []float64{3, 3, 3, 3}},
	}}
}

func newEncoding(t *testing.T, f *Frame) *Encoding {
	t.Helper()
	e := expect.Must(NewEncoding(f))(t)
	expect.NoError(t, e.Validate())
	return e
}

// rowsNear compares the rows of an encoding with the expected ones.
func rowsNear(t *testing.T, e *Encoding, f *Frame, bound float64, want ...[]float64) {
	t.Helper()
	got := expect.Must(e.Rows(f))(t)
	n, d := got.Dims()
	expect.Require(t, n == len(want) && d == len(want[0]) && d == len(e.Names()), "%d×%d features", n, d)
	for i, row := range want {
		for j, v := range row {
			expect.Near(t, got.At(i, j), v, bound, "row %d, %s", i, e.Names()[j])
		}
	}
}

func TestEncoding(t *testing.T) {
	e := newEncoding(t, cities())
	expect.Equal(t, fmt.Sprintf("%q", e.Names()),
		`["age" "age missing" "visits" "city=Bern" "city=Genève, VD" "city missing" "sex=f" "sex=m" "clinic"]`)
	// The median 30 fills the gap: deviations from the mean 30 are 0, 0, 20 and -20, of variance 200.
	a, v := 20/math.Sqrt(200), 2/math.Sqrt(2)
	rowsNear(
		t, e, cities(), 1e-14, []float64{0, 0, -v, 0, 1, 0, 0, 1, 0}, []float64{0, 1, 0, 1, 0, 0, 1, 0, 0},
		[]float64{a, 0, 0, 0, 0, 1, 1, 0, 0}, []float64{-a, 0, v, 1, 0, 0, 0, 1, 0},
	)
	// New rows: columns in another order and one more, gaps where training had none, and a new category.
	rowsNear(t, e, &Frame{[]Column{
		{Name: "sex", Words: []string{"", "x"}},
		{Name: "other", Words: []string{"?", "!"}},
		{Name: "clinic", Numbers: []float64{1e6, nan}},
		{Name: "city", Words: []string{"Basel", ""}},
		{Name: "visits", Numbers: []float64{nan, 8}},
		{Name: "age", Numbers: []float64{nan, 70}},
	}}, 1e-14,
		// The median and the mean of visits are 4; f is the first of the two most frequent words in sex.
		[]float64{0, 1, 0, 0, 0, 0, 1, 0, 0},
		[]float64{2 * a, 0, 2 * v, 0, 0, 1, 0, 0, 0})
}

func TestEncodingAsJSON(t *testing.T) {
	e := newEncoding(t, cities())
	data := expect.Must(json.Marshal(e))(t)
	var back Encoding
	expect.NoError(t, json.Unmarshal(data, &back))
	expect.That(t, slices.Equal(back.Names(), e.Names()), "names %q", back.Names())
	got, want := expect.Must(back.Rows(cities()))(t), expect.Must(e.Rows(cities()))(t)
	expect.That(t, mat.Equal(got, want), "other rows from %s", data)
}

// The limits of float64 neither overflow nor lose the spread.
func TestEncodingOfExtremeNumbers(t *testing.T) {
	for _, unit := range []float64{math.MaxFloat64, 5e-324, 1} {
		f := &Frame{[]Column{{Name: "a", Numbers: []float64{-unit, unit, unit, -unit}}}}
		rowsNear(t, newEncoding(t, f), f, 1e-14, []float64{-1}, []float64{1}, []float64{1}, []float64{-1})
	}
	high := &Frame{[]Column{{Name: "a", Numbers: []float64{math.MaxFloat64, math.MaxFloat64 / 2, nan}}}}
	v := math.Sqrt(1.5) // the gap counts as the median
	rowsNear(t, newEncoding(t, high), high, 1e-14, []float64{v, 0}, []float64{-v, 0}, []float64{0, 1})
	e := newEncoding(t, &Frame{[]Column{{Name: "a", Numbers: []float64{0, 1e-300}}}})
	err := expect.Err(e.Rows(&Frame{[]Column{{Name: "a", Numbers: []float64{0, 1e300}}}}))
	expect.Error(t, err, "column a, row 1", "1e+300 is too far", "leave out the row")
}

func words(n int, word func(i int) string) *Frame {
	c := Column{Name: "code", Words: make([]string, n)}
	for i := range n {
		c.Words[i] = word(i)
	}
	return &Frame{[]Column{c}}
}

func TestNewEncodingErrors(t *testing.T) {
	number := func(i int) string { return fmt.Sprint("w", i) }
	for _, n := range []int{1, 20} {
		newEncoding(t, words(n, number))
	}
	newEncoding(t, words(300, func(i int) string { return number(i % 100) }))
	newEncoding(t, words(22, func(i int) string { return number(i % 21) }))
	for _, f := range []*Frame{
		words(21, number), words(300, func(i int) string { return number(i % 101) }),
		words(42, func(i int) string { return []string{number(i), ""}[i%2] }), // as many categories as words
	} {
		expect.Error(t, expect.Err(NewEncoding(f)), "column code", "different words", "identifier", "Skip it")
	}
	mostlyNumbers := words(30, func(i int) string { return []string{fmt.Sprint(i), "n.a."}[i/29] })
	expect.Error(t, expect.Err(NewEncoding(mostlyNumbers)), "column code",
		"29 rows hold numbers", `"n.a."`, "FrameConfig.Missing")
	expect.Error(t, expect.Err(NewEncoding(&Frame{})), "without columns")
	expect.Error(t, expect.Err(NewEncoding(&Frame{[]Column{{Name: "a", Numbers: []float64{nan, nan}}}})),
		"all 2 values of column a", "skip")
	expect.Error(t, expect.Err(NewEncoding(words(1, func(int) string { return "" }))), "all 1 values of column code")
}

func TestRowsErrors(t *testing.T) {
	e := newEncoding(t, cities())
	for _, tt := range []struct {
		name   string
		change func(f *Frame)
		want   []string
	}{
		{"missing column", func(f *Frame) { f.Columns = f.Columns[1:] },
			[]string{`no column "age"`, "add it", `"visits", "city"`}},
		{"numbers for words", func(f *Frame) { f.Columns[3] = Column{Name: "sex", Numbers: []float64{0, 1, 1, 0}} },
			[]string{"column sex holds numbers, and words in the training rows", "FrameConfig.Words"}},
		{"words for numbers", func(f *Frame) { f.Columns[1] = Column{Name: "visits", Words: []string{"2", "", "many", "x"}} },
			[]string{"column visits holds words", `"many"`, "FrameConfig.Missing"}},
		{"not valid", func(f *Frame) { f.Columns[0].Numbers[2] = math.Inf(1) }, []string{"column age, row 2", "infinite"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := cities()
			tt.change(f)
			expect.Error(t, expect.Err(e.Rows(f)), tt.want...)
		})
	}
}

func TestEncodingValidate(t *testing.T) {
	expect.Error(t, (*Encoding)(nil).Validate(), "NewEncoding")
	expect.Error(t, expect.Err((&Encoding{}).Rows(cities())), "without columns", "NewEncoding")
	for name, change := range map[string]func(c []ColumnEncoding){
		"there twice":        func(c []ColumnEncoding) { c[1].Name = "age" },
		"unnamed":            func(c []ColumnEncoding) { c[1].Name = "" },
		"mean NaN":           func(c []ColumnEncoding) { c[0].Mean = nan },
		"median +Inf":        func(c []ColumnEncoding) { c[0].Median = math.Inf(1) },
		"deviation -1":       func(c []ColumnEncoding) { c[0].Deviation = -1 },
		"not sorted":         func(c []ColumnEncoding) { slices.Reverse(c[2].Categories) },
		"one of the categor": func(c []ColumnEncoding) { c[2].Frequent = "Basel" },
	} {
		e := newEncoding(t, cities())
		change(e.Columns)
		expect.Error(t, expect.Err(e.Rows(cities())), name, "NewEncoding")
	}
}

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
