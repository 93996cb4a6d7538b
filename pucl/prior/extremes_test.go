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

// A few scores far from all others change estimates and intervals little.
func TestFarScores(t *testing.T) {
	c := Config{Seed: 1, Resamples: 10}
	for _, e := range estimators {
		unlabeled := 1000
		if e.name == "KM2" {
			unlabeled = 200 // its time grows with n²
		}
		scores, labeled := population(3, unlabeled/10, unlabeled, 0.3, gaussian(2), gaussian(-2))
		want := expect.Must(e.of(scores, labeled, c))(t)
		for _, far := range []float64{1e4, -1e6} {
			with := slices.Clone(scores)
			with[0], with[unlabeled/2] = far, far
			got := expect.Must(e.of(with, labeled, c))(t)
			near := math.Abs(got.Prior-want.Prior) < 0.06 && math.Abs(got.Low-want.Low) < 0.1 &&
				math.Abs(got.High-want.High) < 0.1
			expect.That(t, near, "%s, %g: %v, without it %v", e.name, far, got, want)
			for i, p := range got.Posterior {
				expect.Require(t, p >= 0 && p <= 1, "%s, %g: example %d has the posterior %g", e.name, far, i, p)
			}
		}
	}
	scores, labeled := population(3, 200, 1000, 0.3, gaussian(2), gaussian(-2))
	scores[600] = 1e4
	refusal.Check(t, refusal.Err(ElkanNotoMax(scores, labeled, Config{})),
		"the largest score is 10000, far above … leave it out")
	scores[600] = -1e4
	expect.NoError(t, expect.Err(ElkanNotoMax(scores, labeled, Config{})))
	for i := 0; i < len(scores); i += 20 { // a twentieth of both kinds, which determines a standard deviation
		scores[i] = 1e3 * float64(i/20%7-3)
	}
	for _, resamples := range []int{0, -1} {
		e := expect.Must(DEDPUL(scores, labeled, Config{Seed: 1, Resamples: resamples}))(t)
		honest := resamples < 0 || e.Low < 0.3 && e.High > 0.3 && e.High-e.Low < 0.3
		expect.That(t, math.Abs(e.Prior-0.3) < 0.05 && honest, "a twentieth far off: %v", e)
	}
}

// Scores of classifiers have no far ones, even if all but a twentieth are nearly equal; DEDPUL needs the distances
// there.
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

// Rows without a useful split give no bound on the prior, and the interval shows that.
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
