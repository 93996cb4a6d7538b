package answers

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

func newLab(t *testing.T) *Lab {
	l := New(enginetest.Open(t))
	t.Cleanup(l.Close)
	return l
}

// near fails unless got is within 1e-12 of want, relative for numbers above 1.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	expect.That(t, math.Abs(got-want) <= 1e-12*max(1, math.Abs(want)), "%s: %.17g, want %.17g", what, got, want)
}

// preset returns the first case of a theorem.
func preset(t *testing.T, theorem int) Preset {
	t.Helper()
	for _, p := range Presets() {
		if p.Theorem == theorem {
			return p
		}
	}
	t.Fatalf("no case of theorem %d", theorem)
	return Preset{}
}

// ask returns an answer and fails on an error.
func (l *Lab) ask(t *testing.T, r Request) Answer {
	t.Helper()
	a := l.Answer(r)
	expect.Require(t, a.Error == "", "%s: %s", r.Ask, a.Error)
	return a
}

// requests lists the page's requests for a preset.
func requests(p Preset) []Request {
	if p.Plane != nil {
		return []Request{{Ask: "seeding", Plane: p.Plane}}
	}
	return []Request{{Ask: "numbers", Circle: p.Circle}, {Ask: "gradients", Circle: p.Circle}}
}

func TestNumbersAreThoseOfTheory(t *testing.T) {
	const tau = 0.7
	c := Circle{Positive: []float64{0, 90}, Negative: []float64{180, 240}, Prior: 0.3, Labeled: 2, Unlabeled: 1, Tau: tau,
		Loss: Loss{Name: "PUCL"}, Theorem: 2}
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}, []float64{0, 1}),
		Negative: theory.Uniform([]float64{-1, 0}, []float64{-0.5, -math.Sqrt(0.75)}),
	}
	d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.3}
	n := newLab(t).ask(t, Request{Ask: "numbers", Circle: &c}).Numbers
	variance := [2]float64{}
	for i, side := range []struct {
		got Measured
		of  pucl.Objective
	}{{n.Loss, pucl.PUCL()}, {*n.Baseline, pucl.SSCL()}} {
		r := expect.Must(theory.Exact(enginetest.Open(t), side.of, world, d, tau))(t)
		near(t, "attraction", side.got.Attraction, r.Attraction.Mean.Value)
		near(t, "log partition", side.got.LogPartition, r.LogPartition.Mean.Value)
		near(t, "loss", side.got.Loss, r.Loss.Mean.Value)
		near(t, "variance", side.got.Variance, r.Loss.Variance.Value)
		near(t, "bias", side.got.Bias, r.Bias.Value)
		near(t, "bias of the attraction", side.got.AttractionBias, r.AttractionBias().Value)
		near(t, "bias of the log partition", side.got.PartitionBias, r.PartitionBias().Value)
		near(t, "ideal loss", n.Ideal.Loss, r.Ideal.Loss.Value)
		variance[i] = r.Loss.Variance.Value
	}
	near(t, "Δσ", *n.Gap, variance[1]-variance[0])
	near(t, "Δσ by the formula that holds", *n.Formulas.Theorem2Gap, *n.Gap)
	printed := expect.Must(claims.Theorem1Printed(world, d, tau))(t)
	near(t, "Theorem 1 as printed", *n.Formulas.Theorem1, printed)
	near(t, "the attraction's bias", *n.Formulas.Theorem2Attraction, n.Loss.AttractionBias)
	expect.That(t, n.Batches != 0, "no batch was scored")
}

// A formula that divides by the number of labeled examples has no value without labeled examples.
func TestFormulasWithoutLabels(t *testing.T) {
	c := *preset(t, 2).Circle
	c.Labeled, c.Unlabeled = 0, 2
	n := newLab(t).ask(t, Request{Ask: "numbers", Circle: &c}).Numbers
	expect.That(t, n.Formulas.Theorem2Printed == nil && n.Formulas.Theorem2Gap != nil && *n.Formulas.Theorem2Gap == 0,
		"formulas %+v", n.Formulas)
}

