package pucl

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

type puplVector struct {
	Labeled, Unlabeled       [][]float64
	ExpectedSeedingPotential float64 `json:"expected_seeding_potential"`
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

func TestPUPLVectors(t *testing.T) {
	for _, path := range vectorFiles(t, "pupl") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v puplVector
			readJSON(t, path, &v)
			labeled, unlabeled := dense(v.Labeled), dense(v.Unlabeled)
			weights := SeedingWeights(labeled, unlabeled)
			total := 0.0
			for _, w := range weights {
				total += w
			}
			expected := 0.0
			for _, run := range v.Runs {
				near(t, "probability", weights[run.Index]/total, run.Probability, 1e-12)
				c, err := PUPLFrom(labeled, unlabeled, run.Index)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "seeding potential", c.SeedingPotential, run.SeedingPotential, 1e-12)
				near(t, "potential", c.Potential, run.Potential, 1e-12)
				near(t, "constrained potential", c.ConstrainedPotential, run.ConstrainedPotential, 1e-12)
				for k := range c.Positive {
					near(t, "positive centre", c.Positive[k], run.CenterPositive[k], 1e-12)
					near(t, "negative centre", c.Negative[k], run.CenterNegative[k], 1e-12)
				}
				for i, l := range run.Labels {
					if c.Labels[i] != (l == 1) {
						t.Errorf("start %d: label of row %d is %v", run.Index, i, c.Labels[i])
					}
				}
				if !c.Converged {
					t.Errorf("start %d did not converge", run.Index)
				}
				expected += run.Probability * c.SeedingPotential
			}
			near(t, "expected seeding potential", expected, v.ExpectedSeedingPotential, 1e-12)
		})
	}
}

// Every start must come up as often as its squared distance says.
func TestPUPLDrawsBySquaredDistance(t *testing.T) {
	labeled, unlabeled := dense([][]float64{{0}}), dense([][]float64{{0}, {1}, {2}, {3}}) // weights 0, 1, 4, 9
	rng := rand.New(rand.NewPCG(1, 2))
	var counts [4]float64
	const draws = 20000
	for range draws {
		c, err := PUPL(labeled, unlabeled, rng)
		if err != nil {
			t.Fatal(err)
		}
		counts[c.Seed]++
	}
	if counts[0] != 0 {
		t.Errorf("the row on the positive centre was drawn %g times", counts[0])
	}
	for i, want := range []float64{0, 1.0 / 14, 4.0 / 14, 9.0 / 14} {
		if sd := math.Sqrt(want * (1 - want) / draws); !(math.Abs(counts[i]/draws-want) <= 4.5*sd) {
			t.Errorf("row %d drawn with frequency %g, want %g", i, counts[i]/draws, want)
		}
	}
}

// On the line of the conformance file one start in three ends at the higher of two potentials, 16.75 instead of 16; with
// restarts the lower one must come out.
func TestRestartsKeepTheLowestPotential(t *testing.T) {
	labeled, unlabeled := dense([][]float64{{0}, {1}}), dense([][]float64{{2}, {4}, {5}, {9}})
	worse := 0
	for seed := range uint64(20) {
		once, err := PUPL(labeled, unlabeled, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if once.Potential > 16.5 {
			worse++
		}
		best, err := PUPLRestarts(labeled, unlabeled, rand.New(rand.NewPCG(seed, 1)), 30)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "potential", best.Potential, 16, 1e-12)
	}
	if worse == 0 {
		t.Error("single starts never ended higher, so this test shows nothing")
	}
	if _, err := PUPLRestarts(labeled, unlabeled, rand.New(rand.NewPCG(1, 1)), 0); err == nil {
		t.Error("no start at all was accepted")
	}
}

