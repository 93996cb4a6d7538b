// Package gaussian draws points of the plane from two normal distributions, one for positives and one for negatives:
// the data of figures 12 to 15 of "Contrastive Positive Unlabeled Learning".
//
// [Separable] and [Overlapping] are the two mixtures of these figures; [Mixture] is the general type.
package gaussian

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/fault"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// Normal is a normal distribution in the plane. Its covariance must be symmetric and positive definite: both variances
// positive, and the square of the covariance smaller than their product.
type Normal struct {
	Mean       [2]float64
	Covariance [2][2]float64
}

// Mixture is a distribution of points that are positive or negative.
type Mixture struct {
	Negative, Positive Normal
}

// Separable returns the mixture of figures 12, 14 and 15, whose classes hardly overlap.
//
// The paper prints neither means nor covariances; these are from the authors' notebook. Two of its matrices, [[0, 0.5],
// [0.5, 0]] and [[0, 0.5], [1, 0]], are not covariances, because their determinants are negative. NumPy still draws
// from them, with a warning, and its points have the covariances diag(0.5, 0.5) and diag(1, 0.5), which are used here.
//
// Source: puPL_demo.ipynb of github.com/anishacharya/Contrastive-Positive-Unlabled-PU-Learning.
func Separable() Mixture {
	return Mixture{
		Negative: Normal{Mean: [2]float64{0, 0}, Covariance: [2][2]float64{{0.5, 0}, {0, 0.5}}},
		Positive: Normal{Mean: [2]float64{3.5, 3.5}, Covariance: [2][2]float64{{1, 0}, {0, 0.5}}},
	}
}

// Overlapping returns the mixture of figure 13, whose classes overlap considerably. The source is that of [Separable];
// these covariances are valid.
func Overlapping() Mixture {
	return Mixture{
		Negative: Normal{Mean: [2]float64{0, 0}, Covariance: [2][2]float64{{1, 0.2}, {0.2, 1}}},
		Positive: Normal{Mean: [2]float64{1, 1}, Covariance: [2][2]float64{{1, -0.2}, {-0.2, 1}}},
	}
}

// Config configures [Mixture.Draw]. The zero value is the figures' data: 3,000 points, half of them positive.
type Config struct {
	Points int     // of both classes together; 0 means 3,000
	Prior  float64 // share of positives, above 0 and below 1; 0 means 0.5
	// Random draws the class of each point independently, so that the number of positives varies around Prior·Points.
	// Otherwise it is that number, rounded.
	Random bool
	Seed   uint64 // used as given, 0 included
}

const (
	defaultPoints = 3_000
	defaultPrior  = 0.5
	maxPoints     = 1 << 30
)

// Random streams of one seed.
const (
	classStream = 0x67617573 + iota // "gaus" in ASCII
	negativeStream
	positiveStream
	normalStream
)

// Draw draws points in random order, as a table of the features x and y and the classes "negative" (0) and "positive"
// (1). One seed always gives the same points; on other kinds of processors the last digits may differ.
//
// It is an error if a covariance is invalid, if the prior is not between 0 and 1, or if a class would be empty.
func (m Mixture) Draw(cfg Config) (*tabular.Table, error) {
	cfg.Points, cfg.Prior = cmp.Or(cfg.Points, defaultPoints), cmp.Or(cfg.Prior, defaultPrior)
	negative, negativeErr := m.Negative.source("gaussian: the negatives", rand.NewPCG(cfg.Seed, negativeStream))
	positive, positiveErr := m.Positive.source("gaussian: the positives", rand.NewPCG(cfg.Seed, positiveStream))
	err := cmp.Or(
		fault.If(cfg.Points < 2 || cfg.Points > maxPoints,
			"gaussian: %d points: give 2 to %d, or 0 for %d", cfg.Points, maxPoints, defaultPoints),
		fault.If(!(cfg.Prior > 0 && cfg.Prior < 1), // this form also rejects NaN
			"gaussian: a prior of %v: give a number between 0 and 1, or 0 for %v", cfg.Prior, defaultPrior),
		negativeErr, positiveErr)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, classStream))
	labels := make([]int, cfg.Points)
	positives := int(math.Round(cfg.Prior * float64(cfg.Points)))
	if cfg.Random {
		positives = 0
		for i := range labels {
			if rng.Float64() < cfg.Prior {
				labels[i] = 1
				positives++
			}
		}
	} else {
		for i := range positives {
			labels[i] = 1
		}
		rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	}
	if positives == 0 || positives == cfg.Points {
		return nil, fmt.Errorf("gaussian: %d of %d points are positive at a prior of %v, so a class is empty: draw more",
			positives, cfg.Points, cfg.Prior)
	}

	t := &tabular.Table{Features: mat.NewDense(cfg.Points, 2, nil), Names: []string{"x", "y"},
		Labels: labels, Classes: []string{"negative", "positive"}}
	for i, class := range labels {
		[]*distmv.Normal{negative, positive}[class].Rand(t.Features.RawRowView(i))
	}
	return t, nil
}

