package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/viz"
)

// DrawWarnings evaluates the warning of package pseudo that the two clusters of PUPL are not the classes: its labels
// and the mixture's differ on more than pseudo.MaxDisagreement of the unlabeled examples. A warning is missed if
// PUPL is wrong on more than that share without a warning, and false if a warning comes without this. There is a row
// for each head of the settings and methods whose done runs stored both shares, at the last point. The note counts the
// sets of PUPL's labels, one per head and run, for which the warning was possible.
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

// CountWarnings states in a sentence for how many sets of PUPL's labels [DrawWarnings] can decide, and the numbers of
// warnings, false warnings and missed ones.
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

// String summarizes the counts in a sentence.
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

// count returns an integer as a cell.
func count(n int) viz.Cell { return viz.Cell{Text: fmt.Sprint(n)} }
