package rival

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/ml/model"
)

// pacing tells how two students teach themselves.
type pacing struct {
	paces      [2]float64 // the shares of the unlabeled examples that each may come to trust
	looksAhead bool       // some unlabeled examples are set aside, and have rows of their own at the end of a batch
}

// aside returns the number of rows in a batch of examples that are set aside.
func (p *pacing) aside(c Config) int {
	if p == nil || !p.looksAhead {
		return 0
	}
	return (c.Unlabeled + 3) / 4
}

// setAside draws a tenth of the unlabeled examples from the seed, at least one, and takes them out of the others.
func (r *run) setAside() error {
	if p := r.plan.paced; p == nil || !p.looksAhead {
		return nil
	}
	from := r.choosable()
	if len(from) < 2 {
		return fmt.Errorf("rival: %s sets a tenth of the unlabeled examples aside, and there is %d; give at least 2, or set Gamma to -1",
			r.config.Method, len(from))
	}
	seed := r.config.Seed ^ asideStream
	rand.New(rand.NewPCG(seed, math.MaxUint64)).Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	drawn := slices.Sorted(slices.Values(from[:max(len(from)/10, 1)]))
	r.aside = deck{examples: drawn, seed: seed}
	r.unlabeled.examples = slices.DeleteFunc(slices.Clone(r.unlabeled.examples), func(example int) bool {
		_, found := slices.BinarySearch(drawn, example)
		return found
	})
	return nil
}

// choosable returns the unlabeled examples without those labeled ones that the one-sample view has among them.
func (r *run) choosable() []int {
	return slices.DeleteFunc(slices.Clone(r.unlabeled.examples), func(example int) bool { return r.data.Labeled[example] })
}

// The phases of a run of 200 epochs, in twentieths of the steps: after the first of them, and every one until the last, students
// choose whom they trust, and they calibrate in between.
const (
	paceStart = 1
	paceEnd   = 5
	paceParts = 20
)

// due returns which part of its pace a student takes, where it is to choose anew between two shares of the steps, or 0.
func (*pacing) due(before, after float64) float64 {
	for i := paceEnd - 1; i >= paceStart; i-- {
		if at := float64(i) / paceParts; before < at && after >= at {
			return 2 * at
		}
	}
	return 0
}

// trusted returns the variable that tells whom the students trust, 1 or 0 for every example and student, at first nobody.
func (r *run) trusted(scope *model.Scope) *model.Variable { return r.memory(scope, "trusted", 2) }

// trust lets both students choose whom they trust, where that is due after so many steps.
func (r *run) trust(done int) error {
	part := r.plan.paced.due(r.done(done-1), r.done(done))
	if part == 0 {
		return nil
	}
	flags := make([]float32, 2*len(r.data.Labeled))
	for i, s := range []*scorer{r.scorer, r.second} {
		scores, err := s.score(r.data.Examples)
		if err != nil {
			return err
		}
		for _, example := range r.surest(scores, part*r.plan.paced.paces[i]) {
			flags[2*example+i] = 1
		}
	}
	return r.keep("trusted", flags, 2)
}

// surest returns a share of the unlabeled examples with the highest scores, and as many with the lowest.
func (r *run) surest(scores []float64, share float64) []int {
	order := r.choosable()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	count := min(int(share*float64(len(order))), len(order)/2)
	return slices.Concat(order[:count], order[len(order)-count:])
}
