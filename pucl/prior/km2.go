package prior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Constants of KM2.
const (
	kmRows    = 2000 // most rows used; time grows with their square
	kmHighest = 0.99 // prior
	kmExact   = 0.002
	kmGap     = 1e-4 // gap between the gradients of two rows at which a distance counts as minimal
)

// KM2 estimates the class prior by comparing means in the space of a Gaussian kernel. The mean of the unlabeled rows
// minus π times the mean of the labeled ones, scaled by 1/(1 − π), is a mixture of rows up to the true prior π. For a
// larger π it leaves the set of mixtures, and its distance from the set grows. The estimate is the π at which the
// derivative of the distance by λ = 1/(1 − π) exceeds 1/√min(n_P, n_U). Scale features first, for example to mean 0 and
// standard deviation 1.
//
// It uses at most 2,000 random rows, half of them labeled if there are enough. Estimates are below 0.99. KM2 does not
// detect whether the classes overlap; DEDPUL and BBE do, on scores of the same rows. Its interval is too narrow; see
// [Estimate]. With fewer than 30 labeled or unlabeled examples the interval is from 0 to 1: the threshold is then so
// high that all resamples may stop at one wrong estimate.
//
// Source: Harish G. Ramaswamy, Clayton Scott and Ambuj Tewari, "Mixture Proportion Estimation via Kernel Embedding of
// Distributions", ICML 2016, gradient thresholding, KM2. Difference: the derivative is analytic; the paper's program
// uses a finite difference.
func KM2(x *mat.Dense, labeled []bool, c Config) (Estimate, error) {
	c = c.withDefaults(20)
	if err := c.check(); err != nil {
		return Estimate{}, err
	}
	if err := checkRows(x, labeled); err != nil {
		return Estimate{}, err
	}
	k, err := newKernelMeans(x, labeled, rand.New(rand.NewPCG(c.Seed, 0x4b32)))
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Prior: k.prior(), OverlapUnknown: true}
	random := rand.New(rand.NewPCG(c.Seed, 0xb007))
	e.bound(c, func() float64 {
		return k.resample(random).prior()
	})
	if c.Resamples >= 0 && k.fewer < few {
		e.Low, e.High = 0, 1
	}
	return e, nil
}

// kernelMeans holds the Gram matrix of rows, and weights that define the mean of each kind.
type kernelMeans struct {
	gram                *mat.Dense // [n, n]
	positive, unlabeled []float64  // weights [n], each summing to 1
	fewer               int        // min(n_P, n_U)
}

// resample returns a bootstrap sample of each kind. It keeps only the drawn rows; the others are no part of a mixture.
func (k *kernelMeans) resample(random *rand.Rand) *kernelMeans {
	positive, unlabeled := again(k.positive, random), again(k.unlabeled, random)
	var drawn []int
	for i := range positive {
		if positive[i] > 0 || unlabeled[i] > 0 {
			drawn = append(drawn, i)
		}
	}
	gram := mat.NewDense(len(drawn), len(drawn), nil)
	for at, i := range drawn {
		gram.SetRow(at, rows.Pick(k.gram.RawRowView(i), drawn))
	}
	return &kernelMeans{gram, rows.Pick(positive, drawn), rows.Pick(unlabeled, drawn), k.fewer}
}

// again returns bootstrap weights, with as many draws as there are weights above 0.
func again(weights []float64, random *rand.Rand) []float64 {
	var index []int
	for i, w := range weights {
		if w > 0 {
			index = append(index, i)
		}
	}
	out := make([]float64, len(weights))
	for range index {
		out[index[random.IntN(len(index))]] += 1 / float64(len(index))
	}
	return out
}

