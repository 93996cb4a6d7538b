package theory

import "errors"

// Grouping says which anchors an objective attracts to their whole group, all other labeled or all other unlabeled rows,
// instead of to their own other view alone. The zero value is [pucl.SSCL], {Labeled: true} is [pucl.PUCL], and both true is
// [pucl.SCLPU].
type Grouping struct {
	Labeled, Unlabeled bool
}

// PositiveShare returns α = (m + u·q)/b, the expected share of positives among the examples of a batch, and so among its anchors;
// q is [Design.UnlabeledPrior]. For case-control it is (γ+π)/(1+γ), more than π wherever something is labeled
// and π < 1.
func (d Design) PositiveShare() float64 {
	if d.Unlabeled == 0 {
		return 1
	}
	return (float64(d.Labeled) + float64(d.Unlabeled)*d.UnlabeledPrior()) / float64(d.Examples())
}

// MeanAttraction returns the expected attraction of the objective that groups anchors as g says, by closed form and so for
// batches of any size: the mean over batches and anchors of attract(i), which [Meter.Exact] finds by enumeration.
//
// With o_y = (1−ρ)μ_y + ρ/τ for the two views of an example of class y, and q the prior of the unlabeled examples,
//
//	labeled anchor     own view o_P, group [o_P + (2m−2)μ_P]/(2m−1)
//	unlabeled anchor   own view o = q·o_P + (1−q)o_N, group [o + (2u−2)(q²μ_P + 2q(1−q)μ_PN + (1−q)²μ_N)]/(2u−1)
//
// since of the other rows of a group of k examples one is the anchor's other view, and 2k−2 show other examples.
func MeanAttraction(p Population, d Design, tau float64, g Grouping) (float64, error) {
	if err := errors.Join(p.Validate(), d.Validate(), checkTau(tau)); err != nil {
		return 0, err
	}
	positive, negative, between, err := p.Proximity(tau)
	if err != nil {
		return 0, err
	}
	group := func(grouped bool, examples int, own, others float64) float64 {
		if !grouped {
			return own
		}
		k := float64(examples)
		return (own + (2*k-2)*others) / (2*k - 1)
	}
	own := func(mean float64) float64 { return (1-d.SameView)*mean + d.SameView/tau }
	total := 0.0
	if d.Labeled > 0 {
		total += float64(d.Labeled) * group(g.Labeled, d.Labeled, own(positive), positive)
	}
	if d.Unlabeled > 0 {
		q := d.UnlabeledPrior()
		others := q*q*positive + 2*q*(1-q)*between + (1-q)*(1-q)*negative
		total += float64(d.Unlabeled) * group(g.Unlabeled, d.Unlabeled, q*own(positive)+(1-q)*own(negative), others)
	}
	return total / float64(d.Examples()), nil
}
