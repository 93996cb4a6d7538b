package prior

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
)

// TEDn alternates between [BBE] and classifiers by CVIR, and returns the scores and the estimate of the last round: in each round the
// classifiers learn from the unlabeled examples without the share of them, the class prior of the round before, that scored highest
// then and so is taken for positive. Rounds is how often classifiers learn, at first from all; 0 means 3.
// The interval is that of BBE for the scores of the last round; see [Estimate].
//
// Source: Saurabh Garg, Yifan Wu, Alexander J. Smola, Sivaraman Balakrishnan and Zachary C. Lipton, "Mixture Proportion Estimation and
// PU Learning: A Modern Approach", NeurIPS 2021, Algorithms 2 and 3. Difference: a round is a training of its own, out of fold, where
// the paper's is an epoch of one training.
func TEDn(labeled []bool, folds Folds, rounds int, fit Fit, c Config) (scores []float64, e Estimate, err error) {
	rounds = cmp.Or(rounds, 3)
	if err := cmp.Or(
		fault.If(rounds < 1, "prior: %d rounds; there must be at least 1, or 0 for the default", rounds),
		fault.If(fit == nil, noFit),
	); err != nil {
		return nil, Estimate{}, err
	}
	rejected, random := make([]bool, len(labeled)), rand.New(rand.NewPCG(folds.Seed, 0x7ed2))
	without := func(learn, held []int, seed uint64) ([]float64, error) {
		return fit(slices.DeleteFunc(learn, func(i int) bool { return rejected[i] }), held, seed)
	}
	for round := range rounds {
		if scores, err = OutOfFold(labeled, folds, without); err != nil {
			return nil, Estimate{}, err
		}
		if round == rounds-1 {
			break
		}
		s, err := newScored(scores, labeled)
		if err != nil {
			return nil, Estimate{}, err
		}
		rejected = highest(scores, labeled, s.bestBin(), random)
	}
	e, err = BBE(scores, labeled, c)
	return scores, e, err
}

// highest marks the share of the unlabeled examples that score highest, leaving as many as a fold needs. Of equal scores any may come
// first: the order of the examples, which may be that of their classes, tells nothing.
func highest(scores []float64, labeled []bool, share float64, random *rand.Rand) []bool {
	_, unlabeled := rows.Split(labeled)
	random.Shuffle(len(unlabeled), func(i, j int) { unlabeled[i], unlabeled[j] = unlabeled[j], unlabeled[i] })
	slices.SortStableFunc(unlabeled, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	marks := make([]bool, len(labeled))
	for _, i := range unlabeled[:min(int(math.Round(share*float64(len(unlabeled)))), len(unlabeled)-fewest)] {
		marks[i] = true
	}
	return marks
}
