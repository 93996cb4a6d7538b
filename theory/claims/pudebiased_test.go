package claims

import (
	"fmt"
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

// Of classes with one atom each, at cosine 0.6, nothing varies but how many of the unlabeled examples are positive. π = 0.3, a
// quarter of the examples labeled.
const (
	nearby  = 0.6
	oneProb = 0.3
)

func TestPUDebiasedBias(t *testing.T) {
	c, err := check(t, PUDebiasedBias())
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	own, other := math.E, math.Exp(nearby)
	hidden := 2 * oneProb * (1 - oneProb) * (own - other) * (own - other)
	near(t, "c", value(t, c.Finding, "classes at cosine 0.6: c"), -oneProb/4*(4.0/3)*hidden/math.Pow((1-oneProb)*other, 2), 1e-14)
	// Of the anchors 0.475 are positive; both classes attract by 1, and the negatives of (3) are at 0.6.
	const share = 0.25 + 0.75*oneProb
	limit := share*math.Log(share*own+(1-share)*other) + (1-share)*math.Log((1-share)*own+share*other) - nearby
	near(t, "PUCL", value(t, c.Finding, "classes at cosine 0.6, PUCL: bias as the batch grows without limit"), limit, 1e-14)
	// DCL takes 0.3e from the means.
	log := func(mean float64) float64 { return math.Log((mean - oneProb*math.E) / (1 - oneProb)) }
	limit = share*log(share*own+(1-share)*other) + (1-share)*log((1-share)*own+share*other) - nearby
	near(t, "DCL", value(t, c.Finding, "classes at cosine 0.6, DCL: bias as the batch grows without limit"), limit, 1e-14)
	// At ±1, γ = 1: the number of positives among the unlabeled ones has variance 0.21 u, and g = 1/e + (e − 1/e)·(its share −
	// 0.3)/0.7 above 1/e.
	deviation := (math.E - 1/math.E) / (1 - oneProb) * math.Sqrt(2*oneProb*(1-oneProb))
	near(t, "a", value(t, c.Finding, "the same: a"), oneProb*deviation*math.E/math.Sqrt(2*math.Pi), 1e-14)
}

func TestPUDebiasedPrior(t *testing.T) {
	c, err := check(t, PUDebiasedPrior())
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	near(t, "k", c.Number.Value, 1-nearby+oneProb/(1-oneProb)*(math.Exp(1-nearby)-1), 1e-14)
	limit, _ := debiasedPriorLimit(debiasedCases()[0].world, oneProb, oneProb, 1)
	near(t, "told the true prior", limit, 0, 1e-15)
}

func TestPUDebiasedError(t *testing.T) {
	c, err := check(t, PUDebiasedError())
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	// One more positive among the unlabeled examples changes the loss, to first order, by what an error of the prior does.
	slope := 1 - nearby + oneProb/(1-oneProb)*(math.Exp(1-nearby)-1)
	near(t, "v", value(t, c.Finding, "classes at cosine 0.6: v"), 4.0/3*oneProb*(1-oneProb)*slope*slope, 1e-14)
	if few, many := c.Number.Value, value(t, c.Finding, "positives between two negatives: b*"); !(few < 5 && many > 100) {
		t.Errorf("PU-debiased is nearer from %g and from %g examples on", few, many)
	}
}

// Labeled anchors are positive also where no positive is among the unlabeled examples, or none but positives.
func TestDebiasedMeanAtExtremePriors(t *testing.T) {
	o := pucl.PUDebiased(0.2)
	o.Name = "PU-debiased, π = 0.2"
	m := metersOf(t, o)[0]
	for _, prior := range []float64{0, 1} {
		d := theory.Design{Labeled: 2, Unlabeled: 2, Prior: prior}
		r, err := m.Exact(TwoPoints(), d)
		if err != nil {
			t.Fatal(err)
		}
		mean, err := DebiasedMean(TwoPoints(), d, 0.2, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("π = %g", prior), mean, r.Loss.Mean.Value, 1e-12)
	}
}

func TestDebiasedMeanRefuses(t *testing.T) {
	for what, tt := range map[string]struct {
		design theory.Design
		told   float64
	}{
		"one labeled":     {theory.Design{Labeled: 1, Unlabeled: 2, Prior: 0.5}, 0.5},
		"all labeled":     {theory.Design{Labeled: 2, Prior: 0.5}, 0.5},
		"identical views": {theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.5, SameView: theory.IdenticalViews}, 0.5},
		"one data set":    {theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.5, Scheme: theory.SingleDataset, LabelRate: 0.5}, 0.5},
		"told 1":          {theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.5}, 1},
	} {
		_, err := DebiasedMean(TwoPoints(), tt.design, tt.told, 1)
		wantError(t, what, err, "case-control", "two labeled examples or more")
	}
	_, err := DebiasedMean(TwoPoints(), theory.Design{}, 0.5, 1)
	wantError(t, "no batch", err, "neither may be negative")
}
