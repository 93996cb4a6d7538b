package viz

import (
	"encoding/xml"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
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
		refuses(t, []wrong{
			{tt.name + " as text", second(tt.table.Text()), tt.want, ""},
			{tt.name + " as HTML", second(tt.table.HTML()), tt.want, ""},
			{tt.name + " as Markdown", second(tt.table.Markdown()), tt.want, ""},
			{tt.name + " as figure", second(tt.table.Figure()), tt.want, ""},
		})
	}
}

// TestTableHTML parses the HTML as XML, which it also is, and checks its structure and texts.
func TestTableHTML(t *testing.T) {
	for _, underline := range []bool{false, true} {
		table := hostile
		table.Underline, table.Folded = underline, underline
		text := expect.Must(table.HTML())(t)
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
		expect.NoError(t, xml.Unmarshal([]byte(text), &page))
		whole, summary := "div", ""
		if table.Folded {
			whole, summary = "details", fmt.Sprintf("%s: %d rows", hostile.Title, len(hostile.Rows))
		}
		expect.That(t, page.XMLName.Local == whole && page.Summary == summary,
			"a <%s> with the summary %q, want %s, %q", page.XMLName.Local, page.Summary, whole, summary)
		expect.That(t, page.Table.Caption == hostile.Title, "caption %q", page.Table.Caption)
		for i, want := range []string{"a_b", "x < y", "50 %|60 %"} {
			got := page.Table.Head[i]
			expect.That(t, got.Text == want && got.Scope == "col", "header %d: %q, scope %q", i, got.Text, got.Scope)
		}
		best := func(c cell) string { return c.Bold }
		if underline {
			best = func(c cell) string { return c.Line }
		}
		rows := page.Table.Rows
		expect.Require(t, len(rows) == 3 && rows[1].Name.Text == "a & b" && rows[1].Name.Scope == "row",
			"rows %+v", rows)
		expect.Equal(t, best(rows[0].Cells[0]),
			"1.2\u00a0±\u00a00.5", "best of column 0") // 1.25 is rounded to even
		expect.Equal(t, best(rows[0].Cells[1]), "−3.0", "best of column 1")
		got := rows[1].Cells[0]
		expect.That(t, strings.TrimRight(got.Text, figureSpace) == "100.1" && best(got) == "", "cell 1, 0: %q", got.All)
		if got := rows[1].Cells[1]; got.Abbr != "n/a" || !strings.Contains(got.All, "not available") {
			t.Errorf("missing cell: %q", got.All)
		}
		if got := rows[2].Cells[0]; got.Text != "<script>" {
			t.Errorf("text cell: %q", got.All)
		}
		expect.That(t, strings.HasPrefix(page.Note, "a < b ") &&
			strings.HasSuffix(page.Note, ": the lowest of its column."), "note %q", page.Note)
	}
}

// TestTableMarkdown checks that no text of a cell ends its cell or starts markup.
func TestTableMarkdown(t *testing.T) {
	text := expect.Must(hostile.Markdown())(t)
	want := `**&lt;b&gt;\|title\|&lt;/b&gt; &amp; more**

| a\_b | x &lt; y | 50 %\|60 % |
| :--- | ---: | ---: |
| \*\*row\*\* | **1.2 ± 0.5** | **−3.0** |
| a &amp; b | 100.1 | n/a |
| ` + "\\`c\\`" + ` | &lt;script&gt; | 12.3 ± 10.1 |

a &lt; b Bold: the lowest of its column.
`
	expect.That(t, text == want, "got\n%s\nwant\n%s", text, want)
}

// TestTableBest checks that numbers that are equal as shown are equally good, and that texts and missing numbers never
// win.
func TestTableBest(t *testing.T) {
	for name, tt := range map[string]struct {
		best   Best
		cells  []Cell
		strong string // an asterisk for each emphasized cell
	}{
		"numbers": {Highest,
			[]Cell{{Mean: 93.52}, {Mean: 93.48}, {Mean: 93.44}, {Missing: true, Mean: 99}, {Text: "99"}}, "**---"},
		"a zero":  {Highest, []Cell{{Mean: 0}, {Missing: true}, {Text: "0.0"}}, "*--"},
		"no best": {NoBest, []Cell{{Mean: 93.52}, {Mean: 93.48}, {Mean: 93.44, Strong: true}}, "--*"},
	} {
		table := Table{Columns: []string{"c"}, Rows: make([]string, len(tt.cells)), Best: tt.best}
		for _, c := range tt.cells {
			table.Cells = append(table.Cells, []Cell{c})
		}
		s := expect.Must(table.sheet())(t)
		got := ""
		for _, row := range s.cells {
			got += map[bool]string{true: "*", false: "-"}[row[0].strong]
		}
		expect.Equal(t, got, tt.strong, name)
		expect.That(t, (s.note == "") == (tt.best == NoBest), "%s: note %q", name, s.note)
	}
}

func TestTableDecimals(t *testing.T) {
	for decimals, want := range map[int]string{0: "1,234.6", 1: "1,234.6", 3: "1,234.568", -1: "1,235"} {
		table := Table{Columns: []string{"c"}, Rows: []string{"r"}, Cells: [][]Cell{{{Mean: 1234.5678}}}, Decimals: decimals}
		expect.Contains(t, expect.Must(table.Text())(t), " "+want+"\n")
	}
}

