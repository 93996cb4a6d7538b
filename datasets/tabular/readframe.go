package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/decimal"
)

// FrameConfig configures the reading of a CSV file of columns. The zero value reads all columns of a file with a header
// and commas. In a file without a header the columns are named by their numbers, counted from 1: "1", "2" and so on.
type FrameConfig struct {
	// Label is a column of any text that is returned separately from the frame, such as the classes; "" for none.
	Label string
	// Skip lists columns to leave out, such as an identifier. "" skips the columns without a name.
	Skip []string
	// Keep lists features that look like row numbers: see [ReadFrame].
	Keep []string
	// Words lists columns of categories that look like numbers, such as codes.
	Words []string
	// Missing lists the texts of a missing value, besides the empty text. nil means those of pandas, such as "NA",
	// "N/A", "NaN", "nan", "<NA>", "null", "NULL" and "None", and "?".
	Missing []string
	// Comma separates values; 0 means ','. A tab is '\t'.
	Comma rune
	// NoHeader states that the first line holds values, not names.
	NoHeader bool
	// SkipBad skips unreadable lines instead of returning an error.
	SkipBad bool
	// Like is set to read new rows for an existing encoding, even a single row: only its columns are read, as numbers
	// or words as in the encoding, and all values of a column may be missing. nil determines the kind of a column from
	// the values of the file.
	Like *Encoding
}

