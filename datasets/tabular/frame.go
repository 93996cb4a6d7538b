package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/puclab/puclab/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Frame is a table of named columns of numbers or words, with gaps. [ReadFrame] reads one from a CSV file, [NewFrame]
// makes one from a matrix, and [NewEncoding] converts it into rows of numbers.
type Frame struct {
	// Columns has one entry per column, all of the same length.
	Columns []Column
}

// Column is one column of a [Frame]. Exactly one of Numbers and Words is set.
type Column struct {
	// Name identifies the column within its frame.
	Name string
	// Numbers has one finite number per row, NaN for a missing value; nil for a column of words.
	Numbers []float64
	// Words has one text per row, "" for a missing value; nil for a column of numbers.
	Words []string
}

// Len returns the number of rows of the column.
func (c *Column) Len() int { return max(len(c.Numbers), len(c.Words)) }

// missing returns the number of rows without a value.
func (c *Column) missing() (n int) {
	for _, v := range c.Numbers {
		if math.IsNaN(v) {
			n++
		}
	}
	for _, word := range c.Words {
		if word == "" {
			n++
		}
	}
	return n
}

// NewFrame copies the columns of x [rows, columns] into a frame of numbers, where NaN is a missing value. names has
// one name per column; nil names them "feature 1", "feature 2" and so on. It returns an error if x is empty or holds
// an infinite number, and if names has another length, an empty name or a name twice.
func NewFrame(x *mat.Dense, names []string) (*Frame, error) {
	if x == nil || x.IsEmpty() {
		return nil, errors.New("tabular: no rows given to make a frame of: give a matrix with at least one row and column")
	}
	_, columns := x.Dims()
	if names != nil && len(names) != columns {
		return nil, fmt.Errorf("tabular: %d names for %d columns: give one name per column, or nil", len(names), columns)
	}
	f := &Frame{Columns: make([]Column, columns)}
	for j := range f.Columns {
		f.Columns[j] = Column{Name: fmt.Sprintf("feature %d", j+1), Numbers: mat.Col(nil, j, x)}
		if names != nil {
			f.Columns[j].Name = names[j]
		}
	}
	if err := f.Validate(); err != nil {
		return nil, err
	}
	return f, nil
}

// Len returns the number of rows, 0 for a frame without columns.
func (f *Frame) Len() int {
	if f == nil || len(f.Columns) == 0 {
		return 0
	}
	return f.Columns[0].Len()
}

// String describes the frame in one line.
func (f *Frame) String() string {
	if f == nil {
		return "no frame"
	}
	words := 0
	for _, c := range f.Columns {
		if c.Words != nil {
			words++
		}
	}
	return fmt.Sprintf("%d rows of %d columns: %d of numbers, %d of words",
		f.Len(), len(f.Columns), len(f.Columns)-words, words)
}

// Validate returns an error that names the first fault of f, or nil. A valid frame has at least one row and one
// column. Its columns have equal lengths and distinct names that are not empty. Each column has either Numbers or
// Words, no infinite number, and only text in UTF-8.
func (f *Frame) Validate() error {
	if f == nil || len(f.Columns) == 0 {
		return errors.New("tabular: a frame without columns: give at least one")
	}
	places := map[string]int{}
	for j, c := range f.Columns {
		first, twice := places[c.Name]
		places[c.Name] = j
		err := cmp.Or(
			fault.If(c.Name == "", "tabular: column %d of the frame has no name: give it one", j+1),
			fault.If(!utf8.ValidString(c.Name), "tabular: the name %q is not UTF-8 text: convert it", c.Name),
			fault.If(twice, "tabular: columns %d and %d are both named %q: rename one", first+1, j+1, c.Name),
			fault.If(c.Numbers != nil && c.Words != nil,
				"tabular: column %s has both Numbers and Words: leave one of them nil", c.Name),
			fault.If(c.Len() == 0, "tabular: column %s has no rows: give it Numbers or Words", c.Name),
			fault.If(c.Len() != f.Len(), "tabular: column %s has %d rows and column %s has %d: give all the same number",
				c.Name, c.Len(), f.Columns[0].Name, f.Len()))
		if err != nil {
			return err
		}
		for i, v := range c.Numbers {
			if math.IsInf(v, 0) {
				return fmt.Errorf("tabular: column %s, row %d: the number is infinite: use NaN if it is missing", c.Name, i)
			}
		}
		for i, word := range c.Words {
			if !utf8.ValidString(word) {
				return fmt.Errorf("tabular: column %s, row %d: %q is not UTF-8 text: convert it", c.Name, i, word)
			}
		}
	}
	return nil
}

// Select returns a new frame with copies of the given rows, in that order. A row may occur twice. It returns an error
// if there are no rows, if a row does not exist, and if f is not valid. Rows are numbered from 0.
func (f *Frame) Select(rows []int) (*Frame, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("tabular: no rows given to select")
	}
	for _, row := range rows {
		if row < 0 || row >= f.Len() {
			return nil, fmt.Errorf("tabular: cannot select row %d: the frame has %d rows, numbered from 0", row, f.Len())
		}
	}
	out := &Frame{Columns: make([]Column, len(f.Columns))}
	for j, c := range f.Columns {
		out.Columns[j] = Column{Name: c.Name, Numbers: pick(c.Numbers, rows), Words: pick(c.Words, rows)}
	}
	return out, nil
}

// pick returns the given elements of values, and nil for nil.
func pick[T any](values []T, rows []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = values[row]
	}
	return out
}
