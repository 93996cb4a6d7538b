package tabular

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// layout holds the role of each column of a CSV file.
type layout struct {
	names    []string       // names in the header, or else the numbers of the columns, counted from 1
	index    map[string]int // column index of each name
	header   bool
	label    int   // -1 for none
	features []int // in the order of the file
	keep     map[int]bool
}

// layoutOf returns the role of each column, from the first line.
func (cfg CSV) layoutOf(first []string) (c layout, err error) {
	c = layout{index: map[string]int{}, header: !cfg.NoHeader, label: -1, keep: map[int]bool{}}
	for i, name := range first {
		name = strings.TrimSpace(strings.Clone(name))
		if cfg.NoHeader {
			name = strconv.Itoa(i + 1)
		}
		at, twice := c.index[name]
		if twice && name != "" { // columns without a name are rejected below unless all are skipped
			return c, fmt.Errorf("the header: columns %d and %d are both named %q: rename one", at+1, i+1, name)
		}
		c.names, c.index[name] = append(c.names, name), i
	}
	skip := map[string]bool{}
	for _, name := range cfg.Skip {
		if _, err := c.find(name); err != nil {
			return c, err
		}
		skip[name] = true
	}
	if cfg.Label != "" {
		if c.label, err = c.find(cfg.Label); err != nil {
			return c, err
		}
		if skip[cfg.Label] {
			return c, fmt.Errorf("the column %s is to be skipped and to hold the classes: choose one", cfg.Label)
		}
	}
	for i, name := range c.names {
		if !skip[name] && i != c.label {
			c.features = append(c.features, i)
		}
	}
	for _, name := range cfg.Keep {
		at, err := c.feature("Keep", name)
		if err != nil {
			return c, err
		}
		c.keep[at] = true
	}
	if len(c.features) == 0 {
		return c, errors.New("no column is left for features")
	}
	return c, nil
}

// find returns the index of the column with the given name or, without a header, number.
func (c layout) find(name string) (int, error) {
	if i, ok := c.index[name]; ok {
		return i, nil
	}
	if !c.header {
		return 0, fmt.Errorf("there is no column %q: without a header columns are numbered 1 to %d", name, len(c.names))
	}
	if sign := separator(c.names); sign != 0 {
		return 0, fmt.Errorf("there is no column %q: there are %q; the separator looks like %q: set Comma to it",
			name, c.names, sign)
	}
	return 0, fmt.Errorf("there is no column %q: there are %q", name, c.names)
}

// feature returns the index of the feature column with the given name; the argument list names its source in errors.
func (c layout) feature(list, name string) (int, error) {
	at, err := c.find(name)
	if err == nil {
		for _, feature := range c.features {
			if feature == at {
				return at, nil
			}
		}
		err = fmt.Errorf("the column %s of %s is skipped or holds the labels: choose one", name, list)
	}
	return 0, err
}

// separator returns the probable separator of a table read as one column; 0 for none.
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

// place returns the position of the value of column i on a line, for an error. Both are counted from 1.
func (c layout) place(line, i int) string {
	if c.header {
		return fmt.Sprintf("line %d, column %d (%s)", line, i+1, c.names[i])
	}
	return fmt.Sprintf("line %d, column %d", line, i+1)
}

// unnamed returns an error if feature column i has no name, or pandas's name for an unnamed column: such a column
// usually numbers the rows.
func (c layout) unnamed(i int) error {
	name := c.names[i]
	switch {
	case c.header && name == "" && i > 0 && i == len(c.names)-1:
		return fmt.Errorf("column %d, the last, has no name: take the separator off the end of all lines, list \"\" "+
			"in Skip, or write a name into the header if it is a feature", i+1)
	case c.header && name == "":
		return fmt.Errorf("column %d has no name; it usually numbers the rows: list \"\" in Skip, or write a name "+
			"into the header if it is a feature", i+1)
	case strings.HasPrefix(name, "Unnamed: ") && !c.keep[i]:
		return fmt.Errorf("column %d is named %q, as a column without a name is in pandas; it usually numbers the "+
			"rows: list it in Skip, or in Keep if it is a feature", i+1, name)
	}
	return nil
}

// fewRows is the smallest number of rows for which a column can be rejected as row numbers: a shorter column can be 0,
// 1, 2 by chance.
const fewRows = 10

// counts reports whether the numbers of a column count the rows in order, from 0 or from 1. Row k of n has the number
// at(k) and the position record(k) in the file, counted from 0.
func counts(n int, at func(k int) float64, record func(k int) int) bool {
	if n < fewRows {
		return false
	}
	start := at(0) - float64(record(0))
	for k := range n {
		if at(k)-float64(record(k)) != start {
			return false
		}
	}
	return start == 0 || start == 1
}

// counted returns an error if feature column i counts the n rows and is not listed in Keep: see counts.
func (c layout) counted(i, n int, at func(k int) float64, record func(k int) int) error {
	if c.keep[i] || !counts(n, at, record) {
		return nil
	}
	return fmt.Errorf("column %d (%s) numbers the rows from %g to %g: list %q in Skip, or in Keep if it is a "+
		"feature", i+1,
		c.names[i], at(0), at(n-1), c.names[i])
}
