package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// The single cases that Theorem1 measures besides random populations.

// theorem1Case is the smallest case with a labeled and an unlabeled example.
type theorem1Case struct {
	bias, printed float64
	text          string
}

// theorem1Smallest measures one labeled and one unlabeled example of classes at ±1, and that batches of one example, where
// both losses are 0, have nothing to tell.
func theorem1Smallest(m *theory.Meter, formula biasFormula, f *Finding) theorem1Case {
	p, d := TwoPoints(), theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	r := must.Get(m.Exact(p, d))
	printed := must.Get(formula(p, d, 1))
	attraction := r.AttractionBias().Value
	partition := r.PartitionBias().Value
	measure(f, r.Bias.Value, "smallest batch: bias of the loss")
	measure(f, printed, "smallest batch: printed formula")
	measure(f, attraction, "smallest batch: bias of the attraction")
	measure(f, partition, "smallest batch: bias of the log partition")
	measure(f, r.Loss.Mean.Value+r.Ideal.Loss.Value, "smallest batch: (5) as a loss minus (3) as the printed reward")
	alone := must.Get(m.Exact(p, theory.Design{Unlabeled: 1, Prior: 0.5}))
	if loss, ideal := alone.Loss.Mean.Value, alone.Ideal.Loss.Value; !agree(loss, 0) || !agree(ideal, 0) {
		must.Fail("claims: a batch of one example has loss %g and ideal loss %g; without negatives both must be 0", loss, ideal)
	}
	f.detail("a batch of one example has no negatives: its loss is 0, and so is the ideal loss, whose N is 0; so two examples " +
		"are the least that a contrastive loss can be asked about, and one point a class and one dimension cannot be undercut")
	return theorem1Case{r.Bias.Value, printed, fmt.Sprintf("m = 1 labeled and u = 1 unlabeled example, positives at +1, "+
		"negatives at −1, π = 1/2, τ = 1 (γ = 1, N = 2, μ_P = μ_N = 1, μ_PN = −1). The unlabeled example is positive or "+
		"negative with probability 1/2: the loss is log 3 or log(1+2e⁻²), its mean %.6f; the ideal loss is log(1+2e⁻²) = "+
		"%.6f; the difference ½ log(3/(1+2e⁻²)) = %.6f, all of it from the log partition (the attraction's is %g). The "+
		"formula: %g.", r.Loss.Mean.Value, r.Ideal.Loss.Value, r.Bias.Value, attraction, printed)}
}

// theorem1Batches lets the batch grow at γ = 1, with classes at ±1, where the printed formula is the same all the while.
func theorem1Batches(m *theory.Meter, formula biasFormula, f *Finding) {
	for _, u := range []int{2, 4, 8} {
		r := must.Get(m.Exact(TwoPoints(), theory.Design{Labeled: u, Unlabeled: u, Prior: 0.5}))
		measure(f, r.AttractionBias().Value, "classes at ±1, m = u = %d: bias of the attraction", u)
		measure(f, r.Bias.Value, "classes at ±1, m = u = %d: bias of the loss", u)
	}
	const many = 1_000_000
	large := theory.Design{Labeled: many, Unlabeled: many, Prior: 0.5}
	gap := must.Get(theory.LimitPartitionGap(TwoPoints(), 0.5, large.PositiveShare(), 1))
	attraction := must.Get(Theorem1Attraction(TwoPoints(), large, 1))
	printed := must.Get(formula(TwoPoints(), large, 1))
	measure(f, attraction, "classes at ±1, m = u = 1 000 000: bias of the attraction, by the corrected formula")
	measure(f, printed, "classes at ±1, γ = 1: printed formula")
	measure(f, gap-attraction, "classes at ±1, γ = 1: bias of the loss as the batch grows without limit")
}

// theorem1SingleDataset puts the formula to a single data set, with either prior.
func theorem1SingleDataset(m *theory.Meter, formula biasFormula, f *Finding) {
	cases, correction := contrastCases(randomPlanes(4, 2), []theory.Design{
		{Labeled: 1, Unlabeled: 2, Prior: 0.5, Scheme: theory.SingleDataset, LabelRate: 0.4},
		{Labeled: 2, Unlabeled: 2, Prior: 0.4, Scheme: theory.SingleDataset, LabelRate: 0.7},
	}), 0.0
	withPopulation, withUnlabeled := 0, 0
	for _, c := range cases {
		r := must.Get(m.Exact(c.world, c.design))
		mix, group := theorem1Parts(c.world, c.design, 1)
		attraction := r.AttractionBias().Value
		correction = max(correction, math.Abs(attraction-mix-group))
		// The reading that favors the formula most: attractions, anchors as in the batch, large batches.
		favored := asInLargeBatch(attraction-mix, c.design)
		printed := must.Get(formula(c.world, c.design, 1))
		unlabeled := c.design
		unlabeled.Scheme, unlabeled.LabelRate, unlabeled.Prior = theory.CaseControl, 0, c.design.UnlabeledPrior()
		other := must.Get(formula(c.world, unlabeled, 1))
		withPopulation += oneIf(agree(favored, printed))
		withUnlabeled += oneIf(agree(favored, other))
	}
	measure(f, withPopulation, "single data set, large-batch attraction: cases of %d that agree with π of the population", len(cases))
	measure(f, withUnlabeled, "single data set, large-batch attraction: cases of %d that agree with π(1−c)/(1−πc) for π", len(cases))
	measure(f, correction, "single data set: largest error of the corrected formula")
}
