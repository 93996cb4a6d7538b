package tabular

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/internal/expect"
)

// A column that numbers the rows is rejected if there are enough rows, by every reader and with any header.
func TestRowNumbers(t *testing.T) {
	rows := func(n int, value func(k int) any) string {
		text := "a,id\n"
		for k := range n {
			text += fmt.Sprintf("%d,%v\n", k%3, value(k))
		}
		return text
	}
	index := func(k int) any { return k }
	for _, tt := range []struct {
		name string
		text string
		ok   bool
	}{
		{"from 0", rows(10, index), false},
		{"from 1", rows(300, func(k int) any { return k + 1 }), false},
		{"as fractions", rows(12, func(k int) any { return fmt.Sprintf("%d.0", k) }), false},
		{"few rows", rows(9, index), true},
		{"from 2", rows(30, func(k int) any { return k + 2 }), true},
		{"years", rows(30, func(k int) any { return k + 1990 }), true},
		{"one value changed", rows(30, func(k int) any { return k + k/29 }), true},
		{"backward", rows(30, func(k int) any { return 29 - k }), true},
	} {
		for _, noHeader := range []bool{false, true} {
			text, id := tt.text, "id"
			if noHeader {
				text, id = strings.TrimPrefix(text, "a,id\n"), "2"
			}
			_, err := ReadCSV(strings.NewReader(text), CSV{NoHeader: noHeader})
			for _, err := range []error{err, readError(text, FrameConfig{NoHeader: noHeader})} {
				if expect.That(t, (err == nil) == tt.ok, "%s: %v", tt.name, err); err != nil {
					expect.Error(t, err, "column 2 ("+id+") numbers the rows", "Skip", "Keep")
				}
			}
			kept := expect.Must(ReadCSV(strings.NewReader(text), CSV{NoHeader: noHeader, Keep: []string{id}}))(t)
			f, _ := readAll(t, text, FrameConfig{NoHeader: noHeader, Keep: []string{id}})
			expect.That(t, slices.Equal(f.Columns[1].Numbers, mat.Col(nil, 1, kept.Features)), "%s: %v", tt.name, f)
			readAll(t, text, FrameConfig{NoHeader: noHeader, Words: []string{id}})
			readAll(t, text, FrameConfig{NoHeader: noHeader, Like: newEncoding(t, f)})
		}
	}
	// Row numbers continue after a skipped line.
	text := strings.Replace(rows(12, index), "\n2,5\n", "\n2,5,\n", 1)
	expect.Error(t, readError(text, FrameConfig{SkipBad: true}), "numbers the rows from 0 to 11")
}

