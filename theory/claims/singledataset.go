package claims

import (
	"math"
	"math/big"

	"github.com/puclab/puclab/theory"
)

// SingleDatasetShare returns the claim that after labeling positives within one data set the unlabeled data are no
// longer draws of the population.
//
// An unlabeled example is positive with probability π(1−c)/(1−πc), less than π. The check enumerates all data sets of a
// few examples in rational arithmetic, and compares [theory.Design.UnlabeledPrior] with it.
func SingleDatasetShare() Claim {
	return Claim{
		ID: "single-dataset",
		Statement: "In the single-dataset setting positives are labeled at random within the data set, and the unlabeled set " +
			"is no longer representative of the mixture.",
		LaTeX:       `P(y=1 \mid \text{unlabeled}) = \frac{\pi(1-c)}{1-\pi c} \neq \pi`,
		Source:      "Contrastive Positive Unlabeled Learning, appendix A.3.1",
		Assumptions: []string{"each positive is labeled independently with the same probability c, 0 < c < 1; 0 < π < 1"},
		rests:       grounds{constants: []string{"label rate"}, assumptions: []string{"labels at random"}},
		check:       func(s *subject) Finding { return singleDatasetFinding(s) },
	}
}

// singleDatasetFinding compares the counted fraction of positives among the unlabeled with the formula and with π.
func singleDatasetFinding(s *subject) Finding {
	var f Finding
	random, factor := s.assumes("labels at random"), s.rational("label rate", whole(1))
	cases, formula, less, off := 0, 0, 0, 0.0
	largest := new(big.Rat)
	for n := int64(1); n <= 4; n++ {
		for pi := int64(1); pi <= 9; pi += 2 {
			for c := int64(1); c <= 9; c += 2 {
				prior, rate := big.NewRat(pi, 10), big.NewRat(c, 10)
				share := unlabeledShare(n, prior, rate, random)
				moved := times(factor, rate)
				want := over(times(prior, minus(whole(1), moved)), minus(whole(1), times(prior, moved)))
				cases++
				formula += oneIf(share.Cmp(want) == 0)
				less += oneIf(share.Cmp(prior) < 0)
				largest = larger(largest, minus(prior, share))
				d := theory.Design{Unlabeled: 1, Prior: decimal(prior), Scheme: theory.SingleDataset, LabelRate: decimal(rate)}
				off = max(off, math.Abs(d.UnlabeledPrior()-decimal(share)))
			}
		}
	}
	f.Number = exactly(largest)
	measure(&f, cases, "cases of data set size, π and c")
	measure(&f, formula, "cases with share π(1−c)/(1−πc) of positives among the unlabeled")
	measure(&f, less, "cases with a share below π")
	measure(&f, largest, "largest difference of π and the share")
	measure(&f, off, "largest difference to the share that designs of package theory have")
	f.Why = "Of all examples a share π(1−c) is positive without a label and 1 − π negative, so that a share 1 − πc is unlabeled."
	f.detail("the share is that over all unlabeled examples of all data sets, weighted by their number")
	if formula < cases || exceeds(off, 1e-12) {
		f.undecide("The share of positives among the unlabeled is the formula's in %d of %d cases, and up to %.4g off that of "+
			"package theory.",
			formula, cases, off)
		return f
	}
	f.conclude(Holds, "Among the unlabeled a share π(1−c)/(1−πc) is positive, below π in %d of %d cases and by up to %.4g.",
		less, cases,
		decimal(largest))
	return f
}

// unlabeledShare returns the expected number of unlabeled positives divided by that of unlabeled examples, over all
// classes and labels of n examples. If random is false, one positive of each data set is labeled.
func unlabeledShare(n int64, prior, rate *big.Rat, random bool) *big.Rat {
	positives, all := new(big.Rat), new(big.Rat)
	for k := range n + 1 {
		weight := binomial(n, k, prior)
		for labeled := range k + 1 {
			p := times(weight, binomial(k, labeled, rate))
			if !random {
				p = times(weight, big.NewRat(int64(oneIf(labeled == min(k, 1))), 1))
			}
			positives.Add(positives, times(p, whole(k-labeled)))
			all.Add(all, times(p, whole(n-labeled)))
		}
	}
	if all.Sign() == 0 {
		return new(big.Rat)
	}
	return over(positives, all)
}
