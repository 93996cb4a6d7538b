package datasets

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// hundred returns the classes of 100 examples, i%5 for example i: twenty of each of five classes.
func hundred() (labels []int, classes []string) {
	for i := range 100 {
		labels = append(labels, i%5)
	}
	return labels, []string{"ant", "bee", "cow", "dog", "eel"}
}

func newSplit(t *testing.T, cfg SplitConfig) *Split {
	t.Helper()
	labels, classes := hundred()
	s := expect.Must(NewSplit(labels, classes, cfg))(t)
	checkSplit(t, s, labels, cfg)
	return s
}

// checkSplit fails unless labeled positives come first, rows do not repeat, and classes and prior are correct.
func checkSplit(t testing.TB, s *Split, labels []int, cfg SplitConfig) {
	t.Helper()
	nP := s.NumLabeled()
	expect.Require(t, s.Len() == len(s.Labeled) && s.Len() == len(s.Positive) && s.NumUnlabeled() == s.Len()-nP,
		"%v: %d rows, %d labels, %d classes", s, s.Len(), len(s.Labeled), len(s.Positive))
	seen := make(map[int]bool)
	positives := 0
	for i, row := range s.Index {
		expect.That(t, s.Labeled[i] == (i < nP), "%v: example %d: labeled is %v", s, i, s.Labeled[i])
		if want := slices.Contains(cfg.Positive, labels[row]); s.Positive[i] != want || i < nP && !want {
			t.Errorf("%v: example %d of class %d: positive is %v", s, i, labels[row], s.Positive[i])
		}
		expect.That(t, cfg.Negative == nil || s.Positive[i] || slices.Contains(cfg.Negative, labels[row]),
			"%v: example %d has class %d, which is left out", s, i, labels[row])
		if i == nP && cfg.Setting == CaseControl {
			clear(seen) // a labeled row may occur once more
		}
		expect.That(t, !seen[row], "%v: row %d occurs twice", s, row)
		seen[row] = true
		expect.That(t, i <= nP || row >= s.Index[i-1], "%v: row %d stands too late", s, row)
		if i >= nP && s.Positive[i] {
			positives++
		}
	}
	expect.Equal(t, s.Prior, float64(positives)/float64(s.NumUnlabeled()), "%v: prior", s)
}

