package lab

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/viz"
)

// RunGrid performs the missing runs of a grid in this cell and returns all results. The setting "size" selects the
// size; the default is smoke. Results of size smoke are stored on one bench that all grids share, because grids share
// runs. Other results are stored in notebooks/results, beside the module's own. Results of another program version are
// left unchanged and return an error that states the remedy. An interrupted cell resumes when it is run again. Progress
// goes to w; nil means the notebook. A caption states the size of the runs.
func RunGrid(name string, w io.Writer) (*experiment.Cells, error) {
	size, err := gridSize(experiment.Smoke)
	if err != nil {
		return nil, err
	}
	grid, err := papers.Find(name, size)
	if err != nil {
		return nil, err
	}
	folder, work := "", ""
	if size == experiment.Smoke {
		bench, err := Open("grids")
		if err != nil {
			return nil, err
		}
		folder, work = bench.Path("results"), bench.Path("work")
	}
	store, err := experiment.Open(folder)
	if err != nil {
		return nil, err
	}
	standings, err := store.LookAll(grid)
	if err != nil {
		return nil, err
	}
	if why := firstStale(standings); why != "" && folder != "" {
		return nil, fmt.Errorf("lab: %s; or remove %s and run this cell again", why, folder)
	} else if why != "" {
		return nil, fmt.Errorf("lab: %s", why)
	}
	eng, err := engine.Open()
	if err != nil {
		return nil, err
	}
	cells, err := store.Here(Interruptible(), eng, grid, work, w)
	if err == nil {
		Caption(tellSize(size, cells))
	}
	return cells, err
}

// tellSize describes the size of the runs of a cell, so that smoke runs are not mistaken for results.
func tellSize(size experiment.Size, cells *experiment.Cells) string {
	text := fmt.Sprintf("Size %s: %s.", size, cells.Extent())
	if size == experiment.Smoke {
		text += " It shows that everything runs, and not who wins."
	}
	return text
}

// Committed returns the module's own results of a grid: size laptop, or size paper if the setting "size" is paper. The
// sentence states how many runs are done, the command for the missing runs, and the results that are left out because
// another program version made them.
func Committed(name string) (cells *experiment.Cells, told string, err error) {
	size, err := committedSize()
	if err != nil {
		return nil, "", err
	}
	grid, err := papers.Find(name, size)
	if err != nil {
		return nil, "", err
	}
	store, err := experiment.Open("")
	if err != nil {
		return nil, "", err
	}
	if cells, err = store.Cells(grid); err != nil {
		return nil, "", err
	}
	return cells, tellGrid(grid, cells), nil
}

// committedSize returns the size of the committed results to read.
func committedSize() (experiment.Size, error) {
	size, err := gridSize(experiment.Laptop)
	if size == experiment.Smoke {
		size = experiment.Laptop
	}
	return size, err
}

// Verdicts decides the claims of all experiments from the module's own results, of the size that [Committed] reads. It
// corrects for the number of claims, so it decides all of them together; see [papers.Finding].
func Verdicts() ([]papers.Finding, error) {
	size, err := committedSize()
	if err != nil {
		return nil, err
	}
	store, err := experiment.Open("")
	if err != nil {
		return nil, err
	}
	return papers.Verdicts(store, size)
}

// ShowVerdicts shows the claims of an experiment, such as "figure 13", that the runs of a grid decide, with their
// verdicts. It ends the cell like [Check] if the results cannot be read.
func ShowVerdicts(grid, experiment string) {
	Check(viz.ShowTable(papers.DrawVerdicts(Must(Verdicts()), grid, experiment)))
}

// tellGrid describes the status of a grid's runs.
func tellGrid(grid experiment.Grid, cells *experiment.Cells) string {
	told := fmt.Sprintf("%s, size %s: %s.", grid.Name, grid.Size, cells)
	if slices.ContainsFunc(cells.Standings, func(s experiment.Standing) bool { return s.State == experiment.Missing }) {
		told += fmt.Sprintf(" `go run ./notebooks grid -size %s %s` does those that are missing.", grid.Size, grid.Name)
	}
	if why := firstStale(cells.Standings); why != "" {
		told += fmt.Sprintf(" Left out: %s.", why)
	}
	return told
}

// firstStale returns the reason why the first stale result cannot be used, "" if none is stale.
func firstStale(standings []experiment.Standing) string {
	at := slices.IndexFunc(standings, func(s experiment.Standing) bool { return s.State == experiment.Stale })
	if at < 0 {
		return ""
	}
	return standings[at].Why
}

// gridSize returns the size in the setting "size", or standard if it is not set.
func gridSize(standard experiment.Size) (experiment.Size, error) {
	name, err := Setting("size", string(standard))
	if err != nil {
		return "", err
	}
	return experiment.ParseSize(name)
}

// ShowCurves shows curves and, below them, their values over x as a table. If no curve has a point yet, it shows the
// sentence instead.
func ShowCurves(config viz.CurvesConfig, alt, instead string, curves ...viz.Curve) {
	var there []viz.Curve
	for _, c := range curves {
		if len(c.X) > 0 {
			there = append(there, c)
		}
	}
	if len(there) == 0 {
		Caption(fmt.Sprintf("%s: nothing to draw yet. %s", cmp.Or(config.Title, "The figure"), instead))
		return
	}
	Check(viz.Show(Must(viz.LearningCurves(config, there...)), alt))
	Check(viz.ShowTable(papers.DrawCurves(config.Title, config.XLabel, there)))
}
