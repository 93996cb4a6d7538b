package theory

import (
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// An objective that cannot be measured is reported in one sentence, without the layers of the engine.
func TestExamineRefuses(t *testing.T) {
	eng := openEngine(t)
	attracted := func(by pucl.Term) pucl.Objective {
		return pucl.Objective{Name: "mine", Attract: by, Repel: pucl.LogPartition}
	}
	point := Uniform([]float64{2, 0}, []float64{1, 0})
	for name, tt := range map[string]struct {
		objective pucl.Objective
		config    ExamineConfig
		wants     []string
	}{
		"a scalar": {attracted(func(b *pucl.Block) *Node { return ReduceAllMean(b.Sim) }), ExamineConfig{},
			[]string{`Attract of objective "mine"`, "one number per anchor"}},
		"kinds that do not go together": {attracted(func(b *pucl.Block) *Node { return ReduceSum(Mul(b.Sim, b.Others), -1) }), ExamineConfig{},
			[]string{`Attract of objective "mine"`, "Mul"}},
		"an index": {attracted(func(b *pucl.Block) *Node { return []*Node{}[len(b.Sim.Shape().Dimensions)] }), ExamineConfig{},
			[]string{`Attract of objective "mine"`, "index out of range"}},
		"nil":               {attracted(func(*pucl.Block) *Node { return nil }), ExamineConfig{}, []string{`Attract of objective "mine"`, "returns nil"}},
		"a term missing":    {attracted(nil), ExamineConfig{}, []string{`"mine"`, "both Attract and Repel"}},
		"NaN":               {attracted(func(b *pucl.Block) *Node { return Log(pucl.OwnViews(b)) }), ExamineConfig{}, []string{`attraction of objective "mine" is`, "show the points"}},
		"one point":         {pucl.PUCL(), ExamineConfig{Population: Population{Positive: point, Negative: point}}, []string{"one point", "two points or more"}},
		"forgotten prior":   {pucl.PUCL(), ExamineConfig{Design: Design{Labeled: 1, Unlabeled: 1}}, []string{"prior π", "is 0", "Design.Prior"}},
		"batches of one":    {pucl.PUCL(), ExamineConfig{Design: Design{Unlabeled: 1, Prior: 0.5}}, []string{"one example", "two examples or more"}},
		"half a population": {pucl.PUCL(), ExamineConfig{Population: Population{Positive: point}}, []string{"at least one atom in each class"}},
		"cold":              {pucl.PUCL(), ExamineConfig{Tau: -1}, []string{"τ = -1", "positive"}},
	} {
		_, err := Examine(eng, tt.objective, tt.config)
		wantError(t, name, err, tt.wants...)
		if err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "panicked") || strings.Contains(err.Error(), "graph construction")) {
			t.Errorf("%s: no sentence: %v", name, err)
		}
	}
	expect.That(t, expect.Err(Examine(nil, pucl.PUCL(), ExamineConfig{})) != nil, "no engine: no error")
}

// A reference equal to the objective itself is left out, and the page states where there is no bias.
func TestExaminationInWords(t *testing.T) {
	config := ExamineConfig{References: []pucl.Objective{pucl.SSCL()}, Search: &Search{Atoms: 1, Random: -1, Climbs: -1}}
	e := expect.Must(Examine(openEngine(t), pucl.SSCL(), config))(t)
	expect.That(t, len(e.References) == 0 && !strings.Contains(e.String(), "as much as"), "ssCL beside itself:\n%s", e)
	e.References = []Examined{e.Objective}
	e.Objective.Result.Objective = "a|b"
	e.Objective.Result.Bias, e.Objective.Worst.Found = Exactly(1e-12), false
	page := e.Markdown()
	for _, want := range []string{
		`| a\|b | ssCL |`, "| :--- | ---: | ---: |\n", `The loss of a\|b is unbiased here`, "varies as much as ssCL.", "Its mean gradient is as far off as ssCL's.", "Its gradient varies as much as ssCL's.", "proves nothing", "| bias of the loss | 0 |",
	} {
		expect.That(t, strings.Contains(page, want), "the page lacks %q:\n%s", want, page)
	}
	near(t, "trace", e.Objective.GradientVariance, 0.39286, 1e-5)
}

func ask(t *testing.T, q Question, p Population, d Design) float64 {
	t.Helper()
	n := expect.Must(q.Ask(p, d))(t)
	expect.That(t, n.Low == n.Value && n.High == n.Value, "%s: %s is not exact", q.Name, n)
	return n.Value
}