// The library's losses are choices of terms.
func TestOwnLosses(t *testing.T) {
	l := newLab(t)
	c := *preset(t, 1).Circle
	value := func(loss Loss) Measured {
		c.Loss = loss
		return l.ask(t, Request{Ask: "numbers", Circle: &c}).Numbers.Loss
	}
	own := func(labeled, unlabeled string) Loss {
		return Loss{Name: "own", Labeled: labeled, Unlabeled: unlabeled, With: "OwnViews", Mix: 1, Weight: 1, Repel: "LogPartition"}
	}
	debiased := own("OwnViews", "OwnViews")
	debiased.Repel = "DCL"
	for name, same := range map[string]Loss{
		"ssCL": own("OwnViews", "OwnViews"), "PUCL": own("LabeledMean", "OwnViews"), "SCL-PU": own("LabeledMean", "UnlabeledMean"),
		"SCL": own("ClassMean", "ClassMean"), "DCL": debiased,
	} {
		got, want := value(same), value(Loss{Name: name})
		near(t, name+": loss", got.Loss, want.Loss)
		near(t, name+": variance", got.Variance, want.Variance)
	}
	mixed := own("LabeledMean", "UnlabeledMean")
	mixed.Mix, mixed.Weight = 0.25, 2
	first, second := value(Loss{Name: "SCL-PU"}), value(Loss{Name: "ssCL"})
	near(t, "mixed and weighted", value(mixed).Attraction, 2*(0.25*first.Attraction+0.75*second.Attraction))
}

// The relations in the doc of Theorem4 hold for the answers.
func TestGradientsOfTheorem4(t *testing.T) {
	l := newLab(t)
	for _, p := range Presets() {
		if p.Theorem != 4 {
			continue
		}
		g := l.ask(t, Request{Ask: "gradients", Circle: p.Circle}).Gradients
		near(t, p.Name+": distance of the gradients", g.Theorem4.Apart, g.Theorem4.Expected)
		near(t, p.Name+": difference of the squared biases",
			math.Pow(g.Theorem4.Bias, 2)-math.Pow(g.Bias, 2), g.Theorem4.Kappa*(g.Theorem4.Along-g.Theorem4.Needed))
		expect.That(t, p.Circle.SameView != theory.IndependentViews || g.Theorem4.LeastGain >= -1e-12 &&
			g.Theorem4.Variance < g.Theorem4.VarianceBaseline, "%s: the gradient of PUCL varies more: %+v", p.Name,
			g.Theorem4)
		expect.That(t, len(g.Loss) == 3 && len(g.Ideal) == 3 && len(g.Loss[0]) == 2,
			"%s: gradients of %d and %d points", p.Name, len(g.Loss), len(g.Ideal))
	}
	g := l.ask(t, Request{Ask: "gradients", Circle: preset(t, 4).Circle}).Gradients
	near(t, "largest ratio", g.Bias/g.Theorem4.Bias, 8.302211226897693)
	expect.That(t, g.Theorem4.LeastGain < -0.01,
		"of identical views the gradient of PUCL varies more in some direction, not by %g", -g.Theorem4.LeastGain)
}

// The three points of LabelsApart: from the only start, 100 + 100 + 1 and so on, counted by hand.
func TestSeedingOfThreePoints(t *testing.T) {
	p := Plane{Labeled: [][2]int64{{-10, 0}, {10, 0}}, Negative: [][2]int64{{11, 0}}}
	s := newLab(t).ask(t, Request{Ask: "seeding", Plane: &p}).Seeding
	for name, pair := range map[string][2]string{
		"Definition 6": {s.Seeded.Free.Exact, "101"}, "constrained": {s.Seeded.Constrained.Exact, "200"},
		"best":  {s.Optimal.Exact, "1/2"},
		"ratio": {s.Ratio.Exact, "202"}, "printed": {s.Printed.Exact, "8"},
		"k": {s.Factor.Exact, "1"}, "bound": {s.Bound.Exact, "200"},
		"average": {s.Average.Exact, "200"}, "probability": {s.Starts[0].Probability.Exact, "1"},
		"k-means++": {s.PlusPlus.Exact, "289361/177242"},
	} {
		expect.That(t, pair[0] == pair[1], "%s: %s, want %s", name, pair[0], pair[1])
	}
	first := s.Starts[0].Rounds[0]
	expect.That(t, fmt.Sprint(first.Positive, first.Negative, first.Near) == "[0 0] [11 0] [true false false]" &&
		s.Choices == 1, "seeded %+v, %d choices", first, s.Choices)
}