// newKernelMeans draws the rows and chooses the kernel's width: of five around the median distance, the one that
// maximizes the distance of the two means.
func newKernelMeans(x *mat.Dense, labeled []bool, random *rand.Rand) (*kernelMeans, error) {
	positive, unlabeled := rows.Split(labeled)
	for _, index := range [][]int{positive, unlabeled} {
		random.Shuffle(len(index), func(i, j int) { index[i], index[j] = index[j], index[i] })
	}
	positive = positive[:min(len(positive), max(kmRows/2, kmRows-len(unlabeled)))]
	unlabeled = unlabeled[:min(len(unlabeled), kmRows-len(positive))]
	taken, err := rows.Take(x, slices.Concat(positive, unlabeled))
	if err != nil {
		return nil, err
	}
	n := len(positive) + len(unlabeled)
	k := &kernelMeans{positive: make([]float64, n), unlabeled: make([]float64, n), fewer: min(len(positive), len(unlabeled))}
	for i := range n {
		if i < len(positive) {
			k.positive[i] = 1 / float64(len(positive))
		} else {
			k.unlabeled[i] = 1 / float64(len(unlabeled))
		}
	}
	squares, median := squaredDistances(taken)
	if median == 0 {
		return nil, fmt.Errorf("prior: the %d rows drawn are all the same; take another seed, or features that differ in more rows", n)
	}
	diff := mat.NewVecDense(n, floats.SubTo(make([]float64, n), k.unlabeled, k.positive))
	farthest := -1.0
	for _, factor := range []float64{0.01, 0.1, 1, 10, 100} { // factors of the squared width
		gram := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				similarity := math.Exp(-squares.At(i, j) / (2 * factor * median))
				gram.Set(i, j, similarity)
				gram.Set(j, i, similarity)
			}
		}
		if d := mat.Inner(diff, gram, diff); d > farthest {
			farthest, k.gram = d, gram
		}
	}
	return k, nil
}

// squaredDistances returns the squared distances between all rows of x, and the median of the positive ones, or 0 if
// there is none.
func squaredDistances(x *mat.Dense) (squares *mat.Dense, median float64) {
	n, _ := x.Dims()
	squares = mat.NewDense(n, n, nil)
	var apart []float64
	for i := range n {
		for j := range i {
			d := floats.Distance(x.RawRowView(i), x.RawRowView(j), 2)
			squares.Set(i, j, d*d)
			squares.Set(j, i, d*d)
			if d > 0 {
				apart = append(apart, d*d)
			}
		}
	}
	if len(apart) == 0 {
		return squares, 0
	}
	slices.Sort(apart)
	return squares, apart[len(apart)/2]
}

// prior returns the estimate of KM2.
func (k *kernelMeans) prior() float64 {
	gramPositive, gramUnlabeled := k.times(k.positive), k.times(k.unlabeled)
	threshold := 1 / math.Sqrt(float64(k.fewer))
	v := slices.Clone(k.unlabeled)
	low, high := 0.0, kmHighest
	for high-low > kmExact {
		prior := (low + high) / 2
		lambda := 1 / (1 - prior)
		gradient := k.times(v)
		floats.AddScaled(gradient, -lambda, gramUnlabeled)
		floats.AddScaled(gradient, lambda-1, gramPositive)
		k.approach(v, gradient)
		if k.slope(v, gradient, lambda) > threshold {
			high = prior
		} else {
			low = prior
		}
	}
	return (low + high) / 2
}

// times returns the Gram matrix times weights.
func (k *kernelMeans) times(weights []float64) []float64 {
	var out mat.VecDense
	out.MulVec(k.gram, mat.NewVecDense(len(weights), weights))
	return out.RawVector().Data
}

// approach minimizes the distance of a mixture with weights v from a point; gradient is the gradient of half the
// squared distance by v. Each step moves weight from the row that increases the distance most to the row that decreases
// it most.
func (k *kernelMeans) approach(v, gradient []float64) {
	for range 20 * len(v) {
		to, from := 0, -1
		for i, g := range gradient {
			if g < gradient[to] {
				to = i
			}
			if v[i] > 0 && (from < 0 || g > gradient[from]) {
				from = i
			}
		}
		gap := gradient[from] - gradient[to]
		if gap < kmGap {
			return
		}
		rowTo, rowFrom := k.gram.RawRowView(to), k.gram.RawRowView(from)
		step := v[from]
		if bend := rowTo[to] + rowFrom[from] - 2*rowTo[from]; bend > 0 {
			step = min(step, gap/bend)
		}
		v[to] += step
		v[from] -= step
		for i := range gradient {
			gradient[i] += step * (rowTo[i] - rowFrom[i])
		}
	}
}

// slope returns the derivative by λ of the distance ‖e‖ of e = λU + (1 − λ)P − v, which is ⟨e, U − P⟩ / ‖e‖; gradient
// is minus the Gram matrix times e.
func (k *kernelMeans) slope(v, gradient []float64, lambda float64) float64 {
	along, square := 0.0, 0.0
	for i, g := range gradient {
		along -= g * (k.unlabeled[i] - k.positive[i])
		square -= g * (lambda*k.unlabeled[i] + (1-lambda)*k.positive[i] - v[i])
	}
	if square <= 0 {
		return 0 // the distance is 0 up to rounding
	}
	return along / math.Sqrt(square)
}
