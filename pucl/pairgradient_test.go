package pucl

import (
	"fmt"
	"math"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// In closed form: ssCL pulls the own view with 1/τ and pushes every row by its share of the partition; on its floor DCL pushes nothing but the
// own view; the pairwise loss pushes what is nearer than the margin, by 2(margin/D − 1)/N.
func TestPairGradientsInClosedForm(t *testing.T) {
	s := draw(1, 2, 0.3)
	n := len(s.z)
	for i := range s.b() { // both views lie together, so that with a large τ⁺ all anchors are on the floor
		copy(s.z[i+s.b()], s.z[i])
	}
	const margin = 1.2
	for name, tt := range map[string]struct {
		objective Objective
		want      func(i, j int) float64
	}{
		"ssCL": {SSCL(), func(i, j int) float64 {
			sum, _ := s.mass(i, s.others)
			return (math.Exp(s.sim(i, j))/sum - onlyIf(s.own(i, j), 1)) / s.tau
		}},
		"DCL on its floor": {DCL(DCLConfig{TauPlus: 0.999}), func(i, j int) float64 {
			if !s.own(i, j) {
				return 0
			}
			floor := float64(n-2) * math.Exp(-1/s.tau)
			return -floor / (math.Exp(s.sim(i, j)) + floor) / s.tau
		}},
		"pairwise": {Pairwise(margin), func(i, j int) float64 {
			d := math.Sqrt(s.distance(i, j))
			if s.own(i, j) || d >= margin {
				return 0
			}
			return 2 * (margin - d) / d / float64(n-2) // D² = 2 − 2cos
		}},
	} {
		cosine, gradient, err := tt.objective.PairGradients(enginetest.Open(t), s.z, s.labeled, s.tau)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				want, at := 0.0, fmt.Sprintf("%s, pair %d, %d", name, i, j)
				if i != j {
					want = tt.want(i, j)
					near(t, at+", cosine", cosine[i][j], s.sim(i, j)*s.tau, 1e-12)
				}
				near(t, at, gradient[i][j], want, 1e-11)
			}
		}
	}
}

func TestPairGradientsRefuse(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, err := SSCL().PairGradients(eng, [][]float64{{1, 0}, {0, 1}, {1, 1}}, []bool{false, false}, 0.5)
	refusal.Check(t, err, "3 rows for 2 examples … the same number of views, two or more")
	_, _, err = SSCL().PairGradients(nil, nil, nil, 0.5)
	refusal.Check(t, err, "no engine given … open one with engine.Open")
}
