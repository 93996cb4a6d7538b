package cluster

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/internal/spans"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// stack returns the rows of both kinds in one matrix, labeled ones first, and the mask of labeled rows.
func stack(labeled, unlabeled [][]float64) (*mat.Dense, []bool) {
	all := slices.Concat(labeled, unlabeled)
	x, mask := mat.NewDense(len(all), len(all[0]), nil), make([]bool, len(all))
	for i, row := range all {
		x.SetRow(i, row)
		mask[i] = i < len(labeled)
	}
	return x, mask
}

// line returns points on a line; the first ones are labeled.
func line(labeled int, places ...float64) (*mat.Dense, []bool) {
	mask := make([]bool, len(places))
	for i := range labeled {
		mask[i] = true
	}
	return mat.NewDense(len(places), 1, places), mask
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for k := range want {
		vectortest.Near(t, what, got[k], want[k], tolerance)
	}
}

func TestVectors(t *testing.T) {
	for _, path := range vectortest.Files(t, filepath.Join("..", "testdata", "vectors"), "pupl") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var v struct {
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
			vectortest.ReadJSON(t, path, &v)
			x, labeled := stack(v.Labeled, v.Unlabeled)
			first := len(v.Labeled)
			weights := expect.Must(SeedingWeights(x, labeled))(t)
			expected := 0.0
			for _, run := range v.Runs {
				vectortest.Near(t, "probability", weights[first+run.Index]/floats.Sum(weights), run.Probability, 1e-12)
				c := expect.Must(From(x, labeled, first+run.Index))(t)
				vectortest.Near(t, "seeding potential", c.SeedingPotential, run.SeedingPotential, 1e-12)
				vectortest.Near(t, "potential", c.Potential, run.Potential, 1e-12)
				vectortest.Near(t, "constrained potential", c.ConstrainedPotential, run.ConstrainedPotential, 1e-12)
				near(t, "positive center", c.PositiveCenter, run.CenterPositive, 1e-12)
				near(t, "negative center", c.NegativeCenter, run.CenterNegative, 1e-12)
				for i, l := range run.Labels {
					expect.That(t, c.Positive[first+i] == (l == 1) && c.NearPositive[first+i] == (l == 1),
						"start %d: label of row %d is %v", run.Index, i, c.Positive[first+i])
				}
				expect.That(t, c.Converged && c.StartRow == first+run.Index,
					"start %d: converged %v, started at row %d", run.Index, c.Converged, c.StartRow)
				expected += run.Probability * c.SeedingPotential
			}
			vectortest.Near(t, "expected seeding potential", expected, v.ExpectedSeedingPotential, 1e-12)
		})
	}
}

// Every start is drawn with a frequency proportional to its squared distance.
func TestStartsAreDrawnBySquaredDistance(t *testing.T) {
	x, labeled := line(1, 0, 0, 1, 2, 3) // weights 0, 1, 4, 9
	var counts [5]float64
	const draws = 20000
	for _, c := range expect.Must(Starts(x, labeled, Config{Restarts: draws, Seed: 1}))(t) {
		counts[c.StartRow]++
	}
	expect.That(t, counts[0] == 0 && counts[1] == 0,
		"the labeled row was drawn %g times, the row beside it %g times", counts[0], counts[1])
	for i, want := range []float64{0, 1.0 / 14, 4.0 / 14, 9.0 / 14} {
		if sd := math.Sqrt(want * (1 - want) / draws); !(math.Abs(counts[1+i]/draws-want) <= 4.5*sd) {
			t.Errorf("row %d drawn with frequency %g, want %g", 1+i, counts[1+i]/draws, want)
		}
	}
}

// On the line of the conformance file one start in three ends at the higher of two potentials, 16.75 instead of 16.
// Restarts must find the lower one.
func TestRestartsKeepTheLowestPotential(t *testing.T) {
	x, labeled := line(2, 0, 1, 2, 4, 5, 9)
	worse := 0
	for seed := range uint64(20) {
		if once := expect.Must(PUPL(x, labeled, Config{Seed: seed}))(t); once.Potential > 16.5 {
			worse++
		}
		best := expect.Must(PUPL(x, labeled, Config{Restarts: 30, Seed: seed}))(t)
		vectortest.Near(t, "potential", best.Potential, 16, 1e-12)
	}
	expect.That(t, worse != 0, "single starts never ended higher, so this test shows nothing")
}

