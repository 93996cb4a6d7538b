package tabular

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/decimal"
)

// CSV describes the form of a CSV file. The zero value is for a file with a header, commas, and no classes.
type CSV struct {
	// NoHeader states that the first line holds values, not names.
	NoHeader bool
	// Label is the column that holds the class of each example: its name in the header or, without one, its number
	// counted from 1. It may hold any text. Empty means that there is no such column.
	Label string
	// Skip lists columns to leave out, such as an identifier, by name or number as Label does. "" skips the columns
	// without a name.
	Skip []string
	// Keep lists features that look like row numbers, by name or number as Label does: see [ReadCSV].
	Keep []string
	// Comma separates values; 0 means ','. A tab is '\t'.
	Comma rune
}

// ReadCSV reads a table from a CSV file in UTF-8, or in UTF-16 with a byte order mark. All columns are features, except
// cfg.Label and cfg.Skip. A feature is a number such as 3, -0.5 or 1e-3. Classes have the names and the order of
// [ClassName].
//
// A feature that only numbers the rows is an error, unless cfg.Keep lists it. Such columns are those that pandas names
// "Unnamed: 0" or the like, and columns of 10 rows or more that count in order, from 0 or from 1. A column without a
// name is always an error.
//
// Other errors are a missing value, a line of another length, a column that does not exist, and two columns of one
// name. A number is an error if it is not finite, not in decimal digits (1_500, 0x1p3, 1,5), or not representable in 64
// bits: 1e400, 1e-400, or an integer beyond ±2⁵³ that would be rounded. Errors give the line and the column, both
// counted from 1.
func ReadCSV(r io.Reader, cfg CSV) (t *Table, err error) {
	defer check.Prefix(&err, "tabular: CSV file")
	var values []float64
	var labels []string
	texts := map[string]string{} // one copy of each class name
	var missing error            // the first class that is missing
	faults := map[int]error{}    // the first fault of a column
	more := map[int]int{}        // the number of its other faults
	use, bad, err := readLines(r, cfg, func(use layout, record []string, line int) {
		for _, i := range use.features {
			v, err := number(strings.TrimSpace(record[i]))
			if err != nil && faults[i] != nil {
				more[i]++
			} else if err != nil {
				faults[i] = fmt.Errorf("%s: %w", use.place(line, i), err)
			}
			values = append(values, v)
		}
		if use.label < 0 {
			return
		}
		class := strings.TrimSpace(record[use.label])
		if class == "" && missing == nil {
			missing = fmt.Errorf("%s: the class is missing: fill it in or remove the line", use.place(line, use.label))
		}
		if _, ok := texts[class]; !ok {
			class = strings.Clone(class) // the record's text is reused
			texts[class] = class
		}
		labels = append(labels, texts[class])
	})
	if err != nil {
		return nil, err
	}
	columns := len(use.features)
	n := len(values) / max(columns, 1) // no layout if no line can be read
	for j, i := range use.features {
		if more[i] > 0 {
			faults[i] = fmt.Errorf("%w (and %d more values of the column)", faults[i], more[i])
		}
		if faults[i] == nil {
			faults[i] = use.counted(i, n, func(k int) float64 { return values[k*columns+j] },
				func(k int) int { return k })
		}
		if err := use.unnamed(i); err != nil {
			faults[i] = err
		}
	}
	var list []error
	for _, i := range use.features {
		if faults[i] != nil {
			list = append(list, faults[i])
		}
	}
	switch {
	case len(bad) > 0:
		err = check.List(fmt.Sprintf("%d of %d lines cannot be read; correct them", len(bad), len(bad)+n), bad)
	case n == 0:
		err = errors.New("there are no examples in it")
	case len(list) == 1:
		err = list[0]
	case len(list) > 0:
		err = check.List(fmt.Sprintf("%d of %d columns cannot be used as features", len(list), columns), list)
	case missing != nil:
		err = missing
	}
	if err != nil {
		return nil, err
	}
	t = &Table{Features: mat.NewDense(n, columns, values)}
	if use.header {
		for _, i := range use.features {
			t.Names = append(t.Names, use.names[i])
		}
	}
	if use.label >= 0 {
		t.Labels, t.Classes = classes.Of(labels)
	}
	return t, nil
}

// ClassName returns the class name for a text in a column of classes. Numbers have one name each, the shortest in
// decimal digits: "1", "1.0" and "1e0" are the class "1". Other texts are their own names, without surrounding space.
//
// All readers number classes in one order: numbers by value, then all other names as text. So 2, 10 and "?" are classes
// 0, 1 and 2.
func ClassName(text string) string { return classes.Name(text) }

// missingTexts lists the default texts of a missing value, if FrameConfig.Missing is nil: those of pandas and "?".
var missingTexts = []string{"?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND",
	"1.#QNAN", "<NA>",
	"N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

// number parses a finite number. The error states the remedy.
func number(text string) (float64, error) {
	v, fault, ok := decimal.Parse(text)
	switch {
	case ok:
		return v, nil
	case text == "", slices.Contains(missingTexts, text):
		return 0, fmt.Errorf("the value is missing (%q): fill it in or remove the line", text)
	case fault == "":
		fault = "is no number: name the column in CSV.Label if it holds the classes, else skip it with CSV.Skip, or " +
			"replace it by numbers"
	}
	return 0, fmt.Errorf("%q %s", text, fault)
}
