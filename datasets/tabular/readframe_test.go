package tabular

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

// readAll returns the frame of a completely readable text.
func readAll(t *testing.T, text string, cfg FrameConfig) (*Frame, []string) {
	t.Helper()
	f, labels, bad, err := ReadFrame(iotest.OneByteReader(strings.NewReader(text)), cfg)
	expect.NoError(t, err)
	expect.NoError(t, f.Validate())
	expect.That(t, len(bad) == 0, "unreadable lines: %v", bad)
	return f, labels
}

func readError(text string, cfg FrameConfig) error {
	_, _, _, err := ReadFrame(strings.NewReader(text), cfg)
	return err
}

// describe returns a short form of the columns of a frame.
func describe(f *Frame) (out []string) {
	for _, c := range f.Columns {
		if c.Words != nil {
			out = append(out, fmt.Sprintf("%s %q", c.Name, c.Words))
		} else {
			out = append(out, fmt.Sprintf("%s %v", c.Name, c.Numbers))
		}
	}
	return out
}

func TestReadFrame(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		cfg        FrameConfig
		want       []string
		labels     []string
	}{
		{"all kinds", "\xef\xbb\xbfid,age,city,y\np1,5,\"Genève, VD\",NA\np2,NA,Zürich,\np3,1e2,?, ill\n",
			FrameConfig{Label: "y", Skip: []string{"id"}},
			[]string{"age [5 NaN 100]", `city ["Genève, VD" "Zürich" ""]`}, []string{"NA", "", "ill"}},
		{"default gaps", "a,b\nNA,x\nN/A,x\nNaN,x\nnan,x\nnull,x\nNULL,x\nNone,x\n?,x\n,x\n-1,x\n", FrameConfig{},
			[]string{"a [NaN NaN NaN NaN NaN NaN NaN NaN NaN -1]", `b ["x" "x" "x" "x" "x" "x" "x" "x" "x" "x"]`}, nil},
		{"gaps of one's own", "a,b\n-9,NA\n1,NA\n,x\n", FrameConfig{Missing: []string{"-9"}},
			[]string{"a [NaN 1 NaN]", `b ["NA" "NA" "x"]`}, nil},
		{"no gaps but empty text", "a\nNA\nb\n", FrameConfig{Missing: []string{}}, []string{`a ["NA" "b"]`}, nil},
		{"codes", "plz,n\n8001,1\n0300,2\n,3\n", FrameConfig{Words: []string{"plz"}},
			[]string{`plz ["8001" "0300" ""]`, "n [1 2 3]"}, nil},
		{"codes beside words", "a,b\n1_5,inf\nx,1\nx,y\n", FrameConfig{}, []string{`a ["1_5" "x" "x"]`,
			`b ["inf" "1" "y"]`}, nil},
		{"labels as numbers", "a,y\n5,1.0\n6,\n7, 1 \n8,?\n", FrameConfig{Label: "y"}, []string{"a [5 6 7 8]"},
			[]string{"1", "", "1", "?"}},
		{"text in one column without a header", "a;b\nc; d\n", FrameConfig{NoHeader: true},
			[]string{`1 ["a;b" "c; d"]`}, nil},
		{"no header", "1,x,u\n2,y,v\n", FrameConfig{NoHeader: true, Label: "2", Skip: []string{"3"}, Words: []string{"1"}},
			[]string{`1 ["1" "2"]`}, []string{"x", "y"}},
		{"tabs with gaps", "a\tb\tc\n1\t\tx y\n\t2\t\" z\"\n", FrameConfig{Comma: '\t'},
			[]string{"a [1 NaN]", "b [NaN 2]", `c ["x y" "z"]`}, nil},
		{"semicolons, space, CRLF", "a; b\r\n 1 ; \"x\"\r\n\r\n2;y \r\n", FrameConfig{Comma: ';'},
			[]string{"a [1 2]", `b ["x" "y"]`}, nil},
		{"a column without a name left out", ",a\n0,1\n1,2\n", FrameConfig{Skip: []string{""}}, []string{"a [1 2]"}, nil},
		{"one column", "\na\n1\n2\n\n", FrameConfig{}, []string{"a [1 2]"}, nil},
		{"a line break and quotes", "a,b\n\"x\ny\",\"say \"\"yes\"\"\"\n", FrameConfig{},
			[]string{`a ["x\ny"]`, `b ["say \"yes\""]`}, nil},
		{"few numbers beside words", "grade\n1\n2\n3\n1\n2\n3\n1\n2\n3\nA\n", FrameConfig{},
			[]string{`grade ["1" "2" "3" "1" "2" "3" "1" "2" "3" "A"]`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, labels := readAll(t, tt.text, tt.cfg)
			expect.Equal(t, fmt.Sprint(describe(f)), fmt.Sprint(tt.want))
			expect.That(t, slices.Equal(labels, tt.labels) && (labels == nil) == (tt.labels == nil), "labels %q", labels)
		})
	}
}

