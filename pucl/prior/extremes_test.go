package prior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// twoClusters returns the scores of so many labeled positives about 2 and of 1,000 unlabeled examples, 300 of them
// positives and the others negatives about −2.
func twoClusters(positives int) (scores []float64, labeled []bool) {
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range positives + 1000 {
		center := 2.0
		if i >= positives+300 {
			center = -2
		}
		scores, labeled = append(scores, center+rng.NormFloat64()), append(labeled, i < positives)
	}
	return scores, labeled
}

func ofRows(of func(*mat.Dense, []bool, Config) (Estimate, error)) func([]float64, []bool, Config) (Estimate, error) {
	return func(scores []float64, labeled []bool, c Config) (Estimate, error) {
		return of(mat.NewDense(len(scores), 1, slices.Clone(scores)), labeled, c)
	}
}

// scoreEstimators are those that may not depend on the unit of scores.
var scoreEstimators = map[string]func([]float64, []bool, Config) (Estimate, error){
	"DEDPUL": DEDPUL, "BBE": BBE, "TIcE": ofRows(TIcE), "KM2": ofRows(KM2),
}

// A few scores far from all others leave estimates and intervals near those of the others.
func TestFarScores(t *testing.T) {
	for name, of := range scoreEstimators {
		scores, labeled := twoClusters(100)
		c := Config{Seed: 1, Resamples: 10}
		want := expect.Must(of(scores, labeled, c))(t)
		for _, far := range []float64{1e4, 1e12, -1e6} {
			for _, at := range [][]int{{700}, {0, 200, 700, 701}} {
				with := slices.Clone(scores)
				for _, i := range at {
					with[i] = far
				}
				e := expect.Must(of(with, labeled, c))(t)
				expect.That(t, math.Abs(e.Prior-want.Prior) < 0.06 && math.Abs(e.Low-want.Low) < 0.1 && math.Abs(e.High-want.High) < 0.1,
					"%s, %g at %v: %v, without it %v", name, far, at, e, want)
				for i, p := range e.Posterior {
					expect.Require(t, p >= 0 && p <= 1, "%s, %g: example %d has the posterior %g", name, far, i, p)
				}
			}
		}
	}
	scores, labeled := twoClusters(200)
	scores[600] = 1e4
	refusal.Check(t, refusal.Err(ElkanNotoMax(scores, labeled, Config{})), "the largest score is 10000, far above … leave it out")
	scores[600] = -1e4
	expect.NoError(t, expect.Err(ElkanNotoMax(scores, labeled, Config{})))
	for i := 0; i < len(scores); i += 20 { // a twentieth of both kinds, which a standard deviation follows
		scores[i] = 1e3 * float64(i/20%7-3)
	}
	for _, resamples := range []int{0, -1} {
		e := expect.Must(DEDPUL(scores, labeled, Config{Seed: 1, Resamples: resamples}))(t)
		expect.That(t, math.Abs(e.Prior-0.3) < 0.05 && (resamples < 0 || e.Low < 0.3 && e.High > 0.3 && e.High-e.Low < 0.3),
			"a twentieth far off: %v", e)
	}
}

// Another unit and origin of scores, and another order of the examples of each kind, change no estimate. Neither does it
// matter much if each example is given twice.
func TestUnitAndOrder(t *testing.T) {
	scores, labeled := twoClusters(50)
	c := Config{Seed: 2, Resamples: 10}
	for i, s := range scores { // whole numbers, which stay exact
		scores[i] = math.Round(s * 1024)
	}
	for name, of := range scoreEstimators {
		want := expect.Must(of(scores, labeled, c))(t)
		for _, unit := range []struct{ offset, factor float64 }{{0, 0x1p-40}, {0, 0x1p+60}, {1e9, 1}, {-1e13, 1}} {
			other := slices.Clone(scores)
			for i := range other {
				other[i] = other[i]*unit.factor + unit.offset
			}
			e := expect.Must(of(other, labeled, c))(t)
			expect.Near(t, e.Prior, want.Prior, 3e-3, "%s, %v", name, unit)
			expect.Near(t, e.Low, want.Low, 2e-2, "%s, %v", name, unit)
			expect.Near(t, e.High, want.High, 2e-2, "%s, %v", name, unit)
		}
		mixed := slices.Clone(scores)
		slices.Reverse(mixed[:50])
		slices.Reverse(mixed[50:])
		e := expect.Must(of(mixed, labeled, c))(t)
		bound := 1e-9
		if name == "TIcE" || name == "KM2" { // which deal rows to folds, or draw them
			bound = 0.06
		}
		expect.Near(t, e.Prior, want.Prior, bound, "%s in another order", name)
		twice := expect.Must(of(slices.Concat(scores, scores), slices.Concat(labeled, labeled), c))(t)
		expect.Near(t, twice.Prior, want.Prior, 0.06, "%s of each twice", name)
	}
}

// Scores of classifiers have no far ones, also where all but a twentieth lie in one place: DEDPUL reads distances there.
func TestScoresOfClassifiersAreNotFar(t *testing.T) {
	for _, share := range []float64{0.05, 0.5, 0.95} {
		rng := rand.New(rand.NewPCG(4, 4))
		var scores []float64
		var labeled []bool
		for i := range 1200 {
			score := 3 + 0.01*rng.NormFloat64()
			if i >= 200 && float64(i-200) >= share*1000 {
				score = -6 + 0.01*rng.NormFloat64()
			}
			scores, labeled = append(scores, score), append(labeled, i < 200)
		}
		s := expect.Must(newScored(scores, labeled))(t)
		expect.That(t, !s.far(), "share %g: scores from -6 to 3 count as far", share)
		e := expect.Must(DEDPUL(scores, labeled, Config{Seed: 1}))(t)
		expect.Near(t, e.Prior, share, 0.05)
	}
}

// Rows that no split tells apart bound the prior by nothing, and the interval says so.
func TestTIcEOfNothing(t *testing.T) {
	x, labeled := mat.NewDense(100, 2, nil), make([]bool, 100)
	for i := range 40 {
		labeled[i] = true
	}
	x.Set(7, 0, 1)
	e := expect.Must(TIcE(x, labeled, Config{}))(t)
	expect.That(t, e.Prior == 1 && e.Low == 0 && e.High == 1, "%v", e)
	e = expect.Must(TIcE(x, labeled, Config{Resamples: -1}))(t)
	expect.That(t, e.Prior == 1 && math.IsNaN(e.Low), "%v", e)
}
