package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// figure8 names the grid of Figure 8.
const figure8 = "figure-8"

// Grouping has the parameters of Figure 8 at a size: three tasks on the same four classes, which form two pairs of
// similar classes.
type Grouping struct {
	Tasks  [3]string // easy, medium, hard
	Images int       // N = n_P + n_U
	Gammas []float64
}

// groupings has the parameters of Figure 8. At size laptop clothes replace the animals and airplanes of CIFAR-10.
var groupings = map[experiment.Size]Grouping{
	experiment.Smoke:  {[3]string{"FMNIST-easy", "FMNIST-medium", "FMNIST-hard"}, 2880, []float64{0.3}},
	experiment.Laptop: {[3]string{"FMNIST-easy", "FMNIST-medium", "FMNIST-hard"}, 21_600, []float64{0.06, 0.3, 0.6}},
	experiment.Paper:  {[3]string{"CIFAR-easy", "CIFAR-medium", "CIFAR-hard"}, 18_000, []float64{0.06, 0.18, 0.3, 0.6}},
}

// GroupingOf returns the parameters of Figure 8 at a size.
func GroupingOf(size experiment.Size) (Grouping, error) { return ofSize(groupings, size) }

// groupingPriors are the class priors of the tasks.
var groupingPriors = [3]float64{0.5, 0.75, 0.5}

// Setting names the setting of a task, 0 being the easy one, with that γ.
func (g Grouping) Setting(task int, gamma float64) string {
	return oneSetName(g.Tasks[task], g.Images, gamma, groupingPriors[task])
}

// Figure8 is the grid of Figure 8: ssCL and PUCL, and SCL, which uses all classes, over γ in one set of N images.
func Figure8(size experiment.Size) (experiment.Grid, error) {
	g, err := GroupingOf(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	var list []setting
	for _, gamma := range g.Gammas {
		for task, name := range g.Tasks {
			base, err := ofFigures(size, name)
			if err != nil {
				return experiment.Grid{}, err
			}
			list = append(list, base.singleSet(g.Images, gamma, groupingPriors[task]))
		}
	}
	all := objectives()
	return gridOf(figure8, size, list, all[0], all[2], scl())
}

// Over returns the figure of a task over γ with a head.
func (g Grouping) Over(task int, head string) Sweep {
	return Sweep{Title: g.Tasks[task] + ": " + head, XLabel: "γ, labeled for each unlabeled image", LogX: true,
		Rows: []Row{{"ssCL", head}, {"PUCL", head}, {sclName, head}}, X: g.Gammas, Grid: figure8, Published: published8(head),
		Setting: func(x float64) string { return g.Setting(task, x) }}
}

// published8 returns the authors' numbers of Figure 8, on the settings of size paper, for comparison with a head; the
// authors do not name theirs.
func published8(head string) (list []Published) {
	g := groupings[experiment.Paper]
	for task, of := range [3]struct {
		pucl      []float64
		ssCL, scl float64 // for all γ
	}{
		{[]float64{92.3, 93.63, 94.75, 96.2}, 91.85, 96.4},
		{[]float64{90.03, 91.1, 92.13, 93.53}, 89.55, 96.13},
		{[]float64{83.72, 85.63, 87.57, 91.35}, 82.88, 91.93},
	} {
		for i, gamma := range g.Gammas {
			for method, mean := range map[string]float64{"ssCL": of.ssCL, "PUCL": of.pucl[i], sclName: of.scl} {
				list = append(list, Published{Setting: g.Setting(task, gamma), Row: Row{method, head}, Mean: mean,
					Rule: experiment.Oracle, Source: sourceAuthors})
			}
		}
	}
	return list
}

// experiment8 is the experiment name of claims about Figure 8.
const experiment8 = "figure 8"

// claims8 returns the paper's conclusions from Figure 8 about linear separability, as decided by a linear probe with
// all classes.
func claims8() (list []Claim) {
	const source = "Contrastive Positive Unlabeled Learning, Figure 8"
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		g := groupings[size]
		add := func(statement, setting, than, above string) {
			list = append(list, Claim{Experiment: experiment8, Statement: statement, Source: source, Setting: setting, Than: than,
				Above: Row{above, Ceiling}, Below: Row{"ssCL", Ceiling}})
		}
		for _, gamma := range g.Gammas {
			add("unlike things are one class: PUCL groups them better than ssCL", g.Setting(2, gamma), "", "PUCL")
		}
		for _, gamma := range g.Gammas {
			add("PUCL's lead over ssCL is larger than in the easy task", g.Setting(2, gamma), g.Setting(0, gamma), "PUCL")
		}
		few, many := g.Gammas[0], g.Gammas[len(g.Gammas)-1]
		add("SCL's lead over ssCL is larger than in the easy task", g.Setting(2, many), g.Setting(0, many), sclName)
		add("PUCL's lead over ssCL is larger than with the fewest labels", g.Setting(2, many), g.Setting(2, few), "PUCL")
	}
	return list
}

// Lead shows the lead of one row over another, tasks in rows and γ in columns: in points, mean ± 95% interval over
// seeds.
func (g Grouping) Lead(cells *experiment.Cells, above, below Row) viz.Table {
	out := viz.Table{Title: fmt.Sprintf("%s above %s", above, below), RowsHeader: "task",
		Note: "Points of accuracy, run by run with the same seed, mean ± 95% interval."}
	for _, gamma := range g.Gammas {
		out.Columns = append(out.Columns, fmt.Sprintf("γ = %g", gamma))
	}
	for task, name := range g.Tasks {
		var line []viz.Cell
		for _, gamma := range g.Gammas {
			line = append(line, Percent(lead(cells, g.Setting(task, gamma), above, below)))
		}
		out.Add(name, line)
	}
	return out
}
