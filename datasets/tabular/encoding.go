package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/decimal"
	"github.com/puclab/puclab/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Encoding converts frames into rows of numbers. [NewEncoding] fits it on training rows; [Encoding.Rows] then encodes
// training and test rows. It can be saved as JSON.
//
// A column of numbers becomes one feature with mean 0 and standard deviation 1 over the training rows (dividing by
// their number). A missing number counts as the median of the training rows. If the training rows have gaps in the
// column, a second feature is 1 where the number is missing and 0 elsewhere. A column that is constant over the
// training rows becomes 0 everywhere, since its scale is unknown.
//
// A column of words becomes one feature per category of the training rows, 1 for rows of the category and 0
// elsewhere. A category that the training rows lack gives 0 in all of them. If the training rows have gaps in the
// column, one more feature is 1 where the word is missing; otherwise a missing word counts as the most frequent
// category. Features of 0 and 1 are not standardized.
type Encoding struct {
	// Columns has one entry per column of the training rows, in their order.
	Columns []ColumnEncoding
}

// ColumnEncoding is the encoding of one column. A column of numbers uses Median, Mean and Deviation, a column of words
// Frequent and Categories.
type ColumnEncoding struct {
	// Name is the name of the column.
	Name string
	// Missing states that the training rows have gaps in this column, so that gaps have their own feature.
	Missing bool
	// Median replaces missing numbers.
	Median float64 `json:",omitempty"`
	// Mean and Deviation standardize the numbers. Deviation is 0 for a constant column, whose feature is always 0.
	Mean, Deviation float64 `json:",omitempty"`
	// Frequent is the most frequent category, the first of them in Categories if several are.
	Frequent string `json:",omitempty"`
	// Categories lists the categories in sorted order; nil for a column of numbers.
	Categories []string `json:",omitempty"`
}

// maxCategories is the largest number of categories of a column of words. A column with more is most likely an
// identifier, a date or free text, for which one feature per value does not generalize.
const maxCategories = 100