// The labeled point at 10 lies nearer to the negative center: Algorithm 1B keeps it positive, the pseudo code does not.
func TestTheTwoVariantsDiffer(t *testing.T) {
	x, labeled := line(4, 0, 0, 0, 10, 0, 11, 11, 11)
	a := expect.Must(From(x, labeled, 5))(t)
	b := expect.Must(PseudoCode(x, labeled))(t)
	near(t, "Algorithm 1B, centers", []float64{a.PositiveCenter[0], a.NegativeCenter[0]}, []float64{2, 11}, 1e-12)
	// Four points at 0 lie 2 from their center; the point at 10 lies 1 from the negative and 8 from the positive
	// center.
	vectortest.Near(t, "Algorithm 1B, potential", a.Potential, 4*4+1, 1e-12)
	vectortest.Near(t, "Algorithm 1B, constrained potential", a.ConstrainedPotential, 4*4+64, 1e-12)
	near(t, "pseudo code, centers", []float64{b.PositiveCenter[0], b.NegativeCenter[0]}, []float64{0, 43.0 / 4}, 1e-12)
	want := []bool{true, true, true, true, true, false, false, false}
	for name, c := range map[string]*Clustering{"Algorithm 1B": a, "pseudo code": b} {
		expect.That(t, slices.Equal(c.Positive, want), "%s: pseudo-labels %v", name, c.Positive)
		if c.NearPositive[3] || !c.NearPositive[0] {
			t.Errorf("%s: NearPositive should say that the point at 10 alone is nearer to the negative center: %v", name, c.NearPositive)
		}
	}
	expect.That(t, b.StartRow == -1, "pseudo code: started at row %d", b.StartRow)
}

// The centers start at 0 and 2, equally far from the unlabeled point at 1, which joins the positive one.
func TestTiesGoToThePositiveCenter(t *testing.T) {
	x, labeled := line(1, 0, 1, 2)
	c := expect.Must(From(x, labeled, 2))(t)
	expect.That(t, slices.Equal(c.Positive, []bool{true, true, false}), "pseudo-labels %v", c.Positive)
}

// The centers of the pseudo code start at ½ and 1 and move to 0 and 2. Then only the labeled point at 1 changes sides,
// and the centers move to ¼ and 3.
func TestPseudoCodeGoesOnWhileLabeledRowsMove(t *testing.T) {
	x, labeled := line(2, 0, 1, 0, 0, 3)
	c := expect.Must(PseudoCode(x, labeled))(t)
	near(t, "centers", []float64{c.PositiveCenter[0], c.NegativeCenter[0]}, []float64{0.25, 3}, 1e-12)
	expect.That(t, c.Iterations == 2 && c.Converged, "%d rounds, converged %v", c.Iterations, c.Converged)
}

// The labeled points are 0, 0 and 9, with mean 3. Two of them end with the center that starts at −4. That cluster
// becomes positive, and the unlabeled point at 10 is not in it.
func TestOrientTakesTheClusterWithTheLabels(t *testing.T) {
	x, labeled := line(3, 0, 0, 9, -4, -4, 10)
	c := expect.Must(From(x, labeled, 3))(t)
	centers := [][]float64{c.PositiveCenter, c.NegativeCenter}
	expect.Require(t, !c.Swapped && slices.Equal(c.NearPositive, []bool{false, false, true, false, false, true}),
		"before orienting: %+v", c)
	if !c.Orient(labeled) || !c.Swapped || &c.PositiveCenter[0] != &centers[1][0] || &c.NegativeCenter[0] != &centers[0][0] ||
		!slices.Equal(c.NearPositive, []bool{true, true, false, true, true, false}) ||
		!slices.Equal(c.Positive, []bool{true, true, true, true, true, false}) {
		t.Errorf("after orienting: %+v", c)
	}
	expect.That(t, !c.Orient(labeled), "oriented clusters were swapped again")
	for _, unoriented := range []bool{false, true} {
		starts := 0
		for _, c := range expect.Must(Starts(x, labeled, Config{Restarts: 9, Unoriented: unoriented}))(t) {
			if c.StartRow == 5 {
				continue
			}
			starts++
			expect.That(t, c.Swapped != unoriented, "Unoriented %v: swapped %v", unoriented, c.Swapped)
		}
		expect.That(t, starts != 0, "no start at −4 was drawn")
	}
}

// The positions of the labeled rows among the others make no difference.
func TestRowsInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	x, labeled := stack(randomRows(rng, 40, 3), randomRows(rng, 60, 3))
	// Both kinds keep their order, so that the same rows are drawn and summed in the same order.
	order, next := make([]int, 0, 100), [2]int{0, 40}
	for len(order) < 100 {
		kind := rng.IntN(2)
		if next[kind] == []int{40, 100}[kind] {
			kind = 1 - kind
		}
		order = append(order, next[kind])
		next[kind]++
	}
	mixed, mask := mat.NewDense(100, 3, nil), make([]bool, 100)
	for i, row := range order {
		mixed.SetRow(i, x.RawRowView(row))
		mask[i] = labeled[row]
	}
	a := expect.Must(PUPL(x, labeled, Config{Restarts: 3, Seed: 4}))(t)
	b := expect.Must(PUPL(mixed, mask, Config{Restarts: 3, Seed: 4}))(t)
	for i, row := range order {
		expect.Require(t, b.Positive[i] == a.Positive[row] && b.NearPositive[i] == a.NearPositive[row],
			"row %d of the mixed rows is labeled %v, row %d of the others %v", i, b.Positive[i], row, a.Positive[row])
	}
	if order[b.StartRow] != a.StartRow || b.Potential != a.Potential || !slices.Equal(b.PositiveCenter, a.PositiveCenter) {
		t.Errorf("mixed rows: %+v\nsorted rows: %+v", b, a)
	}
}

