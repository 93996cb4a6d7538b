package viz

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cell is one entry of a Table: a mean, followed by "±" and Spread if Spread is above 0. The zero Cell is the number 0.
type Cell struct {
	Mean, Spread float64
	Missing      bool   // shown as "n/a": not measured or not published, which is not 0
	Text         string // shown in place of the number where it is not empty
	Strong       bool   // emphasized, regardless of Table.Best
}

// Best states whether the highest or the lowest number of a column is best, or neither.
type Best int

// The values of Table.Best.
const (
	NoBest  Best = iota // no cell is singled out
	Highest             // as for accuracies
	Lowest              // as for losses and errors
)

// Table is a table of results, such as accuracies by method and data set. It can be rendered as a figure (Figure), as
// HTML, as Markdown, as aligned plain text (Text) and, with ShowTable, in a notebook. Each column is aligned at the
// decimal point. Note should give the meaning of "±", the protocol and the number of seeds.
type Table struct {
	Title      string
	RowsHeader string   // over the names of the rows, for example "method"; may be empty
	Columns    []string // names of the columns
	Rows       []string // names of the rows
	Cells      [][]Cell // [len(Rows)][len(Columns)]
	Note       string   // a sentence below the table; may be empty

	// Decimals is the number of digits after the decimal point; 0 means 1, negative means none.
	Decimals int
	// Best emphasizes the best number of each column, and every number that equals it as shown.
	Best Best
	// Underline emphasizes by a line under the number instead of bold letters.
	Underline bool
	// Folded shows only the title in HTML until it is clicked: for a long table that repeats a figure.
	Folded bool
}

// Add adds a row. A cell is a float64, an int or a fraction such as a *big.Rat (a mean), a string (shown unchanged),
// nil (a missing number), a Cell, or several cells as []Cell. Any other value is formatted by fmt.Sprint.
func (t *Table) Add(name string, cells ...any) {
	row := []Cell{}
	for _, c := range cells {
		switch c := c.(type) {
		case Cell:
			row = append(row, c)
		case []Cell:
			row = append(row, c...)
		case float64:
			row = append(row, Cell{Mean: c})
		case int:
			row = append(row, Cell{Mean: float64(c)})
		case interface {
			Float64() (x float64, exact bool)
		}:
			x, _ := c.Float64()
			row = append(row, Cell{Mean: x})
		case nil:
			row = append(row, Cell{Missing: true})
		default:
			row = append(row, Cell{Text: fmt.Sprint(c)})
		}
	}
	t.Rows, t.Cells = append(t.Rows, name), append(t.Cells, row)
}

// missing is the text of a missing number.
const missing = "n/a"

// sheet is a formatted Table, shared by all renderings.
type sheet struct {
	Table
	cells [][]words
	note  string // Table.Note and the meaning of the emphasis
}

// words is a formatted cell. A number is split into its integer part and its fraction, so that columns line up at the
// point; every other text is in whole.
type words struct {
	whole, fraction, spread string
	shown                   float64 // the number, rounded as it is written
	number, missing, strong bool
}

// text returns the cell in one piece.
func (w words) text() string { return w.whole + w.fraction + w.spread }

// sheet checks the table and formats its numbers.
func (t Table) sheet() (*sheet, error) {
	fail := func(format string, args ...any) (*sheet, error) {
		return nil, fmt.Errorf("viz: table %q"+format, append([]any{t.Title}, args...)...)
	}
	switch {
	case len(t.Rows) == 0 || len(t.Columns) == 0:
		return fail(": %d rows and %d columns: %w", len(t.Rows), len(t.Columns), ErrNoData)
	case len(t.Cells) != len(t.Rows):
		return fail(": %d row names and %d rows of cells: %w", len(t.Rows), len(t.Cells), ErrLength)
	case t.Decimals > 12:
		return fail(": %d decimals, want 12 or fewer: %w", t.Decimals, ErrRange)
	case t.Best < NoBest || t.Best > Lowest:
		return fail(": Best is %d, want NoBest, Highest or Lowest: %w", t.Best, ErrRange)
	}
	s := &sheet{Table: t, cells: make([][]words, len(t.Rows)), note: t.Note}
	for i, row := range t.Cells {
		if len(row) != len(t.Columns) {
			return fail(": row %q has %d cells for %d columns: %w", t.Rows[i], len(row), len(t.Columns), ErrLength)
		}
		for j, c := range row {
			w, err := c.words(decimals(t.Decimals, 1))
			if err != nil {
				return fail(", row %q, column %q: %w", t.Rows[i], t.Columns[j], err)
			}
			s.cells[i] = append(s.cells[i], w)
		}
	}
	if t.Best == NoBest {
		return s, nil
	}
	for j := range t.Columns {
		s.emphasizeBest(j)
	}
	way := "Bold:"
	if t.Underline {
		way = "Underlined:"
	}
	s.note = s.noteWith(way + " the")
	return s, nil
}