// TestTableFigure checks that all texts are drawn, and that the points of a column are aligned.
func TestTableFigure(t *testing.T) {
	f := expect.Must(hostile.Figure())(t)
	w, h := f.Size()
	paper := drawnAt(t, f, w, h)
	found := paper.words()
	for _, s := range []string{hostile.Title, "a_b", "x < y", "50 %|60 %", "**row**", "a & b", "`c`", "1", ".2 ± 0.5",
		"100", ".1",
		"n/a", "<script>", "−3", ".0", "12", ".3 ± 10.1"} {
		_, ok := found[s]
		expect.That(t, ok, "%q is not drawn", s)
	}
	expect.Equal(t, found[".2 ± 0.5"].Min.X, found[".1"].Min.X, "decimal points of column 0")
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
	expect.That(t, slices.Equal(table.Rows, []string{"every kind", "none"}) &&
		slices.EqualFunc(table.Cells, want, slices.Equal), "rows %q of %+v, want %+v", table.Rows, table.Cells, want)
}

func TestConfusionErrors(t *testing.T) {
	columns := []string{Positive, Negative}
	for _, tt := range []struct {
		name string
		c    Confusion
		want error
		mend string
	}{
		{"nothing", Confusion{}, ErrNoData, "want 2 and 1 or more"},
		{"one column", Confusion{Columns: columns[:1], Rows: []ConfusionRow{{Counts: []int{1}}}}, ErrNoData, "1 columns"},
		{"one count", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Counts: []int{1}}}}, ErrLength,
			`the row "a" has 1 counts`},
		{"below 0", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Counts: []int{1, -2}}}}, ErrRange,
			"counts -2 predicted negative"},
		{"class", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Class: "cat", Counts: []int{1, 2}}}}, ErrRange,
			`"" for unknown`},
		{"zeros", Confusion{Columns: columns, Rows: []ConfusionRow{{Name: "a", Counts: []int{0, 0}}}}, ErrNoData, "all counts are 0"},
	} {
		refuses(t, []wrong{
			{tt.name, second(tt.c.Figure()), tt.want, tt.mend},
			{tt.name + ", table", second(tt.c.Table()), tt.want, tt.mend},
			{tt.name + ", alt", second(tt.c.Alt()), tt.want, tt.mend},
		})
	}
}

// TestConfusionSaysWhatItCounts checks counts and fractions in the picture, in the text and in the table, and which
// classifier is called degenerate.
func TestConfusionSaysWhatItCounts(t *testing.T) {
	c := Confusion{Title: "Test set", Columns: []string{Positive, Negative}, Rows: []ConfusionRow{
		{LabeledPositive, Positive, []int{30, 10}}, {Unlabeled, "", []int{1200, 2400}}, {"rare", Negative, []int{0, 0}},
	}}
	alt := expect.Must(c.Alt())(t)
	const want = "Test set. Of 40 labeled positive, predicted are 30 (75.0%) positive, 10 (25.0%) negative. " +
		"Of 3,600 unlabeled, predicted are 1,200 (33.3%) positive, 2,400 (66.7%) negative. " +
		"Of 0 rare, predicted are 0 (n/a) positive, 0 (n/a) negative."
	expect.That(t, alt == want, "in words:\n%s\nwant\n%s", alt, want)
	table := expect.Must(c.Table())(t)
	text := expect.Must(table.Text())(t)
	expect.That(t, len(table.Rows) == 4 && strings.Contains(text, "33.3") && strings.Contains(text, "1,230"),
		"\n%s", text)
	d := expect.Must(c.Figure())(t)
	c.Rows[0].Counts[0] = 99 // the drawing has its own copy
	paper := confusionOnPaper(t, d)
	paper.holds(t, "30", "75.0%", "1,200", "66.7%", "n/a", "of 3,600", "1,230", "33.8%", "Framed: right.", "predicted")
	expect.Equal(t, framesOn(paper), 2, "cells are framed")
	c = Confusion{Columns: []string{Positive, Negative}, Rows: []ConfusionRow{
		{LabeledPositive, Positive, []int{0, 3}}, {Negative, Negative, []int{0, 5}}}}
	if alt, err := c.Alt(); err != nil || !strings.HasSuffix(alt, "Degenerate: every prediction is negative.") {
		t.Errorf("%q, %v", alt, err)
	}
	c.Rows[1].Counts[0] = 1
	if alt, err := c.Alt(); err != nil || strings.Contains(alt, "Degenerate") {
		t.Errorf("%q, %v", alt, err)
	}
}

func confusionOnPaper(t *testing.T, d *Drawing) *sheetOfPaper {
	t.Helper()
	w, h := d.Size()
	// Drawn with the origin at the upper left corner; recorded places are relative to it.
	paper := drawnAt(t, d, w, h)
	shift := vg.Point{X: margin, Y: h - margin}
	for _, a := range paper.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			s.Point = s.Point.Add(shift)
		}
	}
	return paper
}

// framesOn counts closed paths that are drawn with a wide line.
func framesOn(paper *sheetOfPaper) (n int) {
	width := vg.Length(0)
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.SetLineWidth:
			width = a.Width
		case *recorder.Stroke:
			if math.Abs(float64(width-1.6)) < 1e-9 && a.Path[len(a.Path)-1].Type == vg.CloseComp {
				n++
			}
		}
	}
	return n
}
