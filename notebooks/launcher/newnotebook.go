package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// template is the notebook from which new ones are made.
const template = "prototype"

// newName matches valid notebook names: the name is also that of its results folder, and of a file on every system.
var newName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,49}$`)

func newCommand(*flag.FlagSet) work {
	return func(_ context.Context, s *session, names []string) error {
		if len(names) != 1 {
			return usagef("new takes one name, but got %d", len(names))
		}
		return s.newNotebook(strings.TrimSuffix(names[0], ".ipynb"))
	}
}

// newNotebook makes a notebook from the template.
func (s *session) newNotebook(name string) error {
	if !newName.MatchString(name) {
		return usagef("new: %q is no name for a notebook; take small letters, digits and dashes, a letter first: my-term", name)
	}
	if slices.Contains([]string{"pucl", "sscl"}, name) {
		return usagef("new: %s is what a term of your own is set beside; take another name, as my-%s", name, name)
	}
	data, err := os.ReadFile(filepath.Join(s.place.notebooks(), template+".ipynb"))
	if err != nil {
		return err
	}
	if data, err = asNew(data, name); err != nil {
		return err
	}
	path := filepath.Join(s.place.notebooks(), name+".ipynb")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &problem{What: fmt.Sprintf("There is a notebook %s already; it was left as it is.", s.place.relative(path)),
			Mend: "Take another name, or remove it first."}
	} else if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.console.Linef("Made %s. Write the idea where the italics say so, change the term in the second cell of code, then:\n\n"+
		"    go run ./notebooks run -check %s    # compiles every cell, runs none\n"+
		"    go run ./notebooks run %s           # or open it: go run ./notebooks lab", s.place.relative(path), name, name)
	return nil
}

// own lists the parts of the template that are specific to its own term, which the writer of a new notebook must write:
// for each cell all text after a heading, replaced by an instruction. NAME is the notebook's name.
var own = []struct{ id, behind, text string }{
	{"pt-00", "", `# NAME: say in a line what the term does

*Say here what you expect of the term, and why it could be so, before you see a number.*

` + "`go run ./notebooks run -check NAME` compiles all cells before any runs, and `go run ./notebooks run NAME` runs them, in less than ten " +
		"minutes on two cores. [" + template + "](" + template + ".ipynb) is an example with its outputs. *What stands in italics is for you to write.*"},
	{"pt-02", "## The idea", `

*Write here what is wrong with the loss that you begin with, the formula of your term, and the knob with which it becomes that loss again.*

$$\text{attract}(i) = \ldots, \qquad \text{repel}(i) = \ldots$$

*Then put the term into the cell below, which holds that of the example until you do: PUCL with a weight $\kappa$ for pairs of labeled views
among what repels.*`},
	{"pt-15", "## Try it yourself", `

1. Turn the knob to where the term is the loss that you began with. Everything should come out as for that loss, to rounding: the first thing to
   check of any term with a knob.
2. *Write here what else a reader should try, and what would show that the idea is wrong.*

` + "What was trained is kept in `notebooks/out`, by the formula: going back to an earlier one costs nothing, and `go run ./notebooks clean` " +
		"removes it."},
}

// leaveToWriter replaces the parts that are specific to the template's term.
func leaveToWriter(cells []any, name string) error {
	for _, o := range own {
		at := slices.IndexFunc(cells, func(cell any) bool {
			c, _ := cell.(map[string]any)
			return c["id"] == o.id
		})
		var before string
		found := at >= 0
		if found {
			c := cells[at].(map[string]any)
			source, err := json.Marshal(c["source"])
			if err != nil {
				return err
			}
			if before, err = joinSource(source); err != nil {
				return err
			}
			before, _, found = strings.Cut(before, o.behind)
			c["source"] = before + o.behind + strings.ReplaceAll(o.text, "NAME", name)
		}
		if !found {
			return fmt.Errorf("%s.ipynb has no cell %s with %q in it, which would say of every term what is true of one", template, o.id, o.behind)
		}
	}
	return nil
}

// templateNames are the names of the template and its term in its code.
var templateNames = []string{fmt.Sprintf("Name: %q", template), `Name: "soft PUCL"`}

// isResult reports whether a cell, tagged "result", describes results of the template's own term.
func isResult(cell any) bool {
	c, _ := cell.(map[string]any)
	meta, _ := c["metadata"].(map[string]any)
	tags, _ := meta["tags"].([]any)
	return slices.Contains(tags, any("result"))
}

// asNew returns a notebook under another name as if it had not been run, without statements about its results.
func asNew(data []byte, name string) ([]byte, error) {
	var nb map[string]any
	if err := json.Unmarshal(data, &nb); err != nil {
		return nil, fmt.Errorf("%s.ipynb is not a notebook: %w", template, err)
	}
	cells, _ := nb["cells"].([]any)
	cells = slices.DeleteFunc(cells, isResult)
	nb["cells"] = cells
	if err := leaveToWriter(cells, name); err != nil {
		return nil, err
	}
	renamed := map[string]bool{}
	for _, cell := range cells {
		c, ok := cell.(map[string]any)
		if !ok {
			continue
		}
		lines, _ := c["source"].([]any)
		if c["cell_type"] != "code" {
			for i, line := range lines {
				if text, ok := line.(string); ok {
					lines[i] = strings.ReplaceAll(text, "my-term", name)
				}
			}
			continue
		}
		c["outputs"], c["execution_count"] = []any{}, nil
		for i := range lines {
			for _, old := range templateNames {
				if text, ok := lines[i].(string); ok && strings.Contains(text, old) {
					lines[i], renamed[old] = strings.Replace(text, old, fmt.Sprintf("Name: %q", name), 1), true
				}
			}
		}
	}
	for _, old := range templateNames {
		if !renamed[old] {
			return nil, fmt.Errorf("no cell of %s.ipynb holds %s, by which its copies would be kept apart", template, old)
		}
	}
	text, err := json.Marshal(nb)
	if err != nil {
		return nil, err
	}
	return tidyNotebook(text, "/nowhere", "", "") // it contains nothing of this machine
}