// The order of rows and columns, separators, quotes, line ends, encodings, the texts of numbers and a cut into two
// files make no difference, and a table is read back unchanged.
func TestReadingIsInvariant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(1, 12).Draw(rt, "rows"), rapid.IntRange(1, 4).Draw(rt, "columns")
		number := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-9, 9),
			func(v int) float64 { return float64(v) }))
		values := rapid.SliceOfN(number, n*d, n*d).Draw(rt, "values")
		class := rapid.SampledFrom([]string{"10", "2", "-1", "0.5", "?", "b;\"c", "Zürich"})
		kinds := rapid.SliceOfN(class, n, n).Draw(rt, "classes")
		rowAt := rapid.Permutation(seq(n)).Draw(rt, "row order")
		columnAt := rapid.Permutation(seq(d+1)).Draw(rt, "column order")
		comma := rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(rt, "comma")
		wide := rapid.SampledFrom([]string{"UTF-8", "little", "big"}).Draw(rt, "encoding")
		form := rapid.SampledFrom([]string{"%g", "%.17g", "%.20e"}).Draw(rt, "form")
		var out strings.Builder
		w := csv.NewWriter(&out)
		w.Comma, w.UseCRLF = comma, rapid.Bool().Draw(rt, "CRLF")
		for i := -1; i < n; i++ {
			var record []string
			for _, j := range columnAt {
				switch {
				case i < 0:
					record = append(record, fmt.Sprintf("x%d", j))
				case j == d && (kinds[rowAt[i]] == "10" || kinds[rowAt[i]] == "2") && form != "%g":
					record = append(record, kinds[rowAt[i]]+".0") // as pandas writes integers beside gaps
				case j == d:
					record = append(record, kinds[rowAt[i]])
				default:
					record = append(record, fmt.Sprintf(form, values[rowAt[i]*d+j]))
				}
			}
			expect.NoError(t, w.Write(record))
		}
		w.Flush()
		cfg := CSV{Label: fmt.Sprintf("x%d", d), Comma: comma}
		for j := range d {
			cfg.Keep = append(cfg.Keep, fmt.Sprintf("x%d", j))
		}
		got, err := ReadCSV(strings.NewReader(encode(out.String(), wide)), cfg)
		f, labels, bad, frameErr := ReadFrame(strings.NewReader(encode(out.String(), wide)),
			FrameConfig{Label: cfg.Label, Comma: comma, Keep: cfg.Keep})
		if err != nil || frameErr != nil || len(bad) > 0 {
			rt.Fatalf("%q: %v, %v, %v", out.String(), err, frameErr, bad)
		}
		distinct := len(slices.Compact(slices.Clone(got.Classes)))
		if !slices.IsSortedFunc(got.Classes, classes.Compare) || distinct != len(got.Classes) {
			rt.Fatalf("classes %q", got.Classes)
		}
		// Two parts of the file hold the rows of the whole, with the same classes.
		lines := slices.Collect(strings.Lines(out.String()))
		at := rapid.IntRange(1, n).Draw(rt, "cut")
		for i, part := range [][]string{lines[1 : 1+at], lines[1+at:]} {
			if len(part) == 0 {
				continue
			}
			some := expect.Must(ReadCSV(strings.NewReader(lines[0]+strings.Join(part, "")), cfg))(t)
			for k := range part {
				same := slices.Equal(some.Features.RawRowView(k), got.Features.RawRowView(i*at+k))
				if class := some.Classes[some.Labels[k]]; !same || class != got.Classes[got.Labels[i*at+k]] {
					rt.Fatalf("row %d of part %d is %v of class %q", k, i, some.Features.RawRowView(k), class)
				}
			}
		}
		for i, row := range rowAt {
			if class := got.Classes[got.Labels[i]]; class != kinds[row] || labels[i] != class {
				rt.Fatalf("row %d has class %q and %q, not %q", i, class, labels[i], kinds[row])
			}
			for k, name := range got.Names {
				var j int
				expect.Must(fmt.Sscanf(name, "x%d", &j))(t)
				v, c, want := got.Features.At(i, k), f.Columns[k], values[row*d+j]
				if v != want || c.Name != name || c.Numbers[i] != want {
					rt.Fatalf("row %d, column %s: %v and %v, not %v", i, name, v, c, want)
				}
			}
		}
	})
}

func seq(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// encode returns text in UTF-8, or in UTF-16 of either byte order.
func encode(text, order string) string {
	if order == "UTF-8" {
		return text
	}
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		if order == "big" {
			out = binary.BigEndian.AppendUint16(out, unit)
		} else {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
	}
	return string(out)
}

// write returns a frame as CSV.
func write(f *Frame) string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	for i := -1; i < f.Len(); i++ {
		var record []string
		for _, c := range f.Columns {
			switch {
			case i < 0:
				record = append(record, c.Name)
			case c.Numbers == nil && c.Words[i] == "":
				record = append(record, "NA")
			case c.Numbers == nil:
				record = append(record, c.Words[i])
			default:
				record = append(record, fmt.Sprint(c.Numbers[i])) // NaN is a gap
			}
		}
		w.Write(record)
	}
	w.Flush()
	return out.String()
}
