package theory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// ExamineConfig is the setting in which an objective is measured. The zero value works.
type ExamineConfig struct {
	// Population is used for everything except the worst case. Without atoms it has positives at a right angle, (1, 0)
	// and (0, 1), and negatives at (−1, 0).
	Population Population

	Design     Design           // of its batches; the zero Design means two labeled and two unlabeled examples, π = ½
	Tau        float64          // temperature; 0 means 0.5, as in the paper
	References []pucl.Objective // objectives for comparison, without one of the same name; nil means ssCL and PUCL

	// Search finds the largest bias of the loss of each objective; nil means a search of some 300 cases.
	Search *Search

	// Progress, if not nil, is called for each objective with its name: before anything is measured, and then as [Search.Progress].
	Progress func(objective string, at SearchProgress)
}

// Examined holds the measurements of one objective: exact, in nats.
type Examined struct {
	Result           Result       // moments of the loss and its terms, and the bias
	GradientBias     float64      // length of the gradient bias in the points of the population, [Meter.GradientBias]
	GradientVariance float64      // sum of the variances of the gradient's entries, the trace of [Meter.GradientCovariance]
	Worst            SearchResult // the largest bias of the loss over many populations and designs, [LossBias]
}

// Examination is the comparison of an objective with references; String and Markdown write it as a page.
type Examination struct {
	Population Population
	Design     Design
	Tau        float64
	Objective  Examined
	References []Examined
}

// Examine measures the quantities of the theorems for an objective, for example one of your own. These are the bias of
// its loss and of its gradient against the ideal loss (3), their variance over batches, and the worst bias that a
// search finds.
//
// It returns an error if the objective, the population or the design cannot be measured: a term without exactly one
// number per anchor, a loss that is not finite, a population of a single point, or an unset class prior.
func Examine(eng *engine.Engine, o pucl.Objective, config ExamineConfig) (e Examination, err error) {
	defer must.Catch(&err)
	o.Name = cmp.Or(o.Name, "mine")
	config = config.withDefaults()
	must.Do(config.check(eng, o))
	e = Examination{Population: config.Population, Design: config.Design, Tau: config.Tau, Objective: config.examine(eng, o)}
	for _, reference := range config.References {
		if reference.Name != o.Name {
			e.References = append(e.References, config.examine(eng, reference))
		}
	}
	return e, nil
}

func (c ExamineConfig) withDefaults() ExamineConfig {
	if len(c.Population.Positive)+len(c.Population.Negative) == 0 {
		c.Population = Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0})}
	}
	if c.Design == (Design{}) {
		c.Design = Design{Labeled: 2, Unlabeled: 2, Prior: 0.5}
	}
	if c.References == nil {
		c.References = []pucl.Objective{pucl.SSCL(), pucl.PUCL()}
	}
	if c.Search == nil {
		c.Search = &Search{Parts: 2, Random: 40, Climbs: 1, Steps: 40}
	}
	c.Tau = cmp.Or(c.Tau, 0.5)
	return c
}

// check returns an error for settings that can be measured but yield no information about an objective.
func (c ExamineConfig) check(eng *engine.Engine, o pucl.Objective) error {
	if err := cmp.Or(checkMeasurable(eng, o, c.Tau), c.Population.Validate(), c.Design.Validate()); err != nil {
		return err
	}
	sims := slices.Concat(c.Population.support(false).similarities(c.Tau)...)
	switch {
	case c.Design.Examples() < 2:
		return fmt.Errorf("theory: batches of one example have no negatives, and every contrastive loss of them is 0; draw two examples or more")
	case slices.Max(sims)-slices.Min(sims) <= 1e-12:
		return fmt.Errorf("theory: the population shows one point, where every objective made of similarities is a constant; give it two " +
			"points or more")
	case c.Design.Unlabeled > 0 && c.Design.Prior == 0:
		return fmt.Errorf("theory: the class prior π of the design is 0, so that no unlabeled example can be positive; set Design.Prior, " +
			"0.5 for example")
	}
	return nil
}

// examine measures one objective; it ends the examination if that is not possible.
func (c ExamineConfig) examine(eng *engine.Engine, o pucl.Objective) Examined {
	search := *c.Search
	if c.Progress != nil {
		c.Progress(o.Name, SearchProgress{})
		search.Progress = func(at SearchProgress) { c.Progress(o.Name, at) }
	}
	m := must.Get(NewMeter(eng, o, c.Tau))
	defer m.Close()
	return Examined{
		Result:           must.Get(m.Exact(c.Population, c.Design)),
		GradientBias:     must.Get(m.GradientBias(c.Population, c.Design)),
		GradientVariance: mat.Trace(must.Get(m.GradientCovariance(c.Population, c.Design))),
		Worst:            must.Get(search.Run(context.Background(), LossBias(m, nil))),
	}
}

// all lists the objective and its references.
func (e Examination) all() []Examined { return append([]Examined{e.Objective}, e.References...) }

// names lists them by name.
func (e Examination) names() []string {
	return lists.Map(e.all(), func(x Examined) string { return x.Result.Objective })
}