// The labeled point at 10 lies nearer to the negative centre: Algorithm 1B keeps it, the pseudo code lets it go.
func TestTheTwoVariantsDiffer(t *testing.T) {
	labeled, unlabeled := dense([][]float64{{0}, {0}, {0}, {10}}), dense([][]float64{{0}, {11}, {11}, {11}})
	a, err := PUPLFrom(labeled, unlabeled, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := PUPLPseudoCode(labeled, unlabeled)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Algorithm 1B, positive centre", a.Positive[0], 2, 1e-12)
	near(t, "Algorithm 1B, negative centre", a.Negative[0], 11, 1e-12)
	if a.Labeled[3] {
		t.Error("Labeled should say that the point at 10 is nearer to the negative centre")
	}
	near(t, "pseudo code, positive centre", b.Positive[0], 0, 1e-12)
	near(t, "pseudo code, negative centre", b.Negative[0], 43.0/4, 1e-12)
	if b.Seed != -1 || b.Labeled[3] || !b.Labeled[0] {
		t.Errorf("pseudo code: seed %d, labeled rows %v", b.Seed, b.Labeled)
	}
}

// Enough rows for several spans, odd dimensions, and a plain two-means beside it.
func TestPUPLAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const k = 7
	labeled, unlabeled := dense(randomRows(rng, 5, k)), dense(randomRows(rng, 2*spanRows+100, k))
	c, err := PUPLFrom(labeled, unlabeled, 17)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := unlabeled.Dims()
	distance := func(x, y []float64) (sum float64) {
		for j := range x {
			sum += (x[j] - y[j]) * (x[j] - y[j])
		}
		return sum
	}
	p, q := make([]float64, k), append([]float64(nil), unlabeled.RawRowView(17)...)
	for i := range 5 {
		for j := range p {
			p[j] += labeled.At(i, j) / 5
		}
	}
	labels := make([]bool, n)
	for range c.Iterations + 1 {
		for i := range labels {
			labels[i] = distance(unlabeled.RawRowView(i), p) <= distance(unlabeled.RawRowView(i), q)
		}
		sumP, sumQ, countP, countQ := make([]float64, k), make([]float64, k), 5.0, 0.0
		for j := range sumP {
			for i := range 5 {
				sumP[j] += labeled.At(i, j)
			}
		}
		for i, l := range labels {
			to, count := sumQ, &countQ
			if l {
				to, count = sumP, &countP
			}
			*count++
			for j := range to {
				to[j] += unlabeled.At(i, j)
			}
		}
		for j := range p {
			p[j], q[j] = sumP[j]/countP, sumQ[j]/countQ
		}
	}
	potential := 0.0
	for i := range 5 {
		potential += min(distance(labeled.RawRowView(i), p), distance(labeled.RawRowView(i), q))
	}
	for i := range labels {
		potential += min(distance(unlabeled.RawRowView(i), p), distance(unlabeled.RawRowView(i), q))
		if labels[i] != c.Labels[i] {
			t.Fatalf("label of row %d differs", i)
		}
	}
	near(t, "potential", c.Potential, potential, 1e-12)
	for j := range p {
		near(t, "positive centre", c.Positive[j], p[j], 1e-9)
		near(t, "negative centre", c.Negative[j], q[j], 1e-9)
	}
}

func BenchmarkPUPL(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	labeled, unlabeled := dense(randomRows(rng, 1000, 128)), dense(randomRows(rng, 60000, 128))
	rounds := 0
	for b.Loop() {
		c, err := PUPLFrom(labeled, unlabeled, 0)
		if err != nil {
			b.Fatal(err)
		}
		rounds += c.Iterations
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(rounds), "ms/round")
}

func TestPUPLRefusals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		name string
		run  func() error
		want string
	}{
		{"collapsed", func() error { _, err := PUPL(dense([][]float64{{1}}), dense([][]float64{{1}, {1}}), rng); return err }, "collapsed"},
		{"empty", func() error { _, err := PUPL(&mat.Dense{}, dense([][]float64{{1}}), rng); return err }, "at least one"},
		{"dimension", func() error { _, err := PUPL(dense([][]float64{{1}}), dense([][]float64{{1, 2}}), rng); return err }, "1 entries"},
		{"seed row", func() error { _, err := PUPLFrom(dense([][]float64{{1}}), dense([][]float64{{2}}), 1); return err }, "row 1"},
	} {
		if err := tt.run(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v lacks %q", tt.name, err, tt.want)
		}
	}
}
