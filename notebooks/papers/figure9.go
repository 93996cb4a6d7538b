package papers

import (
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
)

// figure9 names the grid of figure 9.
const figure9 = "figure-9"

// Convergence is figure 9 of "Contrastive Positive Unlabeled Learning": the accuracy of each loss over the steps. It
// shares all of its runs: those in Table 1 with 1,000 labels, evaluated at five points of a run, and the watched runs
// of [Supervision], evaluated at thirteen. At size paper it has the two data sets of the figure: dogs and cats of
// CIFAR-10, also watched, and Imagewoof against Imagenette.
func Convergence(size experiment.Size) (experiment.Grid, error) {
	grid, err := Supervision(size)
	if err != nil {
		return grid, err
	}
	grid.Name = figure9
	var more experiment.Grid
	switch size {
	case experiment.Paper:
		more, err = dogsAndCats()
	case experiment.Laptop:
		if more, err = Table1().Grid(size); err != nil {
			return grid, err
		}
		more = more.Only(func(r experiment.Run) bool {
			data := r.Config.(Contrastive).Data
			return data.Labeled <= 1000 && data.Files != JPEGCopies
		})
	}
	grid.Runs = append(more.Runs, grid.Runs...)
	return grid, err
}

// dogsAndCats returns the runs of figure 9a.
func dogsAndCats() (experiment.Grid, error) {
	list, err := overShares(paperDogsAndCats(), "CIFAR-0", dogShares)
	if err != nil {
		return experiment.Grid{}, err
	}
	var grid experiment.Grid
	for seed := range uint64(list[0].Seeds) {
		for _, s := range list {
			o := pucl.PUCL()
			if s.Data.Labeled == 0 {
				o = pucl.SSCL()
			}
			grid.Runs = append(grid.Runs, s.watched(o.Name, o, seed+1))
		}
	}
	return grid, nil
}

// dogShares are the fractions of labeled images of figure 9a among all 10,000: 500, 1,500, 3,000 and 5,000, according
// to the names of the files in the authors' published notebook.
var dogShares = []float64{0.05, 0.15, 0.3, 0.5}

// claimsConvergence returns the claims in the caption of figure 9, in addition to [claimsSupervision] about the same
// runs.
func claimsConvergence() (list []Claim) {
	const source = "Contrastive Positive Unlabeled Learning, Figure 9"
	add := func(setting, none, head string) {
		above, below := Row{"PUCL", head}, Row{"ssCL", head}
		for _, c := range []Claim{
			{Statement: "PUCL converges sooner: it is sooner than ssCL where ssCL ends", Measure: Steps},
			{Statement: "and generalizes better: at the end PUCL is above ssCL"},
		} {
			c.Experiment, c.Source, c.Setting, c.BelowSetting, c.Above, c.Below = "figure 9", source, setting, none, above, below
			list = append(list, c)
		}
	}
	for _, benchmark := range []string{"FMNIST-I", "FMNIST-II"} {
		add(settingName(benchmark, 1000), "", Ceiling)
	}
	for _, share := range dogShares {
		add(ShareAt("CIFAR-0", share), ShareAt("CIFAR-0", 0), Neighbors)
	}
	for _, share := range Shares() {
		task := figureTask(experiment.Paper)
		add(ShareAt(task, share), ShareAt(task, 0), Neighbors)
	}
	return list
}
