package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/puclab/puclab/internal/fault"
)

// validate returns an error for settings that are invalid for all data.
func (c SplitConfig) validate() error {
	usesPropensity := c.Draw == Weighted || c.Draw == Independent
	independent, unknown := c.Draw == Independent, len(c.Unknown) > 0
	// The forms with ! also reject NaN.
	return cmp.Or(settingNames.Check(c.Setting), drawNames.Check(c.Draw),
		fault.If(c.Labeled < 0, "datasets: cannot label %d positives: give 0 or more", c.Labeled),
		fault.If(c.Unlabeled < 0, "datasets: %d unlabeled examples: give 0 for all, or a positive number", c.Unlabeled),
		fault.If(c.Total < 0, "datasets: %d examples in total: give 0 for all, or a positive number", c.Total),
		fault.If(!(c.Gamma >= 0) || math.IsInf(c.Gamma, 1),
			"datasets: γ = %v: give a number above 0, or 0 to go by Labeled", c.Gamma),
		fault.If(!(c.Prior >= 0 && c.Prior < 1),
			"datasets: a prior π of %v: give a number above 0 and below 1, or 0 for that of the data", c.Prior),
		fault.If(!(c.PriorEstimate >= 0 && c.PriorEstimate < 1),
			"datasets: an estimated prior of %v: give a number above 0 and below 1, or 0 for none", c.PriorEstimate),
		fault.If(c.PriorEstimate > 0 && !unknown, "datasets: an estimated prior of %v is given, but all classes are known, "+
			"so the prior is counted: leave out PriorEstimate, or name the Unknown classes", c.PriorEstimate),
		fault.If(c.Prior > 0 && unknown, "datasets: cannot draw with a prior π of %v where the classes of some examples are "+
			"unknown: leave out Prior; what is known of it goes to PriorEstimate", c.Prior),
		fault.If(c.Setting == CaseControlDisjoint && unknown, "datasets: the setting %v keeps the prior, which cannot be "+
			"where the classes of some examples are unknown: use %v or %v", c.Setting, CaseControl, SingleDataset),
		fault.If(c.Labeled > 0 && c.Gamma > 0,
			"datasets: both Labeled = %d and Gamma = %v say how many are labeled: give one of them", c.Labeled, c.Gamma),
		fault.If(c.Unlabeled > 0 && c.Total > 0,
			"datasets: both Unlabeled = %d and Total = %d say how many are unlabeled: give one of them", c.Unlabeled, c.Total),
		fault.If(usesPropensity && c.Propensity == nil,
			"datasets: labels drawn %v need a Propensity: say how likely each example is labeled", c.Draw),
		fault.If(!usesPropensity && c.Propensity != nil,
			"datasets: a Propensity is given, but labels are drawn %v: set Draw to Weighted or Independent", c.Draw),
		fault.If(independent && (c.Labeled > 0 || c.Gamma > 0),
			"datasets: labels drawn %v make n_P random: give neither Labeled nor Gamma, or use Weighted", c.Draw),
		fault.If(independent && c.Setting == SingleDataset && c.Unlabeled > 0,
			"datasets: labels drawn %v make n_P random, so n_U cannot be fixed in a single data set: give Total", c.Draw),
		fault.If(independent && c.Setting != SingleDataset && c.Total > 0,
			"datasets: labels drawn %v make n_P random, so the total cannot be fixed: give Unlabeled", c.Draw),
		fault.If(c.Gamma > 0 && c.Setting == CaseControlDisjoint && c.Unlabeled == 0 && c.Total == 0,
			"datasets: Gamma in the setting %v: give Unlabeled or Total too", c.Setting))
}

// amounts returns n_P and n_U as far as the configuration fixes them; n_U defaults to all. In the single-dataset
// setting all includes the labeled examples.
func (c SplitConfig) amounts(all int) (labeled, unlabeled int, err error) {
	labeled, unlabeled = c.Labeled, cmp.Or(c.Unlabeled, all)
	total := c.Total
	if total == 0 && c.Unlabeled == 0 && c.Setting == SingleDataset {
		total = all
	}
	switch wanted := math.Round(c.Gamma * float64(unlabeled)); {
	case c.Gamma > 0 && total > 0:
		// γ = n_P/n_U and N = n_P + n_U together give n_P = N·γ/(1 + γ).
		labeled = int(math.Round(float64(total) * c.Gamma / (1 + c.Gamma)))
	case wanted > math.MaxInt32:
		return 0, 0, fmt.Errorf("datasets: γ = %v of %d unlabeled examples comes to %.0f labeled ones: use a smaller γ",
			c.Gamma, unlabeled, wanted)
	case c.Gamma > 0:
		labeled = int(wanted)
	}
	if total > 0 {
		unlabeled = total - labeled
	}
	if c.Gamma > 0 && labeled == 0 {
		return 0, 0, fmt.Errorf("datasets: γ = %v with %d unlabeled examples comes to no labeled one: "+
			"use a larger γ or more examples", c.Gamma, unlabeled)
	}
	return labeled, unlabeled, nil
}

