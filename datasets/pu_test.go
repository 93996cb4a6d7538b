package datasets

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/puclab/puclab/internal/expect"
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
	return expect.Must(NewPU(images, cfg))(t)
}

// NewPU keeps the images and splits their classes as NewSplit does.
func TestNewPUIsASplit(t *testing.T) {
	for _, setting := range []Setting{CaseControl, SingleDataset, CaseControlDisjoint} {
		images, classes := twenty(), []int{3, 1}
		cfg := SplitConfig{Positive: classes, Labeled: 5, Setting: setting, Seed: 42}
		pu := newPU(t, images, cfg)
		split := expect.Must(NewSplit(images.Labels, images.Classes, cfg))(t)
		classes[0] = 0
		expect.That(t, pu.Images == images, "Images is not the set given")
		expect.Equal(t, pu.Split.Config.Positive, []int{3, 1}, "classes, after the caller's slice changed")
		pu.Split.Config, split.Config = SplitConfig{}, SplitConfig{}
		expect.Equal(t, pu.Split, split, "%v", setting)
	}
}

// Images with invalid labels are rejected by every function that takes them.
func TestInvalidImages(t *testing.T) {
	images, few, cfg := twenty(), twenty(), SplitConfig{Positive: []int{1}}
	split := expect.Must(NewSplit(few.Labels, few.Classes, cfg))(t)
	images.Labels[0] = 9
	few.Labels = few.Labels[:19]
	for want, images := range map[string]*Images{"class 9": images,
		"20 images of 1×1×1 (height×width×channels), but 19 labels: give one for each": few, "no images": nil} {
		_, err := NewPU(images, cfg)
		expect.Error(t, err, want)
		expect.Error(t, expect.Err(IsPositive(images, []int{1})), want)
		_, _, err = Holdout(images, 0.5, 1)
		expect.Error(t, err, want)
		if images != nil {
			expect.Error(t, expect.Err(NewBatches(&PU{Images: images, Split: split}, BatchConfig{Size: 2})), want)
		}
	}
}

// Hiding the second of three labels makes its row unlabeled, also if it was not before.
func TestHideLabels(t *testing.T) {
	labels, classes := []int{1, 0, 1, 0, 1, 1, 0, 0, 0, 1}, []string{"no", "yes"}
	for _, setting := range []Setting{CaseControl, SingleDataset, CaseControlDisjoint} {
		s, err := NewSplit(labels, classes, SplitConfig{Positive: []int{1}, Labeled: 3, Setting: setting, Seed: 1})
		expect.NoError(t, err)
		hidden := make([]bool, s.Len())
		hidden[1] = true
		got := expect.Must(s.HideLabels(hidden))(t)
		row := s.Index[1]
		if want := []int{s.Index[0], s.Index[2]}; !slices.Equal(got.Index[:2], want) || got.NumLabeled() != 2 {
			t.Errorf("%s: labeled rows %d of %d, want %d", setting, got.Index[:got.NumLabeled()], got.NumLabeled(), want)
		}
		want := append(slices.Clone(s.Index[3:]), row)
		if slices.Sort(want); setting == CaseControl {
			want = slices.Compact(want)
		}
		expect.That(t, slices.Equal(got.Index[2:], want),
			"%s: unlabeled rows %d, want %d", setting, got.Index[2:], want)
		positives := 0
		for i, row := range got.Index {
			expect.That(t, got.Positive[i] == (labels[row] == 1) && got.Labeled[i] == (i < 2),
				"%s: example %d of row %d: labeled %v, positive %v", setting, i, row, got.Labeled[i], got.Positive[i])
			if i >= 2 && got.Positive[i] {
				positives++
			}
		}
		expect.That(t, math.Abs(got.Prior-float64(positives)/float64(len(want))) <= 1e-15 && s.NumLabeled() == 3,
			"%s: prior %g; the split itself has %d labels", setting, got.Prior, s.NumLabeled())
	}
}

func TestHideLabelsRefuses(t *testing.T) {
	s, err := NewSplit([]int{1, 0, 1, 0}, []string{"no", "yes"}, SplitConfig{Positive: []int{1}, Labeled: 1, Seed: 1})
	expect.NoError(t, err)
	mark := func(n, at int) []bool {
		out := make([]bool, n)
		out[at] = true
		return out
	}
	for want, hidden := range map[string][]bool{
		"2 marks of labels to hide, and 5 examples": mark(2, 0), "example 3 has no label": mark(5, 3), "all 1 labels would be hidden": mark(5, 0),
	} {
		expect.Error(t, expect.Err(s.HideLabels(hidden)), want)
	}
}

// Any configuration of a split or its batches gives an error or a valid split. None panics.
func TestAnyConfiguration(t *testing.T) {
	labels, classes := hundred()
	amount := rapid.SampledFrom([]int{0, 0, 0, -1, 1, 10, 39, 40, 41, 60, 100, 101})
	share := rapid.SampledFrom([]float64{0, 0, 0, math.NaN(), math.Inf(1), -1, 1e-9, 0.1, 0.25, 0.4, 0.9, 1, 1e300})
	list := rapid.SliceOfN(rapid.IntRange(-1, 5), 1, 3)
	weight := rapid.SampledFrom([]float64{0, 0.5, 1, 1.5, math.NaN(), math.Inf(1), -1})
	rapid.Check(t, func(rt *rapid.T) {
		cfg := SplitConfig{
			Positive: list.Draw(rt, "positive"), Setting: Setting(rapid.IntRange(-1, 3).Draw(rt, "setting")),
			Draw: Draw(rapid.IntRange(-1, 4).Draw(rt, "draw")), Labeled: amount.Draw(rt, "labeled"),
			Gamma: share.Draw(rt, "γ"), Unlabeled: amount.Draw(rt, "unlabeled"), Total: amount.Draw(rt, "total"),
			Prior: share.Draw(rt, "prior"), Seed: rapid.Uint64().Draw(rt, "seed"),
		}
		if rapid.Bool().Draw(rt, "some negative") {
			cfg.Negative = list.Draw(rt, "negative")
		}
		if rapid.Bool().Draw(rt, "with a propensity") {
			even, odd := weight.Draw(rt, "weight of even rows"), weight.Draw(rt, "weight of odd rows")
			cfg.Propensity = func(row int) float64 { return []float64{even, odd}[row%2] }
		}
		s, err := NewSplit(labels, classes, cfg)
		if err != nil {
			return
		}
		checkSplit(t, s, labels, cfg)
		batch := BatchConfig{Size: amount.Draw(rt, "size"), Share: share.Draw(rt, "share")}
		schedule, err := NewSchedule(s, batch)
		if err != nil {
			return
		}
		expect.Require(t, batch.Share >= 0 && batch.Share < 1 && batch.Size >= 0, "%+v was accepted", batch)
		labeled := 0
		for _, row := range schedule.Rows(3) {
			if s.Labeled[row] {
				labeled++
			}
		}
		if n := len(schedule.Rows(3)); batch.Share > 0 && labeled != int(math.Round(batch.Share*float64(n))) {
			t.Fatalf("%+v: %d of %d are labeled", batch, labeled, n)
		}
	})
}
