package theory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// search runs s and fails on an error.
func search(t *testing.T, s Search, q Question) SearchResult {
	t.Helper()
	return expect.Must(s.Run(context.Background(), q))(t)
}

// Under independent views the other view of an example is a draw from the anchor's class, so ssCL's attraction has no bias.
func TestSearchFindsNothingWhereNothingIs(t *testing.T) {
	expect.Slow(t)
	designs := Design{}.Vary([]int{0}, []int{1, 2, 3}, []float64{0.2, 0.5, 0.8})
	r := search(t, Search{Designs: designs}, AttractionBias(meterOf(t, pucl.SSCL(), 0.5), nil))
	expect.That(t, !r.Found && r.Worst.Value.High < 1e-12, "%v", r)
	if !strings.Contains(r.String(), "bias of the attraction of ssCL, τ = 0.5: unbiased on everything tried; largest") {
		t.Error(r)
	}
	expect.That(t, reflect.DeepEqual(r.Worst, r.Simple), "nothing was found, but %s was made of %s", r.Simple, r.Worst)
	// With labeled examples in the batch the positive class counts for more than π, and the same attraction is biased.
	r = search(t, Search{Random: -1, Climbs: -1}, AttractionBias(meterOf(t, pucl.SSCL(), 0.5), nil))
	expect.That(t, r.Found && r.Answer == "biased", "%v", r)
}

// sclpuAttractionBias returns the bias of SCL-PU's attraction under independent views. A labeled anchor has labeled
// rows only, with mean μ_P. Of the 2u−1 other unlabeled rows one is an unlabeled anchor's own view, with mean A = πμ_P
// + (1−π)μ_N, which is also the ideal; the others are draws from the population.
func sclpuAttractionBias(positive, negative []Atom, m, u int, pi, tau float64) float64 {
	mean := func(a, b []Atom) float64 {
		sum := 0.0
		for _, x := range a {
			for _, y := range b {
				sum += x.P * y.P * cosine(x.Z, y.Z) / tau
			}
		}
		return sum
	}
	muP, muN, between := mean(positive, positive), mean(negative, negative), mean(positive, negative)
	own := pi*muP + (1-pi)*muN
	any := pi*pi*muP + (1-pi)*(1-pi)*muN + 2*pi*(1-pi)*between
	bias := float64(m) * (muP - own)
	if u > 0 {
		bias += float64(u) * float64(2*u-2) / float64(2*u-1) * (any - own)
	}
	return bias / float64(m+u)
}

// worstOnGrid excludes the cases of the simplification.
func worstOnGrid(r SearchResult) float64 {
	worst := math.NaN()
	for _, step := range r.Trail {
		if step.Stage == "grid" {
			worst = step.Value.Value
		}
	}
	return worst
}

// On a grid the worst case of SCL-PU's attraction equals that of the closed form over all classes, enumerated here.
func TestSearchWorstCaseOnGrid(t *testing.T) {
	expect.Slow(t)
	const tau = 0.5
	var classes [][]Atom
	directions := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	for i, a := range directions {
		classes = append(classes, []Atom{{a, 1}})
		for _, b := range directions[i+1:] {
			for _, p := range []float64{1. / 3, 2. / 3} {
				classes = append(classes, []Atom{{a, p}, {b, 1 - p}})
			}
		}
	}
	q := AttractionBias(meterOf(t, pucl.SCLPU(), tau), nil)
	for _, design := range []Design{{Unlabeled: 2, Prior: 0.5}, {Labeled: 1, Unlabeled: 2, Prior: 0.3}, {Labeled: 2, Unlabeled: 1, Prior: 0.1}} {
		worst := 0.0
		for _, positive := range classes {
			for _, negative := range classes {
				worst = max(worst, math.Abs(sclpuAttractionBias(positive, negative, design.Labeled, design.Unlabeled, design.Prior, tau)))
			}
		}
		s := Search{Parts: 3, Designs: []Design{design}, Random: -1, Climbs: -1}
		r := search(t, s, q)
		near(t, fmt.Sprintf("worst bias, %+v", design), worstOnGrid(r), worst, 1e-12)
		if s.Oriented = true; design.Labeled == 0 {
			near(t, "worst bias, turned copies kept", worstOnGrid(search(t, s, q)), worst, 1e-12)
		}
		if plan, err := s.Plan(); err != nil || plan.Grid != len(classes)*len(classes) {
			t.Errorf("%s, want %d on the grid; %v", plan, len(classes)*len(classes), err)
		}
	}
	// For u = 2 and π = ½ that is ⅔·¼·(1 + 1 + 2)/τ = 4/3, with each class on one point, opposite to the other.
	r := search(t, Search{Designs: []Design{{Unlabeled: 2, Prior: 0.5}}}, q)
	near(t, "worst bias anywhere", r.Worst.Value.Value, 4./3, 1e-12)
	want := "positive 1 at (1, 0); negative 1 at (-1, 0); m = 0, u = 2, π = 0.5, ρ = 0: 1.33333"
	expect.Equal(t, r.Simple.String(), want, "simple case")
}

