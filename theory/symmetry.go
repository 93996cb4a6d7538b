package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Symmetry lists the exchanges that leave an objective's attraction, log partition and loss unchanged, so that an
// enumeration may count batches that differ by them as one.
type Symmetry struct {
	Examples bool // two examples that are both labeled, or both unlabeled
	Views    bool // the two views of one example
	Classes  bool // the true class of an unlabeled example, its views staying as they are
}

// everything is the symmetry of an objective that uses only similarities and labels, in means or sums.
var everything = Symmetry{Examples: true, Views: true, Classes: true}

// String lists the exchangeable parts, "examples, views, classes" at most and "nothing" at least.
func (s Symmetry) String() string {
	var names []string
	for _, part := range []struct {
		holds bool
		name  string
	}{{s.Examples, "examples"}, {s.Views, "views"}, {s.Classes, "classes"}} {
		if part.holds {
			names = append(names, part.name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

const (
	symmetryTrials    = 64    // batches tried
	symmetryTolerance = 1e-10 // relative to max(1, |value|)
)

// symmetry determines by trial which exchanges leave the meter's objective unchanged. It scores batches of random
// points and random batches of the population's own points unchanged, with their examples shuffled, with views swapped,
// and with other classes. It assumes nothing about an objective. The trials are the same in every run, so the meter
// stores the result.
func (m *Meter) symmetry(d Design, points [][]float64) Symmetry {
	key := fmt.Sprint(d.Labeled, d.Unlabeled, points)
	found, known := m.symmetries[key]
	if !known {
		found = m.tried(d, points)
		if m.symmetries == nil {
			m.symmetries = map[string]Symmetry{}
		}
		m.symmetries[key] = found
	}
	return found
}

// tried returns the symmetry that the trials find.
func (m *Meter) tried(d Design, points [][]float64) Symmetry {
	rng := rand.New(rand.NewPCG(0x5e, 0x7a))
	n, b, dim := d.Rows(), d.Examples(), len(points[0])

	known := len(points)
	all := slices.Concat(points, lists.Table(4*n, dim, func(int, int) float64 { return rng.NormFloat64() }))
	const variants = 4
	batches := func(yield func(batch, float64) bool) {
		for trial := range symmetryTrials {
			plain := newBatch(d)
			for i := range plain.rows {
				if trial%2 == 0 {
					plain.rows[i] = known + rng.IntN(4*n)
				} else {
					plain.rows[i] = rng.IntN(known)
				}
			}
			for i := range plain.classes {
				if plain.classes[i] = 1; i >= d.Labeled {
					plain.classes[i] = rng.Int32N(2)
				}
			}
			shuffled, turned, reclassed := plain.clone(), plain.clone(), plain.clone()
			swap := func(i, j int) {
				for _, at := range [][2]int{{i, j}, {b + i, b + j}} {
					shuffled.rows[at[0]], shuffled.rows[at[1]] = shuffled.rows[at[1]], shuffled.rows[at[0]]
				}
				shuffled.classes[i], shuffled.classes[j] = shuffled.classes[j], shuffled.classes[i]
			}
			rng.Shuffle(d.Labeled, swap)
			rng.Shuffle(d.Unlabeled, func(i, j int) { swap(d.Labeled+i, d.Labeled+j) })
			for i := range b {
				if i == trial%b || rng.IntN(2) == 0 {
					turned.rows[i], turned.rows[b+i] = turned.rows[b+i], turned.rows[i]
				}
				if i >= d.Labeled {
					reclassed.classes[i] = rng.Int32N(2)
				}
			}
			for _, each := range [variants]batch{plain, shuffled, turned, reclassed} {
				if !yield(each, 1) {
					return
				}
			}
		}
	}
	scores := make([][]float64, m.scores)
	m.score(d, all, batches, false, func(_ []float64, values [][]float64) {
		for i := range scores {
			scores[i] = append(scores[i], values[i]...)
		}
	})
	found := everything
	for _, values := range scores {
		for i := 0; i < len(values); i += variants {
			found.Examples = found.Examples && same(values[i], values[i+1])
			found.Views = found.Views && same(values[i], values[i+2])
			found.Classes = found.Classes && same(values[i], values[i+3])
		}
	}
	return found
}

// same reports whether two scores are equal up to rounding. Two NaN count as equal: a batch without a score is an error
// when it is measured.
func same(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || isFinite(a) && math.Abs(a-b) <= symmetryTolerance*max(1, math.Abs(a))
}