// The features equal those of scikit-learn for tables read by pandas: testdata/make_frame.py.
func TestEncodingIsThatOfScikitLearn(t *testing.T) {
	var want struct {
		Names       []string
		Train, Test [][]float64
		TrainStatus []string `json:"train_status"`
		TestStatus  []string `json:"test_status"`
	}
	data := expect.Must(os.ReadFile("testdata/frame.json"))(t)
	expect.NoError(t, json.Unmarshal(data, &want))
	cfg := FrameConfig{Label: "status", Skip: []string{"id"}, Words: []string{"code"}}
	var e *Encoding
	for _, part := range []struct {
		name   string
		rows   [][]float64
		status []string
	}{{"train", want.Train, want.TrainStatus}, {"test", want.Test, want.TestStatus}} {
		text := string(expect.Must(os.ReadFile("testdata/frame-" + part.name + ".csv"))(t))
		f, status := readAll(t, text, cfg)
		if e == nil {
			e = newEncoding(t, f)
			expect.Equal(t, fmt.Sprintf("%q", e.Names()), fmt.Sprintf("%q", want.Names))
		}
		rowsNear(t, e, f, 1e-12, part.rows...) // written with 14 digits
		expect.Require(t, slices.Equal(status, part.status), "%s: status %q", part.name, status)
	}
}

func TestReadFrameErrors(t *testing.T) {
	numbers := func(n int, others ...string) string {
		text := "id,a\n"
		for i := range n {
			text += fmt.Sprintf("p,%d\n", i+7)
		}
		for _, other := range others {
			text += "p,\"" + other + "\"\n"
		}
		return text
	}
	for _, tt := range []struct {
		name, text string
		cfg        FrameConfig
		want       []string
	}{
		{"nothing", "", FrameConfig{}, []string{"nothing in it"}},
		{"a header alone", "a,b\n", FrameConfig{}, []string{"no rows below the header", "NoHeader"}},
		{"all missing", "a,b,c\n1,,NA\n2,?,\n", FrameConfig{},
			[]string{"2 of 3 columns", "column b: all 2 values are missing", "column c", "Skip"}},
		{"a typing error", numbers(22, "O5"), FrameConfig{},
			[]string{"column a, line 24", `"O5"`, "22 of 23", "Missing", "Words"}},
		{"decimal commas", numbers(22, "1,5"), FrameConfig{}, []string{"column a, line 24", `"1,5"`, "1234.5"}},
		{"too few values", "a,b\n1,2\n3\n4,5,6\n", FrameConfig{},
			[]string{"2 of 3 lines", "SkipBad", "line 3: 1 values instead of 2", "line 4: 3 values instead of 2"}},
		{"header open", "a,\"b\n1,2\n", FrameConfig{SkipBad: true}, []string{"the header, line 1"}},
		{"no such label", "a,b\n1,2\n", FrameConfig{Label: "c"}, []string{`no column "c"`, `["a" "b"]`}},
		{"no such words", "a,b\n1,2\n", FrameConfig{Words: []string{"c"}}, []string{`no column "c"`}},
		{"words skipped", "a,b\n1,2\n", FrameConfig{Skip: []string{"a"}, Words: []string{"a"}},
			[]string{"column a of Words"}},
		{"semicolons", "a;b\n1;2\n", FrameConfig{}, []string{`looks like ';'`, "set Comma"}},
		{"semicolons and decimal commas", "a;b\n1,5;2\n2,5;2\n", FrameConfig{}, []string{`looks like ';'`, "set Comma"}},
		{"no name", ",b\n1,2\n", FrameConfig{}, []string{"column 1 has no name", "Skip"}},
		{"twice", "a,a\n1,2\n", FrameConfig{}, []string{"columns 1 and 2", `"a"`}},
		{"nothing left", "a\n1\n", FrameConfig{Label: "a"}, []string{"no column is left"}},
		{"Latin-1", "city\nBern\nZ\xfcrich\n", FrameConfig{SkipBad: true}, []string{"line 3, byte 2", `Z\xfcrich`, "UTF-8"}},
		{"not quite numbers", "a,b,c,d,e\n1,1e999,2,1e-400,9007199254740993\n1_500,2,1,5,6\n2,3,inf,\"1,5\",7\n",
			FrameConfig{},
			[]string{"5 of 5 columns", `column a, line 3: "1_500"`, "write 1500",
				`column b, line 2: "1e999" is too large`,
				`column c, line 4: "inf" is not finite`, `column d, line 2: "1e-400" is too small`,
				"column e, line 2", "exactly",
				"Words if it holds categories"}},
		{"an index of pandas", "Unnamed: 0,b\n0,2\n", FrameConfig{}, []string{`column 1 is named "Unnamed: 0"`,
			"Skip", "Keep"}},
		{"spreadsheet", "PK\x03\x04\x14\x00", FrameConfig{}, []string{"spreadsheet"}},
		{"zero bytes", "a\n1\x00\n", FrameConfig{}, []string{"zero bytes"}},
		{"comma", "a\n1\n", FrameConfig{Comma: '"', SkipBad: true}, []string{"invalid field"}},
		{"encoding", "a\n1\n", FrameConfig{Like: &Encoding{}}, []string{"NewEncoding"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, labels, bad, err := ReadFrame(strings.NewReader(tt.text), tt.cfg)
			expect.Error(t, err, append(tt.want, "tabular: CSV file: ")...)
			expect.That(t, f == nil && labels == nil && bad == nil, "results in spite of the error")
		})
	}
	readAll(t, numbers(20, "O5"), FrameConfig{Skip: []string{"a"}})
	readAll(t, numbers(22, "O5"), FrameConfig{Missing: []string{"O5"}})
	readAll(t, numbers(22, "O5"), FrameConfig{Words: []string{"a"}})
	broken := errors.New("broken disk")
	_, _, _, err := ReadFrame(iotest.ErrReader(broken), FrameConfig{})
	expect.Is(t, err, broken)
}

