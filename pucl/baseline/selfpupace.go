package baseline

import (
	"cmp"
	"slices"
)

// The phases of a run of 200 epochs, in twentieths of the steps: after the first of them, and every later one until the
// last, students choose trusted examples, and they calibrate in between.
const (
	paceStart = 1
	paceEnd   = 5
	paceParts = 20
)

// due returns the share of its pace that a student uses if it must choose anew after the given number of steps, else 0.
func (r *run) due(done int) float64 {
	for i := paceEnd - 1; i >= paceStart; i-- {
		if at := float64(i) / paceParts; r.passes(at, done) {
			return 2 * at
		}
	}
	return 0
}

// trust lets both students choose trusted examples if that is due after the given number of steps. It stores 1 or 0 for
// every example and student, initially 0.
func (m SelfPU) trust(r *run, done int) error {
	part := r.due(done)
	if part == 0 {
		return nil
	}
	trusted := make([]float64, 2*len(r.data.Labeled))
	for i, s := range []*scorer{r.scorer, r.reader} {
		scores, err := s.score(r.data.Examples)
		if err != nil {
			return err
		}
		for _, example := range surest(r.unmarked(r.unlabeled.examples), scores, part*[]float64{m.Pace, m.SecondPace}[i]) {
			trusted[2*example+i] = 1
		}
	}
	return r.keep("trusted", trusted, 2)
}

// surest returns a share of examples with the highest scores, and as many with the lowest.
func surest(examples []int, scores []float64, share float64) []int {
	slices.SortStableFunc(examples, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	count := min(int(share*float64(len(examples))), len(examples)/2)
	return slices.Concat(examples[:count], examples[len(examples)-count:])
}
