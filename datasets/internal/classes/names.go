package classes

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/decimal"
)

// Name returns the class name for a text in a file: one name per number, so that 1, 1.0 and 1e0 are the class "1", and
// any other text without surrounding space.
func Name(text string) string {
	text = strings.TrimSpace(text)
	v, _, ok := decimal.Parse(text)
	switch {
	case !ok:
		return text
	case v == math.Trunc(v) && math.Abs(v) < 1e21:
		return strconv.FormatFloat(v+0, 'f', -1, 64) // + 0 removes the sign of -0
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Compare gives the order of classes: numbers first, by value, and then all other names as text.
func Compare(a, b string) int {
	v, _, aIs := decimal.Parse(a)
	w, _, bIs := decimal.Parse(b)
	switch {
	case aIs && bIs:
		return cmp.Or(cmp.Compare(v, w), strings.Compare(a, b))
	case aIs:
		return -1
	case bIs:
		return 1
	}
	return strings.Compare(a, b)
}

// Of returns the class of each text and the names of the different classes, in the order of [Compare].
func Of(texts []string) (labels []int, names []string) {
	byText := map[string]string{}
	for _, text := range texts {
		if _, ok := byText[text]; !ok {
			byText[text] = Name(text)
		}
	}
	place := map[string]int{}
	for _, name := range byText {
		if _, ok := place[name]; !ok {
			place[name] = 0
			names = append(names, name)
		}
	}
	slices.SortFunc(names, Compare)
	for i, name := range names {
		place[name] = i
	}
	labels = make([]int, len(texts))
	for i, text := range texts {
		labels[i] = place[byText[text]]
	}
	return labels, names
}