// noteWith returns the caller's note, followed by the meaning of the emphasis: "Bold: the highest of its column."
func (s *sheet) noteWith(emphasis string) string {
	if s.Best == NoBest {
		return s.Note
	}
	end := []string{Highest: "highest", Lowest: "lowest"}[s.Best]
	return strings.TrimSpace(s.Note + " " + emphasis + " " + end + " of its column.")
}

func (c Cell) words(decimals int) (words, error) {
	switch {
	case c.Missing:
		return words{whole: missing, missing: true, strong: c.Strong}, nil
	case c.Text != "":
		return words{whole: c.Text, strong: c.Strong}, nil
	case math.IsNaN(c.Mean) || math.IsInf(c.Mean, 0):
		return words{}, fmt.Errorf("the mean is %g, set Missing where there is no number: %w", c.Mean, ErrNotFinite)
	case math.IsNaN(c.Spread) || math.IsInf(c.Spread, 0):
		return words{}, fmt.Errorf("the spread is %g, leave it 0 where there is none: %w", c.Spread, ErrNotFinite)
	case c.Spread < 0:
		return words{}, fmt.Errorf("the spread is %g, want 0 or more: %w", c.Spread, ErrRange)
	}
	shown, err := strconv.ParseFloat(strconv.FormatFloat(c.Mean, 'f', decimals, 64), 64)
	if err != nil {
		return words{}, err
	}
	text := number(c.Mean, decimals)
	point := strings.Index(text+".", ".")
	w := words{whole: text[:point], fraction: text[point:], shown: shown, number: true, strong: c.Strong}
	if c.Spread > 0 {
		w.spread = " ± " + number(c.Spread, decimals)
	}
	return w, nil
}

// emphasizeBest marks the best numbers of column j. Numbers are compared as shown, after rounding.
func (s *sheet) emphasizeBest(j int) {
	sign := []float64{Highest: 1, Lowest: -1}[s.Best]
	best := math.Inf(-1)
	for _, row := range s.cells {
		if row[j].number {
			best = math.Max(best, sign*row[j].shown)
		}
	}
	for _, row := range s.cells {
		row[j].strong = row[j].strong || row[j].number && sign*row[j].shown == best
	}
}

// split returns, for column j, the largest width of the text before the decimal point and of the text from it on, over
// the numbers of the column.
func split[L cmp.Ordered](s *sheet, j int, width func(string) L) (before, after L) {
	for i := range s.cells {
		if w := s.cells[i][j]; w.number {
			before = max(before, width(w.whole))
			after = max(after, width(w.fraction+w.spread))
		}
	}
	return before, after
}

// Text returns the table as lines of text that line up in a font of equal widths, with a final newline. An
// emphasized cell is followed by an asterisk.
func (t Table) Text() (string, error) { return t.render((*sheet).writeText) }

func (s *sheet) writeText(b *strings.Builder) {
	names := append([]string{s.RowsHeader}, s.Rows...)
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = fmt.Sprintf("%-*s", widest(letters, names...), name)
	}
	for j, name := range s.Columns {
		_, after := split(s, j, letters)
		column := []string{name + " "} // over the numbers, not over the asterisks
		for _, row := range s.cells {
			w, mark := row[j], " "
			if w.strong {
				mark = "*"
			}
			text := w.text() + mark
			if w.number {
				text += strings.Repeat(" ", after-letters(w.fraction+w.spread))
			}
			column = append(column, text)
		}
		for i, text := range column {
			lines[i] += fmt.Sprintf("  %*s", widest(letters, column...), text)
		}
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if s.Title != "" {
		b.WriteString(s.Title + "\n\n")
	}
	b.WriteString(lines[0] + "\n" + strings.Repeat("-", widest(letters, lines...)) + "\n" + strings.Join(lines[1:], "\n") + "\n")
	if note := s.noteWith("* The"); note != "" { // the asterisk stands for bold or underlined
		b.WriteString("\n" + note + "\n")
	}
}

// letters returns the number of letters of a text.
func letters(s string) int { return utf8.RuneCountInString(s) }
