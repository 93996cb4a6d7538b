package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// plainVotes computes the votes of one query by sorting the whole bank.
func plainVotes(bank [][]float64, classes []int, count int, query []float64, k int, tau float64) []float64 {
	cosine := func(a, b []float64) float64 {
		var ab, aa, bb float64
		for j := range a {
			ab, aa, bb = ab+a[j]*b[j], aa+a[j]*a[j], bb+b[j]*b[j]
		}
		if aa == 0 || bb == 0 {
			return 0
		}
		return ab / math.Sqrt(aa*bb)
	}
	order := make([]int, len(bank))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return cosine(query, bank[order[a]]) > cosine(query, bank[order[b]]) })
	shares, total := make([]float64, count), 0.0
	for _, row := range order[:k] {
		w := math.Exp(cosine(query, bank[row]) / tau)
		shares[classes[row]] += w
		total += w
	}
	for class := range shares {
		shares[class] /= total
	}
	return shares
}

func normals(rng *rand.Rand, n, d int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, d)
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64()
		}
	}
	return rows
}

// Banks and queries of more than one block, rows of zeros, and k from 1 to all.
func TestVotesAgainstPlainLoops(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		bank, queries, k, block int
		engine                  bool
		tolerance               float64
	}{
		{9000, 20, 37, 7, false, 1e-9}, {9000, 20, 37, 7, true, 1e-4}, {4096, 3, 1, 0, false, 1e-9},
		{4097, 300, 4097, 0, false, 1e-9}, {5, 4, 5, 1, true, 1e-4},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(tt.bank), uint64(tt.k)))
			rows, queries := normals(rng, tt.bank, 6), normals(rng, tt.queries, 6)
			queries[0], rows[3] = make([]float64, 6), make([]float64, 6)
			if tt.k < tt.bank && tt.engine {
				queries[0][0] = 1 // in float32, rounding decides between equally near rows
			}
			classes := make([]int, tt.bank)
			for i := range classes {
				classes[i] = rng.IntN(3)
			}
			knn := KNN{K: tt.k, BlockRows: tt.block}
			if tt.engine {
				knn.Engine = enginetest.Open(t)
			}
			votes := expect.Must(knn.Votes(expect.Must(Supervised(dense(rows), classes, 3))(t), dense(queries)))(t)
			predicted := expect.Must(knn.Predict(expect.Must(Supervised(dense(rows), classes, 3))(t), dense(queries)))(t)
			for i, query := range queries {
				want := plainVotes(rows, classes, 3, query, tt.k, 0.1)
				best := 0
				for class := range want {
					near(t, fmt.Sprintf("vote for %d of query %d", class, i), votes.At(i, class), want[class], tt.tolerance)
					if want[class] > want[best] {
						best = class
					}
				}
				expect.That(t, predicted[i] == best || want[best]-want[predicted[i]] <= tt.tolerance,
					"query %d: class %d, want %d", i, predicted[i], best)
			}
		})
	}
}

// Of equally similar rows the first of the bank is the neighbor, for every block size.
func TestTiesGoToTheFirstRow(t *testing.T) {
	const n = 10000
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		x.SetRow(i, []float64{float64(1 + i%2), 0}) // one direction, two lengths
		if i < 5 {
			classes[i] = 1
		}
	}
	bank := expect.Must(Supervised(x, classes, 2))(t)
	votes := expect.Must(KNN{K: 8}.Votes(bank, mat.NewDense(1, 2, []float64{3, 0})))(t)
	near(t, "votes of the first five of eight", votes.At(0, 1), 5.0/8, 1e-12)
}

func TestTemperature(t *testing.T) {
	bank := expect.Must(Supervised(mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 2}), []int{0, 1, 1}, 2))(t)
	query := mat.NewDense(1, 2, []float64{1, 0})
	for tau, want := range map[float64]float64{
		0.5:   math.Exp(2) / (math.Exp(2) + 2), // weights e^{1/τ}, 1, 1
		1e-4:  1,                               // exp(10000) would overflow
		1e300: 1.0 / 3,                         // all count the same
	} {
		votes := expect.Must(KNN{Temperature: tau}.Votes(bank, query))(t)
		near(t, fmt.Sprintf("vote for class 0 at τ = %g", tau), votes.At(0, 0), want, 1e-12)
	}
}

