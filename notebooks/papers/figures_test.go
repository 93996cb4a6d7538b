package papers

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Every claim of a figure is about runs that its grid has at size laptop or paper, and about heads that these have.
func TestClaimsOfFigures(t *testing.T) {
	for _, of := range claimedByFigures() {
		name, claims := of.grid, of.list
		at, some, seen := map[experiment.Size]int{}, map[int]bool{}, map[Claim]bool{}
		for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
			grid, err := Find(name, size)
			if err != nil {
				t.Fatal(err)
			}
			cells := &experiment.Cells{}
			for _, run := range grid.Runs {
				cells.Standings = append(cells.Standings, experiment.Standing{Run: run, State: experiment.Missing})
			}
			for i, c := range claims {
				if !c.has(cells) {
					continue
				}
				at[size]++
				some[i], seen[c] = true, true
				for _, s := range func() []experiment.Series { a, b := c.series(); return []experiment.Series{a, b} }() {
					heads := []string{Neighbors, Ceiling} // of watched runs
					if config, ok := cells.Runs(s.Setting, s.Method)[0].Run.Config.(Contrastive); ok {
						if heads = config.Heads; heads == nil {
							heads = Heads()
						}
						if config.Neighbors > 0 {
							heads = append(slices.Clone(heads), Neighbors)
						}
					}
					if !slices.Contains(heads, s.Head) || c.Source == "" {
						t.Errorf("%s: %q has no head %q", name, s, s.Head)
					}
				}
			}
		}
		if at[experiment.Laptop] == 0 || at[experiment.Paper] == 0 || len(some) != len(claims) || len(seen) != len(claims) {
			t.Errorf("%s: of %d claims %d are about runs of size laptop and %d of size paper", name, len(claims), at[experiment.Laptop], at[experiment.Paper])
		}
	}
}

// What the three figures train on laptop: ssCL once for all shares, and nothing beside the shared runs for figure 9.
func TestRunsOfFigures(t *testing.T) {
	for name, want := range map[string]map[string]int{
		figure1: {"ssCL": 3, "SCL-PU": 15, "PUCL": 15},
		figure9: {"ssCL": 3 + 10, "SCL-PU": 15 + 10, "PUCL": 15 + 10},
		figure10: {"ssCL": 3, "SCL-PU": 15, "PUCL": 15, "MCL, λ = 0.25": 9, "MCL, λ = 0.5": 9, "MCL, λ = 0.75": 9, "DCL, τ⁺ = 0.1": 3,
			"DCL, τ⁺ = 0.3": 3, "DCL, τ⁺ = 0.5": 3, "DCL, τ⁺ = 0.7": 3, "DCL, τ⁺ = 0.9": 3},
	} {
		grid, err := Find(name, experiment.Laptop)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, run := range grid.Runs {
			got[run.Method]++
		}
		for method, n := range want {
			if got[method] != n {
				t.Errorf("%s: %d runs of %s, want %d", name, got[method], method, n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: methods %v", name, got)
		}
	}
}

// In every setting so many images are labeled that a positive one stays unlabeled, whose true share is that of the name but for rounding
// and where there are not so many positives.
func TestShares(t *testing.T) {
	for _, size := range sizes {
		list, err := supervised(size)
		if err != nil {
			t.Fatal(err)
		}
		dogs, err := overShares(paperDogsAndCats(), "CIFAR-0", dogShares)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range append(list, dogs...) {
			positives, all := s.Data.counts(s.benchmark)
			share := float64(s.Data.Labeled) / (0.9 * all)
			named := math.NaN()
			for _, x := range append(append(Shares(), 0), dogShares...) {
				if strings.HasSuffix(s.Name, ShareAt("", x)) {
					named = x
				}
			}
			if off := share - named; !(math.Abs(off) < 1e-4 || named == 0.5 && off < 0 && off > -0.02) || float64(s.Data.Labeled) > 0.991*0.9*positives {
				t.Errorf("%s: %s labels %d of %g, %g of them positive", size, s.Name, s.Data.Labeled, 0.9*all, 0.9*positives)
			}
			if !s.Data.Single || s.Batch.Share != 0 {
				t.Errorf("%s: %+v, %+v", s.Name, s.Data, s.Batch)
			}
		}
	}
}

// The data of size smoke can be had, with each share of labels: the images of six classes, of which half are positive.
func TestSingleData(t *testing.T) {
	list, err := supervised(experiment.Smoke)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		o, err := s.Data.open(1)
		if err != nil {
			t.Fatal(err)
		}
		labeled, positive, n := 0, 0, o.train.images.Len()
		for i, l := range o.train.Labeled {
			if o.train.Positive[i] {
				positive++
			}
			if l {
				labeled++
				if !o.train.Positive[i] {
					t.Fatalf("%s: example %d is labeled and negative", s.Name, i)
				}
			}
		}
		if labeled != s.Data.Labeled || len(o.train.Labeled) != 6*720 || len(o.truth) != 6*200 || n != 7200 || positive != len(o.train.Labeled)/2 {
			t.Errorf("%s: %d of %d examples of %d images are labeled, want %d; %d are positive, and of %d test images some", s.Name, labeled,
				len(o.train.Labeled), n, s.Data.Labeled, positive, len(o.truth))
		}
		if err := o.close(); err != nil {
			t.Error(err)
		}
	}
}
