package theory

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl"
)

func ask(t *testing.T, q Question, p Population, d Design) float64 {
	t.Helper()
	n, err := q.Ask(p, d)
	if err != nil {
		t.Fatal(err)
	}
	if n.Low != n.Value || n.High != n.Value {
		t.Errorf("%s: %s is not exact", q.Name, n)
	}
	return n.Value
}

// Exact answers against loops over all sequences.
func TestQuestionsAgainstLoops(t *testing.T) {
	const tau = 0.5
	p, d := quartet(), Design{Labeled: 1, Unlabeled: 2, Prior: 0.35, SameView: 0.3}
	want := referenceStudy(p, d, tau, []string{"PUCL", "SCL-PU"}, everyAnchor)
	attraction, partition := referenceIdeal(p, d.Prior, d.Negatives(), tau)
	a, b := meterOf(t, pucl.PUCL(), tau), meterOf(t, pucl.SCLPU(), tau)
	for _, m := range []*Meter{a, b} {
		r := want[m.objective.Name]
		near(t, "loss bias", ask(t, LossBias(m, nil), p, d), math.Abs(r.mean[2]-(partition-attraction)), 1e-11)
		near(t, "attraction bias", ask(t, AttractionBias(m, nil), p, d), math.Abs(r.mean[0]-attraction), 1e-11)
	}
	extra := want["SCL-PU"].variance[2] - want["PUCL"].variance[2]
	near(t, "extra variance", ask(t, ExtraVariance(b, a, nil), p, d), extra, 1e-11)
	near(t, "extra variance the other way round", ask(t, ExtraVariance(a, b, nil), p, d), -extra, 1e-11)
	if name := ExtraVariance(b, a, nil).Name; name != "variance of the loss of SCL-PU, τ = 0.5 above that of PUCL, τ = 0.5" {
		t.Error(name)
	}
}

// The gradient bias is the slope of the bias: by central differences of losses counted in loops.
func TestGradientBiasQuestion(t *testing.T) {
	const tau, h = 0.5, 1e-5
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.35}
	length := func(name string) float64 {
		bias := func(class, atom, k int, by float64) float64 {
			p := quartet()
			atoms := p.Positive
			if class == 1 {
				atoms = p.Negative
			}
			atoms[atom].Z[k] += by
			attraction, partition := referenceIdeal(p, d.Prior, d.Negatives(), tau)
			return referenceStudy(p, d, tau, []string{name}, everyAnchor)[name].mean[2] - (partition - attraction)
		}
		sum := 0.0
		for class := range 2 {
			for atom := range 2 {
				for k := range 2 {
					slope := (bias(class, atom, k, h) - bias(class, atom, k, -h)) / (2 * h)
					sum += slope * slope
				}
			}
		}
		return math.Sqrt(sum)
	}
	a, b := meterOf(t, pucl.SCLPU(), tau), meterOf(t, pucl.SSCL(), tau)
	near(t, "gradient bias", ask(t, GradientBias(a), quartet(), d), length("SCL-PU"), 1e-6)
	near(t, "extra gradient bias", ask(t, ExtraGradientBias(a, b), quartet(), d), length("SCL-PU")-length("ssCL"), 1e-6)
}

// Sampled answers have intervals that hold the exact ones; asking again draws anew.
func TestSampledQuestions(t *testing.T) {
	p, d := quartet(), Design{Labeled: 2, Unlabeled: 2, Prior: 0.35}
	a, b := meterOf(t, pucl.SCLPU(), 0.5), meterOf(t, pucl.SSCL(), 0.5)
	draws := &Draws{Batches: 3000, Confidence: 0.9999, Seed: 4}
	for _, q := range []struct{ exact, sampled Question }{
		{LossBias(a, nil), LossBias(a, draws)},
		{AttractionBias(a, nil), AttractionBias(a, draws)},
		{ExtraVariance(a, b, nil), ExtraVariance(a, b, draws)},
	} {
		want := ask(t, q.exact, p, d)
		first, err := q.sampled.Ask(p, d)
		if err != nil {
			t.Fatal(err)
		}
		second, err := q.sampled.Again(p, d)
		if err != nil {
			t.Fatal(err)
		}
		if !first.Contains(want) || !second.Contains(want) || first == second || first.Low == first.High {
			t.Errorf("%s: %s and again %s, exactly %g", q.exact.Name, first, second, want)
		}
		if q.exact.Again != nil {
			t.Errorf("%s: exact, but can be asked again", q.exact.Name)
		}
	}
}

// Two objectives are measured on different draws, so that their intervals are independent: the difference of an objective to
// itself is not 0 but uncertain.
func TestExtraVarianceDrawsTwice(t *testing.T) {
	m := meterOf(t, pucl.SSCL(), 0.5)
	got, err := ExtraVariance(m, m, &Draws{Batches: 3000, Confidence: 0.9999}).Ask(quartet(), Design{Unlabeled: 2, Prior: 0.35})
	if err != nil || got.Value == 0 || !got.Contains(0) {
		t.Errorf("%s, %v", got, err)
	}
}

// Batches too large to be counted. ssCL's attraction has no bias, SCL-PU's has; the largest of many sampled numbers must not
// pass for a bias.
func TestSearchOnSamples(t *testing.T) {
	designs := []Design{{Unlabeled: 8, Prior: 0.5}}
	draws := &Draws{Batches: 200, Seed: 1}
	s := Search{Designs: designs, Parts: 2, Random: 60, Steps: 20}
	r := search(t, s, AttractionBias(meterOf(t, pucl.SSCL(), 0.5), draws))
	if r.Worst.Value.Low <= 0 || r.Confirmed == nil {
		t.Fatalf("of %d intervals at 95%% none misses 0; the test needs one that does: %s", r.Cases, r)
	}
	if r.Found || r.Answer != "unbiased on everything tried" || !strings.Contains(r.String(), "with fresh draws") {
		t.Error(r)
	}
	r = search(t, s, AttractionBias(meterOf(t, pucl.SCLPU(), 0.5), draws))
	// u = 8, π = ½: 14/15·¼·(1 + 1 + 2)/τ
	if !r.Found || r.Confirmed == nil || !r.Confirmed.Contains(14./15*2) {
		t.Error(r)
	}
}

func TestAbs(t *testing.T) {
	for _, tt := range []struct{ n, want Number }{
		{Exactly(2), Exactly(2)},
		{Exactly(-2), Exactly(2)},
		{Exactly(0), Exactly(0)},
		{Number{2, 1, 4}, Number{2, 1, 4}},
		{Number{-2, -4, -1}, Number{2, 1, 4}},
		{Number{-2, -4, 1}, Number{2, 0, 4}},
		{Number{1, -1, 3}, Number{1, 0, 3}},
		{Number{1, -5, 3}, Number{1, 0, 5}},
	} {
		if got := tt.n.Abs(); got != tt.want {
			t.Errorf("Abs of %+v is %+v, want %+v", tt.n, got, tt.want)
		}
	}
}
