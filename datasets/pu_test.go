package datasets

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// twenty returns twenty images of 1×1×1, image i holding i, with class i%4: ten of the classes 1 and 3.
func twenty() *Images {
	m := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"cat", "car", "dog", "ship"}}
	for i := range 20 {
		m.Pixels = append(m.Pixels, uint8(i))
		m.Labels = append(m.Labels, i%4)
	}
	return m
}

func newPU(t *testing.T, images *Images, cfg SplitConfig) *PU {
	t.Helper()
	pu, err := NewPU(images, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return pu
}

// The draw of one seed must never change. The rows were computed apart from this package, with the published formulas
// of PCG-DXSM, of Lemire's bounded draw and of the shuffle from the end.
func TestNewPUGolden(t *testing.T) {
	for _, setting := range []Setting{CaseControl, SingleDataset} {
		pu := newPU(t, twenty(), SplitConfig{Positive: []int{1, 3}, Labeled: 5, Setting: setting, Seed: 42})
		if got, want := pu.Index[:5], []int{7, 5, 11, 13, 9}; !slices.Equal(got, want) {
			t.Errorf("%v: labeled rows %v, want %v", setting, got, want)
		}
	}
}

func TestNewPUSettings(t *testing.T) {
	for _, tt := range []struct {
		setting Setting
		want    []int // rows of the unlabeled examples
		prior   float64
	}{
		{CaseControl, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 10. / 20},
		{SingleDataset, []int{0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 19}, 5. / 15},
	} {
		t.Run(tt.setting.String(), func(t *testing.T) {
			images := twenty()
			pu := newPU(t, images, SplitConfig{Positive: []int{3, 1}, Labeled: 5, Setting: tt.setting, Seed: 42})
			if pu.Images != images {
				t.Error("Images is not the set given")
			}
			if pu.Len() != 5+len(tt.want) || pu.NumLabeled() != 5 || pu.NumUnlabeled() != len(tt.want) {
				t.Errorf("Len %d, labeled %d, unlabeled %d; want %d, 5, %d",
					pu.Len(), pu.NumLabeled(), pu.NumUnlabeled(), 5+len(tt.want), len(tt.want))
			}
			if !slices.Equal(pu.Index[5:], tt.want) {
				t.Errorf("unlabeled rows %v, want %v", pu.Index[5:], tt.want)
			}
			for i, row := range pu.Index {
				if pu.Labeled[i] != (i < 5) {
					t.Errorf("example %d: labeled is %v", i, pu.Labeled[i])
				}
				if want := images.Labels[row] == 1 || images.Labels[row] == 3; pu.Positive[i] != want {
					t.Errorf("example %d, row %d of class %d: positive is %v", i, row, images.Labels[row], pu.Positive[i])
				}
			}
			if pu.Prior != tt.prior {
				t.Errorf("prior %v, want %v", pu.Prior, tt.prior)
			}
			if want := 5 / float64(len(tt.want)); pu.Gamma() != want {
				t.Errorf("gamma %v, want %v", pu.Gamma(), want)
			}
		})
	}
}

func TestNewPUExtremes(t *testing.T) {
	none := newPU(t, twenty(), SplitConfig{Positive: []int{1}})
	if none.NumLabeled() != 0 || none.Len() != 20 || none.Prior != 0.25 || none.Gamma() != 0 {
		t.Errorf("no labels: %v", none)
	}
	all := newPU(t, twenty(), SplitConfig{Positive: []int{1}, Labeled: 5, Setting: SingleDataset})
	if all.Len() != 20 || all.NumUnlabeled() != 15 || all.Prior != 0 {
		t.Errorf("all positives labeled: %v", all)
	}
}

func TestNewPUFewerLabelsAreAPrefix(t *testing.T) {
	few := newPU(t, twenty(), SplitConfig{Positive: []int{1, 3}, Labeled: 3, Seed: 5})
	more := newPU(t, twenty(), SplitConfig{Positive: []int{1, 3}, Labeled: 8, Seed: 5})
	if !slices.Equal(few.Index[:3], more.Index[:3]) {
		t.Errorf("3 labels %v, 8 labels %v", few.Index[:3], more.Index[:8])
	}
	sorted := slices.Sorted(slices.Values(more.Index[:8]))
	if len(slices.Compact(sorted)) != 8 {
		t.Errorf("labeled rows %v: one is drawn twice", more.Index[:8])
	}
}

// Each of the ten positives is labeled in a share of 3/10 of the draws. Over 4000 seeds the count has a standard
// deviation of √(4000·0.3·0.7) = 29; the bound is five of them.
func TestNewPUDrawsPositivesEquallyOften(t *testing.T) {
	counts := map[int]int{}
	for seed := range uint64(4000) {
		pu := newPU(t, twenty(), SplitConfig{Positive: []int{1, 3}, Labeled: 3, Seed: seed})
		for _, row := range pu.Index[:3] {
			counts[row]++
		}
	}
	if len(counts) != 10 {
		t.Errorf("%d rows drawn, want 10", len(counts))
	}
	for row, n := range counts {
		if !(math.Abs(float64(n)-1200) <= 145) {
			t.Errorf("row %d labeled %d times in 4000, want about 1200", row, n)
		}
	}
}

func TestNewPUErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  SplitConfig
		want []string
	}{
		{"too many labels", SplitConfig{Positive: []int{1, 3}, Labeled: 11}, []string{"label 11", "hold 10", "largest"}},
		{"negative labels", SplitConfig{Positive: []int{1, 3}, Labeled: -1}, []string{"label -1"}},
		{"no classes", SplitConfig{Labeled: 1}, []string{"no positive classes"}},
		{"class too large", SplitConfig{Positive: []int{4}}, []string{"no class 4", "4 classes"}},
		{"negative class", SplitConfig{Positive: []int{-1}}, []string{"no class -1"}},
		{"class twice", SplitConfig{Positive: []int{1, 3, 1}}, []string{"class 1", "twice"}},
		{"no negatives", SplitConfig{Positive: []int{0, 1, 2, 3}}, []string{"all 20", "negatives"}},
		{"unknown setting", SplitConfig{Positive: []int{1}, Setting: 7}, []string{"setting 7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewPU(twenty(), tt.cfg)
			wantError(t, err, tt.want...)
		})
	}
	t.Run("no positives", func(t *testing.T) {
		images := twenty()
		images.Classes = append(images.Classes, "unused")
		_, err := NewPU(images, SplitConfig{Positive: []int{4}})
		wantError(t, err, "none of the 20", "[4]")
	})
	t.Run("invalid images", func(t *testing.T) {
		images := twenty()
		images.Labels[0] = 9
		_, err := NewPU(images, SplitConfig{Positive: []int{1}})
		wantError(t, err, "class 9")
	})
	t.Run("nil images", func(t *testing.T) {
		_, err := NewPU(nil, SplitConfig{Positive: []int{1}})
		wantError(t, err, "no images")
	})
}

