package theory

import (
	"fmt"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// meanAttraction returns the expected attraction by closed form, for an objective that attracts labeled and unlabeled anchors
// to their whole group where grouped says so, and else to their own other view alone.
//
// With o_y = (1−ρ)μ_y + ρ/τ for the two views of an example of class y, and q the prior of the unlabeled examples,
//
//	labeled anchor     own view o_P, group [o_P + (2m−2)μ_P]/(2m−1)
//	unlabeled anchor   own view o = q·o_P + (1−q)o_N, group [o + (2u−2)(q²μ_P + 2q(1−q)μ_PN + (1−q)²μ_N)]/(2u−1)
//
// since of the other rows of a group of k examples one is the anchor's other view, and 2k−2 show other examples.
func meanAttraction(t *testing.T, p Population, d Design, tau float64, grouped [2]bool) float64 {
	positive, negative, between, err := p.Proximity(tau)
	if err != nil {
		t.Fatal(err)
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
		total += float64(d.Labeled) * group(grouped[0], d.Labeled, own(positive), positive)
	}
	if d.Unlabeled > 0 {
		q := d.UnlabeledPrior()
		others := q*q*positive + 2*q*(1-q)*between + (1-q)*(1-q)*negative
		total += float64(d.Unlabeled) * group(grouped[1], d.Unlabeled, q*own(positive)+(1-q)*own(negative), others)
	}
	return total / float64(d.Examples())
}

// The Meter finds the closed form by enumeration, also for a term that only this test knows, grouping the unlabeled anchors
// alone.
func TestMeanAttraction(t *testing.T) {
	expect.Slow(t)
	const tau = 0.5
	unlabeled := pucl.Objective{Name: "unlabeled groups", Attract: pucl.ByLabel(pucl.OwnViews, pucl.UnlabeledMean), Repel: pucl.LogPartition}
	for _, o := range []struct {
		pucl.Objective
		grouped [2]bool
	}{
		{pucl.SSCL(), [2]bool{false, false}}, {pucl.PUCL(), [2]bool{true, false}}, {pucl.SCLPU(), [2]bool{true, true}},
		{unlabeled, [2]bool{false, true}},
	} {
		for _, size := range [][2]int{{0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 0}} {
			for _, same := range []float64{IndependentViews, 0.3, IdenticalViews} {
				for _, d := range []Design{
					{Labeled: size[0], Unlabeled: size[1], Prior: 0.35, SameView: same},
					{Labeled: size[0], Unlabeled: size[1], Prior: 0.35, SameView: same, Scheme: SingleDataset, LabelRate: 0.8},
				} {
					r, err := meterOf(t, o.Objective, tau).Exact(quartet(), d)
					if err != nil {
						t.Fatal(err)
					}
					want := meanAttraction(t, quartet(), d, tau, o.grouped)
					near(t, fmt.Sprintf("%s: attraction of %+v", o.Name, d), r.Attraction.Mean.Value, want, 1e-12)
				}
			}
		}
	}
}

func TestPositiveShare(t *testing.T) {
	near(t, "2 of 2, 3 of 6", Design{Labeled: 2, Unlabeled: 6, Prior: 0.5}.PositiveShare(), 5.0/8, 1e-15)
	near(t, "nothing unlabeled", Design{Labeled: 2, Scheme: SingleDataset, Prior: 1, LabelRate: 1}.PositiveShare(), 1, 0)
	// Of 10 examples of a single data set with π = 0.5 and c = 0.4, two are labeled in the mean, of the other eight three
	// are positive.
	near(t, "single data set", Design{Labeled: 2, Unlabeled: 8, Prior: 0.5, Scheme: SingleDataset, LabelRate: 0.4}.PositiveShare(), 0.5, 1e-15)
}