// Unreadable lines are listed, and later ones are read, even after an unclosed quote.
func TestUnreadableLines(t *testing.T) {
	const text = "a,b\n1,x\n\n2\n3,\"open\n4,y\n5,in\"ner\n6,\"two\nlines\"\n7,\"z\"z\n8,\"Genève, VD\"\n9,1,2\n10,\"end\n"
	err := readError(text, FrameConfig{})
	bad := []string{"line 4: ", "line 5: ", "line 7: ", "line 10: ", "line 12: ", "line 13: "}
	expect.Error(t, err, append(bad, "6 of 10 lines cannot be read")...)
	for _, cause := range []error{csv.ErrBareQuote, csv.ErrQuote} {
		expect.Is(t, err, cause)
	}
	_, _, _, err = ReadFrame(strings.NewReader(text), FrameConfig{SkipBad: true})
	expect.Error(t, err, "too many to leave out") // 6 of 10
	f, labels, left, err := ReadFrame(strings.NewReader(text+"11,u\n12,v\n"), FrameConfig{SkipBad: true, Label: "b"})
	expect.NoError(t, err)
	expect.Equal(t, fmt.Sprint(describe(f)), "[a [1 4 6 8 11 12]]")
	expect.Equal(t, fmt.Sprintf("%q", labels), `["x" "y" "two\nlines" "Genève, VD" "u" "v"]`)
	expect.Require(t, len(left) == len(bad), "%d lines left out: %v", len(left), left)
	for i, line := range bad {
		expect.That(t, strings.HasPrefix(left[i].Error(), line), "%v does not begin with %s", left[i], line)
	}
	// A gap in the only column may be an empty line. Empty lines at the ends are not gaps.
	_, _, left, err = ReadFrame(strings.NewReader("\na\n1\n\n\n\"2\n3\"\n4\n5\n\n"), FrameConfig{SkipBad: true})
	expect.NoError(t, err)
	expect.Require(t, len(left) == 2, "%d lines left out: %v", len(left), left)
	expect.Error(t, left[0], "line 4 is empty", "NA", "remove it")
	expect.Error(t, left[1], "line 5 is empty")
	// Without a header, the first readable line determines the number of values.
	f, _, left, err = ReadFrame(strings.NewReader("\"x\"x,1\n1,2\n3,4\n"), FrameConfig{SkipBad: true, NoHeader: true})
	expect.NoError(t, err)
	expect.Equal(t, fmt.Sprint(describe(f), len(left)), "[1 [1 3] 2 [2 4]] 1")
	many := "a,b\n" + strings.Repeat("1\n", 30)
	err = readError(many, FrameConfig{})
	expect.Error(t, err, "30 of 30 lines", "line 21: ", "and 10 more")
	expect.That(t, !strings.Contains(err.Error(), "line 22: "), "%v lists more than 20 lines", err)
}

