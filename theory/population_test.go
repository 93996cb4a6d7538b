package theory

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

func TestPopulationsAreValidated(t *testing.T) {
	err := quartet().Validate()
	expect.That(t, err == nil, "a right population is refused: %v", err)
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		name  string
		bend  func(p *Population)
		words []string
	}{
		{"empty class", func(p *Population) { p.Negative = nil }, []string{"at least one atom", "2 positive and 0 negative"}},
		{"dimension", func(p *Population) { p.Negative[1].Z = []float64{1} }, []string{"negative atom 1", "1 coordinates", "first positive one has 2"}},
		{"no coordinates", func(p *Population) {
			p.Positive[0].Z = nil
			p.Positive[1].Z = nil
			p.Negative[0].Z = nil
			p.Negative[1].Z = nil
		}, []string{"positive atom 0", "origin"}},
		{"origin", func(p *Population) { p.Positive[1].Z = []float64{0, 0} }, []string{"positive atom 1", "origin"}},
		{"point not finite", func(p *Population) { p.Positive[1].Z = []float64{0, inf} }, []string{"positive atom 1", "not finite"}},
		{"point not a number", func(p *Population) { p.Positive[1].Z = []float64{nan, 1} }, []string{"positive atom 1", "not finite"}},
		{"negative probability", func(p *Population) { p.Negative[0].P, p.Negative[1].P = -0.5, 1.5 }, []string{"negative atom 0", "probability is -0.5"}},
		{"probability not a number", func(p *Population) { p.Negative[0].P = nan }, []string{"negative atom 0", "NaN"}},
		{"sum", func(p *Population) { p.Positive[0].P = 0.6 + 2e-9 }, []string{"positive class", "1.000000002", "add up to 1"}},
	} {
		p := quartet()
		tt.bend(&p)
		wantError(t, tt.name, p.Validate(), tt.words...)
	}
	p := quartet()
	p.Positive[0].P += 9e-10
	if err := p.Validate(); err != nil {
		t.Errorf("a sum off by 9e-10 is refused: %v", err)
	}
}

func TestPopulationJSON(t *testing.T) {
	data := expect.Must(json.Marshal(quartet()))(t)
	var back Population
	expect.NoError(t, json.Unmarshal(data, &back))
	again, err := json.Marshal(back)
	expect.That(t, err == nil && string(again) == string(data), "%s came back as %s, %v", data, again, err)
	var hand Population
	if err := json.Unmarshal([]byte(`{"positive":[{"z":[1,0],"p":1}],"negative":[{"z":[0,1],"p":0.25},{"z":[0,2],"p":0.75}]}`), &hand); err != nil {
		t.Fatal(err)
	}
	expect.That(t, hand.Negative[1].P == 0.75 && hand.Negative[1].Z[1] == 2 && hand.Dim() == 2, "%+v", hand)
	wantError(t, "invalid", json.Unmarshal([]byte(`{"positive":[{"z":[1,0],"p":0.5}],"negative":[{"z":[0,1],"p":1}]}`), &hand), "add up to 0.5")
	wantError(t, "malformed", json.Unmarshal([]byte(`{"positive":3}`), &hand), "reading a population")
	expect.That(t, hand.Negative[1].P == 0.75, "a refused population overwrote the old one")
}

func TestProximity(t *testing.T) {
	// Positive (1,0) or (0,1) with probability ½: cosines 1, 0, 0, 1. Negative (−1,0). τ = ½.
	p := Population{Positive: Uniform([]float64{3, 0}, []float64{0, 1}), Negative: Uniform([]float64{-2, 0})}
	positive, negative, between, err := p.Proximity(0.5)
	expect.NoError(t, err)
	near(t, "within the positive class", positive, 1, 1e-15)
	near(t, "within the negative class", negative, 2, 1e-15)
	near(t, "between", between, -1, 1e-15)
	_, _, _, err = p.Proximity(0)
	wantError(t, "temperature", err, "τ = 0")
}

// Probabilities within the allowed deviation are rescaled.
func TestSlackInProbabilitiesIsRescaled(t *testing.T) {
	p, q := quartet(), quartet()
	for i := range q.Positive {
		q.Positive[i].P *= 1 + 9e-10
		q.Negative[i].P *= 1 - 9e-10
	}
	a := expect.Must(IdealLoss(p, 0.4, 4, 0.5))(t)
	b := expect.Must(IdealLoss(q, 0.4, 4, 0.5))(t)
	near(t, "ideal loss", b.Loss.Value, a.Loss.Value, 1e-13)
}

