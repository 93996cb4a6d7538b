package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// figure4 names the grid of Figures 4 and 11.
const figure4 = "figure-4"

// Ablation has the parameters of Figures 4 and 11 at a size: encoders of one task, with constant n_U.
type Ablation struct {
	Task      string
	Unlabeled int          // n_U
	Gammas    []float64    // labeled positives for each unlabeled image
	Priors    []float64    // fractions of positives among the unlabeled images
	Gamma     float64      // while the prior varies
	Prior     float64      // while γ varies
	Corners   [2][]float64 // γ and π that both vary
}

// ablations has the parameters of Figures 4 and 11. At size laptop the trousers, coats and sneakers of FMNIST-I replace
// the dogs of ImageNet.
var ablations = map[experiment.Size]Ablation{
	experiment.Smoke: {Task: "FMNIST-I", Unlabeled: 2000, Gamma: 0.1, Prior: 0.3, Gammas: []float64{0.1, 1}, Priors: []float64{0.3, 0.7}},
	experiment.Laptop: {
		Task: "FMNIST-I", Unlabeled: 16_000, Gamma: 0.1, Prior: 0.3, Gammas: manyGammas, Priors: manyPriors, Corners: manyCorners,
	},
	experiment.Paper: {
		Task: "Dogs-vs-Non-Dogs", Unlabeled: 8000, Gamma: 0.1, Prior: 0.5, Gammas: manyGammas, Priors: manyPriors, Corners: manyCorners,
	},
}

var (
	manyGammas  = []float64{0.01, 0.03, 0.1, 0.3, 1}
	manyPriors  = []float64{0.1, 0.3, 0.5, 0.7, 0.9}
	manyCorners = [2][]float64{{0.01, 0.1, 1}, {0.1, 0.5, 0.9}}
)

// AblationOf returns the parameters of Figures 4 and 11 at a size.
func AblationOf(size experiment.Size) (Ablation, error) { return ofSize(ablations, size) }

// Setting names the setting with that γ and π.
func (a Ablation) Setting(gamma, prior float64) string {
	return caseControlName(a.Task, a.Unlabeled, gamma, prior)
}

// Figure4 is the grid of Figures 4 and 11: the losses of Table 1 with varying γ, with varying π, and at the corners of
// both. Encoders are evaluated by [Neighbors], as in the captions.
func Figure4(size experiment.Size) (experiment.Grid, error) {
	a, err := AblationOf(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	base, err := ofFigures(size, a.Task)
	if err != nil {
		return experiment.Grid{}, err
	}
	var list []setting
	seen := map[string]bool{}
	add := func(gamma, prior float64) {
		if s := base.caseControl(a.Unlabeled, gamma, prior); !seen[s.Name] {
			seen[s.Name], list = true, append(list, s)
		}
	}
	for _, gamma := range a.Gammas {
		add(gamma, a.Prior)
	}
	for _, prior := range a.Priors {
		add(a.Gamma, prior)
	}
	for _, gamma := range a.Corners[0] {
		for _, prior := range a.Corners[1] {
			add(gamma, prior)
		}
	}
	return gridOf(figure4, size, list, objectives()...)
}

// three returns a row for each loss of Table 1, all with one head.
func three(head string) (rows []Row) {
	for _, o := range objectives() {
		rows = append(rows, Row{o.Name, head})
	}
	return rows
}

// OverGamma returns the figure over γ with a head.
func (a Ablation) OverGamma(head string) Sweep {
	return Sweep{
		Title: fmt.Sprintf("%s, n_U = %d, π = %g: %s", a.Task, a.Unlabeled, a.Prior, head), XLabel: "γ, labeled for each unlabeled image",
		LogX: true, Rows: three(head), X: a.Gammas, Grid: figure4, Setting: func(x float64) string { return a.Setting(x, a.Prior) },
	}
}

// OverPrior returns the figure over π with a head.
func (a Ablation) OverPrior(head string) Sweep {
	return Sweep{
		Title: fmt.Sprintf("%s, n_U = %d, γ = %g: %s", a.Task, a.Unlabeled, a.Gamma, head), XLabel: "π, share of positives among the unlabeled",
		Rows: three(head), X: a.Priors, Grid: figure4, Setting: func(x float64) string { return a.Setting(a.Gamma, x) },
	}
}

// Lead shows the lead of one loss over another at the corners, γ in rows and π in columns: in points, mean ± 95%
// interval over seeds.
func (a Ablation) Lead(cells *experiment.Cells, above, below Row) viz.Table {
	out := viz.Table{
		Title: fmt.Sprintf("%s above %s, %s, n_U = %d", above, below, a.Task, a.Unlabeled), RowsHeader: "γ",
		Note: "Points of accuracy, run by run with the same seed, mean ± 95% interval. Below 0 the second is the better one.",
	}
	for _, prior := range a.Corners[1] {
		out.Columns = append(out.Columns, fmt.Sprintf("π = %g", prior))
	}
	for _, gamma := range a.Corners[0] {
		var line []viz.Cell
		for _, prior := range a.Corners[1] {
			line = append(line, Percent(lead(cells, a.Setting(gamma, prior), above, below)))
		}
		out.Add(fmt.Sprintf("%g", gamma), line)
	}
	return out
}
