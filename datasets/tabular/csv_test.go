package tabular

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

const flowers = `id,length,kind,width
1,5.1,setosa,3.5
2,-0.25,virginica,1e-3
3,7,setosa,0
`

func TestReadCSV(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		cfg        CSV
		features   []float64
		columns    []string
		labels     []int
		classes    []string
	}{
		{"header, classes, a column skipped", flowers, CSV{Label: "kind", Skip: []string{"id"}},
			[]float64{5.1, 3.5, -0.25, 0.001, 7, 0}, []string{"length", "width"}, []int{0, 1, 0}, []string{"setosa", "virginica"}},
		{"UTF-8 mark, CRLF, quotes and space", "\xef\xbb\xbf\"a\", b\r\n 1 ,\"2\"\r\n", CSV{},
			[]float64{1, 2}, []string{"a", "b"}, nil, nil},
		{"no header", "1\t2\tx\n3\t4\ty\n", CSV{NoHeader: true, Label: "3", Comma: '\t'},
			[]float64{1, 2, 3, 4}, nil, []int{0, 1}, []string{"x", "y"}},
		{"classes as numbers", "y,a\n10,1\n9,2\n10,3\n-1,4\n", CSV{Label: "y"},
			[]float64{1, 2, 3, 4}, []string{"a"}, []int{2, 1, 2, 0}, []string{"-1", "9", "10"}},
		{"classes as text", "y,a\n10,1\n9,2\nx,3\n", CSV{Label: "y"}, []float64{1, 2, 3}, []string{"a"}, []int{0, 1, 2},
			[]string{"10", "9", "x"}},
		{"empty lines at the end", "a,b\n\n1,2\n\n\n", CSV{}, []float64{1, 2}, []string{"a", "b"}, nil, nil},
		{"one column", "a\n1\n2\n", CSV{}, []float64{1, 2}, []string{"a"}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := expect.Must(ReadCSV(iotest.OneByteReader(strings.NewReader(tt.text)), tt.cfg))(t)
			expect.NoError(t, got.Validate())
			expect.That(t, slices.Equal(got.Features.RawMatrix().Data, tt.features) &&
				slices.Equal(got.Names, tt.columns), "features %v named %q, want %v named %q",
				got.Features.RawMatrix().Data, got.Names, tt.features, tt.columns)
			expect.That(t, slices.Equal(got.Labels, tt.labels) && slices.Equal(got.Classes, tt.classes),
				"labels %v of %q, want %v of %q", got.Labels, got.Classes, tt.labels, tt.classes)
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		cfg        CSV
		want       []string
	}{
		{"nothing", "", CSV{}, []string{"nothing in it"}},
		{"a header alone", "a,b\n", CSV{}, []string{"no examples"}},
		{"missing", "a,b\n1,2\n3,\n", CSV{}, []string{"line 3, column 2 (b)", "missing", "fill it in"}},
		{"NA", "a,b\n1,2\nNA,3\n", CSV{}, []string{"line 3, column 1 (a)", `missing ("NA")`}},
		{"nan", "a\nnan\n", CSV{}, []string{"line 2", "missing"}},
		{"question mark, no header", "1,2\n3,?\n", CSV{NoHeader: true}, []string{"line 2, column 2: ", "missing"}},
		{"missing in the only column", "a\n1\n\n2\n", CSV{}, []string{"line 3 is empty"}},
		{"missing in the only column at first", "\n1\n", CSV{NoHeader: true}, []string{"line 1 is empty"}},
		{"infinite", "a\ninf\n", CSV{}, []string{"line 2", "not finite"}},
		{"too large", "a\n1e999\n", CSV{}, []string{"line 2", "too large"}},
		{"text", "a\nred\n", CSV{}, []string{"line 2, column 1 (a)", `"red" is no number`, "CSV.Label if it holds the classes", "CSV.Skip"}},
		{"class missing", "a,y\n1,\n", CSV{Label: "y"}, []string{"line 2, column 2 (y)", "class is missing"}},
		{"line too short", "a,b\n1,2\n3\n", CSV{}, []string{"line 3", "1 instead of 2", "fill in"}},
		{"line too long", "a,b\n1,2,3\n", CSV{}, []string{"line 2", "3 instead of 2", "into quotes"}},
		{"class missing, no header", "1,ill\n2,\n", CSV{NoHeader: true, Label: "2"}, []string{"line 2, column 2: the class"}},
		{"line too short after an empty one", "1,2\n\n3\n", CSV{NoHeader: true}, []string{"line 3", "1 instead of 2"}},
		{"open quote", "a,b\n\"1,2\n3,4\n", CSV{}, []string{"line 2"}},
		{"no such class column", "a,b\n1,2\n", CSV{Label: "c"}, []string{`no column "c"`, `["a" "b"]`}},
		{"semicolons", "a;b;y\n1;2;3\n", CSV{Label: "y"}, []string{`no column "y"`, "looks like ';'", "set Comma"}},
		{"tabs", "a\tb\ty\n1\t2\t3\n", CSV{Label: "y"}, []string{`no column "y"`, `looks like '\t'`, "set Comma"}},
		{"no such number", "1,2\n", CSV{NoHeader: true, Label: "3"}, []string{`no column "3"`, "1 to 2"}},
		{"number 0", "1,2\n", CSV{NoHeader: true, Skip: []string{"0"}}, []string{`no column "0"`}},
		{"skipped and classes", "a,b\n1,2\n", CSV{Label: "a", Skip: []string{"a"}}, []string{"a is to be skipped and to hold"}},
		{"nothing left", "a,b\n1,2\n", CSV{Label: "a", Skip: []string{"b"}}, []string{"no column is left"}},
		{"two of a name", "a,b,a\n1,2,3\n", CSV{}, []string{"columns 1 and 3", `"a"`}},
		{"comma", "a\n1\n", CSV{Comma: '"'}, []string{"invalid field"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadCSV(strings.NewReader(tt.text), tt.cfg)
			expect.Error(t, err, append(tt.want, "tabular: CSV file: ")...)
			expect.That(t, got == nil, "a table in spite of the error")
		})
	}
	broken := errors.New("broken disk")
	expect.Is(t, expect.Err(ReadCSV(iotest.ErrReader(broken), CSV{})), broken)
}

