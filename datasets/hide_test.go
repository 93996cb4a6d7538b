package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Of three labeled examples the second is hidden. In the case-control setting its row is unlabeled anyway; elsewhere it is from now on, and
// what a batch can hold of it is that of any unlabeled example.
func TestHideLabels(t *testing.T) {
	labels, classes := []int{1, 0, 1, 0, 1, 1, 0, 0, 0, 1}, []string{"no", "yes"}
	for _, setting := range []Setting{CaseControl, SingleDataset, CaseControlDisjoint} {
		s, err := NewSplit(labels, classes, SplitConfig{Positive: []int{1}, Labeled: 3, Setting: setting, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		hidden := make([]bool, s.Len())
		hidden[1] = true
		got, err := s.HideLabels(hidden)
		if err != nil {
			t.Fatal(err)
		}
		row := s.Index[1]
		if want := []int{s.Index[0], s.Index[2]}; !slices.Equal(got.Index[:2], want) || got.NumLabeled() != 2 {
			t.Errorf("%s: labeled rows %d of %d, want %d", setting, got.Index[:got.NumLabeled()], got.NumLabeled(), want)
		}
		want := append(slices.Clone(s.Index[3:]), row)
		if slices.Sort(want); setting == CaseControl {
			want = slices.Compact(want)
		}
		if !slices.Equal(got.Index[2:], want) {
			t.Errorf("%s: unlabeled rows %d, want %d", setting, got.Index[2:], want)
		}
		positives := 0
		for i, row := range got.Index {
			if got.Positive[i] != (labels[row] == 1) || got.Labeled[i] != (i < 2) {
				t.Errorf("%s: example %d of row %d: labeled %v, positive %v", setting, i, row, got.Labeled[i], got.Positive[i])
			}
			if i >= 2 && got.Positive[i] {
				positives++
			}
		}
		if math.Abs(got.Prior-float64(positives)/float64(len(want))) > 1e-15 || s.NumLabeled() != 3 {
			t.Errorf("%s: prior %g; the split itself has %d labels", setting, got.Prior, s.NumLabeled())
		}
	}
}

func TestHideLabelsRefuses(t *testing.T) {
	s, err := NewSplit([]int{1, 0, 1, 0}, []string{"no", "yes"}, SplitConfig{Positive: []int{1}, Labeled: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	mark := func(n, at int) []bool {
		out := make([]bool, n)
		out[at] = true
		return out
	}
	for want, hidden := range map[string][]bool{
		"2 marks of labels to hide, and 5 examples": mark(2, 0), "example 3 has no label": mark(5, 3), "all 1 labels would be hidden": mark(5, 0),
	} {
		if _, err := s.HideLabels(hidden); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