// largest returns the largest number of examples with prior π that p positives and q negatives allow.
func largest(prior float64, p, q int) int {
	// Both rounded numbers are non-decreasing in n, so the first n that does not fit ends the search.
	return sort.Search(p+q+1, func(n int) bool {
		positives := int(math.Round(prior * float64(n)))
		return positives > p || n-positives > q
	}) - 1
}

// compose returns the numbers of positives and negatives among n examples; n = 0 means all of p and q, or with a prior
// as many as it allows. It is an error if rounding leaves one kind without examples, or if there are too few of one
// kind.
func compose(n int, prior float64, p, q int) (positives, negatives int, err error) {
	if n == 0 && prior == 0 {
		return p, q, nil
	}
	if prior == 0 {
		prior = float64(p) / float64(p+q)
	}
	if n == 0 {
		n = largest(prior, p, q)
	}
	positives = int(math.Round(prior * float64(n)))
	negatives = n - positives
	switch {
	case positives == 0 || negatives == 0:
		err = fmt.Errorf("datasets: a prior π of %v of %d examples comes to %d positives and %d negatives: "+
			"use more examples or a prior nearer to 0.5", prior, n, positives, negatives)
	case positives > p || negatives > q:
		advice := fmt.Sprintf("with this π the largest possible number is %d", largest(prior, p, q))
		if n <= p+q {
			low, high := max(0, float64(n-q)/float64(n)), min(1, float64(p)/float64(n))
			advice += fmt.Sprintf(", and with this number π can be from %.4g to %.4g", low, high)
		}
		err = fmt.Errorf("datasets: %d examples with a prior π of %.4g are %d positives and %d negatives, "+
			"but there are %d and %d to draw from: %s", n, prior, positives, negatives, p, q, advice)
	}
	return positives, negatives, err
}

// caseControl draws the labeled positives and, apart from them, the unlabeled examples.
func (p *pool) caseControl(cfg SplitConfig) (labeled, unlabeled []int, err error) {
	all := len(p.positives) + len(p.negatives)
	if cfg.Prior > 0 {
		all = largest(cfg.Prior, len(p.positives), len(p.negatives))
	}
	labeled, nU, err := p.label(p.positives, all, cfg)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Unlabeled == 0 && cfg.Total == 0 {
		nU = 0 // all examples
	} else if nU < 1 {
		return nil, nil, fmt.Errorf("datasets: %d labels leave nothing unlabeled of %d examples: "+
			"the largest possible number is %d", len(labeled), cfg.Total, cfg.Total-1)
	}
	prior, from := cfg.Prior, p.positives
	if cfg.Setting == CaseControlDisjoint {
		from = without(p.positives, labeled)
		if prior == 0 { // the remaining examples have another prior than the data
			prior = float64(len(p.positives)) / float64(len(p.positives)+len(p.negatives))
		}
	}
	uP, uN, err := compose(nU, prior, len(from), len(p.negatives))
	if err != nil {
		return nil, nil, err
	}
	return labeled, slices.Concat(sample(from, uP, cfg.Seed, positivesStream), sample(p.negatives, uN, cfg.Seed, negativesStream)), nil
}

// singleDataset draws the one data set and labels some of its positives.
func (p *pool) singleDataset(cfg SplitConfig) (labeled, unlabeled []int, err error) {
	n := cfg.Total
	if n == 0 && cfg.Unlabeled > 0 {
		nP, nU, err := cfg.amounts(0)
		if err != nil {
			return nil, nil, err
		}
		n = nP + nU
	}
	setP, setN, err := compose(n, cfg.Prior, len(p.positives), len(p.negatives))
	if err != nil {
		return nil, nil, err
	}
	set := sample(p.positives, setP, cfg.Seed, positivesStream)
	if labeled, _, err = p.label(set, setP+setN, cfg); err != nil {
		return nil, nil, err
	}
	return labeled, slices.Concat(without(set, labeled), sample(p.negatives, setN, cfg.Seed, negativesStream)), nil
}

// withUnknown draws a split with unknown classes: labels among the known positives, and the unlabeled examples from all
// that the setting leaves, of any class, because no prior can be kept.
func (p *pool) withUnknown(cfg SplitConfig) (labeled, unlabeled []int, err error) {
	from := slices.Sorted(slices.Values(slices.Concat(p.positives, p.negatives, p.unknown)))
	labeled, nU, err := p.label(p.positives, len(from), cfg)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Setting == SingleDataset {
		from = without(from, labeled)
	}
	switch {
	case cfg.Unlabeled == 0 && cfg.Total == 0:
		return labeled, from, nil
	case cfg.Total > 0:
		nU = cfg.Total - len(labeled) // which may be random
	}
	if nU < 1 || nU > len(from) {
		return nil, nil, fmt.Errorf("datasets: %d unlabeled examples beside %d labeled ones: there are %d, which is the largest "+
			"possible number, and 1 is the smallest", nU, len(labeled), len(from))
	}
	return labeled, sample(from, nU, cfg.Seed, mixedStream), nil
}
