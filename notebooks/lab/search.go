package lab

import (
	"fmt"
	"io"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/viz"
)

// Search searches for the case with the largest value of a quantity, as [theory.Search.Run] does. One line under the
// cell shows the number of measured cases and the largest value so far. An interrupt ends the search with an error.
// Search also calls s.Progress.
func Search(s theory.Search, q theory.Question) (theory.SearchResult, error) {
	return search(nil, s, q)
}

// search is Search with its line on w; nil means the notebook, or standard error outside a notebook.
func search(w io.Writer, s theory.Search, q theory.Question) (theory.SearchResult, error) {
	shown, tell := viz.NewProgress(w, q.Name, 0), s.Progress // the number of cases for simplification is unknown
	shown.Unit = "case"
	s.Progress = func(at theory.SearchProgress) {
		if tell != nil {
			tell(at)
		}
		update(shown, at)
	}
	found, err := s.Run(Interruptible(), q)
	switch {
	case err == nil:
		shown.Done("")
	case found.Cases > 0:
		shown.Done("stopped")
	}
	return found, err
}

// update displays the progress of a search.
func update(shown *viz.Progress, at theory.SearchProgress) {
	if at.Done == 0 {
		shown.Update(0)
		return
	}
	shown.Update(at.Done, fmt.Sprintf("of %d at most", at.Total), fmt.Sprintf("largest so far %.4g", at.Worst.Value.Value))
}

// Examine measures an objective as [theory.Examine] does. One line under the cell shows the current objective and case.
// Examine also calls config.Progress.
func Examine(eng *engine.Engine, o pucl.Objective, config theory.ExamineConfig) (theory.Examination, error) {
	return examine(nil, eng, o, config)
}

// examine is Examine with its line on w; nil means the notebook, or standard error outside a notebook.
func examine(w io.Writer, eng *engine.Engine, o pucl.Objective, config theory.ExamineConfig) (theory.Examination, error) {
	shown, tell, before, name := viz.NewProgress(w, "worst cases", 0), config.Progress, 0, ""
	shown.Unit = "case"
	cases := 0
	config.Progress = func(objective string, at theory.SearchProgress) {
		if tell != nil {
			tell(objective, at)
		}
		if objective != name {
			before, name = cases, objective
		}
		cases = before + at.Done
		shown.Update(cases, "at "+objective)
	}
	page, err := theory.Examine(eng, o, config)
	if err == nil {
		shown.Done("")
	}
	return page, err
}
