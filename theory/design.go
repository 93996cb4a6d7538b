package theory

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Scheme is the sampling scheme of a PU data set.
type Scheme int

const (
	// CaseControl draws two data sets: labeled examples from the positive class, and unlabeled ones from the
	// population, each positive with probability π; equation (1) of the paper.
	CaseControl Scheme = iota

	// SingleDataset draws one data set from the population, each example positive with probability π, and labels every
	// positive independently with probability c; the rest is the unlabeled data. Labeled examples are draws from the
	// positive class as well, but an unlabeled one is positive only with probability
	//
	//	π(1−c) / (1−πc),
	//
	// independently of the others. A design with this scheme is conditional on the number of labeled examples among the
	// b examples.
	SingleDataset
)

// String returns "case-control" or "single-dataset".
func (s Scheme) String() string { return lists.Name(s, "Scheme", "case-control", "single-dataset") }

// Values of Design.SameView for the two pure cases.
const (
	IndependentViews = 0.0 // the views of an example are independent draws from its class, the assumption of Theorem 2
	IdenticalViews   = 1.0 // the views of an example are the same draw, as without augmentation
)

// Design describes how a multi-viewed batch is drawn from a [Population]: b = Labeled + Unlabeled examples with two
// views each. The labeled examples come first.
//
// First the class of every example is drawn: positive if it is labeled, else positive with probability UnlabeledPrior.
// Its first view is a draw from that class. Its second view equals the first with probability ρ = SameView, else it is
// another independent draw from the class. Different examples are independent.
type Design struct {
	Labeled   int     // m, labeled positives in a batch
	Unlabeled int     // u, unlabeled examples in a batch
	Prior     float64 // π, the fraction of positives in the population
	SameView  float64 // ρ, from IndependentViews to IdenticalViews

	Scheme    Scheme
	LabelRate float64 // c, the fraction of positives that are labeled; for SingleDataset only
}

// Validate returns an error if d is not a valid design.
func (d Design) Validate() error {
	if d.Labeled < 0 || d.Unlabeled < 0 || d.Examples() == 0 {
		return fmt.Errorf("theory: a batch of %d labeled and %d unlabeled examples; neither may be negative nor both 0", d.Labeled, d.Unlabeled)
	}
	err := cmp.Or(checkShare("class prior π", d.Prior), checkShare("label rate c", d.LabelRate),
		checkShare("share ρ of identical views", d.SameView))
	switch {
	case err != nil:
		return err
	case d.Scheme != CaseControl && d.Scheme != SingleDataset:
		return fmt.Errorf("theory: unknown scheme %s; use CaseControl or SingleDataset", d.Scheme)
	case d.Scheme == CaseControl && d.LabelRate != 0:
		return fmt.Errorf("theory: label rate c = %g in a case-control design, which has none; leave it 0, or set Scheme to SingleDataset", d.LabelRate)
	case d.Scheme == SingleDataset && d.Labeled > 0 && d.Prior*d.LabelRate == 0:
		return fmt.Errorf("theory: %d labeled examples in a single-dataset design with π = %g and c = %g, which never labels anything", d.Labeled, d.Prior, d.LabelRate)
	case d.Scheme == SingleDataset && d.Unlabeled > 0 && d.Prior*d.LabelRate == 1:
		return fmt.Errorf("theory: %d unlabeled examples in a single-dataset design with π = c = 1, which labels everything", d.Unlabeled)
	}
	return nil
}

// Examples returns b, the number of examples in a batch.
func (d Design) Examples() int { return d.Labeled + d.Unlabeled }

// Rows returns 2b, the number of rows of the multi-viewed batch.
func (d Design) Rows() int { return 2 * d.Examples() }

// Negatives returns N = 2b − 2, the number of rows other than an anchor and its own other view. It is the N of the
// ideal loss (3) that a batch is compared with.
func (d Design) Negatives() int { return d.Rows() - 2 }

// UnlabeledPrior returns the probability that an unlabeled example is positive: π for case-control, π(1−c)/(1−πc) for a
// single data set. It is NaN for π = c = 1, since then nothing is unlabeled.
func (d Design) UnlabeledPrior() float64 {
	if d.Scheme == SingleDataset {
		return d.Prior * (1 - d.LabelRate) / (1 - d.Prior*d.LabelRate)
	}
	return d.Prior
}

// PositiveShare returns α = (m + u·q)/b, the expected fraction of positives among the examples of a batch, and so among
// its anchors; q is [Design.UnlabeledPrior]. For case-control it is (γ+π)/(1+γ), which exceeds π if any example is
// labeled and π < 1.
func (d Design) PositiveShare() float64 {
	if d.Unlabeled == 0 {
		return 1
	}
	return (float64(d.Labeled) + float64(d.Unlabeled)*d.UnlabeledPrior()) / float64(d.Examples())
}

// outcome is a possible outcome for one example: its class, the points of its two views, and the probability.
type outcome struct {
	class         int32 // 1 for positive, 0 for negative
	first, second int
	p             float64
}

// outcomes lists the possible outcomes for a labeled and for an unlabeled example, without impossible ones. Outcomes
// that the symmetry makes equivalent are merged: a pair of views and its reverse, or the two classes on the same
// points.
func (d Design) outcomes(s support, symmetry Symmetry) (labeled, unlabeled []outcome) {
	list := func(prior float64) []outcome {
		p := map[outcome]float64{} // by outcomes without their p
		addClass := func(class int32, masses []mass, share float64) {
			if symmetry.Classes {
				class = 1
			}
			for _, a := range masses {
				p[outcome{class: class, first: a.point, second: a.point}] += share * d.SameView * a.p
				for _, b := range masses {
					first, second := a.point, b.point
					if symmetry.Views {
						first, second = min(first, second), max(first, second)
					}
					p[outcome{class: class, first: first, second: second}] += share * (1 - d.SameView) * a.p * b.p
				}
			}
		}
		addClass(1, s.positive, prior)
		addClass(0, s.negative, 1-prior)
		var all []outcome
		for class := int32(1); class >= 0; class-- {
			for first := range s.points {
				for second := range s.points {
					if share := p[outcome{class: class, first: first, second: second}]; share > 0 {
						all = append(all, outcome{class, first, second, share})
					}
				}
			}
		}
		return all
	}
	labeled = list(1)
	if d.Unlabeled > 0 { // without unlabeled examples their prior may be undefined
		unlabeled = list(d.UnlabeledPrior())
	}
	return labeled, unlabeled
}

// validate checks all inputs of a measurement.
func validate(p Population, d Design, tau float64) error {
	return errors.Join(p.Validate(), d.Validate(), checkTau(tau))
}
