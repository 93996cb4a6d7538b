package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// Experiment is a figure of the paper as a list of splits: a benchmark, and the fixed and varied quantities.
// [FigureExperiments] returns them.
type Experiment struct {
	Figure    string // "1", "4a"
	Benchmark string // for FindBenchmark
	Setting   Setting
	Draw      Draw
	Unlabeled int       // n_U if fixed to a part of the data; 0 means all examples
	Priors    []float64 // π of each group of splits; empty means the prior of the data
	Points    []Point   // varied within a group
	Note      string    // details that the paper does not specify
}

// Point is a level of supervision.
type Point struct {
	Gamma float64 // as labeled in the figure
	// Labeled is n_P if published code gives it; 0 means that n_P is Gamma·n_U. The two can disagree with the paper's
	// formula γ = n_P/n_U: figures of the single-dataset setting divide n_P by all examples instead, and those of
	// CIFAR-easy, -medium and -hard by another number. [Split.Gamma] returns the true γ.
	Labeled int
}

// The points of Woof-vs-Nette and of CIFAR-0. Their n_P are noted beside each γ in published code.
var (
	woofPoints  = []Point{{0.05, 1000}, {0.1, 2000}, {0.2, 4000}, {0.5, 9000}}
	cifar0Cases = []Point{{0.05, 500}, {0.1, 1000}, {0.25, 2500}, {0.5, 5000}}
	// freePoints have n_U = 10,000.
	freePoints = []Point{{Gamma: 0}, {Gamma: 0.01}, {Gamma: 0.05}, {Gamma: 0.1}, {Gamma: 0.25}, {Gamma: 0.5}}
)

const (
	controlled     = 10_000 // n_U of the controlled experiments
	controlledNote = "The figure's points are not printed; those of γ are from published code, where n_U is 10,000 and π 0.5. "
)

// experiments in the order of the figures.
//
// Source: "Contrastive Positive Unlabeled Learning", captions of Figures 1, 4, 5, 6, 8, 9 and 11, and for the points
// the authors' published code.
var experiments = func() []Experiment {
	woofSingle := Experiment{Benchmark: "Woof-vs-Nette", Setting: SingleDataset,
		Points: slices.Concat([]Point{{0.01, 200}}, woofPoints)}
	varyGamma := Experiment{Benchmark: "Dogs-vs-Non-Dogs", Setting: CaseControl, Unlabeled: controlled,
		Priors: []float64{0.5}, Points: freePoints, Note: controlledNote}
	varyPrior := varyGamma
	varyPrior.Priors, varyPrior.Points = []float64{0.2, 0.3, 0.5, 0.7, 0.9}, []Point{{Gamma: 0.1}}
	varyPrior.Note += "Those of π and the one γ are chosen here; with this n_U, π can be from 0.149 to 0.998."
	varyBoth := varyPrior
	varyBoth.Points = []Point{{Gamma: 0.05}, {Gamma: 0.1}, {Gamma: 0.25}, {Gamma: 0.5}}
	convergence := "The caption does not name the setting; N = n_P + n_U is kept fixed here as in Figure 1."

	all := []Experiment{
		woofSingle.named("1", ""),
		varyGamma.named("4a", ""), varyPrior.named("4b", ""), varyBoth.named("4c", ""),
		{Figure: "5", Benchmark: "CIFAR-0", Setting: CaseControl, Points: cifar0Cases},
		{Figure: "5", Benchmark: "Woof-vs-Nette", Setting: CaseControl, Points: woofPoints},
		{Figure: "5", Benchmark: "CIFAR-0", Setting: SingleDataset, Points: cifar0Cases},
		{Figure: "5", Benchmark: "Woof-vs-Nette", Setting: SingleDataset, Points: woofPoints},
		woofSingle.named("6", ""),
	}
	for _, name := range []string{"CIFAR-easy", "CIFAR-medium", "CIFAR-hard"} {
		all = append(all, Experiment{Figure: "8", Benchmark: name, Setting: SingleDataset, Draw: Balanced,
			Points: []Point{{0.06, 1000}, {0.18, 3000}, {0.3, 5000}, {0.6, 10000}}})
	}
	return append(all, Experiment{Figure: "9a", Benchmark: "CIFAR-0", Setting: SingleDataset, Note: convergence,
		Points: []Point{{0.05, 500}, {0.15, 1500}, {0.3, 3000}, {0.5, 5000}}},
		Experiment{Figure: "9b", Benchmark: "Woof-vs-Nette", Setting: SingleDataset, Note: convergence, Points: woofPoints},
		varyGamma.named("11", "γ varies with π fixed. "),
		varyPrior.named("11", "π varies with γ fixed. "),
		varyBoth.named("11", "Both vary. "),
	)
}()

// named returns the experiment for another figure that also shows it.
func (e Experiment) named(figure, note string) Experiment {
	e.Figure, e.Note = figure, note+e.Note
	return e
}

// FigureExperiments returns the experiments of a figure of the paper by its number, such as "5" (several data sets and
// settings), "4a" (one part) or "4" (all parts). For a figure without PU splits the error lists the figures with
// splits.
func FigureExperiments(figure string) ([]Experiment, error) {
	var found []Experiment
	var known []string
	for _, e := range experiments {
		if e.Figure == figure || strings.TrimRight(e.Figure, "abc") == figure {
			e.Priors, e.Points = slices.Clone(e.Priors), slices.Clone(e.Points)
			found = append(found, e)
		}
		if !slices.Contains(known, e.Figure) {
			known = append(known, e.Figure)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("datasets: figure %q has no PU splits: use one of %s", figure, strings.Join(known, ", "))
	}
	return found, nil
}

// Configs returns the configurations of all splits of the experiment, for data whose classes have the given names; all
// use the seed. The points are in turn, for each prior. A point with γ = 0 has no labels.
func (e Experiment) Configs(classes []string, seed uint64) ([]SplitConfig, error) {
	b, err := FindBenchmark(e.Benchmark)
	if err != nil {
		return nil, err
	}
	base, err := b.Config(classes)
	if err != nil {
		return nil, err
	}
	base.Setting, base.Draw, base.Unlabeled, base.Seed = e.Setting, e.Draw, e.Unlabeled, seed
	priors := e.Priors
	if len(priors) == 0 {
		priors = []float64{0} // the prior of the data
	}
	var configs []SplitConfig
	for _, prior := range priors {
		for _, point := range e.Points {
			c := base
			c.Name = fmt.Sprintf("Figure %s, %s", e.Figure, b.Name)
			c.Prior, c.Labeled = prior, point.Labeled
			if point.Labeled == 0 {
				c.Gamma = point.Gamma
			}
			configs = append(configs, c)
		}
	}
	return configs, nil
}

// String returns one line with the fixed and the varied quantities.
func (e Experiment) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Figure %s: %s, %v, ", e.Figure, e.Benchmark, e.Setting)
	switch {
	case e.Unlabeled > 0:
		fmt.Fprintf(&b, "n_U = %d fixed, ", e.Unlabeled)
	case e.Setting == SingleDataset:
		b.WriteString("n_P + n_U fixed to all examples, ")
	default:
		b.WriteString("n_U fixed to all examples, ")
	}
	if len(e.Priors) > 0 {
		fmt.Fprintf(&b, "π = %s, ", list(e.Priors))
	}
	var gammas []float64
	for _, p := range e.Points {
		gammas = append(gammas, p.Gamma)
	}
	fmt.Fprintf(&b, "γ = %s", list(gammas))
	return b.String()
}

func list(numbers []float64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ", ")
}