// Very long and very short points have a direction like any other.
func TestLengthDoesNotMatter(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1e-300, 0}, []float64{1e200, 1e200}), Negative: Uniform([]float64{0, -5e-300})}
	q := Population{Positive: Uniform([]float64{1, 0}, []float64{1, 1}), Negative: Uniform([]float64{0, -1})}
	a := expect.Must(IdealLoss(p, 0.4, 4, 0.5))(t)
	b := expect.Must(IdealLoss(q, 0.4, 4, 0.5))(t)
	near(t, "ideal loss", a.Loss.Value, b.Loss.Value, 1e-14)
	tiny := Population{Positive: p.Positive, Negative: Uniform([]float64{0, -5e-320})} // 1/5e-320 overflows
	b = expect.Must(IdealLoss(tiny, 0.4, 4, 0.5))(t)
	near(t, "ideal loss with a subnormal point", b.Loss.Value, a.Loss.Value, 1e-14)
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	m := meterOf(t, paperObjectives()[1], 0.5)
	x := expect.Must(m.Exact(p, d))(t)
	y := expect.Must(m.Exact(q, d))(t)
	near(t, "mean loss", x.Loss.Mean.Value, y.Loss.Mean.Value, 1e-13)
}

func TestPointsOfAtoms(t *testing.T) {
	want := [][]float64{{3, 0}, {0, 1}}
	got := Points(Uniform(want...))
	expect.That(t, slices.EqualFunc(got, want, slices.Equal[[]float64]), "points %v, want %v", got, want)
}

func TestDesignsAreValidated(t *testing.T) {
	for _, d := range []Design{
		{Labeled: 1},
		{Unlabeled: 1, Prior: 1, SameView: 1},
		{Labeled: 1, Unlabeled: 1, Prior: 0.5, Scheme: SingleDataset, LabelRate: 1},
		{Unlabeled: 2, Prior: 0.5, Scheme: SingleDataset},
		{Labeled: 2, Prior: 1, Scheme: SingleDataset, LabelRate: 1},
	} {
		err := d.Validate()
		expect.That(t, err == nil, "%+v is refused: %v", d, err)
	}
	for _, tt := range []struct {
		d     Design
		words []string
	}{
		{Design{Prior: 0.5}, []string{"0 labeled and 0 unlabeled"}},
		{Design{Labeled: -1, Unlabeled: 3}, []string{"-1 labeled"}},
		{Design{Labeled: 1, Prior: 1.1}, []string{"class prior π = 1.1"}},
		{Design{Labeled: 1, Prior: math.NaN()}, []string{"class prior π = NaN"}},
		{Design{Labeled: 1, SameView: -0.1}, []string{"identical views = -0.1"}},
		{Design{Labeled: 1, Scheme: SingleDataset, LabelRate: 2}, []string{"label rate c = 2"}},
		{Design{Labeled: 1, LabelRate: 0.5}, []string{"case-control", "SingleDataset"}},
		{Design{Labeled: 1, Prior: 0.5, Scheme: SingleDataset}, []string{"never labels"}},
		{Design{Labeled: 1, Unlabeled: 1, Prior: 1, Scheme: SingleDataset, LabelRate: 1}, []string{"labels everything"}},
		{Design{Labeled: 1, Scheme: 7}, []string{"Scheme(7)", "CaseControl"}},
	} {
		wantError(t, tt.words[0], tt.d.Validate(), tt.words...)
	}
}

// Of 1000 examples at π = 0.4 and c = 0.25, 400 are positive and 100 of them labeled: 300 of 900 unlabeled are positive.
func TestUnlabeledPrior(t *testing.T) {
	d := Design{Labeled: 1, Unlabeled: 9, Prior: 0.4}
	near(t, "case-control", d.UnlabeledPrior(), 0.4, 1e-15)
	d.Scheme, d.LabelRate = SingleDataset, 0.25
	near(t, "single data set", d.UnlabeledPrior(), 1.0/3, 1e-15)
	expect.That(t, d.Examples() == 10 && d.Rows() == 20 && d.Negatives() == 18,
		"%d examples, %d rows, %d negatives", d.Examples(), d.Rows(), d.Negatives())
}

