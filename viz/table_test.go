package viz

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile is a table whose texts are full of markup.
var hostile = Table{
	Title:      "<b>|title|</b> & more",
	RowsHeader: "a_b",
	Columns:    []string{"x < y", "50 %|60 %"},
	Rows:       []string{"**row**", "a & b", "`c`"},
	Cells: [][]Cell{
		{{Mean: 1.25, Spread: 0.5}, {Mean: -3}},
		{{Mean: 100.06}, {Missing: true}},
		{{Text: "<script>"}, {Mean: 12.34, Spread: 10.1}},
	},
	Note: "a < b",
	Best: Lowest,
}

func TestTableErrors(t *testing.T) {
	edit := func(f func(*Table)) Table {
		c := Table{Title: "t", Columns: []string{"c"}, Rows: []string{"r"}, Cells: [][]Cell{{{Mean: 1}}}}
		f(&c)
		return c
	}
	for _, tt := range []struct {
		name  string
		table Table
		want  error
	}{
		{"empty", Table{}, ErrNoData},
		{"no columns", edit(func(c *Table) { c.Columns = nil }), ErrNoData},
		{"rows", edit(func(c *Table) { c.Rows = append(c.Rows, "s") }), ErrLength},
		{"cells", edit(func(c *Table) { c.Cells[0] = append(c.Cells[0], Cell{}) }), ErrLength},
		{"NaN", edit(func(c *Table) { c.Cells[0][0].Mean = math.NaN() }), ErrNotFinite},
		{"infinite spread", edit(func(c *Table) { c.Cells[0][0].Spread = math.Inf(1) }), ErrNotFinite},
		{"negative spread", edit(func(c *Table) { c.Cells[0][0].Spread = -1 }), ErrRange},
		{"decimals", edit(func(c *Table) { c.Decimals = 99 }), ErrRange},
		{"best", edit(func(c *Table) { c.Best = 7 }), ErrRange},
	} {
		for form, err := range map[string]error{
			"text": second(tt.table.Text()), "HTML": second(tt.table.HTML()),
			"Markdown": second(tt.table.Markdown()), "figure": second(tt.table.Figure()),
		} {
			if !errors.Is(err, tt.want) {
				t.Errorf("%s as %s: %v, want %v", tt.name, form, err, tt.want)
			}
		}
	}
}

// TestTableHTML parses the HTML as XML, which it also is, and looks at its structure and texts.
func TestTableHTML(t *testing.T) {
	for _, underline := range []bool{false, true} {
		table := hostile
		table.Underline, table.Folded = underline, underline
		text, err := table.HTML()
		if err != nil {
			t.Fatal(err)
		}
		type cell struct {
			Scope string `xml:"scope,attr"`
			All   string `xml:",innerxml"`
			Text  string `xml:",chardata"`
			Bold  string `xml:"strong"`
			Line  string `xml:"u"`
			Abbr  string `xml:"abbr"`
		}
		var page struct {
			Table struct {
				Caption string `xml:"caption"`
				Head    []cell `xml:"thead>tr>th"`
				Rows    []struct {
					Name  cell   `xml:"th"`
					Cells []cell `xml:"td"`
				} `xml:"tbody>tr"`
			} `xml:"table"`
			Note    string `xml:"p"`
			XMLName xml.Name
			Summary string `xml:"summary"`
		}
		if err := xml.Unmarshal([]byte(text), &page); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		whole, summary := "div", ""
		if table.Folded {
			whole, summary = "details", fmt.Sprintf("%s: %d rows", hostile.Title, len(hostile.Rows))
		}
		if page.XMLName.Local != whole || page.Summary != summary {
			t.Errorf("a <%s> with the summary %q, want %s, %q", page.XMLName.Local, page.Summary, whole, summary)
		}
		if page.Table.Caption != hostile.Title {
			t.Errorf("caption %q", page.Table.Caption)
		}
		for i, want := range []string{"a_b", "x < y", "50 %|60 %"} {
			if got := page.Table.Head[i]; got.Text != want || got.Scope != "col" {
				t.Errorf("header %d: %q, scope %q", i, got.Text, got.Scope)
			}
		}
		best := func(c cell) string { return c.Bold }
		if underline {
			best = func(c cell) string { return c.Line }
		}
		rows := page.Table.Rows
		if len(rows) != 3 || rows[1].Name.Text != "a & b" || rows[1].Name.Scope != "row" {
			t.Fatalf("rows %+v", rows)
		}
		if got := best(rows[0].Cells[0]); got != "1.2\u00a0±\u00a00.5" { // 1.25 is between 1.2 and 1.3, the even one counts
			t.Errorf("best of column 0: %q", got)
		}
		if got := best(rows[0].Cells[1]); got != "−3.0" {
			t.Errorf("best of column 1: %q", got)
		}
		if got := rows[1].Cells[0]; strings.TrimRight(got.Text, figureSpace) != "100.1" || best(got) != "" {
			t.Errorf("cell 1, 0: %q", got.All)
		}
		if got := rows[1].Cells[1]; got.Abbr != "n/a" || !strings.Contains(got.All, "not available") {
			t.Errorf("missing cell: %q", got.All)
		}
		if got := rows[2].Cells[0]; got.Text != "<script>" {
			t.Errorf("text cell: %q", got.All)
		}
		if !strings.HasPrefix(page.Note, "a < b ") || !strings.HasSuffix(page.Note, ": the lowest of its column.") {
			t.Errorf("note %q", page.Note)
		}
	}
}

