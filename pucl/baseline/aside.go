package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// aside says which examples are set aside. They teach nothing: some of them in every batch, its last rows, tell how good what the
// others teach is.
type aside struct {
	positives, unlabeled float64 // shares of the labeled positives and of all other examples; 0 for none
	rows                 float64 // how many there are in a batch, as a share of the rows of their kind
}

// inBatch returns how many rows of both kinds are set aside in a batch.
func (a aside) inBatch(c Config) (positives, unlabeled int) {
	if a.positives > 0 {
		positives = int(math.Ceil(a.rows * float64(c.Positives)))
	}
	if a.unlabeled > 0 {
		unlabeled = int(math.Ceil(a.rows * float64(c.Unlabeled)))
	}
	return positives, unlabeled
}

// deal prepares the decks of the examples that teach, and of those that the seed sets aside. Of the latter at least one of a kind
// is in its deck, and at least one is not.
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

// unmarked returns the unlabeled examples without those labeled ones that SingleDataset has among them.
func (r *run) unmarked(unlabeled []int) []int {
	return slices.DeleteFunc(slices.Clone(unlabeled), func(example int) bool { return r.data.Labeled[example] })
}
