package theory

import (
	"errors"
	"fmt"
	"math"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Joint is the joint distribution of two finite variables x and y: entry [x][y] is p(x, y).
type Joint [][]float64

// Validate returns an error if j is not a distribution: no entries, rows of different length, entries that are negative
// or not finite, or that do not add up to 1 within 1e-9.
func (j Joint) Validate() error {
	if len(j) == 0 || len(j[0]) == 0 {
		return errors.New("theory: a joint distribution without entries; it needs at least one row and one column")
	}
	var total kahan
	for x, row := range j {
		if len(row) != len(j[0]) {
			return fmt.Errorf("theory: row %d of the joint distribution has %d entries, the first has %d", x, len(row), len(j[0]))
		}
		for y, p := range row {
			if !(p >= 0) || math.IsInf(p, 0) {
				return fmt.Errorf("theory: p(x=%d, y=%d) = %g; it must be a number from 0 to 1", x, y, p)
			}
			total.add(p)
		}
	}
	if !(math.Abs(total.value()-1) <= probabilitySlack) {
		return fmt.Errorf("theory: the joint distribution adds up to %.12g; it must add up to 1", total.value())
	}
	return nil
}

// Marginals returns p(x) and p(y).
func (j Joint) Marginals() (x, y []float64) {
	x, y = make([]float64, len(j)), make([]float64, len(j[0]))
	for i, row := range j {
		for k, p := range row {
			x[i] += p
			y[k] += p
		}
	}
	return x, y
}

// LogRatio returns log p(x, y)/(p(x) p(y)), the density ratio that a critic estimates: −Inf where p(x, y) = 0.
func (j Joint) LogRatio() [][]float64 {
	px, py := j.Marginals()
	return lists.Table(len(px), len(py), func(x, y int) float64 {
		if j[x][y] > 0 {
			return math.Log(j[x][y]) - math.Log(px[x]) - math.Log(py[y])
		}
		return math.Inf(-1)
	})
}

// MutualInformation returns I(x, y) = Σ p(x, y) log p(x, y)/(p(x) p(y)), in nats; pairs that never occur add nothing.
func (j Joint) MutualInformation() float64 {
	var sum kahan
	for x, row := range j.LogRatio() {
		for y, ratio := range row {
			if j[x][y] > 0 {
				sum.add(j[x][y] * ratio)
			}
		}
	}
	return sum.value()
}

// ViewsJoint returns the joint distribution of the two views of an unlabeled example. Its class is positive with
// probability prior, and its second view equals the first with probability sameView (see [Design]). Rows and columns
// correspond to the points, which are also returned: those of the positive class first, each point once.
func ViewsJoint(p Population, prior, sameView float64) (Joint, [][]float64, error) {
	d := Design{Unlabeled: 1, Prior: prior, SameView: sameView}
	if err := errors.Join(p.Validate(), d.Validate()); err != nil {
		return nil, nil, err
	}
	s := p.support(true)
	joint := newJoint(len(s.points), len(s.points))
	_, unlabeled := d.outcomes(s, Symmetry{})
	for _, o := range unlabeled {
		joint[o.first][o.second] += o.p
	}
	return joint, s.points, nil
}

// ClassJoint returns the joint distribution of a view (rows, as in [ViewsJoint]) and its class: column 0 is the positive
// class, column 1 the negative one.
func ClassJoint(p Population, prior float64) (Joint, [][]float64, error) {
	if err := errors.Join(p.Validate(), Design{Unlabeled: 1, Prior: prior}.Validate()); err != nil {
		return nil, nil, err
	}
	s := p.support(true)
	joint := newJoint(len(s.points), 2)
	for _, m := range s.positive {
		joint[m.point][0] += prior * m.p
	}
	for _, m := range s.negative {
		joint[m.point][1] += (1 - prior) * m.p
	}
	return joint, s.points, nil
}

func newJoint(rows, columns int) Joint {
	return lists.Table(rows, columns, func(int, int) float64 { return 0 })
}