// A point equidistant from both centers goes to the positive one, here 1 between 0 and 2.
func TestTiesOfSeeding(t *testing.T) {
	p := Plane{Labeled: [][2]int64{{0, 0}}, Hidden: [][2]int64{{1, 0}}, Negative: [][2]int64{{2, 0}}}
	s := newLab(t).ask(t, Request{Ask: "seeding", Plane: &p}).Seeding
	far := s.Starts[1]
	expect.That(t, far.Point == 1 && far.Probability.Exact == "4/5" && far.Tied &&
		fmt.Sprint(far.Rounds[0].Near) == "[true true false]", "the start at 2: %+v", far)
}

// The corrected bound holds on average over all choices of labels.
func TestSeedingBound(t *testing.T) {
	l := newLab(t)
	for _, p := range Presets() {
		if p.Plane == nil {
			continue
		}
		s := l.ask(t, Request{Ask: "seeding", Plane: p.Plane}).Seeding
		expect.That(t, s.Average != nil && s.Average.Value <= s.Bound.Value*(1+1e-12),
			"%s: average %v above %g", p.Name, s.Average, s.Bound.Value)
		total := 0.0
		for _, start := range s.Starts {
			total += start.Probability.Value
			last := start.Rounds[len(start.Rounds)-1]
			expect.Equal(t, len(last.Near),
				len(p.Plane.Labeled)+len(p.Plane.Hidden)+len(p.Plane.Negative), "%s", p.Name)
		}
		near(t, p.Name+": probabilities", total, 1)
	}
	// With 0 and 2 labeled, both other points are at the mean.
	p := Plane{Labeled: [][2]int64{{0, 0}, {1, 0}}, Hidden: [][2]int64{{2, 0}}, Negative: [][2]int64{{1, 0}}}
	if s := l.ask(t, Request{Ask: "seeding", Plane: &p}).Seeding; s.Choices != 3 || s.Average != nil {
		t.Errorf("%d choices, average %v; in one of three nothing can be drawn", s.Choices, s.Average)
	}
}

func TestRefusals(t *testing.T) {
	l := newLab(t)
	circle := func(change func(*Circle)) Request {
		c := *preset(t, 1).Circle
		change(&c)
		return Request{Ask: "numbers", Circle: &c}
	}
	points := func(n int) [][2]int64 { return make([][2]int64, n) }
	for name, tt := range map[string]struct {
		request Request
		want    string
	}{
		"nothing":         {Request{Ask: "all"}, `nothing is asked by "all"; ask for numbers`},
		"no circle":       {Request{Ask: "numbers"}, "ask for numbers"},
		"no points":       {circle(func(c *Circle) { c.Negative = nil }), "at least one point; add one"},
		"many points":     {circle(func(c *Circle) { c.Negative = make([]float64, 7) }), "a class has 6 at most"},
		"small batch":     {circle(func(c *Circle) { c.Labeled, c.Unlabeled = 1, 0 }), "set m + u to 2 or more"},
		"many batches":    {circle(func(c *Circle) { c.Positive = []float64{0, 20, 40, 60}; c.Unlabeled = 6 }), "lower m or u"},
		"loss":            {circle(func(c *Circle) { c.Loss.Name = "CE" }), `no loss "CE"; take one of DCL, PUCL`},
		"terms":           {circle(func(c *Circle) { c.Loss = Loss{Name: "own", Labeled: "Attraction"} }), `no attraction "Attraction"`},
		"share":           {circle(func(c *Circle) { c.Loss = similarity; c.Loss.Mix = 2 }), "λ = 2"},
		"prior":           {circle(func(c *Circle) { c.Prior = 2 }), "class prior π = 2"},
		"temperature":     {circle(func(c *Circle) { c.Tau = 0 }), "temperature τ = 0"},
		"DCL at 1":        {circle(func(c *Circle) { c.Prior = 1; c.Loss.Name = "DCL" }), "τ⁺ = 1"},
		"no label":        {Request{Ask: "seeding", Plane: &Plane{Negative: points(1)}}, "label one"},
		"all labeled":     {Request{Ask: "seeding", Plane: &Plane{Labeled: points(1)}}, "add one"},
		"many rows":       {Request{Ask: "seeding", Plane: &Plane{Labeled: points(1), Hidden: points(10)}}, "10 at most"},
		"nothing to draw": {Request{Ask: "seeding", Plane: &Plane{Labeled: points(1), Hidden: points(2)}}, "nothing to draw"},
	} {
		if a := l.Answer(tt.request); !strings.Contains(a.Error, tt.want) || a.Numbers != nil {
			t.Errorf("%s: %q, want %q", name, a.Error, tt.want)
		}
	}
	// The page matches an answer to its current request only by the ID.
	large := string(l.AnswerJSON([]byte(`{"id": 7, "ask": "seeding", "plane": {"labeled": [[1e30, 0]]}}`)))
	if !strings.Contains(large, `"id":7,"error":"the request is no JSON of a case: json: cannot unmarshal number 1e30`) {
		t.Errorf("of a number that is too large: %s", large)
	}
	a := string(l.AnswerJSON([]byte("{")))
	expect.That(t, strings.Contains(a, "no JSON of a case"), "broken JSON: %s", a)
}