// Numbers of labeled examples, unlabeled positives and unlabeled negatives, derived by hand from the definitions: 40 of
// the 100 examples are positive and 60 negative.
func TestSplitAmounts(t *testing.T) {
	half := func(int) float64 { return 1 }
	for _, tt := range []struct {
		cfg                          SplitConfig
		labeled, positive, negatives int
	}{
		{SplitConfig{Labeled: 10}, 10, 40, 60},
		{SplitConfig{Labeled: 10, Setting: SingleDataset}, 10, 30, 60},
		// 30 positives are left; with π = 0.4 they allow 45 negatives, 75·0.4 = 30, and a 76th example is negative,
		// because round(30.4) = 30.
		{SplitConfig{Labeled: 10, Setting: CaseControlDisjoint}, 10, 30, 46},

		{SplitConfig{Labeled: 10, Unlabeled: 50}, 10, 20, 30},
		{SplitConfig{Labeled: 10, Unlabeled: 50, Prior: 0.7}, 10, 35, 15},
		{SplitConfig{Labeled: 10, Unlabeled: 50, Setting: CaseControlDisjoint}, 10, 20, 30},
		{SplitConfig{Labeled: 10, Unlabeled: 40, Prior: 0.75, Setting: CaseControlDisjoint}, 10, 30, 10},
		// A set of 60 with 24 positives, of which 10 are labeled.
		{SplitConfig{Labeled: 10, Unlabeled: 50, Setting: SingleDataset}, 10, 14, 36},
		{SplitConfig{Labeled: 10, Total: 60, Setting: SingleDataset}, 10, 14, 36},
		{SplitConfig{Labeled: 10, Total: 60, Prior: 0.5, Setting: SingleDataset}, 10, 20, 30},
		{SplitConfig{Labeled: 10, Total: 60}, 10, 20, 30}, // case-control: 50 unlabeled
		{SplitConfig{Labeled: 10, Total: 60, Setting: CaseControlDisjoint}, 10, 20, 30},

		// With only a prior, as many as it allows: 40 positives and 40 negatives, 20 positives and 60 negatives minus
		// rounding (a 21st positive at 82 examples, round(20.5) = 21, adds no negative), 40 and 10.
		{SplitConfig{Prior: 0.5}, 0, 40, 40},
		{SplitConfig{Prior: 0.25}, 0, 20, 60},
		{SplitConfig{Prior: 0.8}, 0, 40, 10},
		{SplitConfig{Prior: 0.5, Labeled: 10, Setting: CaseControlDisjoint}, 10, 30, 30},
		{SplitConfig{Prior: 0.5, Labeled: 10, Setting: SingleDataset}, 10, 30, 40},

		{SplitConfig{Gamma: 0.2}, 20, 40, 60},
		{SplitConfig{Gamma: 0.2, Unlabeled: 50}, 10, 20, 30},
		{SplitConfig{Gamma: 0.5, Prior: 0.5}, 40, 40, 40},
		// N = 100 and γ = 0.25 give 20 labeled and 80 unlabeled.
		{SplitConfig{Gamma: 0.25, Setting: SingleDataset}, 20, 20, 60},
		{SplitConfig{Gamma: 0.25, Total: 50, Setting: SingleDataset}, 10, 10, 30},
		{SplitConfig{Gamma: 0.25, Total: 50}, 10, 16, 24},
		{SplitConfig{Gamma: 0.2, Unlabeled: 50, Setting: SingleDataset}, 10, 14, 36},
		{SplitConfig{Gamma: 0.2, Unlabeled: 50, Setting: CaseControlDisjoint}, 10, 20, 30},

		{SplitConfig{Labeled: 12, Draw: Balanced}, 12, 40, 60},
		{SplitConfig{Draw: Independent, Propensity: half}, 40, 40, 60},
		{SplitConfig{Draw: Independent, Propensity: half, Setting: SingleDataset}, 40, 0, 60},
		{SplitConfig{Labeled: 40, Setting: SingleDataset}, 40, 0, 60},

		{SplitConfig{Labeled: 10, Negative: []int{4}}, 10, 40, 20},
		{SplitConfig{Labeled: 10, Negative: []int{4}, Setting: SingleDataset}, 10, 30, 20},
		{SplitConfig{Labeled: 10, Negative: []int{4, 0}, Unlabeled: 10}, 10, 5, 5},
	} {
		tt.cfg.Positive = []int{1, 3}
		tt.cfg.Seed = 7
		s := newSplit(t, tt.cfg)
		positives := 0
		for i := s.NumLabeled(); i < s.Len(); i++ {
			if s.Positive[i] {
				positives++
			}
		}
		if got := [3]int{s.NumLabeled(), positives, s.NumUnlabeled() - positives}; got != [3]int{tt.labeled, tt.positive, tt.negatives} {
			t.Errorf("%+v: labeled, unlabeled positives and negatives %v, want [%d %d %d]",
				tt.cfg, got, tt.labeled, tt.positive, tt.negatives)
		}
	}
}

// The draws of one seed must never change. The rows were computed independently of this package: see
// testdata/golden.py.
func TestSplitGolden(t *testing.T) {
	labels, classes := hundred()
	for _, tt := range []struct {
		name string
		cfg  SplitConfig
		want []int
	}{
		{"unlabeled", SplitConfig{Labeled: 3, Unlabeled: 10}, []int{38, 91, 63, 6, 7, 9, 21, 22, 52, 72, 73, 77, 98}},
		{"balanced", SplitConfig{Labeled: 5, Draw: Balanced}, []int{16, 53, 56, 93, 36}},
		{"weighted", SplitConfig{Labeled: 5, Draw: Weighted, Propensity: func(i int) float64 { return float64(i) }}, []int{46, 18, 68, 93, 81}},
		{"independent", SplitConfig{Draw: Independent, Propensity: func(i int) float64 { return float64(i) / 400 }}, []int{33, 41, 86, 91, 93, 96, 98}},
	} {
		tt.cfg.Positive, tt.cfg.Seed = []int{1, 3}, 42
		s := expect.Must(NewSplit(labels, classes, tt.cfg))(t)
		expect.Equal(t, s.Index[:len(tt.want)], tt.want, "%s: rows", tt.name)
	}
}

