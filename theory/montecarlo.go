package theory

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Draws configures sampling. The zero value works.
type Draws struct {
	Batches    int     // independent batches to draw; 0 means 10 000, below 30 is an error
	Confidence float64 // of each interval taken by itself; 0 means 0.95
	Seed       uint64  // used as given, 0 included; repeated in Result
}

// minDraws is the number of batches below which an interval for a variance is meaningless.
const minDraws = 30

func (c Draws) withDefaults() (Draws, error) {
	c.Batches, c.Confidence = cmp.Or(c.Batches, 10_000), cmp.Or(c.Confidence, 0.95)
	if c.Batches < minDraws {
		return c, fmt.Errorf("theory: %d batches to draw; intervals need at least %d", c.Batches, minDraws)
	}
	if !(c.Confidence > 0 && c.Confidence < 1) {
		return c, fmt.Errorf("theory: confidence %g; it must lie between 0 and 1, 0.95 for example", c.Confidence)
	}
	return c, nil
}

// MonteCarlo measures the objective on random batches, for designs with too many batches for [Meter.Exact].
//
// The interval of a mean is Student's. The interval of a variance is normal, with a standard error from the fourth
// moment, and needs some hundred batches to reach its coverage. The ideal loss is exact if [IdealLoss] can sum it;
// otherwise it is sampled as well, with its own interval. The interval of Bias includes both uncertainties. The same
// seed gives the same batches on every engine and for every objective.
func (m *Meter) MonteCarlo(p Population, d Design, config Draws) (r Result, err error) {
	defer must.Catch(&err)
	c := must.Get(config.withDefaults())
	must.Do(validate(p, d, m.tau))
	report := m.reporter(float64(c.Batches))
	ideal, err := IdealLoss(p, d.Prior, d.Negatives(), m.tau)
	if errors.Is(err, errIdealSize) {
		ideal, err = sampleIdeal(p, d.Prior, d.Negatives(), m.tau, c)
	}
	must.Do(err)
	s := p.support(true)
	var scores [3][]float64
	m.score(d, s.points, randomBatches(d, s, c), true, func(_ []float64, values [][]float64) {
		for i := range scores {
			scores[i] = append(scores[i], values[i]...)
		}
		report(len(values[0]))
	})
	moments := func(i int) Moments { return sampledMoments(scores[i], c.Confidence) }
	r = m.result(moments(0), moments(1), moments(2), ideal)
	r.Batches, r.Confidence, r.Seed = c.Batches, c.Confidence, c.Seed
	return r, nil
}

// randomBatches yields independent batches, each with weight 1. The batch is reused between iterations.
func randomBatches(d Design, s support, c Draws) iter.Seq2[batch, float64] {
	return func(yield func(batch, float64) bool) {
		rng := rand.New(rand.NewPCG(c.Seed, 0xba7c4))
		labeled, unlabeled := d.outcomes(s, Symmetry{})
		fromLabeled, fromUnlabeled := cumulative(probabilities(labeled)), cumulative(probabilities(unlabeled))
		next := newBatch(d)
		for range c.Batches {
			for i := range d.Examples() {
				if i < d.Labeled {
					next.set(i, labeled[pick(rng, fromLabeled)])
				} else {
					next.set(i, unlabeled[pick(rng, fromUnlabeled)])
				}
			}
			if !yield(next, 1) {
				return
			}
		}
	}
}

// cumulative returns the running sum of p.
func cumulative(p []float64) []float64 {
	sum := 0.0
	return lists.Map(p, func(x float64) float64 {
		sum += x
		return sum
	})
}

// pick draws an index with the probabilities whose running sum is c; an index of probability 0 is never drawn.
func pick(rng *rand.Rand, c []float64) int {
	x := rng.Float64() * c[len(c)-1]
	return min(sort.Search(len(c), func(i int) bool { return c[i] > x }), len(c)-1)
}

// sampleIdeal estimates the ideal loss from as many draws as batches. Its attraction is exact, since it is a sum over
// pairs.
func sampleIdeal(p Population, prior float64, negatives int, tau float64, c Draws) (ideal Ideal, err error) {
	defer must.Catch(&err)
	positive, negative, _ := must.Get3(p.Proximity(tau))
	s := p.support(false)
	sim := s.similarities(tau)
	rng := rand.New(rand.NewPCG(c.Seed, 0x1dea1))
	fromPositive, fromNegative := cumulative(massesOf(s.positive)), cumulative(massesOf(s.negative))
	partitions := make([]float64, c.Batches)
	for draw := range partitions {
		own, other, fromOwn, fromOther := s.positive, s.negative, fromPositive, fromNegative
		if rng.Float64() >= prior {
			own, other, fromOwn, fromOther = other, own, fromOther, fromOwn
		}
		row := sim[own[pick(rng, fromOwn)].point]
		j := own[pick(rng, fromOwn)].point
		counts := make([]int, len(other))
		for range negatives {
			counts[pick(rng, fromOther)]++
		}
		partitions[draw] = logAdd(row[j], logSum(scoresOf(row, other), counts))
	}
	attraction, partition := Exactly(prior*positive+(1-prior)*negative), sampledMoments(partitions, c.Confidence).Mean
	return Ideal{negatives, attraction, partition, partition.Minus(attraction)}, nil
}

// sampledMoments estimates the mean and the variance of the distribution of the sample x.
func sampledMoments(x []float64, confidence float64) Moments {
	n := float64(len(x))
	mean, variance := stat.MeanVariance(x, nil)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.5 + confidence/2)
	half := t * math.Sqrt(variance/n)

	// Var(s²) = (μ₄ − σ⁴(n−3)/(n−1))/n, with the sample's moments in place of the true ones.
	fourth := stat.Moment(4, x, nil)
	z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	spread := z * math.Sqrt(max(fourth-variance*variance*(n-3)/(n-1), 0)/n)
	return Moments{
		Mean:     Number{mean, mean - half, mean + half},
		Variance: Number{variance, max(variance-spread, 0), variance + spread},
	}
}
