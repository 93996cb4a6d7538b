package datasets

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// puOf20 has 4 labeled (examples 0–3) and 20 unlabeled examples (4–23).
func puOf20(t *testing.T) *PU {
	t.Helper()
	return newPU(t, twenty(), SplitConfig{Positive: []int{1, 3}, Labeled: 4, Seed: 1})
}

func newBatches(t *testing.T, pu *PU, cfg BatchConfig) *Batches {
	t.Helper()
	return expect.Must(NewBatches(pu, cfg))(t)
}

// rows concatenates the batches of the steps 0 to n-1.
func rows(b *Batches, n int) []int {
	var all []int
	for step := range n {
		all = append(all, b.Rows(step)...)
	}
	return all
}

// wantPermutation fails unless got holds each of lo to hi-1 once.
func wantPermutation(t *testing.T, got []int, lo, hi int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(got))
	for i, n := range sorted {
		if len(sorted) != hi-lo || n != lo+i {
			t.Errorf("%v is not a permutation of %d to %d", got, lo, hi-1)
			return
		}
	}
}

// A run resumed after an upgrade must get the same batches: these rows must never change.
func TestBatchesGolden(t *testing.T) {
	natural := newBatches(t, puOf20(t), BatchConfig{Size: 5, Seed: 3})
	expect.Equal(t, natural.Rows(9), []int{11, 6, 5, 14, 8}, "share 0: step 9")
	shared := newBatches(t, puOf20(t), BatchConfig{Size: 5, Share: 0.4, Seed: 3})
	expect.Equal(t, shared.Rows(9), []int{0, 2, 7, 16, 11}, "share 0.4: step 9")
}

func TestBatchesEpochs(t *testing.T) {
	t.Run("share 0", func(t *testing.T) {
		// 24 examples in batches of 5: five epochs take 24 steps.
		all := rows(newBatches(t, puOf20(t), BatchConfig{Size: 5, Seed: 3}), 24)
		for epoch := range 5 {
			wantPermutation(t, all[24*epoch:24*(epoch+1)], 0, 24)
		}
		expect.That(t, !slices.Equal(all[:24], all[24:48]), "two epochs in the same order")
	})
	t.Run("share 0.4", func(t *testing.T) {
		// Batches of 2 labeled and 3 unlabeled: 20 steps are three epochs of the unlabeled and ten of the labeled
		// examples.
		var labeled, unlabeled []int
		b := newBatches(t, puOf20(t), BatchConfig{Size: 5, Share: 0.4, Seed: 3})
		for step := range 20 {
			r := b.Rows(step)
			labeled = append(labeled, r[:2]...)
			unlabeled = append(unlabeled, r[2:]...)
		}
		for epoch := range 10 {
			wantPermutation(t, labeled[4*epoch:4*(epoch+1)], 0, 4)
		}
		for epoch := range 3 {
			wantPermutation(t, unlabeled[20*epoch:20*(epoch+1)], 4, 24)
		}
	})
}

// Steps may be requested in any order, from a new value or concurrently: a batch depends only on its number.
func TestBatchesDependOnTheStepAlone(t *testing.T) {
	for _, share := range []float64{0, 0.4} {
		cfg := BatchConfig{Size: 7, Share: share, Seed: 9}
		want := rows(newBatches(t, puOf20(t), cfg), 40)
		b := newBatches(t, puOf20(t), cfg)
		for _, step := range []int{39, 0, 17, 16, 17, 2, 38} {
			expect.Equal(t, b.Rows(step), want[7*step:7*step+7], "share %v, step %d out of order", share, step)
			expect.Equal(t, newBatches(t, puOf20(t), cfg).Rows(step),
				want[7*step:7*step+7], "share %v, step %d taken up afresh", share, step)
		}
		var wg sync.WaitGroup
		for step := range 40 {
			wg.Go(func() {
				expect.Equal(t, b.Rows(step), want[7*step:7*step+7], "share %v, step %d in parallel", share, step)
			})
		}
		wg.Wait()
	}
}

func TestBatchContent(t *testing.T) {
	images := six()
	pu := newPU(t, images, SplitConfig{Positive: []int{2}, Labeled: 1, Setting: SingleDataset, Seed: 4})
	b := newBatches(t, pu, BatchConfig{Size: 4, Share: 0.25, Seed: 2})
	if h, w, c := b.ImageShape(); h != 1 || w != 2 || c != 1 || b.Size() != 4 {
		t.Errorf("size %d, shape %d×%d×%d, want 4, 1×2×1", b.Size(), h, w, c)
	}
	for step := range 5 {
		pixels, labeled := expect.Must2(b.Batch(step))(t)
		var want []uint8
		for _, example := range b.Rows(step) {
			row := pu.Index[example]
			want = append(want, uint8(10*row), uint8(10*row+1))
		}
		expect.That(t, slices.Equal(pixels, want), "step %d: pixels %v, want %v", step, pixels, want)
		expect.That(t, slices.Equal(labeled, []bool{true, false, false, false}), "step %d: labeled %v", step, labeled)
		pixels[0] = 255
		expect.That(t, images.Pixels[0] != 255, "the pixels of a batch are the set's own")
	}
}

