package launcher

import (
	"fmt"
	"path/filepath"
	"strings"
)

// list shows the notebooks with what they are about and when they ran last.
func (s *session) list() error {
	names, err := notebookNames(s.place)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return &problem{What: "There are no notebooks in " + s.place.relative(s.place.notebooks()) + ".", Mend: "Is the checkout complete?"}
	}
	for i, name := range names {
		nb, err := readNotebook(filepath.Join(s.place.notebooks(), name+".ipynb"))
		if err != nil {
			return err
		}
		t, ran, err := readTimings(s.place, name)
		if err != nil {
			return err
		}
		last := "not run here yet"
		if ran {
			last = "last run " + t.String()
		}
		if i > 0 {
			s.console.Linef("")
		}
		s.console.Linef("%s", strings.TrimSpace(fmt.Sprintf("%s: %s", name, nb.title)))
		if nb.goal != "" {
			s.console.Linef("    %s", nb.goal)
		}
		s.console.Linef("    %d cells to run, %s", nb.codeCells(), last)
	}
	return nil
}