// Positives point up, negatives down. Half of the bank's positives are labeled.
func TestReadingsNameTheirBanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) (x *mat.Dense, positive, labeled []bool) {
		x, positive, labeled = mat.NewDense(n, 3, nil), make([]bool, n), make([]bool, n)
		for i := range n {
			positive[i] = i%2 == 0
			labeled[i] = i%4 == 0
			side := -2.0
			if positive[i] {
				side = 2
			}
			x.SetRow(i, []float64{side, rng.NormFloat64(), rng.NormFloat64()})
		}
		return x, positive, labeled
	}
	x, positive, labeled := draw(400)
	held, truth, heldLabeled := draw(200)
	pu := expect.Must(LabeledPositives(x, labeled))(t)
	supervised := expect.Must(SupervisedBinary(x, positive))(t)
	knn := KNN{K: 40}

	config := ScoreConfig{Prior: 0.5, SingleDataset: true}
	without := expect.Must(knn.ReadPU(pu, held, heldLabeled, config))(t)
	with := expect.Must(knn.ReadBinary(supervised, held, truth, 0.5))(t)
	classes := make([]int, len(truth))
	for i, p := range truth {
		if p {
			classes[i] = 1
		}
	}
	several := expect.Must(knn.ReadClasses(supervised, held, classes))(t)
	expect.That(t, with.Accuracy() >= 0.95 && several.Accuracy == with.Accuracy(),
		"supervised readings of an easy problem: %v and %v", with, several)
	near(t, "proxy accuracy against accuracy", without.ProxyAccuracy(), with.Accuracy(), 0.06)
	near(t, "AUC without negatives against AUC", without.AUC(), with.AUC, 0.06)
	near(t, "share predicted positive at the prior", without.Predicted, 0.5, 0.02)
	for text, parts := range map[string][]string{
		without.String(): {"kNN over labeled positives only (100 of 400 rows), without negatives (50 labeled, 150 unlabeled)", "proxy accuracy"},
		with.String():    {"kNN over all true classes (400 rows, 2 classes), judged by true classes: accuracy", "AUC"},
		several.String(): {"kNN over all true classes (400 rows, 2 classes), judged by true classes: accuracy"},
	} {
		for _, part := range parts {
			expect.That(t, strings.Contains(text, part), "%q does not say %q", text, part)
		}
	}
	// Case-control: the share of the prior is counted among the unlabeled alone.
	s := expect.Must(knn.ReadPU(pu, held, heldLabeled, ScoreConfig{Prior: 1.0 / 3}))(t)
	near(t, "share of the unlabeled predicted positive", s.Predicted, 1.0/3, 0.02)
	refusal.Check(t, refusal.Err(knn.ReadPU(supervised, held, heldLabeled, config)),
		"all true classes (400 rows, 2 classes) … reading without negatives takes one made")
}

// The labels of held-out rows are used to evaluate the votes and must not influence them.
func TestVotesDoNotSeeHeldOutMarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	bank := expect.Must(LabeledPositives(dense(normals(rng, 50, 3)), append([]bool{true, true, true}, make([]bool, 47)...)))(t)
	held := dense(normals(rng, 20, 3))
	marks, others := append([]bool{true}, make([]bool, 19)...), append(make([]bool, 19), true)
	a := expect.Must(KNN{K: 5}.ReadPU(bank, held, marks, ScoreConfig{SingleDataset: true, Prior: 0.3}))(t)
	b := expect.Must(KNN{K: 5}.ReadPU(bank, held, others, ScoreConfig{SingleDataset: true, Prior: 0.3}))(t)
	expect.That(t, a.Predicted == b.Predicted,
		"the share predicted positive changes with the held-out marks: %g and %g", a.Predicted, b.Predicted)
}

