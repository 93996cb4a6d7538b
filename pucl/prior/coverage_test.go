package prior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

// coverageDraws is how many draws a coverage is counted on, and coverageLevel what intervals say.
const (
	coverageDraws = 60
	coverageLevel = 0.8
)

// betweenMeans returns a classifier whose scores grow from the mean of the unlabeled rows it learns from to that of the labeled ones.
func betweenMeans(x *mat.Dense, labeled []bool) Fit {
	return func(learn, held []int, _ uint64) (scores []float64, err error) {
		_, d := x.Dims()
		means, counts := [2][]float64{make([]float64, d), make([]float64, d)}, [2]float64{}
		for _, i := range learn {
			kind := 0
			if labeled[i] {
				kind = 1
			}
			floats.Add(means[kind], x.RawRowView(i))
			counts[kind]++
		}
		floats.Scale(1/counts[1], means[1])
		floats.AddScaled(means[1], -1/counts[0], means[0])
		for _, i := range held {
			scores = append(scores, floats.Dot(means[1], x.RawRowView(i)))
		}
		return scores, nil
	}
}

// Intervals of TED^n, classifiers learning anew in each draw, contain the prior at least as often as they say, and are not so wide that they
// always would.
func TestCoverageOfTEDn(t *testing.T) {
	for _, prior := range []float64{0.1, 0.5} {
		contain, width := 0, 0.0
		for seed := range uint64(coverageDraws) {
			random := rand.New(rand.NewPCG(seed, 9))
			x, labeled := mat.NewDense(1200, 3, nil), make([]bool, 1200)
			for i := range labeled {
				labeled[i] = i < 300
				for j := range 3 {
					x.Set(i, j, random.NormFloat64())
				}
				if i >= 300+int(prior*900) {
					x.Set(i, 0, x.At(i, 0)-3)
				}
			}
			c := Config{Resamples: 20, Seed: seed, Level: coverageLevel}
			_, e := expect.Must2(TEDn(labeled, Folds{Repeats: 1, Seed: seed}, 0, betweenMeans(x, labeled), c))(t)
			if e.Low <= prior && prior <= e.High {
				contain++
			}
			width += (e.High - e.Low) / coverageDraws
		}
		expect.That(t, contain >= coverageLevel*coverageDraws && width <= 0.25,
			"prior %g: %d of %d intervals contain it, of mean width %.3f", prior, contain, coverageDraws, width)
	}
}

// Two scores log(f_P/f_U), the higher of 4 in 5 of the positives and of no negative, with a little noise: intervals of e1 contain what e1 tends
// to, .32/.68, and never the prior ¼, above which it lies; those of e3, for which one score that is too high is enough, lie below it always.
func TestIntervalsOfElkanNotoMissThePrior(t *testing.T) {
	contain := map[string]int{}
	for seed := range uint64(coverageDraws) {
		random := rand.New(rand.NewPCG(seed, 10))
		score := func(high float64) func(*rand.Rand) float64 {
			return func(*rand.Rand) float64 {
				sign := -1.0
				if random.Float64() < high {
					sign = 1
				}
				return sign*math.Log(4) + 0.1*random.NormFloat64()
			}
		}
		scores, labeled := population(seed, 300, 900, 0.25, score(0.8), score(0))
		c := Config{Resamples: 20, Seed: seed, Level: coverageLevel}
		e1 := expect.Must(ElkanNoto(scores, labeled, c))(t)
		e3 := expect.Must(ElkanNotoMax(scores, labeled, c))(t)
		for name, is := range map[string]bool{
			"e1 above the prior":    e1.Low > 0.25,
			"e1 contains its limit": e1.Low <= 0.32/0.68 && 0.32/0.68 <= e1.High && e1.High-e1.Low < 0.25,
			"e3 below the prior":    e3.High < 0.25 && e3.Low < e3.High,
		} {
			if is {
				contain[name]++
			}
		}
	}
	if contain["e1 above the prior"] != coverageDraws || contain["e3 below the prior"] != coverageDraws ||
		contain["e1 contains its limit"] < coverageLevel*coverageDraws {
		t.Errorf("of %d draws: %v", coverageDraws, contain)
	}
}
