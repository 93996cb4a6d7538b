package theory

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// sequences visits every sequence of size draws from p.
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
		got := expect.Must(ExpectCounts(p, size, func(counts []int) float64 {
			sum := 0.0
			for k, n := range counts {
				sum += float64(n) * values[k]
			}
			expect.That(t, counts[1] == 0, "an outcome of probability 0 came up %d times", counts[1])
			return f(sum)
		}))(t)
		near(t, "expectation", got, want, 1e-13)
	}
}

// Many draws: the mean and the variance of a binomial count whose single probabilities are far below the least float64.
func TestExpectCountsOfManyDraws(t *testing.T) {
	const n, p = 6000, 0.3
	mean := expect.Must(ExpectCounts([]float64{3, 7}, n, func(counts []int) float64 { return float64(counts[0]) }))(t)
	near(t, "mean", mean, n*p, 1e-11)
	square := expect.Must(ExpectCounts([]float64{3, 7}, n,
		func(counts []int) float64 { return (float64(counts[0]) - n*p) * (float64(counts[0]) - n*p) }))(t)
	near(t, "variance", square, n*p*(1-p), 1e-10)
}

func TestExpectCountsRefusals(t *testing.T) {
	one := func([]int) float64 { return 1 }
	wantError(t, "negative", expect.Err(ExpectCounts([]float64{0.5, -0.5}, 1, one)), "outcome 1", "-0.5")
	wantError(t, "nothing possible", expect.Err(ExpectCounts([]float64{0, 0}, 1, one)), "0 possible outcomes")
	wantError(t, "size", expect.Err(ExpectCounts([]float64{1}, -1, one)), "-1 draws")
	wantError(t, "no outcomes", expect.Err(ExpectCounts(make([]float64, 0), 1, one)), "0 possible")
	wantError(t, "too many", expect.Err(ExpectCounts([]float64{1, 1, 1, 1, 1, 1}, 300, one)), "300 draws", "more than")
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
			got := expect.Must(CriticLoss(j, critic, n, noise))(t)
			near(t, name, got, want, 1e-14)
		}
	}
	// With scores of −Inf a negative has no weight. Here a perfect critic has two values and one negative, which equals
	// the positive with probability ½.
	equal := Joint{{0.5, 0}, {0, 0.5}}
	got := expect.Must(CriticLoss(equal, equal.LogRatio(), 1, nil))(t)
	near(t, "perfect critic", got, math.Ln2/2, 1e-15)
}

// CriticLoss agrees with the training objective: N-pair in a batch of b examples has b−1 independent negatives.
func TestCriticLossIsThatOfNPair(t *testing.T) {
	const tau, prior = 0.5, 0.4
	p := quartet()
	joint, points := expect.Must2(ViewsJoint(p, prior, IndependentViews))(t)
	critic := make([][]float64, len(points))
	for i, a := range points {
		for _, b := range points {
			critic[i] = append(critic[i], cosine(a, b)/tau)
		}
	}
	const b = 3
	want := expect.Must(meterOf(t, pucl.NPair(), tau).Exact(p, Design{Unlabeled: b, Prior: prior}))(t)
	got := expect.Must(CriticLoss(joint, critic, b-1, nil))(t)
	near(t, "loss", got, want.Loss.Mean.Value, 1e-12)
}

func TestCriticLossRefusals(t *testing.T) {
	j := Joint{{0.5, 0}, {0, 0.5}}
	good := [][]float64{{0, 0}, {0, 0}}
	wantError(t, "joint", expect.Err(CriticLoss(Joint{{0.5}}, [][]float64{{0}}, 1, nil)), "adds up to 0.5")
	wantError(t, "noise", expect.Err(CriticLoss(j, good, 1, []float64{1})), "noise over 1")
	wantError(t, "negative noise", expect.Err(CriticLoss(j, good, 1, []float64{1, -1})), "-1")
	wantError(t, "rows", expect.Err(CriticLoss(j, good[:1], 1, nil)), "1 rows")
	wantError(t, "columns", expect.Err(CriticLoss(j, [][]float64{{0, 0}, {0}}, 1, nil)), "row 1", "1 scores")
	_, err := CriticLoss(j, [][]float64{{math.Inf(-1), 0}, {0, 0}}, 1, nil)
	wantError(t, "−Inf where there is mass", err, "x=0, y=0")
	wantError(t, "+Inf", expect.Err(CriticLoss(j, [][]float64{{0, math.Inf(1)}, {0, 0}}, 1, nil)), "x=0, y=1")
}

// Angles are in degrees, counterclockwise; the hypotenuse of a right triangle with legs 1 and √3 rises by 60°.
func TestDirections(t *testing.T) {
	for i, z := range Directions(0, 60, -90, 540) {
		want := [][]float64{{1, 0}, {0.5, math.Sqrt(3) / 2}, {0, -1}, {-1, 0}}[i]
		expect.That(t, math.Abs(z[0]-want[0]) <= 1e-15 && math.Abs(z[1]-want[1]) <= 1e-15,
			"direction %d is %v, want %v", i, z, want)
	}
	points := Directions()
	expect.That(t, len(points) == 0, "no angle gives %v", points)
}

