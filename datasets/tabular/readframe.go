package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/check"
)

// FrameConfig says how a CSV file of columns is read. The zero value reads all columns of a file with a header and
// commas. In a file without a header the names of the columns are their numbers, counted from 1: "1", "2" and so on.
type FrameConfig struct {
	// Label is a column of any text that is returned apart from the frame, such as the classes; "" for none.
	Label string
	// Skip lists columns to leave out, such as an identifier. Skip a column without a name by "".
	Skip []string
	// Words lists columns of categories that look like numbers, such as codes.
	Words []string
	// Missing lists the texts that mean a missing value, beside the empty text. nil means "NA", "N/A", "NaN", "nan",
	// "null", "NULL", "None" and "?".
	Missing []string
	// Comma stands between values; 0 means ','. A tab is '\t'.
	Comma rune
	// NoHeader says that the first line holds values, not names.
	NoHeader bool
	// SkipBad leaves out lines that cannot be read instead of returning an error.
	SkipBad bool
	// Like is set to read new rows for an encoding that exists, even a single row: only its columns are read, each as
	// numbers or words as there, and all values of a column may be missing. nil decides by the values of the file.
	Like *Encoding
}

// missingTexts are the texts that mean a missing value where FrameConfig.Missing is nil.
var missingTexts = []string{"NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"}

// ReadFrame reads a table from a CSV file in UTF-8. A column is one of numbers if all values that are not missing are
// finite numbers and cfg.Words does not list it; otherwise it is one of words. Space around a value does not count. A
// value in quotes may hold commas and line breaks.
//
// labels has one text per row, that of the column cfg.Label, "" where it is empty; it is nil without cfg.Label. The
// texts of cfg.Missing have no meaning there.
//
// bad lists the lines that cannot be read: lines with another number of values than the first, lines with a quotation
// mark out of place, and empty lines between the rows of a file of one column. Without cfg.SkipBad they are returned
// as one error, which writes out the first 20. With it, more such lines than rows are an error still.
//
// Other errors are an empty file, text that is not UTF-8, a header with an empty name or the same name twice, a
// column in cfg that does not exist, and a column whose values are all missing. A column with more than 20 different
// values is an error if nine of ten are numbers but some are not: these are most likely typing errors or another text
// for a gap. Errors give the line, counted from 1, or the name of the column.
func ReadFrame(r io.Reader, cfg FrameConfig) (f *Frame, labels []string, bad []error, err error) {
	defer check.Prefix(&err, "tabular: CSV file")
	file, err := readRecords(r, cfg.Comma, !cfg.NoHeader)
	if err != nil {
		return nil, nil, nil, err
	}
	rows := len(file.rows)
	unreadable := fmt.Sprintf("%d of %d lines cannot be read", len(file.bad), len(file.bad)+rows)
	sign := separator(file.first)
	switch {
	case sign != 0 && !cfg.NoHeader && file.allHold(sign):
		err = fmt.Errorf("the only column is %q; the separator looks like %q: set Comma to it", file.first[0], sign)
	case len(file.bad) > 0 && !cfg.SkipBad:
		err = check.List(unreadable+"; correct them, or leave them out with SkipBad", file.bad)
	case len(file.bad) > rows:
		err = check.List(unreadable+", too many to leave out; check Comma and the first line", file.bad)
	case rows == 0:
		err = errors.New("there are no rows below the header: add some, or set NoHeader if the first line is a row")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	columns, err := cfg.columns(file.first)
	if err != nil {
		return nil, nil, nil, err
	}
	f = &Frame{}
	var faults []error
	for _, c := range columns.features {
		column, err := cfg.column(c, file)
		f.Columns = append(f.Columns, column)
		if err != nil {
			faults = append(faults, err)
		}
	}
	unusable := fmt.Sprintf("%d of %d columns cannot be used", len(faults), len(f.Columns))
	if err := cmp.Or(check.List(unusable, faults), f.Validate()); err != nil {
		return nil, nil, nil, err
	}
	if columns.label >= 0 {
		labels = file.column(columns.label)
	}
	return f, labels, file.bad, nil
}

// kind says what a column holds.
type kind int

const (
	guessed kind = iota // by its values
	ofNumbers
	ofWords
)

// frameColumn is a column to be read.
type frameColumn struct {
	name string
	at   int // its place in the file
	kind kind
	gaps bool // all values may be missing
}

// frameColumns says which columns of a file are read.
type frameColumns struct {
	features []frameColumn
	label    int // -1 for none
}

// columns returns the columns to be read of a file with this first line.
func (cfg FrameConfig) columns(first []string) (out frameColumns, err error) {
	use, err := CSV{NoHeader: cfg.NoHeader, Label: cfg.Label, Skip: cfg.Skip}.layoutOf(first)
	if err != nil {
		return out, err
	}
	kinds := map[int]kind{}
	for _, name := range cfg.Words {
		at, err := use.find(name)
		if err != nil {
			return out, err
		}
		if !slices.Contains(use.features, at) {
			return out, fmt.Errorf("the column %s of Words is skipped or holds the labels: choose one", name)
		}
		kinds[at] = ofWords
	}
	var like map[string]kind
	if cfg.Like != nil {
		if err := cfg.Like.Validate(); err != nil {
			return out, err
		}
		like = map[string]kind{}
		for _, c := range cfg.Like.Columns {
			like[c.Name] = ofNumbers
			if c.Categories != nil {
				like[c.Name] = ofWords
			}
		}
	}
	out.label = use.label
	for _, at := range use.features {
		c := frameColumn{name: strconv.Itoa(at + 1), at: at, kind: kinds[at], gaps: like != nil}
		if use.names != nil {
			c.name = use.names[at]
		}
		if as, ok := like[c.name]; ok {
			c.kind = as
		} else if like != nil {
			continue
		}
		if c.name == "" {
			return out, fmt.Errorf("column %d has no name: write one into the header, or list \"\" in Skip", at+1)
		}
		out.features = append(out.features, c)
	}
	if len(out.features) == 0 {
		return out, fmt.Errorf("it has no column of the encoding: rename its columns %q as in the training rows", use.names)
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
	for i, text := range out.Words {
		if text == "" || slices.Contains(gap, text) {
			out.Words[i], values[i] = "", math.NaN()
			continue
		}
		present++
		different[text] = true
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil && !math.IsNaN(v) && !math.IsInf(v, 0):
			values[i] = v
			numbers++
			likely++
			continue
		case hasComma(text):
			likely++
		}
		if first < 0 {
			first = i
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
	isNot := fmt.Sprintf("column %s, line %d: %q is not a number", c.name, file.lines[first], out.Words[first])
	switch {
	case c.kind == ofNumbers:
		return out, fmt.Errorf("%s, as in the training rows: %s", isNot, numberRemedy(out.Words[first]))
	case 10*likely >= 9*present && len(different) > 20:
		return out, fmt.Errorf("%s, but %d of %d values are: %s, or list the column in Words if it holds categories", isNot,
			numbers, present, numberRemedy(out.Words[first]))
	}
	return out, nil
}

// hasComma reports whether text is a number once a decimal comma is replaced.
func hasComma(text string) bool {
	_, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return err == nil && strings.Contains(text, ",")
}

// numberRemedy says what to do with a text where a number should be.
func numberRemedy(text string) string {
	if hasComma(text) {
		return "write numbers as in 1234.5, without other commas or points"
	}
	return "correct it, or list it in Missing if it means a gap"
}
