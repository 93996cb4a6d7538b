package prior

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/internal/fault"
)

// Fit trains a classifier of labeled against unlabeled examples on the examples learn, and returns a score for each of
// the examples held, which it does not train on. Larger scores mean more like a labeled example.
type Fit func(learn, held []int, seed uint64) (scores []float64, err error)

// Folds configures cross-validation by [OutOfFold]. The zero value is usable.
type Folds struct {
	Folds   int // number of parts, each held out once; 0 means 5
	Repeats int // repetitions with other parts, over which scores are averaged; 0 means 5
	Seed    uint64
}

// withDefaults sets the zero fields to their defaults.
func (f Folds) withDefaults() Folds {
	f.Folds, f.Repeats = cmp.Or(f.Folds, 5), cmp.Or(f.Repeats, 5)
	return f
}

// noFit is the error text for a missing classifier.
const noFit = "prior: no classifier to fit; give a Fit, such as Trees.OfRows makes"

// OutOfFold returns a score for each example from classifiers that were not trained on it; labeled [n] marks the
// labeled examples. Every part holds the same share of labeled ones.
func OutOfFold(labeled []bool, folds Folds, fit Fit) ([]float64, error) {
	folds = folds.withDefaults()
	positives, unlabeled, err := count(labeled)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(
		fault.If(folds.Folds < 2 || folds.Repeats < 1, "prior: %d folds, %d times; there must be at least 2 folds, 1 time, or 0 for the "+
			"defaults", folds.Folds, folds.Repeats),
		fault.If(min(positives, unlabeled) < folds.Folds, "prior: %d labeled positives and %d unlabeled examples in %d folds; each fold needs "+
			"one of both: take fewer folds", positives, unlabeled, folds.Folds),
		fault.If(fit == nil, noFit),
	); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(folds.Seed, 0xf01d5))
	mean := make([]float64, len(labeled))
	for range folds.Repeats {
		fold := make([]int, len(labeled))
		var dealt [2]int
		for _, i := range random.Perm(len(labeled)) {
			kind := 0
			if labeled[i] {
				kind = 1
			}
			fold[i] = dealt[kind] % folds.Folds
			dealt[kind]++
		}
		for k := range folds.Folds {
			var learn, held []int
			for i, of := range fold {
				if of == k {
					held = append(held, i)
				} else {
					learn = append(learn, i)
				}
			}
			scores, err := fit(learn, held, random.Uint64())
			if err != nil {
				return nil, err
			}
			if len(scores) != len(held) {
				return nil, fmt.Errorf("prior: %d scores of %d examples held out; the classifier must return one for each", len(scores), len(held))
			}
			for at, i := range held {
				if math.IsNaN(scores[at]) || math.IsInf(scores[at], 0) {
					return nil, fmt.Errorf("prior: a score of an example held out is %g; did the classifier diverge?", scores[at])
				}
				mean[i] += scores[at] / float64(folds.Repeats)
			}
		}
	}
	return mean, nil
}