func TestCircleAndCorners(t *testing.T) {
	half := math.Sqrt(0.5)
	want := [][]float64{{1, 0}, {half, half}, {0, 1}, {-half, half}, {-1, 0}, {-half, -half}, {0, -1}, {half, -half}}
	for i, z := range Circle(8) {
		for k, x := range z {
			expect.That(t, i%2 != 0 || x == want[i][k] && math.Signbit(x) == math.Signbit(want[i][k]),
				"point %d is %v, want %v exactly", i, z, want[i])
			near(t, "coordinate", x, want[i][k], 1e-15)
		}
	}
	for i, z := range Circle(7) {
		near(t, "length", math.Hypot(z[0], z[1]), 1, 1e-15)
		near(t, "angle", math.Mod(math.Atan2(z[1], z[0])+2*math.Pi, 2*math.Pi), 2*math.Pi*float64(i)/7, 1e-15)
	}
	got := fmt.Sprint(Corners(2))
	expect.That(t, got == "[[1 1] [1 -1] [-1 1] [-1 -1]]", "%v", got)
	for _, empty := range [][][]float64{Circle(0), Circle(-1), Corners(0), Corners(-2), Corners(17)} {
		expect.That(t, len(empty) == 0, "%d points", len(empty))
	}
}

func TestVary(t *testing.T) {
	d := Design{Labeled: 3, Prior: 0.9, SameView: 0.5}
	got := d.Vary([]int{0, 1}, []int{0, 2}, nil)
	want := []Design{{Unlabeled: 2, Prior: 0.9, SameView: 0.5}, {Labeled: 1, Prior: 0.9, SameView: 0.5}, {Labeled: 1, Unlabeled: 2, Prior: 0.9, SameView: 0.5}}
	expect.That(t, slices.Equal(got, want), "%+v", got)
	expect.Equal(t, d.Vary(nil, nil, nil), []Design{d})
	if got := d.Vary(nil, []int{1, 2}, []float64{0.1, 0.2, 0.3}); len(got) != 6 || got[5] != (Design{Labeled: 3, Unlabeled: 2, Prior: 0.3, SameView: 0.5}) {
		t.Errorf("%+v", got)
	}
}

// A grid keeps one of several populations that symmetries map onto each other.
func TestGridWithoutCopies(t *testing.T) {
	// One atom per class: two points of the square are equal, neighbors or opposite; for the cube there are four
	// distances. Two atoms in halves: of the 8 symmetries of the square the identity fixes 10 classes, the half turn 2,
	// the diagonal mirrors 4 each, the others 2 each and quarter turns none. So there are (10² + 2² + 2·4² + 2·2²)/8 =
	// 18 pairs of classes (Burnside's lemma).
	for _, tt := range []struct {
		name         string
		points       [][]float64
		atoms, parts int
		all, kept    int
	}{
		{"square, one atom", Circle(4), 1, 4, 16, 3},
		{"cube, one atom", Corners(3), 1, 1, 64, 4},
		{"square, two atoms in halves", Circle(4), 2, 2, 100, 18},
		{"line", Corners(1), 2, 2, 9, 5},
		{"points of different length", [][]float64{{1, 0}, {0, 2}}, 1, 1, 4, 4},
	} {
		all, kept := grid(tt.points, tt.atoms, tt.parts, true), grid(tt.points, tt.atoms, tt.parts, false)
		expect.That(t, len(all) == tt.all && len(kept) == tt.kept,
			"%s: %d populations, %d without copies, want %d and %d", tt.name, len(all), len(kept), tt.all, tt.kept)
		for _, p := range kept {
			if err := p.Validate(); err != nil || len(p.Positive) > tt.atoms || len(p.Negative) > tt.atoms {
				t.Errorf("%s: %v, %v", tt.name, p, err)
			}
		}
		// The joint invariants of the populations must occur in both lists.
		signature := func(p Population) string {
			var parts []string
			for _, a := range append(slices.Clone(p.Positive), p.Negative...) {
				for _, b := range append(slices.Clone(p.Positive), p.Negative...) {
					parts = append(parts, fmt.Sprintf("%.3f %.3f %.6f", a.P, b.P, cosine(a.Z, b.Z)+2))
				}
			}
			slices.Sort(parts)
			return fmt.Sprint(len(p.Positive), parts)
		}
		have := map[string]bool{}
		for _, p := range kept {
			have[signature(p)] = true
		}
		for _, p := range all {
			expect.That(t, have[signature(p)], "%s: nothing like %v was kept", tt.name, p)
		}
	}
}

func TestNumbersInJSON(t *testing.T) {
	for n, want := range map[Number]string{Exactly(0.25): "0.25", {1, 0.5, 2}: `{"value":1,"low":0.5,"high":2}`} {
		data, err := json.Marshal(n)
		expect.That(t, err == nil && string(data) == want, "%s is %s, %v", n, data, err)
		var back Number
		if err := json.Unmarshal(data, &back); err != nil || back != n {
			t.Errorf("%s came back as %s, %v", n, back, err)
		}
	}
	wantError(t, "infinity", expect.Err(json.Marshal(Exactly(math.Inf(1)))), "unsupported value")
	wantError(t, "text", json.Unmarshal([]byte(`"1"`), new(Number)), "theory", "low")
}