func TestSplitSmallerIsAPrefix(t *testing.T) {
	weight := func(i int) float64 { return 1 + float64(i%7) }
	for _, draw := range []Draw{Uniform, Balanced, Weighted} {
		cfg := SplitConfig{Positive: []int{3, 1}, Labeled: 5, Draw: draw, Seed: 3}
		if draw == Weighted {
			cfg.Propensity = weight
		}
		few := newSplit(t, cfg)
		cfg.Labeled = 17
		more := newSplit(t, cfg)
		expect.That(t, slices.Equal(few.Index[:5], more.Index[:5]),
			"%v: 5 labels %v, 17 labels %v", draw, few.Index[:5], more.Index[:17])
	}
	// The unlabeled examples of a smaller set are among those of a larger one with the same prior.
	small := newSplit(t, SplitConfig{Positive: []int{1}, Unlabeled: 20, Prior: 0.3, Seed: 3})
	large := newSplit(t, SplitConfig{Positive: []int{1}, Unlabeled: 60, Prior: 0.3, Seed: 3})
	for _, row := range small.Index {
		expect.That(t, slices.Contains(large.Index, row),
			"row %d of 20 unlabeled examples is not among 60: %v", row, large.Index)
	}
	other := newSplit(t, SplitConfig{Positive: []int{1}, Unlabeled: 20, Prior: 0.3, Seed: 4})
	expect.That(t, !slices.Equal(other.Index, small.Index), "another seed draws the same examples")
}

// A fixed number of unlabeled examples must not change which positives are labeled.
func TestSplitLabelsDoNotDependOnTheUnlabeled(t *testing.T) {
	all := newSplit(t, SplitConfig{Positive: []int{1, 3}, Labeled: 9, Seed: 11})
	for _, cfg := range []SplitConfig{{Unlabeled: 20}, {Setting: CaseControlDisjoint}, {Setting: SingleDataset}, {Prior: 0.6}} {
		cfg.Positive, cfg.Labeled, cfg.Seed = []int{1, 3}, 9, 11
		if s := newSplit(t, cfg); !slices.Equal(s.Index[:9], all.Index[:9]) {
			t.Errorf("%v: labeled %v, want %v", s, s.Index[:9], all.Index[:9])
		}
	}
}