// checkCSV reads a text that may be damaged: what passes is a valid table with a value for every comma.
func checkCSV(t *testing.T, text string) {
	for _, cfg := range []CSV{{}, {NoHeader: true}, {Label: "kind", Skip: []string{"id"}}} {
		got, err := ReadCSV(strings.NewReader(text), cfg)
		if err != nil {
			expect.That(t, got == nil, "%q: a table in spite of the error %v", text, err)
			continue
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if strings.ContainsAny(text, "\"\r") {
			continue
		}
		// Without quotes the lines and commas say it all, and the header, by name, which columns are features.
		var want []float64
		var names []string
		for _, line := range strings.Split(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\n") {
			fields := strings.Split(line, ",")
			if line == "" {
				continue
			}
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			if names == nil && !cfg.NoHeader {
				names = fields
				continue
			}
			for i, field := range fields {
				if names != nil && (names[i] == cfg.Label && cfg.Label != "" || slices.Contains(cfg.Skip, names[i])) {
					continue
				}
				v, err := strconv.ParseFloat(field, 64)
				expect.That(t, err == nil, "%q: the field %q passed", text, field)
				want = append(want, v)
			}
		}
		expect.That(t,
			slices.EqualFunc(got.Features.RawMatrix().Data, want, func(a, b float64) bool { return a == b && !math.IsNaN(a) }),
			"%q: features %v, want %v", text, got.Features.RawMatrix().Data, want)
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add(flowers)
	f.Add("1,2\n3,4\n")
	f.Add("a\n\n1")
	f.Add("id,kind,\n,A,00") // a feature without a name, after the class
	f.Fuzz(checkCSV)
}

func TestDamagedCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 44))
	for range 300 {
		checkCSV(t, string(damage.One(rng, []byte(flowers))))
		checkCSV(t, string(damage.One(rng, []byte("1,2\n3,4\n"))))
	}
}

// Reading a wide table takes time in proportion to the columns, not to their square.
func TestManyColumns(t *testing.T) {
	const columns = 200_000
	var names, numbers strings.Builder
	for i := range columns {
		fmt.Fprintf(&names, ",x%d", i)
		numbers.WriteString(",1")
	}
	start := time.Now()
	table, err := ReadCSV(strings.NewReader("kind"+names.String()+"\na"+numbers.String()+"\n"), CSV{Label: "kind"})
	expect.NoError(t, err)
	_, k := table.Features.Dims()
	expect.That(t, k == columns && table.Names[columns-1] == "x199999", "%d columns", k)
	took := time.Since(start)
	expect.That(t, took <= 15*time.Second, "it took %v", took)
}
