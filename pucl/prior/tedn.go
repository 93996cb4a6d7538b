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

// TEDn alternates between [BBE] and classifiers by CVIR, and returns the scores and the estimate of the last round. In
// each round the classifiers train without the unlabeled examples of the highest previous scores, presumably positives.
// The share of these is the class prior of the previous round. The argument rounds is the number of rounds, the first
// on all examples; 0 means 3. The interval is the interval of BBE for the last scores; see [Estimate].
//
// The score of an example depends only on rounds that were not trained on it. For each held-out part, the earlier
// rounds are run again out of fold on the rest. Each of F folds therefore takes (F − 1)(rounds − 1) + 1 trainings, and
// at least 10 examples of both kinds must remain outside a part. With shared scores, the rejected examples would reveal
// to later classifiers the earlier labels of the examples they score.
//
// Source: Saurabh Garg, Yifan Wu, Alexander J. Smola, Sivaraman Balakrishnan and Zachary C. Lipton, "Mixture Proportion
// Estimation and PU Learning: A Modern Approach", NeurIPS 2021, Algorithms 2 and 3. Difference: a round is a separate
// training, out of fold; in the paper it is an epoch of one training.
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

// reject scores each of the examples learn by classifiers trained on the others except those rejected before, and
// returns the mask of the next rejected examples.
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

// highest marks the given share of the unlabeled examples with the highest scores, but leaves as many as a fold needs.
// Ties are broken at random, because the order of the examples may follow their classes.
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
