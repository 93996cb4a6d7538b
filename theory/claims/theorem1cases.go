package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/theory"
)

// The single cases that Theorem1 measures besides random populations.

// theorem1Case is the smallest case with a labeled and an unlabeled example.
type theorem1Case struct {
	bias, printed float64
	text          string
}

// theorem1Smallest measures one labeled and one unlabeled example of classes at ±1, and that batches of one example, where
// both losses are 0, have nothing to tell.
func theorem1Smallest(m *theory.Meter, formula biasFormula, f *Finding) (theorem1Case, error) {
	p, d := TwoPoints(), theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	r, err := m.Exact(p, d)
	if err != nil {
		return theorem1Case{}, err
	}
	printed, err := formula(p, d, 1)
	if err != nil {
		return theorem1Case{}, err
	}
	attraction := r.Attraction.Mean.Value - r.Ideal.Attraction.Value
	partition := r.LogPartition.Mean.Value - r.Ideal.LogPartition.Value
	f.Measured = append(f.Measured,
		measured(r.Bias.Value, "smallest batch: bias of the loss"),
		measured(printed, "smallest batch: printed formula"),
		measured(attraction, "smallest batch: bias of the attraction"),
		measured(partition, "smallest batch: bias of the log partition"),
		measured(r.Loss.Mean.Value+r.Ideal.Loss.Value, "smallest batch: (5) as a loss minus (3) as the printed reward"))
	alone, err := m.Exact(p, theory.Design{Unlabeled: 1, Prior: 0.5})
	if err != nil {
		return theorem1Case{}, err
	}
	if loss, ideal := alone.Loss.Mean.Value, alone.Ideal.Loss.Value; max(math.Abs(loss), math.Abs(ideal)) > contrastTolerance {
		return theorem1Case{}, fmt.Errorf("claims: a batch of one example has loss %g and ideal loss %g; without negatives both "+
			"must be 0", loss, ideal)
	}
	f.Details = append(f.Details, "a batch of one example has no negatives: its loss is 0, and so is the ideal loss, whose "+
		"N is 0; so two examples are the least that a contrastive loss can be asked about, and one point a class and "+
		"one dimension cannot be undercut")
	return theorem1Case{r.Bias.Value, printed, fmt.Sprintf("m = 1 labeled and u = 1 unlabeled example, positives at "+
		"+1, negatives at −1, π = 1/2, τ = 1 (γ = 1, N = 2, μ_P = μ_N = 1, μ_PN = −1). The unlabeled example is "+
		"positive or negative with probability 1/2: the loss is log 3 or log(1+2e⁻²), its mean %.6f; the ideal loss is "+
		"log(1+2e⁻²) = %.6f; the difference ½ log(3/(1+2e⁻²)) = %.6f, all of it from the log partition (the "+
		"attraction's is %g). The formula: %g.", r.Loss.Mean.Value, r.Ideal.Loss.Value, r.Bias.Value, attraction, printed)}, nil
}

// theorem1Batches lets the batch grow at γ = 1, with classes at ±1, where the printed formula is the same all the while.
func theorem1Batches(m *theory.Meter, formula biasFormula, f *Finding) error {
	for _, u := range []int{2, 4, 8} {
		r, err := m.Exact(TwoPoints(), theory.Design{Labeled: u, Unlabeled: u, Prior: 0.5})
		if err != nil {
			return err
		}
		f.Measured = append(f.Measured,
			measured(r.Attraction.Mean.Value-r.Ideal.Attraction.Value,
				"classes at ±1, m = u = %d: bias of the attraction", u),
			measured(r.Bias.Value, "classes at ±1, m = u = %d: bias of the loss", u))
	}
	const many = 1_000_000
	large := theory.Design{Labeled: many, Unlabeled: many, Prior: 0.5}
	gap, err := theory.LimitPartitionGap(TwoPoints(), 0.5, large.PositiveShare(), 1)
	if err != nil {
		return err
	}
	attraction, err := Theorem1Attraction(TwoPoints(), large, 1)
	if err != nil {
		return err
	}
	printed, err := formula(TwoPoints(), large, 1)
	if err != nil {
		return err
	}
	f.Measured = append(f.Measured,
		measured(attraction, "classes at ±1, m = u = 1 000 000: bias of the attraction, by the corrected formula"),
		measured(printed, "classes at ±1, γ = 1: printed formula"),
		measured(gap-attraction, "classes at ±1, γ = 1: bias of the loss as the batch grows without limit"))
	return nil
}

// theorem1SingleDataset puts the formula to a single data set, with either prior.
func theorem1SingleDataset(m *theory.Meter, formula biasFormula, f *Finding) error {
	cases, correction := contrastCases(randomPlanes(4, 2), []theory.Design{
		{Labeled: 1, Unlabeled: 2, Prior: 0.5, Scheme: theory.SingleDataset, LabelRate: 0.4},
		{Labeled: 2, Unlabeled: 2, Prior: 0.4, Scheme: theory.SingleDataset, LabelRate: 0.7},
	}), 0.0
	withPopulation, withUnlabeled := 0, 0
	for _, c := range cases {
		r, err := m.Exact(c.world, c.design)
		if err != nil {
			return err
		}
		mix, group, err := theorem1Parts(c.world, c.design, 1)
		if err != nil {
			return err
		}
		attraction := r.Attraction.Mean.Value - r.Ideal.Attraction.Value
		correction = max(correction, math.Abs(attraction-mix-group))
		// The reading that favors the formula most: attractions, anchors as in the batch, large batches.
		favored := asInLargeBatch(attraction-mix, c.design)
		printed, err := formula(c.world, c.design, 1)
		if err != nil {
			return err
		}
		unlabeled := c.design
		unlabeled.Scheme, unlabeled.LabelRate, unlabeled.Prior = theory.CaseControl, 0, c.design.UnlabeledPrior()
		other, err := formula(c.world, unlabeled, 1)
		if err != nil {
			return err
		}
		if math.Abs(favored-printed) <= contrastTolerance {
			withPopulation++
		}
		if math.Abs(favored-other) <= contrastTolerance {
			withUnlabeled++
		}
	}
	f.Measured = append(f.Measured,
		measured(float64(withPopulation),
			"single data set, large-batch attraction: cases of %d that agree with π of the population", len(cases)),
		measured(float64(withUnlabeled),
			"single data set, large-batch attraction: cases of %d that agree with π(1−c)/(1−πc) for π", len(cases)),
		measured(correction, "single data set: largest error of the corrected formula"))
	return nil
}