// A custom term that is unbiased except for a bug: it rewards rows beyond a right angle. Only some cases reveal it, and
// the search finds one.
func TestSearchFindsADeliberateBias(t *testing.T) {
	const tau = 0.5
	slip := pucl.Objective{Name: "slip", Repel: pucl.LogPartition, Attract: func(b *pucl.Block) *Node {
		farthest := ReduceMin(b.Sim, -1) // at most 0, the value of the row with itself
		return Add(pucl.OwnViews(b), MulScalar(farthest, -0.01))
	}}
	m := expect.Must(NewMeter(openEngine(t), slip, tau))(t)
	defer m.Close()
	designs := []Design{{Unlabeled: 2, Prior: 0.5}}
	r := search(t, Search{Designs: designs}, AttractionBias(m, nil))
	// No similarity lies below −1/τ, so no bias above 0.01/τ. With both classes on the same two opposite points, which
	// is on the grid, the three other rows of an anchor all miss the opposite point with probability 1/8.
	bias := r.Worst.Value.Value
	expect.That(t, bias > 0.01/tau*7/8-1e-12 && bias <= 0.01/tau, "worst bias %g", bias)
	expect.That(t, r.Found, "%v", r)
	sharp := Population{Uniform([]float64{1, 0}), Uniform([]float64{1, 0.1})}
	if r, err := m.Exact(sharp, designs[0]); err != nil || !(math.Abs(r.Attraction.Mean.Value-r.Ideal.Attraction.Value) <= 1e-12) {
		t.Errorf("the slip shows where all angles are acute: %s, %v", r.Attraction.Mean, err)
	}
}

// hill returns a question with the maximum 1, attained if the first positive and the first negative point have cos =
// 0.3 and the first positive atom has probability 0.35. More examples have no effect.
func hill(asked *[]float64) Question {
	return Question{Name: "hill", Ask: func(p Population, d Design) (Number, error) {
		if err := errors.Join(p.Validate(), d.Validate()); err != nil {
			return Number{}, err
		}
		cos, share := cosine(p.Positive[0].Z, p.Negative[0].Z)-0.3, p.Positive[0].P-0.35
		value := 1 - cos*cos - share*share
		if asked != nil {
			*asked = append(*asked, value)
		}
		return Exactly(value), nil
	}}
}

func TestSearchClimbs(t *testing.T) {
	var asked []float64
	s := Search{Steps: 400, Climbs: 1, Atoms: 3, Points: Corners(3), Parts: 2, Random: 50, Seed: 5}
	var progress []SearchProgress
	s.Progress = func(p SearchProgress) { progress = append(progress, p) }
	r := search(t, s, hill(&asked))
	expect.That(t, r.Worst.Value.Value > 1-1e-6, "climbed to %.9g, the top is 1", r.Worst.Value.Value)
	expect.That(t, r.Cases == len(asked) && r.Worst.Value.Value == slices.Max(asked),
		"%d cases up to %g; %d were asked, up to %g", r.Cases, r.Worst.Value.Value, len(asked), slices.Max(asked))
	for i, step := range r.Trail {
		if step.Value.Value != asked[step.Cases-1] || step.Value.Value != slices.Max(asked[:step.Cases]) || i > 0 && step.Value.Value <= r.Trail[i-1].Value.Value {
			t.Errorf("step %d of the trail is %g at case %d", i, step.Value.Value, step.Cases)
		}
	}
	last := r.Trail[len(r.Trail)-1]
	expect.That(t, reflect.DeepEqual(last.Case, r.Worst), "the trail ends with %s, the worst case is %s", last, r.Worst)
	// Plan equals the actual numbers of cases by stage, and progress reports every case.
	plan := expect.Must(s.Plan())(t)
	done := map[string]int{}
	for i, p := range progress {
		expect.Require(t, p.Done == i && p.Total == plan.Total(),
			"report %d says %d of %d; the plan is %s", i, p.Done, p.Total, plan)
		if i > 0 {
			done[p.Stage]++
		}
	}
	expect.That(t, done["grid"] == plan.Grid && done["random"] == plan.Random && done["climb"] == plan.Climb &&
		done["simplify"] <= plan.Simplify && done["simplify"] != 0, "did %v; the plan was %s", done, plan)
	expect.That(t, plan.Random == 50 && plan.Climb == 400, "%v", plan)
}

