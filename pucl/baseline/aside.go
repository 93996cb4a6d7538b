package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// aside configures the reserved examples. They contribute no gradient: each batch ends with some of them, and their
// loss evaluates the update.
type aside struct {
	positives, unlabeled float64 // shares of the labeled positives and of all other examples; 0 for none
	rows                 float64 // number of reserved rows in a batch, as a share of the rows of their kind
}

// inBatch returns the number of reserved rows of both kinds in a batch.
func (a aside) inBatch(c Config) (positives, unlabeled int) {
	if a.positives > 0 {
		positives = int(math.Ceil(a.rows * float64(c.Positives)))
	}
	if a.unlabeled > 0 {
		unlabeled = int(math.Ceil(a.rows * float64(c.Unlabeled)))
	}
	return positives, unlabeled
}

// deal prepares the decks of the training examples, and of the examples that the seed reserves. Of each kind with
// reserved examples, at least one example is reserved and at least one is not.
func (r *run) deal(positive, unlabeled []int) error {
	seed := r.config.Seed
	rng := rand.New(rand.NewPCG(seed^asideStream, 0))
	isAside := make([]bool, len(r.data.Labeled))
	for _, kind := range []struct {
		name  string
		pool  []int
		share float64
	}{{"labeled positives", positive, r.plan.aside.positives}, {"unlabeled examples", r.unmarked(unlabeled), r.plan.aside.unlabeled}} {
		n := len(kind.pool)
		if kind.share == 0 {
			continue
		}
		if n < 2 {
			return fmt.Errorf("baseline: %s sets some %s aside, and there is only %d; give at least 2, or use a method that "+
				"sets none aside, such as VPU", r.config.Method, kind.name, n)
		}
		for _, at := range rng.Perm(n)[:min(max(int(math.Round(kind.share*float64(n))), 1), n-1)] {
			isAside[kind.pool[at]] = true
		}
	}
	deal := func(pool []int, stream uint64) (teaching, set deck) {
		only := func(aside bool) []int {
			return slices.DeleteFunc(slices.Clone(pool), func(example int) bool { return isAside[example] != aside })
		}
		return deck{examples: only(false), seed: seed ^ stream}, deck{examples: only(true), seed: seed ^ stream ^ asideStream}
	}
	r.positive, r.aside[0] = deal(positive, positiveStream)
	r.unlabeled, r.aside[1] = deal(unlabeled, unlabeledStream)
	return nil
}

// unmarked returns the unlabeled examples without the labeled ones that SingleDataset includes.
func (r *run) unmarked(unlabeled []int) []int {
	return slices.DeleteFunc(slices.Clone(unlabeled), func(example int) bool { return r.data.Labeled[example] })
}