// ReadFrame reads a table from a CSV file in UTF-8, or in UTF-16 with a byte order mark. A column holds numbers if all
// present values are finite numbers and cfg.Words does not list it; otherwise it holds words. Space around a value is
// ignored. A quoted value may hold commas and line breaks.
//
// labels has one text per row, the [ClassName] of its value in the column cfg.Label, "" for an empty value; it is nil
// without cfg.Label. cfg.Missing does not apply to it.
//
// bad lists the unreadable lines: lines with another number of values than the first, lines with a misplaced quotation
// mark, and empty lines between the rows of a file of one column. Without cfg.SkipBad they are returned as one error,
// which includes the first 20. With it, more such lines than rows are still an error.
//
// A feature that only numbers the rows is an error, as in [ReadCSV], unless cfg.Keep lists it.
//
// Other errors are an empty file, text that is not UTF-8, a header with a duplicate name, a column in cfg that does not
// exist, and a column without values. It is an error if all values of a column look like numbers and some are invalid
// for [ReadCSV], such as 1_500, 1,5, inf or 1e400; cfg.Words makes it a column of words. A column with more than 20
// different values is an error if nine of ten are numbers: the others are probably typing errors or another text for a
// gap. Errors give the line, counted from 1, or the name of the column.
func ReadFrame(r io.Reader, cfg FrameConfig) (f *Frame, labels []string, bad []error, err error) {
	defer check.Prefix(&err, "tabular: CSV file")
	file := &records{}
	use, bad, err := readLines(r, cfg.csv(), func(_ layout, record []string, line int) {
		file.rows, file.lines = append(file.rows, slices.Clone(record)), append(file.lines, line)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	rows := len(file.rows)
	unreadable := fmt.Sprintf("%d of %d lines cannot be read", len(bad), len(bad)+rows)
	switch {
	case len(bad) > 0 && !cfg.SkipBad:
		err = check.List(unreadable+"; correct them, or leave them out with SkipBad", bad)
	case len(bad) > rows:
		err = check.List(unreadable+", too many to leave out; check Comma and the first line", bad)
	case rows == 0:
		err = errors.New("there are no rows below the header: add some, or set NoHeader if the first line is a row")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	columns, err := cfg.columns(use)
	if err != nil {
		return nil, nil, nil, err
	}
	f = &Frame{}
	var faults []error
	for _, c := range columns {
		column, err := cfg.column(c, file)
		if err == nil && cfg.Like == nil && column.Numbers != nil {
			err = file.counted(use, c.at, column.Numbers)
		}
		f.Columns = append(f.Columns, column)
		if err != nil {
			faults = append(faults, err)
		}
	}
	unusable := fmt.Sprintf("%d of %d columns cannot be used", len(faults), len(f.Columns))
	if err := cmp.Or(check.List(unusable, faults), f.Validate()); err != nil {
		return nil, nil, nil, err
	}
	if use.label >= 0 {
		labels = file.column(use.label)
		for i, text := range labels {
			labels[i] = ClassName(text)
		}
	}
	return f, labels, bad, nil
}

// records holds the rows of a CSV file.
type records struct {
	rows  [][]string
	lines []int // first line of each row, counted from 1
}

// column returns column j of all rows.
func (f *records) column(j int) []string {
	out := make([]string, len(f.rows))
	for i, row := range f.rows {
		out[i] = strings.TrimSpace(row[j])
	}
	return out
}

// counted is layout.counted for a column of numbers. Numbers may also count the lines, some of which are skipped.
func (f *records) counted(use layout, at int, numbers []float64) error {
	number := func(k int) float64 { return numbers[k] }
	return cmp.Or(use.counted(at, len(numbers), number, func(k int) int { return k }),
		use.counted(at, len(numbers), number, func(k int) int { return f.lines[k] - f.lines[0] }))
}

// kind is the content type of a column.
type kind int

const (
	guessed kind = iota // determined by its values
	ofNumbers
	ofWords
)

// frameColumn is a column to be read.
type frameColumn struct {
	name string
	at   int // its index in the file
	kind kind
	gaps bool // all values may be missing
}

// csv returns the corresponding CSV configuration.
func (cfg FrameConfig) csv() CSV {
	return CSV{NoHeader: cfg.NoHeader, Label: cfg.Label, Skip: cfg.Skip, Keep: cfg.Keep, Comma: cfg.Comma}
}

// columns returns the columns to read from a file with this layout.
func (cfg FrameConfig) columns(use layout) (out []frameColumn, err error) {
	kinds := map[int]kind{}
	for _, name := range cfg.Words {
		at, err := use.feature("Words", name)
		if err != nil {
			return nil, err
		}
		kinds[at] = ofWords
	}
	var like map[string]kind
	if cfg.Like != nil {
		if err := cfg.Like.Validate(); err != nil {
			return nil, err
		}
		like = map[string]kind{}
		for _, c := range cfg.Like.Columns {
			like[c.Name] = ofNumbers
			if c.Categories != nil {
				like[c.Name] = ofWords
			}
		}
	}
	for _, at := range use.features {
		c := frameColumn{name: use.names[at], at: at, kind: kinds[at], gaps: like != nil}
		if as, ok := like[c.name]; ok {
			c.kind = as
		} else if like != nil {
			continue
		} else if err := use.unnamed(at); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it has no column of the encoding: rename its columns %q as in the training rows",
			use.names)
	}
	return out, nil
}

// column returns a column of the file.
func (cfg FrameConfig) column(c frameColumn, file *records) (Column, error) {
	out := Column{Name: c.name, Words: file.column(c.at)}
	gap := cfg.Missing
	if gap == nil {
		gap = missingTexts
	}
	present, numbers, likely, first := 0, 0, 0, -1
	values := make([]float64, len(out.Words))
	different := map[string]bool{}
	remedy := ""
	for i, text := range out.Words {
		if text == "" || slices.Contains(gap, text) {
			out.Words[i], values[i] = "", math.NaN()
			continue
		}
		present++
		if len(different) <= 20 { // more make no difference
			different[text] = true
		}
		v, fault, ok := decimal.Parse(text)
		if ok {
			values[i] = v
			numbers++
		} else if first < 0 {
			first, remedy = i, cmp.Or(fault, "is not a number: correct it, or list it in Missing if it means a gap")
		}
		if ok || fault != "" {
			likely++
		}
	}
	switch {
	case present == 0 && !c.gaps:
		return out, fmt.Errorf("column %s: all %d values are missing: leave it out with Skip", c.name, len(values))
	case c.kind == ofWords:
		return out, nil
	case numbers == present:
		return Column{Name: c.name, Numbers: values}, nil
	}
	isNot := fmt.Sprintf("column %s, line %d: %q %s", c.name, file.lines[first], out.Words[first], remedy)
	switch {
	case c.kind == ofNumbers:
		return out, fmt.Errorf("%s; the training rows have numbers here", isNot)
	case likely == present || 10*likely >= 9*present && len(different) > 20:
		return out, fmt.Errorf("%s, or list the column in Words if it holds categories; %d of %d values are numbers",
			isNot,
			numbers, present)
	}
	return out, nil
}
