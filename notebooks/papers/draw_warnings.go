package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/viz"
)

// DrawWarnings tells whether the warning of package pseudo can be trusted: that the two clusters of PUPL are not the classes, as its labels and
// those of the mixture differ on more than pseudo.MaxDisagreement of the unlabeled examples. A warning is missed where PUPL is wrong on more
// than that share and nothing is said, and false where it is not. There is a row for each head of the settings and methods whose done runs
// kept both shares, judged at the last point, and the note sums them up: of how many sets of PUPL's labels, one for each head of a run, the
// warning could have been given.
func DrawWarnings(cells *experiment.Cells) viz.Table {
	out := viz.Table{
		Title: "Warnings that two clusters are not the classes", RowsHeader: "PUPL of",
		Columns: []string{"disagreement", "labels right", "runs", "warned", "missed", "false"}, Decimals: 1,
	}
	var all warnings
	type named struct{ setting, method string }
	seen := map[named]bool{}
	for _, s := range cells.Standings {
		setting, method := s.Run.Setting, s.Run.Method
		if seen[named{setting, method}] {
			continue
		}
		seen[named{setting, method}] = true
		for _, head := range []string{PUPL, PUPLOnZ} {
			w := warningsOf(cells.Runs(setting, method), head)
			if w.runs == 0 {
				continue
			}
			all = all.plus(w)
			out.Add(fmt.Sprintf("%s, %s, %s", setting, method, head), Percent(cells.Value(setting, method, head, Disagreement)),
				Percent(cells.Value(setting, method, head, LabelsRight)), count(w.runs), count(w.warned), count(w.missed), count(w.false))
		}
	}
	out.Note = "Percent, mean ± 95% interval over seeds. " + all.String()
	return out
}

// CountWarnings says in a sentence of how many sets of PUPL's labels [DrawWarnings] could tell, and how many warnings there are, false and
// missed ones.
func CountWarnings(cells *experiment.Cells) string {
	var all warnings
	for _, head := range []string{PUPL, PUPLOnZ} {
		all = all.plus(warningsOf(cells.Standings, head))
	}
	return all.String()
}

// warnings counts runs, of one head or of several.
type warnings struct{ runs, warned, missed, false int }

// plus returns the counts of both together.
func (w warnings) plus(other warnings) warnings {
	return warnings{w.runs + other.runs, w.warned + other.warned, w.missed + other.missed, w.false + other.false}
}

// String sums up in a sentence.
func (w warnings) String() string {
	return fmt.Sprintf("Of %d sets of labels by PUPL %d are warned of, %d of them falsely; missed: %d.", w.runs, w.warned, w.false, w.missed)
}

// warningsOf counts the done runs that measured a head's pseudo-labels.
func warningsOf(runs []experiment.Standing, head string) (w warnings) {
	for _, s := range runs {
		if s.State != experiment.Done {
			continue
		}
		values := experiment.LastPoint(s.Result.Points, head).Values
		disagreement, known := values[Disagreement]
		right, judged := values[LabelsRight]
		if !known || !judged {
			continue
		}
		w.runs++
		warned, wrong := disagreement > pseudo.MaxDisagreement, 1-right > pseudo.MaxDisagreement
		if warned {
			w.warned++
		}
		if wrong && !warned {
			w.missed++
		}
		if warned && !wrong {
			w.false++
		}
	}
	return w
}

// count is a whole number as a cell.
func count(n int) viz.Cell { return viz.Cell{Text: fmt.Sprint(n)} }
