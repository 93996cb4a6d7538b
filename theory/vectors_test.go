package theory

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

// TestVectors compares the package with the conformance files of the folder $PUCL_VECTORS, or with the copies in
// testdata: numbers computed independently in float64. Files of other forms in that folder belong to other packages.
func TestVectors(t *testing.T) {
	dir := os.Getenv("PUCL_VECTORS")
	if dir == "" {
		dir = filepath.Join("testdata", "vectors")
	}
	found := 0
	for word, check := range map[string]func(*testing.T, []byte){"population": checkPopulationFile, "pupl": checkPUPLFile} {
		files := expect.Must(filepath.Glob(filepath.Join(dir, word+"*.json")))(t)
		found += len(files)
		for _, path := range files {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
				data := expect.Must(os.ReadFile(path))(t)
				check(t, data)
			})
		}
	}
	if found == 0 {
		t.Errorf("no population*.json or pupl*.json in %s; PUCL_VECTORS must name a folder of conformance files by its absolute path", dir)
	}
}

func checkPopulationFile(t *testing.T, data []byte) {
	var v struct {
		Temperature        float64
		ClassPrior         float64 `json:"class_prior"`
		Labeled, Unlabeled int
		Views              string
		Population         Population
		Ideal              struct {
			Attraction   float64
			LogPartition float64 `json:"log_partition"`
			Negatives    int
			Loss         float64
		}
		Objectives map[string]struct {
			AttractionMean     float64 `json:"attraction_mean"`
			AttractionVariance float64 `json:"attraction_variance"`
			LogPartitionMean   float64 `json:"log_partition_mean"`
			LossMean           float64 `json:"loss_mean"`
			LossVariance       float64 `json:"loss_variance"`
		}
	}
	expect.NoError(t, json.Unmarshal(data, &v))
	d := Design{Labeled: v.Labeled, Unlabeled: v.Unlabeled, Prior: v.ClassPrior}
	switch v.Views {
	case "independent":
		d.SameView = IndependentViews
	case "identical":
		d.SameView = IdenticalViews
	default:
		t.Fatalf("views are %q; only independent and identical are known", v.Views)
	}
	expect.That(t, d.Negatives() == v.Ideal.Negatives, "%d negatives, want %d", d.Negatives(), v.Ideal.Negatives)
	ideal := expect.Must(IdealLoss(v.Population, v.ClassPrior, v.Ideal.Negatives, v.Temperature))(t)
	near(t, "ideal attraction", ideal.Attraction.Value, v.Ideal.Attraction, 1e-9)
	near(t, "ideal log partition", ideal.LogPartition.Value, v.Ideal.LogPartition, 1e-9)
	near(t, "ideal loss", ideal.Loss.Value, v.Ideal.Loss, 1e-9)

	checked := 0
	for _, o := range paperObjectives() {
		want, ok := v.Objectives[o.Name]
		if !ok {
			continue
		}
		checked++
		r := expect.Must(meterOf(t, o, v.Temperature).Exact(v.Population, d))(t)
		near(t, o.Name+": mean attraction", r.Attraction.Mean.Value, want.AttractionMean, 1e-9)
		near(t, o.Name+": variance of the attraction", r.Attraction.Variance.Value, want.AttractionVariance, 1e-9)
		near(t, o.Name+": mean log partition", r.LogPartition.Mean.Value, want.LogPartitionMean, 1e-9)
		near(t, o.Name+": mean loss", r.Loss.Mean.Value, want.LossMean, 1e-9)
		near(t, o.Name+": variance of the loss", r.Loss.Variance.Value, want.LossVariance, 1e-9)
		near(t, o.Name+": bias", r.Bias.Value, want.LossMean-v.Ideal.Loss, 1e-9)
	}
	expect.That(t, checked != 0 && checked == len(v.Objectives),
		"%d of the file's %d objectives were checked", checked, len(v.Objectives))
}

// checkPUPLFile compares the exact starts. The tests of package cluster compare the float ones with the same files.
func checkPUPLFile(t *testing.T, data []byte) {
	var v struct {
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
	expect.NoError(t, json.Unmarshal(data, &v))
	// In exact arithmetic; the starts are those of the file in its order.
	labeled, unlabeled := expect.Must(Rationals(v.Labeled))(t), expect.Must(Rationals(v.Unlabeled))(t)
	exact := expect.Must(EnumerateRationalSeeding(labeled, unlabeled))(t)
	seeded, _ := exact.Expected()
	near(t, "expected, exactly", decimal(seeded.Free), v.ExpectedSeedingPotential, 1e-12)
	near(t, "optimal, exactly", decimal(exact.Optimal), v.OptimalPotential, 1e-12)
	expect.Require(t, len(exact.Starts) == len(v.Runs), "%d starts, the file has %d", len(exact.Starts), len(v.Runs))
	for i, run := range v.Runs {
		got := exact.Starts[i]
		near(t, "probability", decimal(got.Probability), run.Probability, 1e-12)
		near(t, "seeding potential", decimal(got.Seeded().Free), run.SeedingPotential, 1e-12)
		near(t, "potential", decimal(got.Settled().Free), run.Potential, 1e-12)
		near(t, "constrained potential", decimal(got.Settled().Constrained), run.ConstrainedPotential, 1e-12)
		for k := range run.CenterPositive {
			near(t, "positive center", decimal(got.Positive[k]), run.CenterPositive[k], 1e-12)
			near(t, "negative center", decimal(got.Negative[k]), run.CenterNegative[k], 1e-12)
		}
		for j, label := range run.Labels {
			expect.That(t, got.Seed == run.Index && got.Labels[j] == (label == 1),
				"start %d: seed %d, labels %v", run.Index, got.Seed, got.Labels)
		}
	}
}

// stack returns the rows of both kinds in one matrix, labeled ones first, and marks the labeled ones.
func stack(labeled, unlabeled [][]float64) (*mat.Dense, []bool) {
	mask := make([]bool, len(labeled)+len(unlabeled))
	for i := range labeled {
		mask[i] = true
	}
	return dense(slices.Concat(labeled, unlabeled)), mask
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}
