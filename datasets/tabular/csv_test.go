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
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

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
		{"one class per number", "y,a\n1,1\n1.0,2\n 0,3\n1e0,4\n-0,5\n0.50,6\n", CSV{Label: "y"}, []float64{1, 2, 3,
			4, 5, 6},
			[]string{"a"}, []int{2, 2, 0, 2, 0, 1}, []string{"0", "0.5", "1"}},
		{"fractions of whole classes", "y,a\n10.0,1\n2.0,2\n1.0,3\n", CSV{Label: "y"}, []float64{1, 2, 3},
			[]string{"a"},
			[]int{2, 1, 0}, []string{"1", "2", "10"}},
		{"a marker after the numbers", "y,a\n2,1\n10,2\n?,3\n1_0,4\n", CSV{Label: "y"}, []float64{1, 2, 3, 4},
			[]string{"a"},
			[]int{0, 1, 3, 2}, []string{"2", "10", "1_0", "?"}},
		{"classes beyond 64 bits", "y,a\n9007199254740993,1\n9007199254740992,2\n", CSV{Label: "y"}, []float64{1, 2},
			[]string{"a"},
			[]int{1, 0}, []string{"9007199254740992", "9007199254740993"}},
		{"two indices skipped", ",,a\n0,0,1\n0,1,2\n", CSV{Skip: []string{""}}, []float64{1, 2}, []string{"a"}, nil,
			nil},
		{"an index kept", "Unnamed: 0,a\n0,1\n1,2\n", CSV{Keep: []string{"Unnamed: 0"}}, []float64{0, 1, 1, 2},
			[]string{"Unnamed: 0", "a"}, nil, nil},
		{"line ends of a Macintosh", "a,b\r1,2\r3,4\r", CSV{}, []float64{1, 2, 3, 4}, []string{"a", "b"}, nil, nil},
		{"a first line of Excel", "sep=;\r\na;b\r\n1;2\r\n", CSV{}, []float64{1, 2}, []string{"a", "b"}, nil, nil},
		{"a first line with a tab", "sep=\t\na\tb\n1\t2\n", CSV{}, []float64{1, 2}, []string{"a", "b"}, nil, nil},
		{"UTF-16", "\xff\xfea\x00\n\x005\x00\n\x00", CSV{}, []float64{5}, []string{"a"}, nil, nil},
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
		{"line too short", "a,b\n1,2\n3\n", CSV{}, []string{"1 of 2 lines", "line 3: 1 values instead of 2",
			"fill in"}},
		{"line too long", "a,b\n1,2,3\n4,5\n", CSV{}, []string{"line 2: 3 values instead of 2", "quote"}},
		{"class missing, no header", "1,ill\n2,\n", CSV{NoHeader: true, Label: "2"}, []string{"line 2, column 2: the class"}},
		{"line too short after an empty one", "1,2\n\n3\n", CSV{NoHeader: true},
			[]string{"line 3: 1 values instead of 2"}},
		{"open quote", "a,b\n\"1,2\n3,4\n", CSV{}, []string{"line 2"}},
		{"no such class column", "a,b\n1,2\n", CSV{Label: "c"}, []string{`no column "c"`, `["a" "b"]`}},
		{"semicolons", "a;b;y\n1;2;3\n", CSV{Label: "y"}, []string{`no column "y"`, "looks like ';'", "set Comma"}},
		{"tabs", "a\tb\ty\n1\t2\t3\n", CSV{Label: "y"}, []string{`no column "y"`, `looks like '\t'`, "set Comma"}},
		{"semicolons without classes", "a;b\n1;2\n", CSV{}, []string{`only column is "a;b"`, "looks like ';'",
			"set Comma"}},
		{"semicolons without a header", "1;2\n3;4\n", CSV{NoHeader: true}, []string{"looks like ';'", "set Comma"}},
		{"UTF-16 cut off", "\xfe\xff\x00a\x00", CSV{}, []string{"begins as UTF-16", "UTF-8"}},
		{"Latin-1", "a\xfc\n1\n", CSV{}, []string{"line 1, byte 2", "UTF-8"}},
		{"row names of R", "a,b\n1,5,6\n2,7,8\n", CSV{}, []string{"one value more", "row.names=FALSE"}},
		{"separators at the ends", "a,b,\n1,2,\n", CSV{}, []string{"column 3, the last, has no name", "off the end"}},
		{"behind a line of Excel", "sep=;\na;b\n1;x\n", CSV{}, []string{"line 3, column 2 (b)"}},
		{"a web page", "<!DOCTYPE html>\n<p>1,2", CSV{}, []string{"web page"}},
		{"a pointer", "version https://git-lfs.github.com/spec/v1\noid 1\n", CSV{}, []string{"git lfs pull"}},
		{"an old spreadsheet", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", CSV{}, []string{"spreadsheet"}},
		{"Parquet", "PAR1\x15\x04", CSV{}, []string{"Parquet", "to_csv"}},
		{"all faults", "a,b\n1_500,x\n,2\n3,4\n", CSV{}, []string{"2 of 2 columns", `line 2, column 1 (a): "1_500"`,
			"write 1500",
			"and 1 more", `line 2, column 2 (b): "x" is no number`}},
		{"binary exponent", "a\n0x1p-2\n", CSV{}, []string{"line 2", "write 0.25 "}},
		{"rounded", "a\n9007199254740993\n", CSV{}, []string{"line 2, column 1 (a)", "exactly", "identifier"}},
		{"too small", "a\n1e-400\n", CSV{}, []string{"line 2, column 1 (a)", "too small", "write 0"}},
		{"decimal comma", "a;b\n1,5;2\n", CSV{Comma: ';'}, []string{`"1,5"`, "decimal point"}},
		{"an index without a name", ",a,b,y\n0,3,4,ill\n", CSV{Label: "y"}, []string{"column 1 has no name",
			`"" in Skip`}},
		{"an index without a name is not kept", ",a\n0,3\n", CSV{Keep: []string{""}}, []string{"column 1 has no name"}},
		{"an index of pandas", "a,Unnamed: 0\n0,3\n", CSV{}, []string{`column 2 is named "Unnamed: 0"`, "Skip",
			"Keep"}},
		{"kept and skipped", "a,b\n0,3\n", CSV{Keep: []string{"a"}, Skip: []string{"a"}}, []string{"column a of Keep"}},
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

// checkCSV reads a possibly damaged text: an accepted one gives a valid table with a value for every comma.
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
		// A table is read back unchanged.
		f := expect.Must(NewFrame(got.Features, got.Names))(t)
		again := CSV{}
		for i := range f.Columns {
			again.Keep = append(again.Keep, f.Columns[i].Name)
		}
		if got.Labels != nil {
			again.Label = "kind"
			c := Column{Name: again.Label, Words: make([]string, got.Len())}
			for i, class := range got.Labels {
				c.Words[i] = got.Classes[class]
			}
			f.Columns = append(f.Columns, c)
		}
		copied := expect.Must(ReadCSV(strings.NewReader(write(f)), again))(t)
		expect.That(t, mat.Equal(copied.Features, got.Features) && slices.Equal(copied.Labels, got.Labels) &&
			slices.Equal(copied.Classes, got.Classes), "%q: %v is not %v", text, copied, got)
		if strings.ContainsAny(text, "\"\r") || strings.Contains(text, "sep=") || !utf8.ValidString(text) { // UTF-16
			continue
		}
		// Without quotes, lines and commas determine the values, and the names in the header determine the features.
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
	f.Add("id,kind,\n,A,00") // an unnamed feature after the class
	f.Fuzz(checkCSV)
}

func TestDamagedCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 44))
	for range 300 {
		checkCSV(t, string(damage.One(rng, []byte(flowers))))
		checkCSV(t, string(damage.One(rng, []byte("1,2\n3,4\n"))))
	}
}

// Reading a wide table takes time proportional to the number of columns, not to its square.
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