func TestNewPUKeepsItsOwnClasses(t *testing.T) {
	classes := []int{1, 3}
	pu := newPU(t, twenty(), SplitConfig{Positive: classes, Labeled: 2})
	classes[0] = 0
	if pu.Config.Positive[0] != 1 {
		t.Error("the configuration changed with the caller's slice")
	}
}

func TestPUSummaryJSON(t *testing.T) {
	pu := newPU(t, twenty(), SplitConfig{Positive: []int{3, 1}, Labeled: 5, Setting: SingleDataset, Seed: 42})
	got, err := json.Marshal(pu.Summary())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"setting":"single-dataset","positive":[3,1],"positive_names":["ship","car"],"labeled":5,"unlabeled":15,` +
		`"prior":0.3333333333333333,"gamma":0.3333333333333333,"seed":42}`
	if string(got) != want {
		t.Errorf("JSON\n%s, want\n%s", got, want)
	}
	var back PUSummary
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if back.Setting != SingleDataset {
		t.Errorf("setting came back as %v", back.Setting)
	}
	wantError(t, json.Unmarshal([]byte(`{"setting":"other"}`), &back), "other", "case-control", "single-dataset")
	_, err = json.Marshal(PUSummary{Setting: 7})
	wantError(t, err, "setting 7")
}
