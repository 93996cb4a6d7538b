package evaluate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/pucl/rows"
)

// Counts holds numbers of examples, including halves. Its text form separates them with spaces.
type Counts []float64

// MarshalText implements [encoding.TextMarshaler].
func (c Counts) MarshalText() ([]byte, error) {
	var text []byte
	for i, count := range c {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendFloat(text, count, 'f', -1, 64)
	}
	return text, nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Counts) UnmarshalText(text []byte) error {
	*c = nil
	for _, word := range strings.Fields(string(text)) {
		count, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return fmt.Errorf("evaluate: %q is no number of examples; give a number such as 12", word)
		}
		*c = append(*c, count)
	}
	return nil
}

// auc returns the share of pairs of an example and one of the others that the examples win.
func (c Counts) auc(others int) (won float64) {
	for _, count := range c {
		won += count
	}
	return won / (float64(len(c)) * float64(others))
}

// below returns, for every example marked in truth, the number of other examples with a lower score, in ascending
// order. An equal score counts half.
func below(scores []float64, truth []bool) Counts {
	order := rows.All(len(scores))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var counts Counts
	passed := 0
	for first := 0; first < len(order); { // groups of equal scores, in ascending order
		end, marked := first, 0
		for ; end < len(order) && scores[order[end]] == scores[order[first]]; end++ {
			if truth[order[end]] {
				marked++
			}
		}
		others := end - first - marked
		for range marked {
			counts = append(counts, float64(passed)+float64(others)/2)
		}
		passed += others
		first = end
	}
	return counts
}
