package theory

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
)

// What cannot be examined is told in one sentence, without the layers of the engine.
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
	if _, err := Examine(nil, pucl.PUCL(), ExamineConfig{}); err == nil {
		t.Error("no engine: no error")
	}
}

// A reference that is the objective itself is left out, and the page says where nothing is biased.
func TestExaminationInWords(t *testing.T) {
	config := ExamineConfig{References: []pucl.Objective{pucl.SSCL()}, Search: &Search{Atoms: 1, Random: -1, Climbs: -1}}
	e, err := Examine(openEngine(t), pucl.SSCL(), config)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.References) != 0 || strings.Contains(e.String(), "as much as") {
		t.Errorf("ssCL beside itself:\n%s", e)
	}
	e.References = []Examined{e.Objective}
	e.Objective.Result.Objective = "a|b"
	e.Objective.Result.Bias, e.Objective.Worst.Found = Exactly(1e-12), false
	page := e.Markdown()
	for _, want := range []string{
		`| a\|b | ssCL |`, "| :--- | ---: | ---: |\n", `The loss of a\|b is unbiased here`, "varies as much as ssCL.", "Its mean gradient is as far off as ssCL's.", "Its gradient varies as much as ssCL's.", "proves nothing", "| bias of the loss | 0 |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	near(t, "trace", e.Objective.GradientVariance, 0.39286, 1e-5)
}
