package lab

import (
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/viz"
)

// ShowSweep shows a figure of accuracies over what its settings vary, each run judged at its last point, and the same numbers as a table
// below. Where nothing can be drawn yet, a sentence tells what does the runs.
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

// ShowPublished shows what is published of a figure, and says in words what there is to see.
func ShowPublished(s papers.Sweep) {
	p, words, err := s.DrawPublished()
	Check(err)
	Check(viz.Show(p, words))
	Caption(words)
}