func TestSearchSimplifies(t *testing.T) {
	for _, keep := range []float64{0, 0.5, 0.999, 1} {
		s := Search{Atoms: 4, Parts: -1, Random: 100, Seed: 2, Keep: keep}
		r := search(t, s, hill(nil))
		share := keep
		if share == 0 {
			share = 0.9
		}
		again, err := hill(nil).Ask(r.Simple.Population, r.Simple.Design)
		if err != nil || again != r.Simple.Value || again.Value < share*r.Worst.Value.Value {
			t.Errorf("keep %g: the simple case has %s, now %s; the worst case has %s; %v", keep, r.Simple.Value, again, r.Worst.Value, err)
		}
		expect.That(t, r.Simple.Design.Examples() == 2, "keep %g: %s has more examples than needed", keep, r.Simple)
		if share <= 0.9 {
			// A point at (½, 1), for cos = 1/√5, and a probability of 1 or ½ are good enough; a second negative atom
			// has no effect.
			for class, most := range []int{2, 1} {
				for _, atom := range *r.Simple.Population.classes()[class] {
					for _, x := range []float64{2 * atom.Z[0], 2 * atom.Z[1], 2 * atom.P} {
						expect.That(t, x == math.Round(x), "keep %g: %v is not round in %s", keep, x, r.Simple)
					}
				}
				n := len(*r.Simple.Population.classes()[class])
				expect.That(t, n <= most, "keep %g: %d atoms in %s", keep, n, r.Simple)
			}
		}
	}
}

// The zero value on a real objective: plain loops reproduce the value of the resulting case.
func TestSearchZeroValue(t *testing.T) {
	expect.Slow(t)
	m := meterOf(t, pucl.PUCL(), 0.5)
	r := search(t, Search{}, LossBias(m, nil))
	expect.That(t, r.Found && r.Simple.Value.Value >= 0.9*r.Worst.Value.Value && r.Confirmed == nil, "%v", r)
	for _, c := range []Case{r.Worst, r.Simple} {
		d := c.Design
		want := theorytest.Study(worldOf(c.Population, d), 0.5, nil, "PUCL")["PUCL"]
		attraction, partition := theorytest.Ideal(worldOf(c.Population, d), d.Negatives(), 0.5)
		near(t, "bias", c.Value.Value, math.Abs(want.Mean[2]-(partition-attraction)), 1e-10)
	}
	var s Search
	plan, err := s.Plan()
	expect.That(t, err == nil && r.Cases <= plan.Total() && r.Cases >= plan.Total()-plan.Simplify,
		"%d cases, planned %s; %v", r.Cases, plan, err)
}

func TestSearchRepeats(t *testing.T) {
	s := Search{Parts: -1, Random: 40, Steps: 20, Seed: 8}
	a, b := search(t, s, hill(nil)), search(t, s, hill(nil))
	expect.That(t, reflect.DeepEqual(a, b), "the same search gave\n%s\nand\n%s", a, b)
	s.Seed++
	c := search(t, s, hill(nil))
	expect.That(t, !reflect.DeepEqual(a.Worst, c.Worst), "another seed gave the same worst case")
}

// Random cases alternate among the designs, and climbs start from different designs.
func TestSearchUsesAllDesigns(t *testing.T) {
	count := map[int]int{}
	q := hill(nil)
	plain := q.Ask
	q.Ask = func(p Population, d Design) (Number, error) { count[d.Unlabeled]++; return plain(p, d) }
	search(t, Search{Parts: -1, Designs: Design{}.Vary(nil, []int{2, 3, 4}, nil), Random: 12, Climbs: 2, Steps: 10, Tolerance: 2}, q)
	got := []int{count[2], count[3], count[4]}
	slices.Sort(got)
	expect.That(t, slices.Equal(got, []int{4, 14, 14}), "cases under the designs: %v", got)
	// More climbs than measured designs: one each.
	for _, random := range []int{2, 12} {
		s := Search{Parts: -1, Designs: Design{}.Vary(nil, []int{2, 3, 4}, nil), Random: random, Climbs: 9, Steps: 10, Tolerance: 2}
		if plan, err := s.Plan(); err != nil || plan.Climb != 10*min(random, 3) || search(t, s, hill(nil)).Cases != random+plan.Climb {
			t.Errorf("%s, %v", plan, err)
		}
	}
}
