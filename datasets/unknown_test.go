package datasets

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// halfKnown has four cats (rows 0, 3, 6, 9), four dogs (1, 4, 7, 10), and six examples of unknown class (2, 5, 8, 11, 12, 13).
func halfKnown() ([]int, []string) {
	return []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2}, []string{"cat", "dog", "?"}
}

func TestSplitWithUnknownClasses(t *testing.T) {
	labels, classes := halfKnown()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
	for _, tt := range []struct {
		name      string
		cfg       SplitConfig
		unlabeled func(labeled []int) []int
		says      string
	}{
		{"all unlabeled again", SplitConfig{PriorEstimate: 0.4},
			func([]int) []int { return all },
			"14 unlabeled, 6 of unknown class, estimated prior π̂ = 0.4, γ = 0.1429, seed 5, positive: cat"},
		{"no row twice", SplitConfig{Setting: SingleDataset},
			func(labeled []int) []int { return without(all, labeled) },
			"12 unlabeled, 6 of unknown class, prior π unknown, γ = 0.1667, seed 5, positive: cat"},
		{"without known negatives", SplitConfig{Setting: SingleDataset, Negative: []int{}},
			func(labeled []int) []int { return without([]int{0, 2, 3, 5, 6, 8, 9, 11, 12, 13}, labeled) },
			"8 unlabeled, 6 of unknown class, prior π unknown, γ = 0.25, seed 5, positive: cat, negative: none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Positive, tt.cfg.Unknown, tt.cfg.Labeled, tt.cfg.Seed = []int{0}, []int{2}, 2, 5
			s := expect.Must(NewSplit(labels, classes, tt.cfg))(t)
			if want := tt.unlabeled(s.Index[:2]); s.NumLabeled() != 2 || !slices.Equal(s.Index[2:], want) {
				t.Errorf("unlabeled rows %v, want %v", s.Index[2:], want)
			}
			parts := s.Parts()
			for i, row := range s.Index {
				if want := [3]int{1, 2, 3}[labels[row]]; s.Labeled[i] && parts[i] != 0 || !s.Labeled[i] && parts[i] != want {
					t.Errorf("example %d of class %s, labeled %v, is of part %d", i, classes[labels[row]], s.Labeled[i], parts[i])
				}
				expect.That(t, s.Unknown[i] == (labels[row] == 2) && s.Positive[i] == (labels[row] == 0) &&
					(!s.Labeled[i] || labels[row] == 0),
					"example %d of class %s: unknown %v, positive %v, labeled %v", i, classes[labels[row]],
					s.Unknown[i], s.Positive[i], s.Labeled[i])
			}
			expect.That(t, s.Prior == tt.cfg.PriorEstimate,
				"prior %v, want the estimate %v", s.Prior, tt.cfg.PriorEstimate)
			expect.That(t, strings.HasSuffix(s.String(), tt.says), "%q, want the end %q", s, tt.says)
			text, err := json.Marshal(s.Summary())
			expect.That(t, err == nil &&
				strings.Contains(string(text), fmt.Sprintf(`"unknown":6,"prior":%v,`, tt.cfg.PriorEstimate)),
				"%s, %v", text, err)
		})
	}
	known, err := NewSplit(labels, classes, SplitConfig{Positive: []int{0}, Labeled: 2})
	expect.That(t, err == nil && known.Unknown == nil && known.Summary().Unknown == 0 && known.Prior == 4./14,
		"where all classes are known: %v, %v", known, err)
	parts := known.Parts()
	expect.That(t, len(parts) == 16 && !slices.Contains(parts, 3), "where all classes are known: parts %v", parts)
}

// The numbers follow from n_U, N and γ as elsewhere; a smaller n_U takes the first of a larger one.
func TestAmountsWithUnknownClasses(t *testing.T) {
	labels, classes := halfKnown()
	for _, tt := range []struct {
		cfg       SplitConfig
		nP, nU    int
		reachesIt bool // a labeled row may occur among the unlabeled ones
	}{
		{SplitConfig{Labeled: 3, Unlabeled: 9}, 3, 9, true},
		{SplitConfig{Labeled: 3, Unlabeled: 14}, 3, 14, true},
		{SplitConfig{Labeled: 3, Unlabeled: 9, Setting: SingleDataset}, 3, 9, false},
		{SplitConfig{Labeled: 3, Total: 10, Setting: SingleDataset}, 3, 7, false},
		{SplitConfig{Labeled: 3, Total: 10}, 3, 7, true},
		{SplitConfig{Gamma: 0.25, Unlabeled: 8}, 2, 8, true},
		{SplitConfig{Gamma: 1. / 13}, 1, 14, true},
		{SplitConfig{Gamma: 0.4, Setting: SingleDataset}, 4, 10, false}, // 14·0.4/1.4
		{SplitConfig{Draw: Independent, Propensity: func(int) float64 { return 1 }, Total: 9, Setting: SingleDataset}, 4, 5, false},
	} {
		tt.cfg.Positive, tt.cfg.Unknown = []int{0}, []int{2}
		s, err := NewSplit(labels, classes, tt.cfg)
		if err != nil {
			t.Errorf("%+v: %v", tt.cfg, err)
			continue
		}
		expect.That(t, s.NumLabeled() == tt.nP && s.NumUnlabeled() == tt.nU, "%v, want %d and %d", s, tt.nP, tt.nU)
		rows := slices.Clone(s.Index[tt.nP:])
		expect.That(t, slices.IsSorted(rows) && len(slices.Compact(rows)) == tt.nU,
			"unlabeled rows %v", s.Index[tt.nP:])
		expect.That(t, tt.reachesIt ||
			!slices.ContainsFunc(s.Index[:tt.nP], func(row int) bool { return slices.Contains(rows, row) }),
			"%v occur twice", s.Index)
	}
	draw := func(n int, seed uint64) []int {
		s, err := NewSplit(labels, classes, SplitConfig{Positive: []int{0}, Unknown: []int{2}, Unlabeled: n, Seed: seed})
		expect.NoError(t, err)
		return s.Index
	}
	for _, row := range draw(4, 1) {
		expect.That(t, slices.Contains(draw(9, 1), row), "%v are not among %v", draw(4, 1), draw(9, 1))
	}
	expect.That(t, !slices.Equal(draw(7, 1), draw(7, 2)), "two seeds draw the same")
}