// Without a prior the threshold is half of the votes: (1, 0) and the labeled row near it have most of them, (0, 1) has
// few.
func TestReadPUWithoutAPrior(t *testing.T) {
	bank := expect.Must(LabeledPositives(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), []bool{true, false}))(t)
	s := expect.Must(KNN{}.ReadPU(bank, mat.NewDense(3, 2, []float64{2, 0, 3, 0, 0, 1}), []bool{true, false, false}, ScoreConfig{}))(t)
	expect.That(t, s.Recall == 1 && s.Predicted == 0.5,
		"recall %g, predicted positive %g; want 1 and 0.5", s.Recall, s.Predicted)
}

func TestKNNErrors(t *testing.T) {
	two := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	bank := expect.Must(Supervised(two, []int{0, 1}, 2))(t)
	three := expect.Must(Supervised(two, []int{0, 1}, 3))(t)
	pu := expect.Must(LabeledPositives(two, []bool{true, false}))(t)
	votes := func(c KNN, x *mat.Dense) error { _, err := c.Votes(bank, x); return err }
	for says, err := range map[string]error{
		"3 neighbors in a bank of 2 rows … K must be from 1 to the number of rows":        votes(KNN{K: 3}, two),
		"-1 neighbors in a bank of 2 rows … K must be from 1 to the number of rows":       votes(KNN{K: -1}, two),
		"temperature -1 … it divides the similarities":                                    votes(KNN{Temperature: -1}, two),
		"temperature NaN … it divides the similarities":                                   votes(KNN{Temperature: math.NaN()}, two),
		"blocks of -1 queries … BlockRows must be positive, or 0 to let":                  votes(KNN{BlockRows: -1}, two),
		"queries have 3 entries, the rows … embed both with the same model":               votes(KNN{}, mat.NewDense(1, 3, nil)),
		"row 0 holds NaN in column 1 … rows must be finite: did training diverge?":        votes(KNN{}, mat.NewDense(1, 2, []float64{1, math.NaN()})),
		"no rows given … embed at least one example":                                      votes(KNN{}, nil),
		"2 rows and 1 true classes … give one for each row, in the same order":            expect.Err(Supervised(two, []int{0}, 2)),
		"row 1 has class 2 … 2 classes are numbered from 0 to 1":                          expect.Err(Supervised(two, []int{0, 2}, 2)),
		"row 1 holds +Inf in column 0 … rows must be finite: did training diverge?":       expect.Err(Supervised(mat.NewDense(2, 1, []float64{1, math.Inf(1)}), []int{0, 1}, 2)),
		"row 0 is too long: the sum of its squares … scale all rows down":                 expect.Err(Supervised(mat.NewDense(1, 2, []float64{math.MaxFloat64, math.MaxFloat64}), []int{0}, 2)),
		"0 of 2 rows of the bank are labeled … it needs labeled and unlabeled ones":       expect.Err(LabeledPositives(two, make([]bool, 2))),
		"2 of 2 rows of the bank are labeled … it needs labeled and unlabeled ones":       expect.Err(LabeledPositives(two, []bool{true, true})),
		"no bank … make one with LabeledPositives or Supervised":                          expect.Err(KNN{}.Votes(nil, two)),
		"no bank … one with LabeledPositives":                                             expect.Err(KNN{}.ReadPU(&Bank{}, two, make([]bool, 2), ScoreConfig{})),
		"no bank; … make one with":                                                        expect.Err(KNN{}.ReadBinary(nil, two, make([]bool, 2), 0.5)),
		"no bank; … make one with L":                                                      expect.Err(KNN{}.ReadClasses(nil, two, make([]int, 2))),
		"labeled positives only (1 of 2 rows), so … take ReadPU or ReadBinary, or a bank": expect.Err(KNN{}.ReadClasses(pu, two, []int{1, 0})),
		"the bank has 3 classes … positive against negative takes 2, more go":             expect.Err(KNN{}.ReadBinary(three, two, make([]bool, 2), 0.5)),
	} {
		refusal.Check(t, err, says)
	}
}
