package tabular

import (
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

// twelve returns a table of 12 rows of 3 features, 100·column + row, of the classes 0 and 1 in turn.
func twelve() *Table {
	x := &Table{Features: mat.NewDense(12, 3, nil), Classes: []string{"no", "yes"}}
	for i := range 12 {
		for j := range 3 {
			x.Features.Set(i, j, float64(100*j+i))
		}
		x.Labels = append(x.Labels, i%2)
	}
	return x
}

func split(t *testing.T, x *Table, cfg datasets.SplitConfig) *datasets.Split {
	t.Helper()
	return expect.Must(datasets.NewSplit(x.Labels, x.Classes, cfg))(t)
}

func newBatches(t *testing.T, x *Table, s *datasets.Split, c *Corruption, cfg datasets.BatchConfig) *Batches {
	t.Helper()
	return expect.Must(NewBatches(x, s, c, cfg))(t)
}

// With values from far away, replacements are visible: everything else must be the row from the schedule, in both
// views.
func TestBatchesShowTheRowsOfTheSchedule(t *testing.T) {
	x := twelve()
	s := split(t, x, datasets.SplitConfig{Positive: []int{1}, Labeled: 3, Setting: datasets.SingleDataset, Seed: 2})
	far := mat.NewDense(2, 3, []float64{1000, 1100, 1200, 2000, 2100, 2200})
	for _, exact := range []bool{true, false} {
		c := expect.Must(NewCorruption(far, 0.5))(t) // ⌊0.5·3⌋ = 1 feature
		if exact {
			c = c.Exactly()
		}
		b := newBatches(t, x, s, c, datasets.BatchConfig{Size: 5, Share: 0.4, Seed: 3})
		expect.Require(t, b.Features() == 3 && b.Size() == 5, "%d features, batches of %d", b.Features(), b.Size())
		replaced, differ := 0, 0
		const steps = 200
		for step := range steps {
			views, labeled := b.Batch(step)
			expect.Require(t, len(views) == 2*5*3 && slices.Equal(labeled, []bool{true, true, false, false, false}),
				"step %d: %d numbers, labeled %v", step, len(views), labeled)
			for view := range 2 {
				for i, example := range b.Rows(step) {
					row := views[(view*5+i)*3:][:3]
					changed := 0
					for j, v := range row {
						switch v {
						case float32(100*j + s.Index[example]):
						case float32(1000 + 100*j), float32(2000 + 100*j):
							changed++
						default:
							t.Fatalf("step %d, view %d, row %d (%d of the table): %v", step, view, i, s.Index[example], row)
						}
					}
					expect.That(t, !exact || changed == 1,
						"step %d, view %d, row %d: %d features replaced, want 1", step, view, i, changed)
					replaced += changed
				}
			}
			if !slices.Equal(views[:15], views[15:]) {
				differ++
			}
		}
		// 6000 values, each replaced with probability 1/2: within 5 standard deviations (38.7) of the mean.
		expect.That(t, exact || math.Abs(float64(replaced)-3000) <= 194,
			"%d of 6000 values replaced, want half", replaced)
		expect.That(t, differ >= steps-2, "the two views are equal in %d of %d steps", steps-differ, steps)
	}
}

// Without a given corruption, values come only from the rows of the split.
func TestBatchesDrawFromTheSplit(t *testing.T) {
	x := twelve()
	x.Labels[10], x.Labels[11] = 2, 2 // left out below
	x.Classes = append(x.Classes, "other")
	s := split(t, x, datasets.SplitConfig{Positive: []int{1}, Negative: []int{0}, Labeled: 2})
	b := newBatches(t, x, s, nil, datasets.BatchConfig{Size: 8})
	seen := map[float32]bool{}
	for step := range 100 {
		views, _ := b.Batch(step)
		for i, v := range views {
			j := i % 3
			expect.Require(t, v >= float32(100*j) && v <= float32(100*j+9), "value %g in column %d", v, j)
			seen[v] = true
		}
	}
	expect.That(t, len(seen) == 30, "%d of 30 values occur", len(seen))
	want := s.String() + "; batches of 8, share of labeled 0, seed 0; views: each feature replaced by that of a random row " +
		"with probability 0.6"
	expect.That(t, b.String() == want, "%q, want %q", b, want)
	expect.Equal(t, b.corruption.Exactly().String(), "1 of 3 features replaced by those of random rows")
}

// A batch depends only on seed and step: out of order, from a new value, concurrently.
func TestBatchesOfFeaturesDependOnTheStepAlone(t *testing.T) {
	x := twelve()
	s := split(t, x, datasets.SplitConfig{Positive: []int{1}, Labeled: 3, Seed: 2})
	make := func(seed uint64) *Batches { return newBatches(t, x, s, nil, datasets.BatchConfig{Size: 6, Seed: seed}) }
	var want [][]float32
	for step := range 20 {
		views, _ := make(9).Batch(step)
		want = append(want, views)
	}
	b := make(9)
	var wg sync.WaitGroup
	for _, step := range []int{19, 0, 7, 6, 7, 12} {
		wg.Go(func() {
			got, _ := b.Batch(step)
			expect.That(t, slices.Equal(got, want[step]), "step %d: %v, want %v", step, got, want[step])
		})
	}
	wg.Wait()
	other, _ := make(10).Batch(4)
	expect.That(t, !slices.Equal(other, want[4]), "two seeds give the same batch")
	// The corruption depends on the step even if the rows are the same: here every batch is the whole set.
	c := expect.Must(NewCorruption(x.Features, 1))(t) // every value is drawn, for any order of the rows
	whole := newBatches(t, x, s, c, datasets.BatchConfig{Size: 15})
	a, _ := whole.Batch(0)
	next, _ := whole.Batch(1)
	expect.That(t, !slices.Equal(a, next), "two steps draw the same values")
}

func TestNewBatchesRefuses(t *testing.T) {
	x := twelve()
	s := split(t, x, datasets.SplitConfig{Positive: []int{1}, Labeled: 3})
	other := expect.Must(NewCorruption(mat.NewDense(1, 2, []float64{1, 2}), 0))(t)
	holed := expect.Must(NewCorruption(mat.NewDense(1, 3, []float64{1, math.NaN(), 2}), 0))(t)
	huge := twelve()
	huge.Features.Set(4, 1, 1e39)
	tiny := twelve()
	tiny.Features.Scale(1e-20, tiny.Features)
	few := twelve()
	few.Features = mat.DenseCopyOf(few.Features.Slice(0, 11, 0, 3))
	few.Labels = few.Labels[:11]
	ok := datasets.BatchConfig{Size: 4}
	for _, tt := range []struct {
		name  string
		table *Table
		split *datasets.Split
		c     *Corruption
		cfg   datasets.BatchConfig
		want  []string
	}{
		{"no table", nil, s, nil, ok, []string{"no features given"}},
		{"an empty table", &Table{}, s, nil, ok, []string{"no features given"}},
		{"a corruption without values", x, s, &Corruption{}, ok, []string{"no values", "NewCorruption"}},
		{"no split", x, nil, nil, ok, []string{"no PU data"}},
		{"too large", huge, s, nil, ok, []string{"feature 1 of row 4 is 1e+39", "Standardize"}},
		{"too small", tiny, s, nil, ok, []string{"feature 0 differ by 1.1e-19", "Standardize"}},
		{"hole in the corruption", x, s, holed, ok, []string{"feature 1 of row 0 is NaN"}},
		{"split of another table", few, s, nil, ok, []string{"classes of 12 examples", "there are 11"}},
		{"other features", x, s, other, ok, []string{"2 features", "table of 3"}},
		{"batch", x, s, nil, datasets.BatchConfig{Size: 99}, []string{"99 examples", "only 15"}},
	} {
		expect.Error(t, expect.Err(NewBatches(tt.table, tt.split, tt.c, tt.cfg)), tt.want...)
	}
	expect.Must(NewBatches(x, s, nil, ok))(t)
	constant := twelve()
	for i := range constant.Len() {
		constant.Features.Set(i, 0, 1e-20)
	}
	expect.Must(NewBatches(constant, s, nil, ok))(t)
}