func TestSplitWithUnknownClassesRefuses(t *testing.T) {
	labels, classes := halfKnown()
	for _, tt := range []struct {
		cfg  SplitConfig
		want []string
	}{
		{SplitConfig{Labeled: 5}, []string{"label 5", "hold 4"}},
		{SplitConfig{Prior: 0.5}, []string{"prior π of 0.5", "PriorEstimate"}},
		{SplitConfig{PriorEstimate: 1}, []string{"estimated prior of 1"}},
		{SplitConfig{PriorEstimate: math.NaN()}, []string{"NaN"}},
		{SplitConfig{Setting: CaseControlDisjoint}, []string{"case-control-disjoint", "unknown"}},
		{SplitConfig{Unlabeled: 15}, []string{"15 unlabeled", "there are 14"}},
		{SplitConfig{Labeled: 2, Unlabeled: 13, Setting: SingleDataset}, []string{"13 unlabeled", "there are 12"}},
		{SplitConfig{Labeled: 3, Total: 3}, []string{"0 unlabeled"}},
		{SplitConfig{Negative: []int{2}}, []string{"class 2", "unknown"}},
		{SplitConfig{Unknown: []int{0}}, []string{"class 0", "unknown"}},
		{SplitConfig{Unknown: []int{2, 2}}, []string{"class 2", "twice"}},
		{SplitConfig{Unknown: []int{7}}, []string{"no class 7"}},
	} {
		tt.cfg.Positive = []int{0}
		if tt.cfg.Unknown == nil {
			tt.cfg.Unknown = []int{2}
		}
		expect.Error(t, expect.Err(NewSplit(labels, classes, tt.cfg)), tt.want...)
	}
	_, err := NewSplit(labels, append(classes, "none"), SplitConfig{Positive: []int{0}, Unknown: []int{3}})
	expect.Error(t, err, "class 3 is empty")
	_, err = NewSplit(labels, classes, SplitConfig{Positive: []int{0}, PriorEstimate: 0.5})
	expect.Error(t, err, "all classes are known")
	_, err = NewSplit(labels, classes, SplitConfig{Positive: []int{0}, Negative: []int{}})
	expect.Error(t, err, "no negative classes")
}

// STL-I and STL-II with the numbers of published code: 500 images per class, 100,000 without a class, a tenth held out.
func TestSTLWithItsUnlabeledPart(t *testing.T) {
	for name, prior := range map[string]float64{"STL-I": 0.51, "STL-II": 0.49} {
		b, err := FindBenchmark(name)
		expect.NoError(t, err)
		classes := append(b.Classes, "unlabeled")
		labels := append(training(b), slices.Repeat([]int{10}, 100_000)...)
		rest, held := expect.Must2(HoldoutRows(labels, len(classes), 0.1, 3))(t)
		expect.Require(t, len(held) == 500+10_000 && len(rest) == 4_500+90_000,
			"%d held out of %d", len(held), len(rest))
		var kept []int
		for _, row := range rest {
			kept = append(kept, labels[row])
		}
		cfg := expect.Must(b.Config(classes))(t)
		cfg.Labeled = 2250
		s := expect.Must(NewSplit(kept, classes, cfg))(t)
		sum := s.Summary()
		expect.That(t, sum.Name == name && sum.Unlabeled == 94_500 && sum.Unknown == 90_000 && sum.Prior == prior,
			"%v", s)
		count := map[int]int{} // labeled examples by class
		for _, row := range s.Index[:2250] {
			count[kept[row]]++
		}
		for _, class := range b.Positive {
			expect.That(t, count[class] == 450,
				"%s: %d of class %s are labeled, want 450", name, count[class], classes[class])
		}
		cfg.Setting, cfg.Negative = SingleDataset, []int{}
		if s, err = NewSplit(kept, classes, cfg); err != nil || s.NumUnlabeled() != 90_000 || slices.Contains(s.Unknown[2250:], false) {
			t.Errorf("the unlabeled part alone: %v, %v", s, err)
		}
		cfg.Labeled = 3000
		expect.Error(t, expect.Err(NewSplit(kept, classes, cfg)), "label 3000", "hold 2250")
	}
	cifar := expect.Must(FindBenchmark("CIFAR-I"))(t)
	_, err := cifar.Config(append(cifar.Classes, "unlabeled"))
	expect.Error(t, err, `"unlabeled"`, "not known to be negative")
}