// Moving a point compiles nothing, changing τ does, and old meters are closed.
func TestMetersAreKept(t *testing.T) {
	l := newLab(t)
	c := *preset(t, 1).Circle
	meter := func(change func(*Circle)) *theory.Meter {
		change(&c)
		return expect.Must(l.meter(c.Loss, c.Prior, c.Tau))(t)
	}
	first := meter(func(*Circle) {})
	expect.That(t, meter(func(c *Circle) { c.Prior = 0.1 }) == first,
		"another meter for another prior, which the loss does not look at")
	for range keptMeters + 3 {
		expect.That(t, meter(func(c *Circle) { c.Tau += 0.1 }) != first, "one meter for two temperatures")
	}
	expect.That(t, len(l.meters) == keptMeters, "%d meters are kept, want %d", len(l.meters), keptMeters)
	c.Loss.Name = "DCL"
	expect.That(t, meter(func(*Circle) {}) != meter(func(c *Circle) { c.Prior = 0.2 }),
		"one meter of DCL for two priors")
}

var regenerate = flag.Bool("regen", false, "write testdata/answers.json anew")

// The answers of all presets are the same on all engines: XLA, pure Go and WebAssembly.
func TestAnswersEverywhere(t *testing.T) {
	l := newLab(t)
	path := filepath.Join("testdata", "answers.json")
	var got []any
	for _, p := range Presets() {
		for _, r := range requests(p) {
			text := expect.Must(json.Marshal(r))(t)
			var answer any
			expect.NoError(t, json.Unmarshal(l.AnswerJSON(text), &answer))
			got = append(got, answer)
		}
	}
	if *regenerate {
		text, err := json.MarshalIndent(got, "", " ")
		if err == nil {
			err = wholefile.Keep(path, append(text, '\n'), 0o644)
		}
		expect.NoError(t, err)
	}
	text := expect.Must(os.ReadFile(path))(t)
	var want []any
	expect.NoError(t, json.NewDecoder(bytes.NewReader(text)).Decode(&want))
	equal(t, "answers", any(got), any(want))
}

// equal compares JSON values, numbers to 1e-12.
func equal(t *testing.T, where string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case float64:
		got, ok := got.(float64)
		expect.That(t, ok, "%s: no number", where)
		near(t, where, got, want)
	case []any:
		got, _ := got.([]any)
		expect.Require(t, len(got) == len(want), "%s: %d entries, want %d", where, len(got), len(want))
		for i := range want {
			equal(t, fmt.Sprintf("%s[%d]", where, i), got[i], want[i])
		}
	case map[string]any:
		got, _ := got.(map[string]any)
		expect.That(t, len(got) == len(want), "%s: %d fields, want %d", where, len(got), len(want))
		for name := range want {
			equal(t, where+"."+name, got[name], want[name])
		}
	default:
		expect.That(t, got == want, "%s: %v, want %v", where, got, want)
	}
}
