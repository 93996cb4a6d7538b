package onnx

import (
	"math"
	"slices"
)

// Column is the encoding of one column of a table, like tabular.ColumnEncoding, which documents it.
type Column struct {
	Name            string
	Missing         bool     // gaps have their own feature
	Median          float64  // of numbers: replaces gaps
	Mean, Deviation float64  // of numbers: standardize them; a Deviation of 0 makes the feature 0
	Frequent        string   // of words: replaces gaps, unless Missing
	Categories      []string // of words; nil for numbers
}

// width returns the number of features.
func (c Column) width() int {
	n := max(1, len(c.Categories))
	if c.Missing {
		n++
	}
	return n
}

// rawEdge returns the smallest number whose standardized value is at least edge. Deviation must be positive.
func (c Column) rawEdge(edge float64) float64 {
	middle := c.Mean + edge*c.Deviation
	// Rounding moves the sum by less than this.
	slack := 0x1p-50 * (math.Abs(c.Mean) + math.Abs(edge*c.Deviation))
	low, high := middle-slack, middle+slack
	for {
		middle = low + (high-low)/2
		switch {
		case middle <= low || middle >= high:
			return high
		case (middle-c.Mean)/c.Deviation >= edge:
			high = middle
		default:
			low = middle
		}
	}
}

// table is the preprocessing of the rows of a table.
type table struct {
	*graph
	columns []Column
	joined  bool // the columns come as one input

	numbers, gaps value   // of the columns of numbers
	words         []value // features of the columns of words
	ready         map[bool]value
}

// tableInputs adds the inputs of a table: one for each column, or one for all columns of numbers.
func tableInputs(g *graph, columns []Column, joined bool) *table {
	t := &table{graph: g, columns: columns, joined: joined, ready: map[bool]value{}}
	var numbers, words []value
	if joined {
		numbers = []value{g.input("features", float32Type, "rows of numbers; NaN is a gap", len(columns))}
	}
	for _, c := range columns { // all inputs come before other values, whose names then differ from theirs
		switch {
		case c.Categories != nil:
			words = append(words, g.input(c.Name, stringType, "words; an empty text is a gap", 1))
		case !joined:
			numbers = append(numbers, g.input(c.Name, float32Type, "numbers; NaN is a gap", 1))
		}
	}
	for _, c := range columns {
		if c.Categories != nil {
			t.words = append(t.words, t.categories(c, words[len(t.words)]))
		}
	}
	if len(numbers) > 0 {
		t.numbers = g.concat(numbers...)
		t.gaps = g.node("IsNaN", t.numbers.dims, []string{t.numbers.name})
	}
	return t
}

// categories returns the features of a column of words: a row of a matrix for each category, for a gap and for all
// other words.
func (t *table) categories(c Column, in value) value {
	width := c.width()
	var keys []string
	var places []int64
	var features []float32
	add := func(word string, feature int) {
		keys, places = append(keys, word), append(places, int64(len(places)))
		row := make([]float32, width)
		row[feature] = 1
		features = append(features, row...)
	}
	for i, category := range c.Categories {
		if category != "" {
			add(category, i)
		}
	}
	frequent := slices.Index(c.Categories, c.Frequent)
	switch {
	case c.Missing:
		add("", width-1)
	case frequent >= 0:
		add("", frequent)
	default:
		t.fail("the column %s has no category %q, its most frequent one; make the encoding anew with NewEncoding",
			c.Name, c.Frequent)
	}
	features = append(features, make([]float32, width)...) // of a word that is none of these
	place := t.mlNode("LabelEncoder", []int{1}, []string{in.name}, texts("keys_strings", keys...),
		ints("values_int64s", places...), integer("default_int64", len(places)))
	matrix := constant(t.graph, "categories", features, len(features)/width, width)
	row := t.node("Gather", []int{1, width}, []string{matrix, place.name}, integer("axis", 0))
	return t.reshape(row, width)
}

// features returns the features of the rows, in the order of the columns: numbers standardized, or as they are for
// trees.
func (t *table) features(raw bool) value {
	if x, ok := t.ready[raw]; ok {
		return x
	}
	var parts []value
	if t.numbers.name != "" {
		parts = append(parts, t.filled(raw))
	}
	var missing []int64 // places among the columns of numbers
	numbers := 0
	for _, c := range t.columns {
		if c.Categories == nil {
			if c.Missing {
				missing = append(missing, int64(numbers))
			}
			numbers++
		}
	}
	if len(missing) > 0 {
		parts = append(parts, t.cast(t.pick(t.gaps, missing), float32Type))
	}
	x := t.concat(append(parts, t.words...)...)
	order := t.order(numbers, len(missing))
	if !slices.IsSorted(order) {
		x = t.pick(x, order)
	}
	t.ready[raw] = x
	return x
}

// order returns the place of every feature where numbers come first, then their gaps, then words.
func (t *table) order(numbers, gaps int) (order []int64) {
	number, gap, word := 0, numbers, numbers+gaps
	next := func(place *int) {
		order = append(order, int64(*place))
		*place++
	}
	for _, c := range t.columns {
		if c.Categories != nil {
			for range c.width() {
				next(&word)
			}
			continue
		}
		next(&number)
		if c.Missing {
			next(&gap)
		}
	}
	return order
}

// filled returns the columns of numbers without gaps, standardized unless raw. Standardization is in float64: in
// float32, the mean of large numbers that differ little would be off by too much.
func (t *table) filled(raw bool) value {
	var median, mean, factor []float64
	for _, c := range t.columns {
		if c.Categories != nil {
			continue
		}
		median, mean = append(median, c.Median), append(mean, c.Mean)
		if c.Deviation > 0 {
			factor = append(factor, 1/c.Deviation)
		} else {
			factor = append(factor, 0)
		}
	}
	where := func(x value, median string) value {
		return t.node("Where", x.dims, []string{t.gaps.name, median, x.name})
	}
	count := len(median)
	if raw {
		var narrow []float32
		for _, m := range median {
			narrow = append(narrow, float32(m))
		}
		return where(t.numbers, constant(t.graph, "median", narrow, count))
	}
	x := where(t.cast(t.numbers, float64Type), constant(t.graph, "median", median, count))
	x = t.binary("Sub", x, constant(t.graph, "mean", mean, count))
	x = t.binary("Mul", x, constant(t.graph, "factor", factor, count))
	return t.cast(x, float32Type)
}