// Draw draws count points of one class, one per row: for example labeled positives of the case-control setting, a
// sample separate from the points of [Mixture.Draw]. The two may have the same seed and are still independent. Two
// distributions drawn with one seed share their noise: if they differ only in the mean, one sample is a shift of the
// other. Use different seeds for them.
func (n Normal) Draw(count int, seed uint64) (*mat.Dense, error) {
	if count < 1 || count > maxPoints {
		return nil, fmt.Errorf("gaussian: %d points: give 1 to %d", count, maxPoints)
	}
	source, err := n.source("gaussian", rand.NewPCG(seed, normalStream))
	if err != nil {
		return nil, err
	}
	points := mat.NewDense(count, 2, nil)
	for i := range count {
		source.Rand(points.RawRowView(i))
	}
	return points, nil
}

// source returns the distribution with its own random numbers. The argument what is the start of an error.
func (n Normal) source(what string, src rand.Source) (*distmv.Normal, error) {
	c := n.Covariance
	for _, v := range []float64{n.Mean[0], n.Mean[1], c[0][0], c[0][1], c[1][0], c[1][1]} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: mean %v and covariance %v: all must be finite", what, n.Mean, c)
		}
	}
	if c[0][1] != c[1][0] {
		return nil, fmt.Errorf("%s: covariance %v is not symmetric: [0][1] and [1][0] are one number", what, c)
	}
	normal, ok := distmv.NewNormal(n.Mean[:], mat.NewSymDense(2, []float64{c[0][0], c[0][1], c[1][0], c[1][1]}), src)
	return normal, fault.If(!ok, "%s: covariance %v is not positive definite: variances must be positive, and the "+
		"covariance smaller in size than the root of their product", what, c)
}

// Posterior returns the probability that the point (x, y) is positive, given the share of positives: the output of the
// Bayes classifier, whose decision boundary is at 0.5. It is an error if the point is not finite, if the prior is not
// between 0 and 1, if a covariance is invalid, or if float64 does not suffice, as for covariances near the smallest
// numbers.
func (m Mixture) Posterior(x, y, prior float64) (float64, error) {
	_, negativeErr := m.Negative.source("gaussian: the negatives", nil)
	_, positiveErr := m.Positive.source("gaussian: the positives", nil)
	err := cmp.Or(
		fault.If(!(prior > 0 && prior < 1), "gaussian: a prior of %v: give a number between 0 and 1", prior),
		fault.If(math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0), "gaussian: the point is not finite"),
		negativeErr, positiveErr)
	if err != nil {
		return 0, err
	}
	logOdds := math.Log(prior) - math.Log1p(-prior) + m.logRatio(x, y)
	if math.IsNaN(logOdds) {
		return 0, fmt.Errorf("gaussian: the densities at (%g, %g) cannot be compared with numbers of 64 bits: bring the means, "+
			"the covariances and the point nearer to 1", x, y)
	}
	return 1 / (1 + math.Exp(-logOdds)), nil
}

// logRatio returns the logarithm of the ratio of the densities of positives and negatives. Let d be the point minus the
// negatives' mean, μ the positives' mean minus the negatives' mean, and A and B the inverse covariances of positives
// and negatives. Then it is
//
//	½ log(det A / det B) − ½ dᵀ(A−B)d + μᵀAd − ½ μᵀAμ
//
// For distant points the log densities are huge or overflow, and their difference would be only rounding; terms that
// cancel are not computed here. NaN means that float64 does not suffice.
func (m Mixture) logRatio(x, y float64) float64 {
	a, logDetA := inverse(m.Positive.Covariance)
	b, logDetB := inverse(m.Negative.Covariance)
	mu := [2]float64{m.Positive.Mean[0] - m.Negative.Mean[0], m.Positive.Mean[1] - m.Negative.Mean[1]}
	d := [2]float64{x - m.Negative.Mean[0], y - m.Negative.Mean[1]}
	// The size of d is multiplied factor by factor, so that a term of 0 stays 0 if the square of the size overflows.
	size := max(math.Abs(d[0]), math.Abs(d[1]), 1)
	d[0] /= size
	d[1] /= size
	difference := [2][2]float64{{a[0][0] - b[0][0], a[0][1] - b[0][1]}, {a[1][0] - b[1][0], a[1][1] - b[1][1]}}
	return size*(product(mu, a, d)-size*product(d, difference, d)/2) + (logDetA-logDetB-product(mu, a, mu))/2
}

// inverse returns the inverse of a covariance, and the logarithm of the inverse's determinant. It uses standard
// deviations and a correlation, because the product of two variances may overflow.
func inverse(c [2][2]float64) (inv [2][2]float64, logDet float64) {
	s, t := math.Sqrt(c[0][0]), math.Sqrt(c[1][1])
	correlation := c[0][1] / s / t
	rest := (1 - correlation) * (1 + correlation)
	inv[0][0] = 1 / c[0][0] / rest
	inv[1][1] = 1 / c[1][1] / rest
	inv[0][1] = -correlation / s / t / rest
	inv[1][0] = inv[0][1]
	return inv, -math.Log(c[0][0]) - math.Log(c[1][1]) - math.Log(rest)
}

// product returns uᵀAv.
func product(u [2]float64, a [2][2]float64, v [2]float64) float64 {
	return u[0]*(a[0][0]*v[0]+a[0][1]*v[1]) + u[1]*(a[1][0]*v[0]+a[1][1]*v[1])
}
