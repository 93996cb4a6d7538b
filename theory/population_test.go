package theory

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestPopulationsAreValidated(t *testing.T) {
	if err := quartet().Validate(); err != nil {
		t.Errorf("a right population is refused: %v", err)
	}
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
	data, err := json.Marshal(quartet())
	if err != nil {
		t.Fatal(err)
	}
	var back Population
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(data) {
		t.Errorf("%s came back as %s, %v", data, again, err)
	}
	var hand Population
	if err := json.Unmarshal([]byte(`{"positive":[{"z":[1,0],"p":1}],"negative":[{"z":[0,1],"p":0.25},{"z":[0,2],"p":0.75}]}`), &hand); err != nil {
		t.Fatal(err)
	}
	if hand.Negative[1].P != 0.75 || hand.Negative[1].Z[1] != 2 || hand.Dim() != 2 {
		t.Errorf("%+v", hand)
	}
	wantError(t, "invalid", json.Unmarshal([]byte(`{"positive":[{"z":[1,0],"p":0.5}],"negative":[{"z":[0,1],"p":1}]}`), &hand), "add up to 0.5")
	wantError(t, "malformed", json.Unmarshal([]byte(`{"positive":3}`), &hand), "reading a population")
	if hand.Negative[1].P != 0.75 {
		t.Error("a refused population overwrote the old one")
	}
}

func TestProximity(t *testing.T) {
	// Positive (1,0) or (0,1) with probability ½: cosines 1, 0, 0, 1. Negative (−1,0). τ = ½.
	p := Population{Positive: Uniform([]float64{3, 0}, []float64{0, 1}), Negative: Uniform([]float64{-2, 0})}
	positive, negative, between, err := p.Proximity(0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "within the positive class", positive, 1, 1e-15)
	near(t, "within the negative class", negative, 2, 1e-15)
	near(t, "between", between, -1, 1e-15)
	_, _, _, err = p.Proximity(0)
	wantError(t, "temperature", err, "τ = 0")
}

// Probabilities within the allowed slack are rescaled, not taken as they are.
func TestSlackInProbabilitiesIsRescaled(t *testing.T) {
	p, q := quartet(), quartet()
	for i := range q.Positive {
		q.Positive[i].P *= 1 + 9e-10
		q.Negative[i].P *= 1 - 9e-10
	}
	a, err := IdealLoss(p, 0.4, 4, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := IdealLoss(q, 0.4, 4, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ideal loss", b.Loss.Value, a.Loss.Value, 1e-13)
}

// Very long and very short points have a direction like any other.
func TestLengthDoesNotMatter(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1e-300, 0}, []float64{1e200, 1e200}), Negative: Uniform([]float64{0, -5e-300})}
	q := Population{Positive: Uniform([]float64{1, 0}, []float64{1, 1}), Negative: Uniform([]float64{0, -1})}
	a, err := IdealLoss(p, 0.4, 4, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := IdealLoss(q, 0.4, 4, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ideal loss", a.Loss.Value, b.Loss.Value, 1e-14)
	tiny := Population{Positive: p.Positive, Negative: Uniform([]float64{0, -5e-320})} // 1/5e-320 overflows
	if b, err = IdealLoss(tiny, 0.4, 4, 0.5); err != nil {
		t.Fatal(err)
	}
	near(t, "ideal loss with a subnormal point", b.Loss.Value, a.Loss.Value, 1e-14)
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	m := meterOf(t, paperObjectives()[1], 0.5)
	x, err := m.Exact(p, d)
	if err != nil {
		t.Fatal(err)
	}
	y, err := m.Exact(q, d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean loss", x.Loss.Mean.Value, y.Loss.Mean.Value, 1e-13)
}

func TestPointsOfAtoms(t *testing.T) {
	want := [][]float64{{3, 0}, {0, 1}}
	if got := Points(Uniform(want...)); !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Errorf("points %v, want %v", got, want)
	}
}