// PUPL equals plain two-means loops, for several spans of rows and odd dimensions.
func TestAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const k = 7
	x, labeled := stack(randomRows(rng, 5, k), randomRows(rng, 2*spans.Rows+100, k))
	c := expect.Must(From(x, labeled, 5+17))(t)
	distance := func(x, y []float64) (sum float64) {
		for j := range x {
			sum += (x[j] - y[j]) * (x[j] - y[j])
		}
		return sum
	}
	p, q := make([]float64, k), slices.Clone(x.RawRowView(5+17))
	for i := range 5 {
		for j := range p {
			p[j] += x.At(i, j) / 5
		}
	}
	labels := slices.Clone(labeled)
	for range c.Iterations + 1 {
		sumP, sumQ, countP, countQ := make([]float64, k), make([]float64, k), 0.0, 0.0
		for i := range labels {
			row := x.RawRowView(i)
			labels[i] = labeled[i] || distance(row, p) <= distance(row, q)
			to, count := sumQ, &countQ
			if labels[i] {
				to, count = sumP, &countP
			}
			*count++
			for j := range to {
				to[j] += row[j]
			}
		}
		for j := range p {
			p[j], q[j] = sumP[j]/countP, sumQ[j]/countQ
		}
	}
	potential := 0.0
	for i := range labels {
		potential += min(distance(x.RawRowView(i), p), distance(x.RawRowView(i), q))
	}
	expect.That(t, slices.Equal(labels, c.Positive), "labels differ")
	vectortest.Near(t, "potential", c.Potential, potential, 1e-12)
	near(t, "positive center", c.PositiveCenter, p, 1e-9)
	near(t, "negative center", c.NegativeCenter, q, 1e-9)
}

func randomRows(rng *rand.Rand, n, k int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, k)
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64()
		}
	}
	return rows
}

// Inputs that cannot be clustered, and texts that the errors must contain.
func TestErrors(t *testing.T) {
	x, labeled := line(1, 1, 2, 3)
	pupl := func(labeled int, places ...float64) error {
		x, mask := line(labeled, places...)
		return expect.Err(PUPL(x, mask, Config{}))
	}
	// The mean of seven rows of 0.1 differs from 0.1 by rounding.
	same, mask := line(7, slices.Repeat([]float64{0.1}, 10)...)
	equal := func(start Start) error { return expect.Err(PUPL(same, mask, Config{Start: start})) }
	for says, err := range map[string]error{
		"the labeled and the unlabeled rows have the same mean … start as OneDrawn":                                          expect.Err(PseudoCode(line(2, -1, 1, -2, 2))),
		"the labeled and the unlabeled rows have the same mean … start as":                                                   expect.Err(PseudoCode(line(3, 0.1, 0.2, 0.3, 0.2, 0.2))),
		"every unlabeled row equals the mean of the labeled ones … collapsed":                                                pupl(3, 0.1, 0.2, 0.3, 0.2, 0.2),
		"every unlabeled row equals the mean … collapsed":                                                                    pupl(2, 0, 2, 1, 1),
		"row 2 holds NaN in column 0 … rows must be finite: did training diverge? Lower … fill in the value or drop the row": pupl(1, 1, 2, math.NaN()),
		"row 0 holds +Inf in column 0 … rows must be finite: did training diverge?":                                          pupl(1, math.Inf(1), 2),
		"2 labeled and 0 unlabeled rows … leave rows to label unmarked":                                                      pupl(2, 1, 2),
		"0 labeled and 2 unlabeled rows … mark the known positives as labeled":                                               pupl(0, 1, 2),
		"no rows given … embed at least one example":                                                                         expect.Err(PUPL(nil, nil, Config{})),
		"3 rows and 2 labels … give one for each row, in the same order":                                                     expect.Err(Starts(x, labeled[:2], Config{})),
		"3 rows and 1 labels … give one for each row, in the same order":                                                     expect.Err(PseudoCode(x, labeled[:1])),
		"3 rows and 0 labels … give one for each row, in the same order":                                                     expect.Err(SeedingWeights(x, nil)),
		"-1 random starts … Restarts must be 1 or more, or 0 for 1":                                                          expect.Err(PUPL(x, labeled, Config{Restarts: -1})),
		"there is no start 4 … take OneDrawn, Means, TwoDrawn or TwoRandom":                                                  expect.Err(PUPL(x, labeled, Config{Start: 4})),
		"all 3 rows are the same … collapsed, train again":                                                                   pupl(1, 0.3, math.Nextafter(0.3, 1), 0.3),
		"all 10 rows are the same … collapsed, train again":                                                                  equal(TwoDrawn),
		"all 10 rows are the same … give features that differ":                                                               equal(OneDrawn),
		"all 10 rows are the same … where they are an embedding":                                                             equal(Means),
		"all 10 rows are the same, so that nothing … train again":                                                            equal(TwoRandom),
		"all 10 rows are the same, so that … train again with another loss":                                                  expect.Err(PseudoCode(same, mask)),
		"all 10 rows are the same, so that nothing tells them … train again with another":                                    expect.Err(From(same, mask, 9)),
		"all 10 rows are the same, so that nothing tells them apart … collapsed":                                             expect.Err(SeedingWeights(same, mask)),
		"entries lie up to 1e+200 apart … scale the features":                                                                pupl(1, 0, 1e200),
		"entries lie up to 1e-200 apart … scale the features":                                                                pupl(1, 0, 1e-200),
		"cannot start at row 3 … take one of the 2 of 3 rows that are unlabeled":                                             expect.Err(From(x, labeled, 3)),
		"cannot start at row -1 … take one of the 2 of 3 rows that are unlabeled":                                            expect.Err(From(x, labeled, -1)),
		"row 0; … take one of the 2 of 3":                                                                                    expect.Err(From(x, labeled, 0)),
	} {
		refusal.Check(t, err, says)
	}
}