func TestStepsPerEpoch(t *testing.T) {
	for _, tt := range []struct {
		cfg  BatchConfig
		want int
	}{
		{BatchConfig{Size: 24}, 1},
		{BatchConfig{Size: 12}, 2},
		{BatchConfig{Size: 11}, 3},
		{BatchConfig{Size: 5, Share: 0.4}, 7}, // 20 unlabeled, 3 per step
		{BatchConfig{Size: 6, Share: 0.3}, 5}, // round(1.8) = 2 labeled, 4 unlabeled per step
		{BatchConfig{Size: 25, Share: 0.2}, 1},
	} {
		b := newBatches(t, puOf20(t), tt.cfg)
		expect.Equal(t, b.StepsPerEpoch(), tt.want, "%+v: steps", tt.cfg)
		seen := map[int]bool{}
		for _, example := range rows(b, tt.want) {
			seen[example] = true
		}
		for example := range 24 {
			expect.That(t, tt.cfg.Share != 0 && example < 4 || seen[example],
				"%+v: example %d not drawn in %d steps", tt.cfg, example, tt.want)
		}
	}
}

// If a batch has more labeled places than there are labeled positives, they take turns.
func TestBatchesRepeatFewLabeled(t *testing.T) {
	b := newBatches(t, puOf20(t), BatchConfig{Size: 20, Share: 0.5, Seed: 6}) // ten places for four
	counts := map[int]int{}
	for _, example := range b.Rows(3)[:10] {
		counts[example]++
	}
	for example := range 4 {
		n := counts[example]
		expect.That(t, n >= 2 && n <= 4, "labeled example %d occurs %d times in ten places for four", example, n)
	}
	expect.That(t, len(counts) == 4, "examples %v in the labeled places, want 0 to 3", counts)
}

func TestNewBatchesErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  BatchConfig
		want []string
	}{
		{"negative size", BatchConfig{Size: -1}, []string{"-1"}},
		{"too large", BatchConfig{Size: 25}, []string{"25 examples", "only 24"}},
		{"too large by default", BatchConfig{}, []string{"256 examples", "only 24"}},
		{"negative share", BatchConfig{Size: 4, Share: -0.1}, []string{"-0.1"}},
		{"share 1", BatchConfig{Size: 4, Share: 1}, []string{"share of 1", "less than 1"}},
		{"share not a number", BatchConfig{Size: 4, Share: math.NaN()}, []string{"NaN"}},
		{"no labeled place", BatchConfig{Size: 4, Share: 0.1}, []string{"0 labeled", "4 unlabeled"}},
		{"no unlabeled place", BatchConfig{Size: 4, Share: 0.9}, []string{"4 labeled", "0 unlabeled"}},
		{"too few unlabeled", BatchConfig{Size: 28, Share: 0.25}, []string{"21 unlabeled", "only 20"}},
	} {
		t.Run(tt.name, func(t *testing.T) { expect.Error(t, expect.Err(NewBatches(puOf20(t), tt.cfg)), tt.want...) })
	}
	t.Run("nothing labeled", func(t *testing.T) {
		_, err := NewBatches(newPU(t, twenty(), SplitConfig{Positive: []int{1}}), BatchConfig{Size: 4, Share: 0.5})
		expect.Error(t, err, "none is labeled")
	})
	t.Run("no data", func(t *testing.T) {
		expect.Error(t, expect.Err(NewBatches(nil, BatchConfig{Size: 4})), "no PU data")
	})
}

func TestBatchesNegativeStepPanics(t *testing.T) {
	defer func() { expect.That(t, recover() != nil, "step -1 did not panic") }()
	newBatches(t, puOf20(t), BatchConfig{Size: 4}).Rows(-1)
}

func TestBatchesSayWhatTheyAre(t *testing.T) {
	b := newBatches(t, puOf20(t), BatchConfig{Size: 8, Share: 0.25, Seed: 7})
	want := puOf20(t).String() + "; batches of 8, share of labeled 0.25, seed 7"
	expect.Equal(t, b.String(), want)
}

// Two goroutines at the border of two epochs must not make each other recompute permutations.
func TestOrderKeepsTwoEpochs(t *testing.T) {
	o := &order{count: 10, seed: 1, stream: allStream}
	out := make([]int, 10)
	o.fill(out, 0)
	o.fill(out, 10)
	first, second := &o.kept[0].numbers[0], &o.kept[1].numbers[0]
	o.fill(out, 5)
	o.fill(out, 15-10)
	expect.That(t, first == &o.kept[0].numbers[0] && second == &o.kept[1].numbers[0],
		"a permutation was computed again")
	o.fill(out, 20)
	expect.That(t, first != &o.kept[0].numbers[0] && o.kept[0].epoch == 2, "epoch 2 is not kept")
}

func TestScheduleOfASplit(t *testing.T) {
	s := newSplit(t, SplitConfig{Positive: []int{1, 3}, Draw: Independent,
		Propensity: func(int) float64 { return 0.2 }, Seed: 1})
	schedule := expect.Must(NewSchedule(s, BatchConfig{Size: 10, Share: 0.2, Seed: 4}))(t)
	for step := range 30 {
		for i, row := range schedule.Rows(step) {
			expect.Require(t, s.Labeled[row] == (i < 2),
				"step %d: example %d is labeled: %v", step, row, s.Labeled[row])
		}
	}
	expect.Error(t, expect.Err(NewSchedule(nil, BatchConfig{})), "no PU data")
}
