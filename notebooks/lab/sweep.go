package lab

import (
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/viz"
)

// ShowSweep shows a figure of accuracies over the settings that a sweep varies, each run evaluated at its last point,
// and a table of the same numbers. If nothing can be drawn yet, a sentence names the command that performs the runs.
func ShowSweep(s papers.Sweep, cells *experiment.Cells) {
	p, words, err := s.Draw(cells, experiment.Last)
	Check(err)
	if p == nil {
		Caption(words)
	} else {
		Check(viz.Show(p, words))
	}
	Check(viz.ShowTable(s.Table(cells, experiment.Last)))
}

// ShowPublished shows the published values of a figure and describes them in words.
func ShowPublished(s papers.Sweep) {
	p, words, err := s.DrawPublished()
	Check(err)
	Check(viz.Show(p, words))
	Caption(words)
}
