package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
)

// sequences visits every ordered way in which size draws from p can fall.
func sequences(p []float64, size int, visit func(drawn []int, probability float64)) {
	drawn := make([]int, size)
	var fill func(at int, probability float64)
	fill = func(at int, probability float64) {
		if at == size {
			visit(drawn, probability)
			return
		}
		for o, share := range p {
			drawn[at] = o
			fill(at+1, probability*share)
		}
	}
	fill(0, 1)
}

func TestExpectCountsAgainstAllSequences(t *testing.T) {
	p := []float64{0.2, 0, 0.5, 0.3}
	values := []float64{1, 100, -2, 3}
	f := func(sum float64) float64 { return math.Exp(sum / 3) }
	for _, size := range []int{0, 1, 2, 5} {
		want := 0.0
		sequences(p, size, func(drawn []int, probability float64) {
			sum := 0.0
			for _, o := range drawn {
				sum += values[o]
			}
			want += probability * f(sum)
		})
		got, err := ExpectCounts(p, size, func(counts []int) float64 {
			sum := 0.0
			for k, n := range counts {
				sum += float64(n) * values[k]
			}
			if counts[1] != 0 {
				t.Errorf("an outcome of probability 0 came up %d times", counts[1])
			}
			return f(sum)
		})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "expectation", got, want, 1e-13)
	}
}

// Many draws: the mean and the variance of a binomial count, where single probabilities are far below the least float64.
func TestExpectCountsOfManyDraws(t *testing.T) {
	const n, p = 6000, 0.3
	mean, err := ExpectCounts([]float64{3, 7}, n, func(counts []int) float64 { return float64(counts[0]) })
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", mean, n*p, 1e-11)
	square, err := ExpectCounts([]float64{3, 7}, n,
		func(counts []int) float64 { return (float64(counts[0]) - n*p) * (float64(counts[0]) - n*p) })
	if err != nil {
		t.Fatal(err)
	}
	near(t, "variance", square, n*p*(1-p), 1e-10)
}

func TestExpectCountsRefusals(t *testing.T) {
	one := func([]int) float64 { return 1 }
	_, err := ExpectCounts([]float64{0.5, -0.5}, 1, one)
	wantError(t, "negative", err, "outcome 1", "-0.5")
	_, err = ExpectCounts([]float64{0, 0}, 1, one)
	wantError(t, "nothing possible", err, "0 possible outcomes")
	_, err = ExpectCounts([]float64{1}, -1, one)
	wantError(t, "size", err, "-1 draws")
	_, err = ExpectCounts(make([]float64, 0), 1, one)
	wantError(t, "no outcomes", err, "0 possible")
	_, err = ExpectCounts([]float64{1, 1, 1, 1, 1, 1}, 300, one)
	wantError(t, "too many", err, "300 draws", "more than")
}

func TestCriticLossAgainstLoops(t *testing.T) {
	j := Joint{{0.1, 0.3, 0.05}, {0.2, 0.15, 0.2}}
	critic := [][]float64{{0.5, -1, 2}, {0.3, 0.1, -0.7}}
	_, py := j.Marginals()
	for name, noise := range map[string][]float64{"marginal": nil, "other": {0.7, 0.1, 0.2}} {
		from := noise
		if from == nil {
			from = py
		}
		for _, n := range []int{0, 1, 4} {
			want := 0.0
			for x, row := range j {
				for y, p := range row {
					sequences(from, n, func(drawn []int, probability float64) {
						z := math.Exp(critic[x][y])
						for _, k := range drawn {
							z += math.Exp(critic[x][k])
						}
						want += p * probability * (math.Log(z) - critic[x][y])
					})
				}
			}
			got, err := CriticLoss(j, critic, n, noise)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name, got, want, 1e-14)
		}
	}
	// Where scores are −Inf, a negative weighs nothing: perfect, two values, one negative, which is the same with chance ½.
	equal := Joint{{0.5, 0}, {0, 0.5}}
	got, err := CriticLoss(equal, equal.LogRatio(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "perfect critic", got, math.Ln2/2, 1e-15)
}

// The instrument agrees with the objective that models train with: N-pair in a batch of b examples has b−1 independent
// negatives.
func TestCriticLossIsThatOfNPair(t *testing.T) {
	const tau, prior = 0.5, 0.4
	p := quartet()
	joint, points, err := ViewsJoint(p, prior, IndependentViews)
	if err != nil {
		t.Fatal(err)
	}
	critic := make([][]float64, len(points))
	for i, a := range points {
		for _, b := range points {
			critic[i] = append(critic[i], cosine(a, b)/tau)
		}
	}
	const b = 3
	want, err := meterOf(t, pucl.NPair(), tau).Exact(p, Design{Unlabeled: b, Prior: prior})
	if err != nil {
		t.Fatal(err)
	}
	got, err := CriticLoss(joint, critic, b-1, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "loss", got, want.Loss.Mean.Value, 1e-12)
}

func TestCriticLossRefusals(t *testing.T) {
	j := Joint{{0.5, 0}, {0, 0.5}}
	good := [][]float64{{0, 0}, {0, 0}}
	_, err := CriticLoss(Joint{{0.5}}, [][]float64{{0}}, 1, nil)
	wantError(t, "joint", err, "adds up to 0.5")
	_, err = CriticLoss(j, good, 1, []float64{1})
	wantError(t, "noise", err, "noise over 1")
	_, err = CriticLoss(j, good, 1, []float64{1, -1})
	wantError(t, "negative noise", err, "-1")
	_, err = CriticLoss(j, good[:1], 1, nil)
	wantError(t, "rows", err, "1 rows")
	_, err = CriticLoss(j, [][]float64{{0, 0}, {0}}, 1, nil)
	wantError(t, "columns", err, "row 1", "1 scores")
	_, err = CriticLoss(j, [][]float64{{math.Inf(-1), 0}, {0, 0}}, 1, nil)
	wantError(t, "−Inf where there is mass", err, "x=0, y=0")
	_, err = CriticLoss(j, [][]float64{{0, math.Inf(1)}, {0, 0}}, 1, nil)
	wantError(t, "+Inf", err, "x=0, y=1")
}