// TestTableMarkdown checks that no text of a cell ends its cell or starts markup.
func TestTableMarkdown(t *testing.T) {
	text, err := hostile.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	want := `**&lt;b&gt;\|title\|&lt;/b&gt; &amp; more**

| a\_b | x &lt; y | 50 %\|60 % |
| :--- | ---: | ---: |
| \*\*row\*\* | **1.2 ± 0.5** | **−3.0** |
| a &amp; b | 100.1 | n/a |
| ` + "\\`c\\`" + ` | &lt;script&gt; | 12.3 ± 10.1 |

a &lt; b Bold: the lowest of its column.
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// TestTableText checks that the decimal points of a column are in one place of their lines, as are the ends of the
// lines where there are no asterisks.
func TestTableText(t *testing.T) {
	text, err := hostile.Text()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")[2:]
	column := func(line, part string) int {
		t.Helper()
		i := strings.Index(line, part)
		if i < 0 {
			t.Fatalf("no %q in %q", part, line)
		}
		return utf8.RuneCountInString(line[:i])
	}
	if a, b := column(lines[2], ".2 ±"), column(lines[3], ".1"); a != b {
		t.Errorf("column 0: points at %d and %d in\n%s", a, b, text)
	}
	if a, b := column(lines[2], ".0*"), column(lines[4], ".3 ±"); a != b {
		t.Errorf("column 1: points at %d and %d in\n%s", a, b, text)
	}
	if !strings.Contains(text, "1.2 ± 0.5*") || !strings.Contains(text, "* The lowest of its column.") {
		t.Errorf("the best is not marked in\n%s", text)
	}
	if strings.Contains(text, "Bold") {
		t.Errorf("plain text speaks of bold letters:\n%s", text)
	}
}

// TestTableBest: numbers that look equal are equally good, others are not, and texts and missing numbers never win.
func TestTableBest(t *testing.T) {
	table := Table{
		Columns: []string{"c"}, Rows: []string{"1", "2", "3", "4", "5"}, Best: Highest,
		Cells: [][]Cell{{{Mean: 93.52}}, {{Mean: 93.48}}, {{Mean: 93.44}}, {{Missing: true, Mean: 99}}, {{Text: "99"}}},
	}
	s, err := table.sheet()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false, false} {
		if s.cells[i][0].strong != want {
			t.Errorf("row %d (%s): emphasised %v, want %v", i, s.cells[i][0].text(), !want, want)
		}
	}
	zero := Table{
		Columns: []string{"c"}, Rows: []string{"1", "2", "3"}, Best: Highest,
		Cells: [][]Cell{{{Mean: 0}}, {{Missing: true}}, {{Text: "0.0"}}},
	}
	if s, err = zero.sheet(); err != nil {
		t.Fatal(err)
	}
	if !s.cells[0][0].strong || s.cells[1][0].strong || s.cells[2][0].strong {
		t.Errorf("of 0, a missing number and a text only the 0 is the best: %+v", s.cells)
	}
	table.Best = NoBest
	table.Cells[2][0].Strong = true
	if s, err = table.sheet(); err != nil {
		t.Fatal(err)
	}
	if s.cells[0][0].strong || !s.cells[2][0].strong || s.note != "" {
		t.Errorf("without best: %+v, note %q", s.cells, s.note)
	}
}

func TestTableDecimals(t *testing.T) {
	for decimals, want := range map[int]string{0: "1234.6", 1: "1234.6", 3: "1234.568", -1: "1235"} {
		table := Table{Columns: []string{"c"}, Rows: []string{"r"}, Cells: [][]Cell{{{Mean: 1234.5678}}}, Decimals: decimals}
		text, err := table.Text()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(text, ",", ""); !strings.Contains(got, " "+want+"\n") {
			t.Errorf("%d decimals: want %s in\n%s", decimals, want, text)
		}
	}
}

// TestTableFigure checks that all texts are drawn, and the points of a column above each other.
func TestTableFigure(t *testing.T) {
	f, err := hostile.Figure()
	if err != nil {
		t.Fatal(err)
	}
	w, h := f.Size()
	paper := &sheetOfPaper{w: w, h: h}
	if err := drawOn(f, paper); err != nil {
		t.Fatal(err)
	}
	found := paper.words()
	for _, s := range []string{hostile.Title, "a_b", "x < y", "50 %|60 %", "**row**", "a & b", "`c`", "1", ".2 ± 0.5", "100", ".1", "n/a", "<script>", "−3", ".0", "12", ".3 ± 10.1"} {
		if _, ok := found[s]; !ok {
			t.Errorf("%q is not drawn", s)
		}
	}
	if a, b := found[".2 ± 0.5"].Min.X, found[".1"].Min.X; a != b {
		t.Errorf("decimal points of column 0 at %g and %g", a, b)
	}
	if a, b := found["1"].Max.X, found[".2 ± 0.5"].Min.X; !(math.Abs(float64(a-b)) <= 0.5) { // bold against regular
		t.Errorf("whole digits end at %g, the fraction starts at %g", a, b)
	}
}

func TestTableAdd(t *testing.T) {
	var table Table
	table.Add("every kind", 1.5, 2, "text", nil, Cell{Mean: 3, Spread: 1}, []Cell{{Mean: 4}, {Strong: true}}, true, big.NewRat(1, 4))
	table.Add("none")
	want := [][]Cell{
		{{Mean: 1.5}, {Mean: 2}, {Text: "text"}, {Missing: true}, {Mean: 3, Spread: 1}, {Mean: 4}, {Strong: true}, {Text: "true"},
			{Mean: 0.25}}, {},
	}
	if !slices.Equal(table.Rows, []string{"every kind", "none"}) || !slices.EqualFunc(table.Cells, want, slices.Equal) {
		t.Errorf("rows %q of %+v, want %+v", table.Rows, table.Cells, want)
	}
}