func TestSplitErrors(t *testing.T) {
	one := func(int) float64 { return 1 }
	for _, tt := range []struct {
		name string
		cfg  SplitConfig
		want []string
	}{
		{"too many labels", SplitConfig{Labeled: 41}, []string{"label 41", "hold 40", "largest"}},
		{"too many in one set", SplitConfig{Labeled: 25, Total: 60, Setting: SingleDataset}, []string{"label 25", "hold 24", "largest"}},
		{"too many unlabeled", SplitConfig{Unlabeled: 101}, []string{"40 positives and 61", "there are 40 and 60", "largest possible number is 100"}},
		{"prior too high", SplitConfig{Unlabeled: 60, Prior: 0.9}, []string{"54 positives", "largest possible number is 44", "from 0 to 0.6667"}},
		{"prior too low", SplitConfig{Unlabeled: 80, Prior: 0.1}, []string{"72 negatives", "largest possible number is 67", "from 0.25 to 0.5"}},
		{"disjoint", SplitConfig{Labeled: 30, Unlabeled: 50, Setting: CaseControlDisjoint}, []string{"20 positives", "there are 10 and 60", "largest possible number is 26"}},
		{"whole set labeled", SplitConfig{Labeled: 10, Total: 10}, []string{"nothing unlabeled", "largest possible number is 9"}},
		{"more labels than examples", SplitConfig{Labeled: 20, Total: 10, Setting: CaseControlDisjoint}, []string{"nothing unlabeled"}},
		{"prior rounds to nothing", SplitConfig{Unlabeled: 10, Prior: 0.01}, []string{"0 positives and 10 negatives", "more examples"}},
		{"γ rounds to nothing", SplitConfig{Gamma: 0.001}, []string{"no labeled one"}},
		{"γ too large", SplitConfig{Gamma: 1e300}, []string{"smaller γ"}},
		{"γ of too many", SplitConfig{Gamma: 0.5}, []string{"label 50", "hold 40"}},
		{"prior 1", SplitConfig{Prior: 1}, []string{"prior π of 1"}},
		{"prior NaN", SplitConfig{Prior: math.NaN()}, []string{"prior π of NaN"}},
		{"γ negative", SplitConfig{Gamma: -1}, []string{"γ = -1"}},
		{"γ infinite", SplitConfig{Gamma: math.Inf(1)}, []string{"γ = +Inf"}},
		{"unlabeled negative", SplitConfig{Unlabeled: -1}, []string{"-1 unlabeled"}},
		{"total negative", SplitConfig{Total: -1}, []string{"-1 examples in total"}},
		{"labeled and γ", SplitConfig{Labeled: 1, Gamma: 1}, []string{"Labeled = 1 and Gamma = 1"}},
		{"unlabeled and total", SplitConfig{Unlabeled: 1, Total: 2}, []string{"Unlabeled = 1 and Total = 2"}},
		{"γ of a disjoint rest", SplitConfig{Gamma: 0.1, Setting: CaseControlDisjoint}, []string{"give Unlabeled or Total"}},
		{"unknown draw", SplitConfig{Draw: 9}, []string{"draw 9"}},
		{"no propensity", SplitConfig{Draw: Weighted}, []string{"weighted", "Propensity"}},
		{"propensity for nothing", SplitConfig{Propensity: one}, []string{"uniform", "Weighted or Independent"}},
		{"independent n_P", SplitConfig{Draw: Independent, Propensity: one, Labeled: 3}, []string{"neither Labeled nor Gamma"}},
		{"independent n_U", SplitConfig{Draw: Independent, Propensity: one, Unlabeled: 3, Setting: SingleDataset}, []string{"give Total"}},
		{"independent total", SplitConfig{Draw: Independent, Propensity: one, Total: 3}, []string{"give Unlabeled"}},
		{"propensity above 1", SplitConfig{Draw: Independent, Propensity: func(int) float64 { return 1.5 }}, []string{"1.5", "0 to 1"}},
		{"propensity NaN", SplitConfig{Draw: Weighted, Labeled: 1, Propensity: func(int) float64 { return math.NaN() }}, []string{"NaN"}},
		{"propensity infinite", SplitConfig{Draw: Weighted, Labeled: 1, Propensity: func(int) float64 { return math.Inf(1) }}, []string{"+Inf"}},
		{"propensity 0", SplitConfig{Draw: Weighted, Labeled: 1, Propensity: func(int) float64 { return 0 }}, []string{"0 of the 40", "largest"}},
		{"few with a propensity", SplitConfig{Draw: Weighted, Labeled: 5, Propensity: func(i int) float64 { return float64(i / 90) }},
			[]string{"label 5", "4 of the 40", "largest"}},
		{"negative unknown", SplitConfig{Negative: []int{5}}, []string{"no class 5"}},
		{"negative twice", SplitConfig{Negative: []int{0, 0}}, []string{"negative class 0", "twice"}},
		{"both", SplitConfig{Negative: []int{1}}, []string{"class 1", "both"}},
		{"negative labels", SplitConfig{Labeled: -1}, []string{"label -1"}},
		{"no classes", SplitConfig{Positive: []int{}}, []string{"no positive classes"}},
		{"class too large", SplitConfig{Positive: []int{5}}, []string{"no class 5", "5 classes"}},
		{"negative class", SplitConfig{Positive: []int{-1}}, []string{"no class -1"}},
		{"class twice", SplitConfig{Positive: []int{1, 3, 1}}, []string{"class 1", "twice"}},
		{"all classes", SplitConfig{Positive: []int{0, 1, 2, 3, 4}}, []string{"all 100", "negatives"}},
		{"unknown setting", SplitConfig{Setting: 7}, []string{"setting 7"}},
		{"no negatives", SplitConfig{Negative: []int{}}, []string{"no negative classes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			labels, classes := hundred()
			if tt.cfg.Positive == nil {
				tt.cfg.Positive = []int{1, 3}
			}
			expect.Error(t, expect.Err(NewSplit(labels, classes, tt.cfg)), tt.want...)
		})
	}
	for _, empty := range []SplitConfig{{Positive: []int{1, 2}}, {Positive: []int{1}, Negative: []int{0, 2}}} {
		_, err := NewSplit([]int{0, 1, 0, 1}, []string{"a", "b", "unused"}, empty)
		expect.Error(t, err, "class 2 is empty")
	}
	_, err := NewSplit([]int{0, 1, 7}, []string{"a", "b"}, SplitConfig{Positive: []int{1}})
	expect.Error(t, err, "example 2 has class 7")
	_, err = NewSplit([]int{0, 1, 0, 1}, []string{"a", "b", "unused"}, SplitConfig{Positive: []int{2}})
	expect.Error(t, err, "none of the 4", "[2]")
	for _, row := range []int{-1, 4} { // a split from a file can list rows that do not exist
		expect.Error(t, (&Split{Of: 4, Index: []int{3, row}}).Fits(4), "of 4, numbered from 0")
	}
	expect.NoError(t, (&Split{Of: 4, Index: []int{3, 0}}).Fits(4))
}