// By hand: positive class on point 0 (¼) and 1 (¾), negative class on point 1; ρ = 0.2, π = ½.
func TestOutcomes(t *testing.T) {
	s := support{points: [][]float64{{1}, {2}}, positive: []mass{{0, 0.25}, {1, 0.75}}, negative: []mass{{1, 1}}}
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5, SameView: 0.2}
	labeled, unlabeled := d.outcomes(s, Symmetry{Views: true})
	_, blind := d.outcomes(s, Symmetry{Views: true, Classes: true})
	for _, tt := range []struct {
		name string
		got  []outcome
		want []outcome
	}{
		{"labeled", labeled, []outcome{{1, 0, 0, 0.2*0.25 + 0.8*0.0625}, {1, 0, 1, 0.8 * 2 * 0.1875}, {1, 1, 1, 0.2*0.75 + 0.8*0.5625}}},
		{"unlabeled", unlabeled, []outcome{{1, 0, 0, 0.05}, {1, 0, 1, 0.15}, {1, 1, 1, 0.3}, {0, 1, 1, 0.5}}},
		{"unlabeled, whatever the class", blind, []outcome{{1, 0, 0, 0.05}, {1, 0, 1, 0.15}, {1, 1, 1, 0.8}}},
	} {
		if len(tt.got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
			continue
		}
		for i, o := range tt.got {
			want := tt.want[i]
			expect.That(t, math.Abs(o.p-want.p) <= 1e-15 && o.class == want.class && o.first == want.first &&
				o.second == want.second, "%s: %v, want %v", tt.name, o, want)
		}
	}
	if labeled, _ := d.outcomes(s, Symmetry{}); len(labeled) != 4 {
		t.Errorf("in order of views: %v", labeled)
	}
	d.SameView = IdenticalViews
	if labeled, _ := d.outcomes(s, Symmetry{}); len(labeled) != 2 {
		t.Errorf("identical views: %v", labeled)
	}
}

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// A value that is not finite, the first or the confirming one, ends a search with an error, since it decides nothing.
func TestSearchNeedsFiniteAnswers(t *testing.T) {
	search := Search{Designs: []Design{{Unlabeled: 2, Prior: 0.5}}, Parts: 1, Atoms: 1, Random: -1, Climbs: -1}
	answer := func(n Number) func(Population, Design) (Number, error) {
		return func(Population, Design) (Number, error) { return n, nil }
	}
	for _, x := range notFinite {
		for _, n := range []Number{Exactly(x), {1, x, 2}} {
			for what, q := range map[string]Question{
				"first answer":   {Ask: answer(n)},
				"confirmation":   {Ask: answer(Exactly(1)), Again: answer(n)},
				"absolute value": {Ask: answer(n.Abs())},
			} {
				if what == "absolute value" && math.IsInf(n.Low, -1) && n.Value == 1 {
					continue // an interval from −∞ contains 0, and its absolute value starts there
				}
				r, err := search.Run(context.Background(), q)
				wantError(t, what, err, "must be finite")
				expect.That(t, !r.Found, "%s %v was found", what, n)
			}
		}
	}
}

func TestChecksOfNumbersThatAreNotFinite(t *testing.T) {
	good := Population{Uniform([]float64{1}), Uniform([]float64{-1})}
	for _, x := range notFinite {
		for what, err := range map[string]error{
			"share":             checkShare("share", x),
			"temperature":       checkTau(x),
			"point":             Population{Uniform([]float64{x}), good.Negative}.Validate(),
			"probability":       Population{[]Atom{{[]float64{1}, x}}, good.Negative}.Validate(),
			"class prior":       Design{Unlabeled: 1, Prior: x}.Validate(),
			"joint probability": Joint{{x}}.Validate(),
		} {
			expect.That(t, err != nil, "%s = %g was accepted", what, x)
		}
		wantError(t, "fraction", expect.Err(Rationals([][]float64{{x}})), "must be finite")
	}
	wantError(t, "ragged", expect.Err(Rationals([][]float64{{1}, {1, 2}})), "row 1 has 2 coordinates")
}

// The biases of the parts add up to the bias of the loss: log partition − attraction.
func TestBiasesOfTheParts(t *testing.T) {
	p := Population{Uniform([]float64{2, 1}, []float64{1, 2}), Uniform([]float64{-2, 1})}
	r := expect.Must(Exact(openEngine(t), pucl.SCLPU(), p, Design{Labeled: 1, Unlabeled: 2, Prior: 0.4}, 0.5))(t)
	near(t, "bias", r.PartitionBias().Minus(r.AttractionBias()).Value, r.Bias.Value, 1e-12)
	expect.That(t, r.AttractionBias().Value != 0 && r.PartitionBias().Value != 0,
		"biases %v and %v", r.AttractionBias(), r.PartitionBias())
}

func TestSameForgivesRoundingOnly(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		a, b float64
		want bool
	}{
		{1, 1 + 1e-12, true}, {1, 1 + 1e-9, false}, {1e6, 1e6 + 1e-6, true}, {0, 1e-12, true},
		{inf, inf, true}, {inf, -inf, false}, {nan, nan, true}, {nan, 1, false}, {1, inf, false},
	} {
		expect.Equal(t, same(tt.a, tt.b), tt.want, "same(%g, %g) =", tt.a, tt.b)
	}
}

func TestSymmetryNames(t *testing.T) {
	for s, want := range map[Symmetry]string{
		everything: "examples, views, classes", {Examples: true}: "examples", {Views: true, Classes: true}: "views, classes", {}: "nothing",
	} {
		expect.That(t, s.String() == want, "%q, want %q", s.String(), want)
	}
}
