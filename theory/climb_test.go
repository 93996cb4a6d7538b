package theory

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// After any step, points keep their length and number, probabilities stay a distribution, and the original case is
// unchanged.
func TestPerturbedStaysValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	turned, reweighted := 0, 0
	for range 300 {
		p := Population{randomClass(rng, 3, 4), randomClass(rng, 2, 4)}
		expect.NoError(t, p.Validate())
		for _, step := range []float64{largestStep, 1e-4} {
			before := p.clone()
			next := perturbed(rng, p, step)
			if err := next.Validate(); err != nil || !reflect.DeepEqual(p, before) || reflect.DeepEqual(next, p) {
				t.Fatalf("%v became %v; %v", before, next, err)
			}
			for class := range 2 {
				for i, atom := range *next.classes()[class] {
					old := (*p.classes()[class])[i]
					near(t, "length", math.Sqrt(dot(atom.Z, atom.Z)), math.Sqrt(dot(old.Z, old.Z)), 1e-12)
					cos := cosine(atom.Z, old.Z)
					expect.That(t, step != 1e-4 || cos >= 1-1e-5 && math.Abs(atom.P-old.P) <= 1e-2,
						"a step of %g turned %v into %v", step, old, atom)
					if !reflect.DeepEqual(atom.Z, old.Z) {
						turned++
					}
					if atom.P != old.P {
						reweighted++
					}
				}
			}
		}
	}
	expect.That(t, turned >= 100 && reweighted >= 100, "%d points turned, %d probabilities changed", turned, reweighted)
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

func TestRoundShares(t *testing.T) {
	for _, tt := range []struct {
		p           []float64
		denominator int
		want        []float64
	}{
		{[]float64{0.9, 0.1}, 2, []float64{0.5, 0.5}},
		{[]float64{0.9, 0.1}, 3, []float64{2. / 3, 1. / 3}},
		{[]float64{0.26, 0.74}, 4, []float64{0.25, 0.75}},
		{[]float64{0.01, 0.98, 0.01}, 5, []float64{0.2, 0.6, 0.2}},
		{[]float64{1}, 1, []float64{1}},
	} {
		atoms := make([]Atom, len(tt.p))
		for i, p := range tt.p {
			atoms[i] = Atom{[]float64{1}, p}
		}
		roundShares(atoms, tt.denominator)
		for i, want := range tt.want {
			near(t, "share", atoms[i].P, want, 1e-15)
		}
	}
}

func TestCaseWritesProbabilities(t *testing.T) {
	for p, want := range map[float64]string{1: "1", 0: "0", 0.5: "1/2", 2. / 3: "2/3", 0.7: "7/10", 11. / 12: "11/12", 0.123: "0.123",
		1. / 3 * (1 + 1e-15): "0.33333333333333365"} {
		expect.Equal(t, share(p), want, "%v is written", p)
	}
}

// Rotating a population into its own basis changes no inner product, and produces zeros.
func TestInOwnBasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		p := Population{randomClass(rng, 3, 3), randomClass(rng, 3, 3)}
		q := inOwnBasis(p)
		a, b := append(p.clone().Positive, p.Negative...), append(q.clone().Positive, q.Negative...)
		for i := range a {
			for j := range a {
				near(t, "inner product", dot(b[i].Z, b[j].Z), dot(a[i].Z, a[j].Z), 1e-12)
			}
		}
		z := b[0].Z
		expect.That(t, z[1] == 0 && z[2] == 0 && b[1].Z[2] == 0, "%v starts with %v and %v", q, z, b[1].Z)
	}
	flat := Population{Uniform([]float64{0, 2}, []float64{0, -3}), Uniform([]float64{5, 0})}
	if got := (Case{Population: inOwnBasis(flat)}).String(); got != "positive 1/2 at (2, 0), 1/2 at (-3, 0); negative 1 at (0, 5); m = 0, u = 0, π = 0, ρ = 0: 0" {
		t.Error(got)
	}
}

// Every measurement reports its size before it starts, proceeds in steps, and ends at that size; trials of symmetry are
// not counted. The sizes are multisets of unordered pairs: 3 of two points and, for unlabeled examples, 6.
func TestMeterProgress(t *testing.T) {
	m := meterOf(t, pucl.SSCL(), 0.5)
	defer func() { m.Progress = nil }()
	d := Design{Labeled: 2, Unlabeled: 4, Prior: 0.5} // C(4,2)·C(9,4) = 6·126
	small := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	for _, tt := range []struct {
		name    string
		total   float64
		reports int
		run     func() error
	}{
		{"exact", 756, 2, func() error { _, err := m.Exact(quartet(), d); return err }},
		{"exact, smaller", 18, 2, func() error { _, err := m.Exact(quartet(), small); return err }},
		{"gradient", 18, 2, func() error { _, err := m.Gradient(quartet(), small); return err }},
		{"sampled", 2500, 4, func() error { _, err := m.MonteCarlo(quartet(), small, Draws{Batches: 2500}); return err }},
	} {
		var told []float64
		m.Progress = func(done, total float64) {
			expect.That(t, total == tt.total, "%s: %g batches announced, want %g", tt.name, total, tt.total)
			told = append(told, done)
		}
		expect.NoError(t, tt.run())
		if len(told) != tt.reports || told[0] != 0 || told[len(told)-1] != tt.total {
			t.Errorf("%s: reports %v, want %d from 0 to %g", tt.name, told, tt.reports, tt.total)
			continue
		}
		for i := 1; i < len(told); i++ {
			step := told[i] - told[i-1]
			expect.That(t, step > 0 && step <= 1024, "%s: reports %v", tt.name, told)
		}
	}
	// A case that is rejected for its size reports no progress.
	m.Progress = func(done, total float64) { t.Errorf("%g of %g", done, total) }
	_, err := m.Exact(quartet(), Design{Labeled: 40, Unlabeled: 40, Prior: 0.5})
	wantError(t, "too many batches", err, "MonteCarlo")
}

func TestSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var asked []float64
	s := Search{Progress: func(p SearchProgress) {
		if p.Done == 30 {
			cancel()
		}
	}}
	r, err := s.Run(ctx, hill(&asked))
	expect.Require(t, errors.Is(err, context.Canceled), "%v", err)
	wantError(t, "cancelled", err, "after 30 of ")
	if r.Cases != 30 || len(asked) != 30 || r.Worst.Value.Value != slices.Max(asked) || !reflect.DeepEqual(r.Worst, r.Simple) || !r.Found {
		t.Errorf("after cancelling: %s; 30 cases had up to %g", r, slices.Max(asked))
	}
	r, err = s.Run(ctx, hill(nil))
	expect.That(t, errors.Is(err, context.Canceled) && r.Cases == 0 && !r.Found, "cancelled beforehand: %s, %v", r, err)
	expect.That(t, strings.Contains(r.String(), "no case was measured"), "%v", r)
	// The search can also be stopped during climbing and simplification.
	for _, stage := range []string{"random", "climb", "simplify"} {
		ctx, cancel := context.WithCancel(context.Background())
		s := Search{Progress: func(p SearchProgress) {
			if p.Stage == stage {
				cancel()
			}
		}}
		if r, err := s.Run(ctx, hill(nil)); !errors.Is(err, context.Canceled) || r.Simple.Value != r.Worst.Value {
			t.Errorf("stopped in stage %s: %s, %v", stage, r, err)
		}
	}
	// A case that cannot be measured ends the search. The result keeps the earlier findings, and the error describes
	// the case.
	broken := hill(nil)
	count := 0
	broken.Ask = func(p Population, d Design) (Number, error) {
		if count++; count == 8 {
			return Exactly(math.Inf(1)), nil
		}
		return hill(nil).Ask(p, d)
	}
	r, err = Search{}.Run(context.Background(), broken)
	wantError(t, "infinite answer", err, "case 8, positive 1 at (1, 0)", "must be finite")
	expect.That(t, r.Cases == 7 && r.Worst.Value.Value != 0, "%v", r)
	lost := pucl.Objective{Name: "lost", Attract: func(b *pucl.Block) *Node { return Log(pucl.OwnViews(b)) }, Repel: pucl.LogPartition}
	m := expect.Must(NewMeter(openEngine(t), lost, 0.5))(t)
	defer m.Close()
	_, err = Search{}.Run(context.Background(), LossBias(m, nil))
	wantError(t, "objective without a value", err, `attraction of objective "lost" is`, "case ")
}

func TestSearchRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		s     Search
		words []string
	}{
		{"no points", Search{Points: [][]float64{}}, []string{"empty list of Points", "Circle(4)"}},
		{"no coordinates", Search{Points: [][]float64{{}}}, []string{"no coordinates"}},
		{"origin", Search{Points: [][]float64{{1, 0}, {0, 0}}}, []string{"point 1", "origin"}},
		{"two spaces", Search{Points: [][]float64{{1, 0}, {0, 0, 1}}}, []string{"point 1", "one space"}},
		{"no designs", Search{Designs: []Design{}}, []string{"empty list of Designs"}},
		{"bad design", Search{Designs: []Design{{Unlabeled: 2}, {Unlabeled: 2, Prior: 2}}}, []string{"π = 2", "design 1"}},
		{"no atoms", Search{Atoms: -1}, []string{"Atoms = -1", "at least 1"}},
		{"many atoms", Search{Atoms: 1000}, []string{"Atoms = 1000", "may have 100"}},
		{"no steps", Search{Steps: -1}, []string{"Steps = -1", "Climbs"}},
		{"share", Search{Keep: 1.5}, []string{"Keep = 1.5", "share"}},
		{"tolerance", Search{Tolerance: math.NaN()}, []string{"Tolerance = NaN"}},
		{"limit", Search{MaxCases: -4}, []string{"MaxCases = -4"}},
		{"nothing to try", Search{Parts: -1, Random: -1}, []string{"neither a grid nor random cases"}},
		{"too many", Search{MaxCases: 1000}, []string{"15 designs", "300 random cases", "3 climbs of 100 steps", "MaxCases = 1000"}},
		// C(16,1) + C(16,2)·3 + C(16,3)·3 = 2056 classes.
		{"grid too large", Search{Points: Corners(4), Atoms: 3}, []string{"2.06e+03 classes", "4.23e+06 populations", "fewer Points"}},
	} {
		_, err := tt.s.Plan()
		wantError(t, tt.name, err, append(tt.words, "theory:")...)
		asked := []float64{}
		if _, other := tt.s.Run(context.Background(), hill(&asked)); other == nil || other.Error() != err.Error() || len(asked) > 0 {
			t.Errorf("%s: Run says %v after %d cases, Plan says %v", tt.name, other, len(asked), err)
		}
	}
	wantError(t, "no question", expect.Err(Search{}.Run(context.Background(), Question{})), "without Ask", "LossBias")
	for _, q := range []Question{LossBias(nil, nil), AttractionBias(nil, &Draws{}), GradientBias(nil), ExtraGradientBias(nil, nil), ExtraVariance(meterOf(t, pucl.SSCL(), 0.5), nil, nil)} {
		wantError(t, q.Name, expect.Err(Search{}.Run(context.Background(), q)), "without a meter", "NewMeter")
	}
}
