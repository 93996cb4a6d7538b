package theory

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The conformance files of PUPL, made by other programs in float64.
func TestRationalPUPLVectors(t *testing.T) {
	type vector struct {
		Labeled, Unlabeled       [][]float64
		ExpectedSeedingPotential float64 `json:"expected_seeding_potential"`
		OptimalPotential         float64 `json:"optimal_potential"`
		Runs                     []struct {
			Index                int `json:"second_center_index"`
			Probability          float64
			SeedingPotential     float64   `json:"seeding_potential"`
			CenterPositive       []float64 `json:"center_positive"`
			CenterNegative       []float64 `json:"center_negative"`
			Labels               []int
			Potential            float64
			ConstrainedPotential float64 `json:"constrained_potential"`
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "vectors", "pupl*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pupl*.json in testdata/vectors: %v", err)
	}
	if folder := os.Getenv("PUCL_VECTORS"); folder != "" { // it may hold none of this form
		more, err := filepath.Glob(filepath.Join(folder, "pupl*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var v vector
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			labeled, err := Rationals(v.Labeled)
			if err != nil {
				t.Fatal(err)
			}
			unlabeled, err := Rationals(v.Unlabeled)
			if err != nil {
				t.Fatal(err)
			}
			s, err := EnumerateRationalSeeding(labeled, unlabeled)
			if err != nil {
				t.Fatal(err)
			}
			seeded, _ := s.Expected()
			near(t, "expected", decimal(seeded.Free), v.ExpectedSeedingPotential, 1e-12)
			near(t, "optimal", decimal(s.Optimal), v.OptimalPotential, 1e-12)
			if len(s.Starts) != len(v.Runs) {
				t.Fatalf("%d starts, the file has %d", len(s.Starts), len(v.Runs))
			}
			for i, run := range v.Runs {
				got := s.Starts[i]
				last := got.Rounds[len(got.Rounds)-1]
				near(t, "probability", decimal(got.Probability), run.Probability, 1e-12)
				near(t, "seeding potential", decimal(got.Rounds[0].Free), run.SeedingPotential, 1e-12)
				near(t, "potential", decimal(last.Free), run.Potential, 1e-12)
				near(t, "constrained potential", decimal(last.Constrained), run.ConstrainedPotential, 1e-12)
				for k := range run.CenterPositive {
					near(t, "positive centre", decimal(got.Positive[k]), run.CenterPositive[k], 1e-12)
					near(t, "negative centre", decimal(got.Negative[k]), run.CenterNegative[k], 1e-12)
				}
				for j, label := range run.Labels {
					if got.Seed != run.Index || got.Labels[j] != (label == 1) {
						t.Errorf("start %d: seed %d, labels %v", run.Index, got.Seed, got.Labels)
					}
				}
			}
		})
	}
}

// Labeled 0 and 3, unlabeled 0 and 1, started at the unlabeled 0, so that μ_P = 3/2. The unlabeled 1 joins the positives and
// draws μ_P away from 3, while the labeled 0 goes on being charged to μ_N = 0.
func TestARoundCanRaiseDefinition6(t *testing.T) {
	c, err := RationalPUPLFrom(RationalLine(0, 3), RationalLine(0, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	// Definition 6 before: 0 to μ_N 0, 3 to μ_P 9/4, unlabeled 0 and ¼. Afterwards μ_P = 4/3: 0, 25/9, 0 and 1/9.
	// With the labeled rows charged to μ_P: 9/4 + 9/4 + ¼ before, 16/9 + 25/9 + 1/9 after.
	want := []RationalPotentials{{big.NewRat(5, 2), big.NewRat(19, 4)}, {big.NewRat(26, 9), big.NewRat(14, 3)}}
	if len(c.Rounds) != len(want) || !c.Converged {
		t.Fatalf("%d rounds, converged %v", len(c.Rounds), c.Converged)
	}
	for i, round := range c.Rounds {
		equalRat(t, "Definition 6", round.Free, want[i].Free)
		equalRat(t, "constrained", round.Constrained, want[i].Constrained)
	}
	for i, want := range [][2]*big.Rat{{big.NewRat(3, 2), new(big.Rat)}, {big.NewRat(4, 3), new(big.Rat)}} {
		equalRat(t, "μ_P on the path", c.Path[i][0][0], want[0])
		equalRat(t, "μ_N on the path", c.Path[i][1][0], want[1])
	}
	equalRat(t, "after seeding", c.Seeded().Free, want[0].Free)
	equalRat(t, "at rest", c.Settled().Free, want[1].Free)
	equalRat(t, "μ_P", c.Positive[0], big.NewRat(4, 3))
	equalRat(t, "μ_N, the second center", c.Centers()[1][0], new(big.Rat))
	if !slices.Equal(c.Labels, []bool{false, true}) || !slices.Equal(c.Labeled, []bool{false, true}) || c.Tied {
		t.Errorf("labels %v, labeled %v, tied %v", c.Labels, c.Labeled, c.Tied)
	}
}
