package prior

import (
	"cmp"
	"fmt"
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
// An example's score comes from rounds that never saw it: all but the last are held out of fold anew beside each part held out, so that
// of F folds (F − 1)(rounds − 1) + 1 trainings are made for each, and at least 10 examples of both kinds must remain beside a part. Were
// they to share scores, what is left out would tell later classifiers how those before labeled what they now judge.
//
// Source: Saurabh Garg, Yifan Wu, Alexander J. Smola, Sivaraman Balakrishnan and Zachary C. Lipton, "Mixture Proportion Estimation and
// PU Learning: A Modern Approach", NeurIPS 2021, Algorithms 2 and 3. Difference: a round is a training of its own, out of fold, where
// the paper's is an epoch of one training.
func TEDn(labeled []bool, folds Folds, rounds int, fit Fit, c Config) (scores []float64, e Estimate, err error) {
	rounds, folds = cmp.Or(rounds, 3), folds.withDefaults()
	if err := cmp.Or(
		fault.If(rounds < 1, "prior: %d rounds; there must be at least 1, or 0 for the default", rounds),
		fault.If(fit == nil, noFit),
		c.withDefaults(scoreResamples).check(),
	); err != nil {
		return nil, Estimate{}, err
	}
	scores, err = OutOfFold(labeled, folds, func(learn, held []int, seed uint64) (_ []float64, err error) {
		rejected, random := make([]bool, len(labeled)), rand.New(rand.NewPCG(seed, 0x7ed2))
		for range rounds - 1 {
			if rejected, err = reject(labeled, rejected, learn, max(folds.Folds-1, 2), fit, random); err != nil {
				return nil, err
			}
		}
		return fit(without(rejected, learn), held, random.Uint64())
	})
	if err != nil {
		return nil, Estimate{}, err
	}
	e, err = BBE(scores, labeled, c)
	return scores, e, err
}

// reject scores each of the examples learn by classifiers that learn from the others, but for those rejected before, and returns which are
// rejected next.
func reject(labeled, rejected []bool, learn []int, folds int, fit Fit, random *rand.Rand) ([]bool, error) {
	marks := rows.Pick(labeled, learn)
	scores, err := OutOfFold(marks, Folds{Folds: folds, Repeats: 1, Seed: random.Uint64()}, func(inner, held []int, seed uint64) ([]float64, error) {
		return fit(without(rejected, rows.Pick(learn, inner)), rows.Pick(learn, held), seed)
	})
	if err != nil {
		return nil, fmt.Errorf("%w, beside a fold", err)
	}
	s, err := newScored(scores, marks)
	if err != nil {
		return nil, err
	}
	next := make([]bool, len(labeled))
	for at, mark := range highest(scores, marks, s.bestBin(), random) {
		next[learn[at]] = mark
	}
	return next, nil
}

// without returns the examples that are not rejected.
func without(rejected []bool, examples []int) []int {
	return slices.DeleteFunc(slices.Clone(examples), func(i int) bool { return rejected[i] })
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
