package datasets

import (
	"cmp"
	"fmt"
	"slices"
)

// HideLabels returns s without the labels of some labeled examples, so that a model trained on the result never uses
// them. The mask hidden marks them among the examples of s. If the row of a hidden example is also an unlabeled
// example, as in the case-control setting, the hidden example is removed; otherwise it becomes an unlabeled example.
// Hidden positives therefore cannot be distinguished from unlabeled ones.
//
// It is an error if hidden has another length than s, if it marks an unlabeled example, or all labeled ones.
func (s *Split) HideLabels(hidden []bool) (*Split, error) {
	labeled := s.NumLabeled()
	if len(hidden) != s.Len() {
		return nil, fmt.Errorf("datasets: %d marks of labels to hide, and %d examples; give one for each", len(hidden), s.Len())
	}
	unlabeled := map[int]bool{} // rows
	for _, row := range s.Index[labeled:] {
		unlabeled[row] = true
	}
	var kept, shown []int // examples that stay labeled, and examples that become unlabeled
	for i, hide := range hidden {
		switch {
		case hide && i >= labeled:
			return nil, fmt.Errorf("datasets: example %d has no label that could be hidden; those below %d have one", i, labeled)
		case i >= labeled, hide && !unlabeled[s.Index[i]]:
			shown = append(shown, i)
		case !hide:
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("datasets: all %d labels would be hidden; leave at least one", labeled)
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(s.Index[a], s.Index[b]) })
	out := &Split{Of: s.Of, Config: s.Config, Classes: s.Classes, Prior: s.Prior}
	positives := 0
	for place, i := range slices.Concat(kept, shown) {
		out.add(s.Index[i], place < len(kept), s.Positive[i])
		if s.Unknown != nil {
			out.Unknown = append(out.Unknown, s.Unknown[i])
		}
		if place >= len(kept) && s.Positive[i] {
			positives++
		}
	}
	if s.Unknown == nil { // otherwise the prior is an estimate
		out.Prior = float64(positives) / float64(len(shown))
	}
	return out, nil
}
