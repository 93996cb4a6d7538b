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

// RunGrid does the missing runs of a grid in this cell, and returns what came of all. Which size the setting "size" says, smoke unless
// it is set. Results of size smoke are kept on a bench that all grids share, as they share runs; others in notebooks/results, beside those
// that came with the module. Results of another version of the program stay as they are, and are an error that says how to mend it. An
// interrupted cell goes on where it was when it is run again. Progress goes to w; nil means the notebook. A caption says how large the runs were.
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

// tellSize says how large the runs of a cell were, so that those of size smoke are never taken for results.
func tellSize(size experiment.Size, cells *experiment.Cells) string {
	text := fmt.Sprintf("Size %s: %s.", size, cells.Extent())
	if size == experiment.Smoke {
		text += " It shows that everything runs, and not who wins."
	}
	return text
}

// Committed returns what the results that came with the module hold of a grid: those of size laptop, or of size paper where the setting
// "size" says so. The sentence tells how many runs are done, what does the others, and which results are of another version of the
// program and left out.
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

// Verdicts decides the claims of all experiments by the results that came with the module, of the size that [Committed]
// reads. The verdicts are corrected for the number of claims, so that all are decided together; see [papers.Finding].
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

// ShowVerdicts shows the claims of an experiment, such as "figure 13", that the runs of a grid decide, with what came
// out. It panics like [Check] where the results cannot be read.
func ShowVerdicts(grid, experiment string) {
	Check(viz.ShowTable(papers.DrawVerdicts(Must(Verdicts()), grid, experiment)))
}

// tellGrid says how the runs of a grid stand.
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

// firstStale returns why a result cannot be used, "" where all can.
func firstStale(standings []experiment.Standing) string {
	at := slices.IndexFunc(standings, func(s experiment.Standing) bool { return s.State == experiment.Stale })
	if at < 0 {
		return ""
	}
	return standings[at].Why
}

// gridSize returns the size that the setting "size" says.
func gridSize(standard experiment.Size) (experiment.Size, error) {
	name, err := Setting("size", string(standard))
	if err != nil {
		return "", err
	}
	return experiment.ParseSize(name)
}

// ShowCurves shows curves and, below them, their numbers over x as a table. Where no curve has a point yet, as of runs that are not done, it
// shows the sentence instead.
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
