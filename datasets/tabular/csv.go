package tabular

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/check"
	"gonum.org/v1/gonum/mat"
)

// CSV says how a CSV file is written. The zero value is for one with a header, commas, and no classes.
type CSV struct {
	// NoHeader says that the first line holds values already, not names.
	NoHeader bool
	// Label is the column that holds the class of each example: its name in the header or, without one, its number
	// counted from 1. It may hold any text. Empty means that there is no such column.
	Label string
	// Skip lists columns to leave out, such as an identifier, by name or number as Label does.
	Skip []string
	// Comma stands between values; 0 means ','. A tab is '\t'.
	Comma rune
}

// ReadCSV reads a table from a CSV file. All columns are features, each a number such as 3, -0.5 or 1e-3, save for the one
// with the classes and those to be skipped. Classes are numbered in the order of their names: as numbers if all of them
// are whole numbers, else as text.
//
// Errors give the line and the column of what is wrong, both counted from 1: a value that is missing or no finite number, a
// line of another length, a column that does not exist or two of one name.
func ReadCSV(r io.Reader, cfg CSV) (t *Table, err error) {
	defer check.Prefix(&err, "tabular: CSV file")
	buffered := bufio.NewReader(r)
	if mark, err := buffered.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		buffered.Discard(3) // the mark of UTF-8 with which some programs start; it was peeked at, so it is there
	}
	lines := csv.NewReader(buffered)
	lines.ReuseRecord, lines.TrimLeadingSpace, lines.Comma = true, true, cmp.Or(cfg.Comma, ',')
	first, err := lines.Read()
	if err == io.EOF {
		return nil, errors.New("there is nothing in it")
	}
	if err != nil {
		return nil, err
	}
	c, err := cfg.layoutOf(first)
	if err != nil {
		return nil, err
	}
	var values []float64
	var labels []string
	texts := map[string]string{} // one copy of each class name
	before := 0                  // the line of the last record
	row := func(record []string) error {
		// The reader passes over empty lines. In a file of one column such a line is a missing value.
		line, _ := lines.FieldPos(0)
		if len(record) == 1 && line > before+1 {
			return fmt.Errorf("line %d is empty: fill in its value or remove the line", before+1)
		}
		before = line
		for _, i := range c.features {
			v, err := number(strings.TrimSpace(record[i]))
			if err != nil {
				return fmt.Errorf("%s: %w", c.place(lines, i), err)
			}
			values = append(values, v)
		}
		if c.label < 0 {
			return nil
		}
		class := strings.TrimSpace(record[c.label])
		if class == "" {
			return fmt.Errorf("%s: the class is missing", c.place(lines, c.label))
		}
		if _, ok := texts[class]; !ok {
			class = strings.Clone(class) // the reader will use its own again
			texts[class] = class
		}
		labels = append(labels, texts[class])
		return nil
	}
	for record := first; err != io.EOF; record, err = lines.Read() {
		switch {
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := lines.FieldPos(0)
			err = fmt.Errorf("line %d has not as many values as the first line, but %d instead of %d: fill in what is "+
				"missing, or put a value with a comma in it into quotes", line, len(record), lines.FieldsPerRecord)
		case before == 0 && !cfg.NoHeader: // the first record is the header
			before, _ = lines.FieldPos(0)
		case err == nil:
			err = row(record)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(values) == 0 {
		return nil, errors.New("there are no examples in it")
	}
	t = &Table{Features: mat.NewDense(len(values)/len(c.features), len(c.features), values), Names: c.featureNames}
	if c.label >= 0 {
		t.Labels, t.Classes = numbered(labels)
	}
	return t, nil
}

// number reads a finite number, and says what to do about the ways in which programs write a missing one.
func number(text string) (float64, error) {
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null", "none", "?", "-":
		return 0, fmt.Errorf("the value is missing (%q): fill it in or remove the line", text)
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		err = fmt.Errorf("%q is too large for a number of 64 bits", text)
	case err != nil:
		err = fmt.Errorf("%q is no number: name the column in CSV.Label if it holds the classes, else skip it with CSV.Skip, or "+
			"replace it by numbers", text)
	case math.IsNaN(v) || math.IsInf(v, 0):
		err = fmt.Errorf("%q is not finite", text)
	}
	return v, err
}

// layout holds the use of each column.
type layout struct {
	names        []string       // nil without a header
	index        map[string]int // of the names
	count        int
	label        int // -1 for none
	features     []int
	featureNames []string // nil without a header
}

// layoutOf returns the use of each column, from the first line.
func (cfg CSV) layoutOf(first []string) (c layout, err error) {
	c.count, c.label, c.index = len(first), -1, map[string]int{}
	if !cfg.NoHeader {
		for i, name := range first {
			name = strings.TrimSpace(strings.Clone(name))
			if at, ok := c.index[name]; ok {
				return c, fmt.Errorf("line 1: columns %d and %d are both named %q", at+1, i+1, name)
			}
			c.names, c.index[name] = append(c.names, name), i
		}
	}
	skip := make([]bool, c.count)
	for _, name := range cfg.Skip {
		i, err := c.find(name)
		if err != nil {
			return c, err
		}
		skip[i] = true
	}
	if cfg.Label != "" {
		if c.label, err = c.find(cfg.Label); err != nil {
			return c, err
		}
		if skip[c.label] {
			return c, fmt.Errorf("the column %s is to be skipped and to hold the classes: choose one", cfg.Label)
		}
	}
	for i := range first {
		if !skip[i] && i != c.label {
			c.features = append(c.features, i)
			if c.names != nil {
				c.featureNames = append(c.featureNames, c.names[i])
			}
		}
	}
	if len(c.features) == 0 {
		return c, errors.New("no column is left for features")
	}
	return c, nil
}

// separator returns what seems to stand between the values of a table read as one column, 0 where nothing does.
func separator(names []string) rune {
	if len(names) == 1 {
		for _, sign := range ";\t|," {
			if strings.ContainsRune(names[0], sign) {
				return sign
			}
		}
	}
	return 0
}

// find returns the index of the column with a name or, without names, a number.
func (c layout) find(name string) (int, error) {
	if c.names != nil {
		if i, ok := c.index[name]; ok {
			return i, nil
		}
		if sign := separator(c.names); sign != 0 {
			return 0, fmt.Errorf("there is no column %q: there are %q; the separator looks like %q: set Comma to it", name, c.names, sign)
		}
		return 0, fmt.Errorf("there is no column %q: there are %q", name, c.names)
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 1 || i > c.count {
		return 0, fmt.Errorf("there is no column %q: without a header columns are numbered 1 to %d", name, c.count)
	}
	return i - 1, nil
}

// place describes for an error where value i of the last record is. Columns are counted from 1, as in [CSV].
func (c layout) place(lines *csv.Reader, i int) string {
	line, _ := lines.FieldPos(i)
	if c.names != nil {
		return fmt.Sprintf("line %d, column %d (%s)", line, i+1, c.names[i])
	}
	return fmt.Sprintf("line %d, column %d", line, i+1)
}

// numbered numbers the different labels in order: as numbers if all are whole numbers, else as text. It returns the number of
// each label and the different labels.
func numbered(labels []string) (numbers []int, names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(labels)))
	values := map[string]int{}
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			values[name] = n
		}
	}
	if len(values) == len(names) {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	}
	for i, name := range names {
		values[name] = i
	}
	for _, label := range labels {
		numbers = append(numbers, values[label])
	}
	return numbers, names
}