// The two random start rows are never equal.
func TestTwoRandomRowsDiffer(t *testing.T) {
	x, labeled := line(2, -1, 1, -1, 1, -1, 1)
	for seed := range uint64(50) {
		for _, c := range expect.Must(Starts(x, labeled, Config{Start: TwoRandom, Free: true, Seed: seed, Restarts: 4}))(t) {
			expect.Require(t, c.PositiveCenter[0] != c.NegativeCenter[0],
				"seed %d: both centers at %g", seed, c.PositiveCenter[0])
		}
	}
}

// Config covers the paper's two programs and two-means. Without the constraint on labeled rows, the potential equals
// that of [KMeans].
func TestStartsOfEveryKind(t *testing.T) {
	x, labeled := line(1, 0, 1, 3, 7)
	const draws = 20000
	for start, want := range map[Start][]float64{
		// The squared distances from 0, 1, 3 and 7 sum to 59, 41, 29 and 101.
		TwoDrawn: {(1.0/41 + 9.0/29 + 49.0/101) / 4, (1.0/59 + 4.0/29 + 36.0/101) / 4, (9.0/59 + 4.0/41 + 16.0/101) / 4,
			(49.0/59 + 36.0/41 + 16.0/29) / 4},
		TwoRandom: {0.25, 0.25, 0.25, 0.25},
	} {
		var counts [4]float64
		for _, c := range expect.Must(Starts(x, labeled, Config{Start: start, Free: true, Restarts: draws, Seed: 3}))(t) {
			counts[c.StartRow]++
		}
		for i, p := range want {
			if sd := math.Sqrt(p * (1 - p) / draws); !(math.Abs(counts[i]/draws-p) <= 4.5*sd) {
				t.Errorf("start %d: negative at row %d with frequency %g, want %g", start, i, counts[i]/draws, p)
			}
		}
	}
	for _, c := range expect.Must(Starts(x, labeled, Config{Start: Means, Restarts: 3}))(t) {
		expect.That(t, c.StartRow == -1 && c.Positive[0], "%+v", c)
	}
	rng := rand.New(rand.NewPCG(6, 6))
	x, labeled = stack(randomRows(rng, 30, 3), randomRows(rng, 300, 3))
	two := expect.Must(PUPL(x, labeled, Config{Start: TwoDrawn, Free: true, Unoriented: true}))(t)
	start := mat.NewDense(2, 3, slices.Concat(two.PositiveCenter, two.NegativeCenter))
	p := expect.Must(KMeans{K: 2, Centers: start}.Fit(Dense(x)))(t)
	vectortest.Near(t, "potential", p.Potential, two.Potential, 1e-6)
	expect.That(t, !(p.Rounds > 1), "k-means moves the centers of two-means, %d times", p.Rounds)
	for i, label := range p.Labels {
		expect.That(t, two.NearPositive[i] == (label == 0), "row %d: cluster %d", i, label)
	}
}