// NewEncoding fits an encoding on the rows of f, usually those of training.
//
// It returns an error that names the column if all values of a column are missing, or if a column of words has more
// than 100 categories. It is also an error if a column has as many categories as words, more than 20, because it looks
// like an identifier. Remove such columns from f, for example by FrameConfig.Skip.
func NewEncoding(f *Frame) (*Encoding, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	e := &Encoding{Columns: make([]ColumnEncoding, len(f.Columns))}
	for j := range f.Columns {
		c := &f.Columns[j]
		missing := c.missing()
		if missing == c.Len() {
			return nil, fmt.Errorf("tabular: all %d values of column %s are missing: skip the column", missing, c.Name)
		}
		fit := &e.Columns[j]
		fit.Name, fit.Missing = c.Name, missing > 0
		if c.Words == nil {
			fit.fitNumbers(c.Numbers)
		} else if err := fit.fitWords(c.Words, missing); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// fitNumbers sets the median, the mean and the deviation. At least one number must be present.
func (c *ColumnEncoding) fitNumbers(numbers []float64) {
	present := slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
	slices.Sort(present)
	low, high := present[(len(present)-1)/2], present[len(present)/2]
	c.Median = low
	if low != high {
		c.Median = low/2 + high/2 // low + high may overflow
	}
	filled := slices.Clone(numbers)
	for i, v := range filled {
		if math.IsNaN(v) {
			filled[i] = c.Median
		}
	}
	if constant(filled) {
		c.Mean = filled[0]
		return
	}
	c.Mean, c.Deviation = moments(filled)
}

// fitWords sets the categories and the most frequent one. At least one word must be present.
func (c *ColumnEncoding) fitWords(words []string, missing int) error {
	counts := map[string]int{}
	for _, word := range words {
		if word != "" {
			counts[word]++
		}
	}
	present := len(words) - missing
	if len(counts) > maxCategories || len(counts) == present && present > 20 {
		return fmt.Errorf("tabular: column %s has %d different words in %d rows: is it an identifier, a date or free text? "+
			"Skip it, or group its words into fewer categories%s", c.Name, len(counts), present, numbersAmong(words))
	}
	for word := range counts {
		c.Categories = append(c.Categories, word)
	}
	slices.Sort(c.Categories)
	for _, word := range c.Categories {
		if counts[word] > counts[c.Frequent] { // the word "" has a count of 0
			c.Frequent = word
		}
	}
	return nil
}

// numbersAmong returns a remedy for words that are mostly numbers, and otherwise "".
func numbersAmong(words []string) string {
	numbers, first := 0, ""
	for _, word := range words {
		if _, _, ok := decimal.Parse(word); ok {
			numbers++
		} else if first == "" {
			first = word
		}
	}
	if 2*numbers <= len(words) || first == "" {
		return ""
	}
	return fmt.Sprintf("; %d rows hold numbers: if the column is one of numbers, replace %q, "+
		"or list it in FrameConfig.Missing if it means a gap", numbers, first)
}

// Validate returns an error that names the first fault of e, or nil. Encodings made by [NewEncoding] are valid; one
// read from a file may not be. Columns must have distinct names, finite numbers, non-negative deviations, and sorted,
// distinct categories.
func (e *Encoding) Validate() error {
	if e == nil || len(e.Columns) == 0 {
		return errors.New("tabular: an encoding without columns: make one with NewEncoding")
	}
	seen := map[string]bool{}
	for _, c := range e.Columns {
		finite := !math.IsInf(c.Median, 0) && !math.IsInf(c.Mean, 0) && c.Deviation >= 0 && c.Deviation <= math.MaxFloat64 &&
			c.Median == c.Median && c.Mean == c.Mean // NaN is not equal to itself
		sorted := true
		for k := 1; k < len(c.Categories); k++ {
			sorted = sorted && c.Categories[k-1] < c.Categories[k]
		}
		_, frequent := slices.BinarySearch(c.Categories, c.Frequent)
		err := cmp.Or(
			fault.If(c.Name == "" || seen[c.Name], "the column is unnamed or there twice"),
			fault.If(!finite, "median %g, mean %g, deviation %g", c.Median, c.Mean, c.Deviation),
			fault.If(!sorted, "the categories %q are not sorted and distinct", c.Categories),
			fault.If(c.Categories != nil && !(sorted && frequent), "%q is not one of the categories", c.Frequent))
		if err != nil {
			return fmt.Errorf("tabular: encoding of column %q: %w: make the encoding anew with NewEncoding", c.Name, err)
		}
		seen[c.Name] = true
	}
	return nil
}

// Rows returns the features of the rows of f, [n, d], where d is len(e.Names()). Columns are found by name; columns
// that the encoding lacks are ignored. All features are finite.
//
// It returns an error that names the column if a column is missing, if it holds numbers instead of words or words
// instead of numbers, or if a number is too far from the training rows to be standardized.
func (e *Encoding) Rows(f *Frame) (*mat.Dense, error) {
	if err := cmp.Or(e.Validate(), f.Validate()); err != nil {
		return nil, err
	}
	byName := map[string]*Column{}
	for j := range f.Columns {
		byName[f.Columns[j].Name] = &f.Columns[j]
	}
	out := mat.NewDense(f.Len(), len(e.Names()), nil)
	at := 0
	for j := range e.Columns {
		fit := &e.Columns[j]
		c, ok := byName[fit.Name]
		if !ok {
			return nil, fmt.Errorf("tabular: there is no column %q, which the training rows have: add it, or rename a column; "+
				"there are %s", fit.Name, quoted(f))
		}
		if err := fit.encode(out, at, c); err != nil {
			return nil, err
		}
		at += fit.width()
	}
	return out, nil
}

// quoted lists the names of the columns of f.
func quoted(f *Frame) string {
	var names []string
	for _, c := range f.Columns {
		names = append(names, strconv.Quote(c.Name))
	}
	return strings.Join(names, ", ")
}

// width returns the number of features of the column.
func (c *ColumnEncoding) width() int {
	n := max(1, len(c.Categories))
	if c.Missing {
		n++
	}
	return n
}

// encode writes the features of column to out, from feature at.
func (c *ColumnEncoding) encode(out *mat.Dense, at int, column *Column) error {
	gap := at + c.width() - 1 // the feature of gaps, if c.Missing
	if c.Categories == nil {
		if column.Words != nil {
			return fmt.Errorf("tabular: column %s holds words such as %q, and numbers in the training rows: replace the words, "+
				"or list those that mean a gap in FrameConfig.Missing", column.Name, firstWord(column.Words))
		}
		for i, v := range column.Numbers {
			if math.IsNaN(v) {
				v = c.Median
				if c.Missing {
					out.Set(i, gap, 1)
				}
			}
			if c.Deviation == 0 {
				continue
			}
			z := scaled(v, c.Mean, c.Deviation)
			if math.IsInf(z, 0) || math.IsNaN(z) {
				return fmt.Errorf("tabular: column %s, row %d: %g is too far from the numbers of the training rows (mean %g, "+
					"standard deviation %g): correct it, or leave out the row", column.Name, i, v, c.Mean, c.Deviation)
			}
			out.Set(i, at, z)
		}
		return nil
	}
	if column.Words == nil {
		return fmt.Errorf("tabular: column %s holds numbers, and words in the training rows: list the column in "+
			"FrameConfig.Words when reading", column.Name)
	}
	for i, word := range column.Words {
		if word == "" && c.Missing {
			out.Set(i, gap, 1)
			continue
		}
		if word == "" {
			word = c.Frequent
		}
		if k, ok := slices.BinarySearch(c.Categories, word); ok {
			out.Set(i, at+k, 1)
		}
	}
	return nil
}

// firstWord returns the first of words that is not missing and not a number; "" if there is none.
func firstWord(words []string) string {
	for _, word := range words {
		if _, _, ok := decimal.Parse(word); !ok && word != "" {
			return word
		}
	}
	return ""
}

// Names returns the names of the d features, in the order of [Encoding.Rows]: "age" for the numbers of the column age,
// "age missing" for its gaps, "city=Bern" for a category.
func (e *Encoding) Names() []string {
	var names []string
	for _, c := range e.Columns {
		if c.Categories == nil {
			names = append(names, c.Name)
		}
		for _, category := range c.Categories {
			names = append(names, c.Name+"="+category)
		}
		if c.Missing {
			names = append(names, c.Name+" missing")
		}
	}
	return names
}