// Exact values against loops over all sequences.
func TestQuestionsAgainstLoops(t *testing.T) {
	const tau = 0.5
	p, d := quartet(), Design{Labeled: 1, Unlabeled: 2, Prior: 0.35, SameView: 0.3}
	want := theorytest.Study(worldOf(p, d), tau, nil, "PUCL", "SCL-PU")
	attraction, partition := theorytest.Ideal(worldOf(p, d), d.Negatives(), tau)
	a, b := meterOf(t, pucl.PUCL(), tau), meterOf(t, pucl.SCLPU(), tau)
	for _, m := range []*Meter{a, b} {
		r := want[m.objective.Name]
		near(t, "loss bias", ask(t, LossBias(m, nil), p, d), math.Abs(r.Mean[2]-(partition-attraction)), 1e-11)
		near(t, "attraction bias", ask(t, AttractionBias(m, nil), p, d), math.Abs(r.Mean[0]-attraction), 1e-11)
	}
	extra := want["SCL-PU"].Variance[2] - want["PUCL"].Variance[2]
	near(t, "extra variance", ask(t, ExtraVariance(b, a, nil), p, d), extra, 1e-11)
	near(t, "extra variance the other way round", ask(t, ExtraVariance(a, b, nil), p, d), -extra, 1e-11)
	name := ExtraVariance(b, a, nil).Name
	expect.That(t, name == "variance of the loss of SCL-PU, τ = 0.5 above that of PUCL, τ = 0.5", "%v", name)
}

// The gradient bias equals the gradient of the bias, by central differences of losses computed in loops.
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
			attraction, partition := theorytest.Ideal(worldOf(p, d), d.Negatives(), tau)
			return theorytest.Study(worldOf(p, d), tau, nil, name)[name].Mean[2] - (partition - attraction)
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

// Sampled values have intervals that contain the exact ones; a second measurement uses new draws.
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
		first := expect.Must(q.sampled.Ask(p, d))(t)
		second := expect.Must(q.sampled.Again(p, d))(t)
		expect.That(t, first.Contains(want) && second.Contains(want) && first != second && first.Low != first.High,
			"%s: %s and again %s, exactly %g", q.exact.Name, first, second, want)
		expect.That(t, q.exact.Again == nil, "%s: exact, but can be asked again", q.exact.Name)
	}
}

// Two objectives are measured on different draws, so that their intervals are independent: the difference of an
// objective to itself is not exactly 0 but has an interval.
func TestExtraVarianceDrawsTwice(t *testing.T) {
	m := meterOf(t, pucl.SSCL(), 0.5)
	got, err := ExtraVariance(m, m, &Draws{Batches: 3000, Confidence: 0.9999}).Ask(quartet(), Design{Unlabeled: 2, Prior: 0.35})
	expect.That(t, err == nil && got.Value != 0 && got.Contains(0), "%s, %v", got, err)
}

// Batches too large to enumerate. The attraction of ssCL has no bias, that of SCL-PU has; the largest of many sampled
// numbers must not count as a bias.
func TestSearchOnSamples(t *testing.T) {
	expect.Slow(t)
	designs := []Design{{Unlabeled: 8, Prior: 0.5}}
	draws := &Draws{Batches: 200, Seed: 1}
	s := Search{Designs: designs, Parts: 2, Random: 60, Steps: 20}
	r := search(t, s, AttractionBias(meterOf(t, pucl.SSCL(), 0.5), draws))
	expect.Require(t, r.Worst.Value.Low > 0 && r.Confirmed != nil,
		"of %d intervals at 95%% none misses 0; the test needs one that does: %s", r.Cases, r)
	expect.That(t, !r.Found && r.Answer == "unbiased on everything tried" &&
		strings.Contains(r.String(), "with fresh draws"), "%v", r)
	r = search(t, s, AttractionBias(meterOf(t, pucl.SCLPU(), 0.5), draws))
	// u = 8, π = ½: 14/15·¼·(1 + 1 + 2)/τ
	expect.That(t, r.Found && r.Confirmed != nil && r.Confirmed.Contains(14./15*2), "%v", r)
}

func TestAbs(t *testing.T) {
	for _, tt := range []struct{ n, want Number }{
		{Exactly(2), Exactly(2)}, {Exactly(-2), Exactly(2)}, {Exactly(0), Exactly(0)},
		{Number{2, 1, 4}, Number{2, 1, 4}}, {Number{-2, -4, -1}, Number{2, 1, 4}},
		{Number{-2, -4, 1}, Number{2, 0, 4}}, {Number{1, -1, 3}, Number{1, 0, 3}},
		{Number{1, -5, 3}, Number{1, 0, 5}},
	} {
		expect.Equal(t, tt.n.Abs(), tt.want, "Abs of %+v is", tt.n)
	}
}