// New rows are read with the column types of the training rows, for any values.
func TestReadFrameLike(t *testing.T) {
	f, _ := readAll(t, "id,age,grade,city\n1,30,A,\n2,NA,1,Bern\n", FrameConfig{Skip: []string{"id"}})
	e := newEncoding(t, f)
	const one = "name,city,grade,age\nx y,,1,\n"
	row, _ := readAll(t, one, FrameConfig{Like: e})
	expect.Equal(t, fmt.Sprint(describe(row)), `[city [""] grade ["1"] age [NaN]]`)
	rowsNear(t, e, row, 0, []float64{0, 1, 1, 0, 0, 1})
	expect.Equal(t, fmt.Sprintf("%q", e.Names()), `["age" "age missing" "grade=1" "grade=A" "city=Bern" "city missing"]`)
	expect.Error(t, readError(one, FrameConfig{}), "all 1 values are missing")
	expect.Error(t, readError("age\n7\nold\n", FrameConfig{Like: e}), "column age, line 3",
		`"old" is not a number`, "the training rows have numbers here")
	expect.Error(t, readError("Alter\n7\n", FrameConfig{Like: e}), "no column of the encoding", `"Alter"`)
}

// checkFrame reads a possibly damaged text: an accepted one gives a valid frame, and each line of text is a row,
// unreadable or a part of a record of several lines.
func checkFrame(t *testing.T, text string) {
	for _, cfg := range []FrameConfig{
		{SkipBad: true}, {NoHeader: true, SkipBad: true}, {Label: "kind", Skip: []string{"id"}},
	} {
		f, labels, bad, err := ReadFrame(strings.NewReader(text), cfg)
		if err != nil {
			expect.That(t, f == nil && labels == nil && bad == nil, "%q: results in spite of the error %v", text, err)
			continue
		}
		if err := f.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		expect.That(t, labels == nil || len(labels) == f.Len(), "%q: %d labels of %d rows", text, len(labels), f.Len())
		expect.That(t, cfg.SkipBad || bad == nil, "%q: unreadable lines passed", text)
		lines := 0
		for line := range strings.Lines(text) {
			if line != "\n" && line != "\r\n" {
				lines++
			}
		}
		if !cfg.NoHeader {
			lines--
		}
		if !strings.ContainsAny(text, "\"\r") && !strings.Contains(text, "sep=") && len(f.Columns) > 1 {
			// Each record is a line.
			expect.That(t, f.Len()+len(bad) == lines,
				"%q: %d rows and %d unreadable lines of %d", text, f.Len(), len(bad), lines)
		}
		// A frame is read back unchanged.
		keep := FrameConfig{}
		for _, c := range f.Columns {
			keep.Keep = append(keep.Keep, c.Name)
			if c.Words != nil {
				keep.Words = append(keep.Words, c.Name)
			}
		}
		again, _ := readAll(t, write(f), keep)
		expect.Equal(t, fmt.Sprintf("%q", describe(again)), fmt.Sprintf("%q", describe(f)), text)
		if e, err := NewEncoding(f); err == nil {
			expect.NoError(t, e.Validate())
			expect.Must(e.Rows(f))(t)
		}
	}
}

const visits = "id,age,kind,city\n1,30,a,\"Genève, VD\"\n2,,b,Bern\n3,NA,,\"Zü\"\"rich\"\n4,5e1,a,Bern\n"

func FuzzReadFrame(f *testing.F) {
	f.Add(visits)
	f.Add("1,2\n3,x\n")
	f.Add("a\n\n1\n\"")
	f.Fuzz(checkFrame)
}

func TestDamagedFrame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 45))
	for range 300 {
		checkFrame(t, string(damage.One(rng, []byte(visits))))
		checkFrame(t, string(damage.One(rng, []byte("1,2\n3,x\n5,6\n"))))
	}
}