// The number that an error calls the largest possible must be possible, and one more must not.
func TestSplitLargestIsPossible(t *testing.T) {
	labels, classes := hundred()
	try := func(cfg SplitConfig) error {
		cfg.Positive = []int{1, 3}
		_, err := NewSplit(labels, classes, cfg)
		return err
	}
	for _, prior := range []float64{0.1, 0.25, 1. / 3, 0.4, 0.5, 0.77, 0.9} {
		n := largest(prior, 40, 60)
		expect.NoError(t, try(SplitConfig{Unlabeled: n, Prior: prior}))
		expect.Error(t, try(SplitConfig{Unlabeled: n + 1, Prior: prior}),
			fmt.Sprintf("largest possible number is %d", n))
	}
	uneven := slices.DeleteFunc(slices.Clone(labels), func(class int) bool { return class == 3 })
	uneven = append(uneven, 3, 3) // 20 bees and 2 dogs
	for n, positive := range map[int][]int{4: {3, 1}, 5: {1, 3}} {
		cfg := SplitConfig{Positive: positive, Labeled: n, Draw: Balanced}
		if _, err := NewSplit(uneven, classes, cfg); err != nil {
			t.Errorf("%v: %d balanced labels: %v", positive, n, err)
		}
		cfg.Labeled++
		_, err := NewSplit(uneven, classes, cfg)
		expect.Error(t, err, "of class 3", fmt.Sprintf("largest possible number is %d", n))
	}
}

func TestSplitDescription(t *testing.T) {
	s := newSplit(t, SplitConfig{Name: "ants", Positive: []int{0, 1}, Negative: []int{4}, Labeled: 6, Draw: Balanced,
		Unlabeled: 30, Prior: 0.5, Seed: 8, Setting: CaseControlDisjoint})
	want := "ants: PU data (case-control-disjoint): 6 labeled positives (class-balanced), 30 unlabeled, prior π = 0.5, " +
		"γ = 0.2, seed 8, positive: ant, bee, negative: eel"
	expect.Equal(t, s.String(), want, "description")
	text := expect.Must(json.Marshal(s.Summary()))(t)
	want = `{"name":"ants","setting":"case-control-disjoint","draw":"class-balanced","positive":[0,1],` +
		`"positive_names":["ant","bee"],"negative":[4],"negative_names":["eel"],"labeled":6,"unlabeled":30,` +
		`"prior":0.5,"gamma":0.2,"seed":8}`
	expect.That(t, string(text) == want, "JSON\n%s, want\n%s", text, want)
	var back PUSummary
	if err := json.Unmarshal(text, &back); err != nil || back.Draw != Balanced || back.Setting != CaseControlDisjoint {
		t.Errorf("JSON came back as %+v, %v", back, err)
	}
	expect.Error(t, json.Unmarshal([]byte(`{"draw":"any"}`), &back), "any", "uniform", "independent")
	expect.Error(t, json.Unmarshal([]byte(`{"setting":"other"}`), &back), "other", "case-control", "single-dataset")
	expect.Error(t, expect.Err(json.Marshal(PUSummary{Draw: 5})), "draw 5")
	expect.Error(t, expect.Err(json.Marshal(PUSummary{Setting: 7})), "setting 7")
	expect.Equal(t, Draw(7).String()+Setting(-1).String(), "Draw(7)Setting(-1)", "unknown values print")
}
