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

// template is the notebook that new ones are made of.
const template = "prototype"

// newName is what a notebook may be called: its name is that of the folder of its results too, and of a file on every system.
var newName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,49}$`)

func newCommand(*flag.FlagSet) work {
	return func(_ context.Context, s *session, names []string) error {
		if len(names) != 1 {
			return usagef("new takes one name, but got %d", len(names))
		}
		return s.newNotebook(strings.TrimSuffix(names[0], ".ipynb"))
	}
}

// newNotebook makes a notebook of the template.
func (s *session) newNotebook(name string) error {
	if !newName.MatchString(name) {
		return usagef("new: %q is no name for a notebook; take small letters, digits and dashes, a letter first: my-term", name)
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
	s.console.Linef("Made %s. Change the term in its second cell of code, then:\n\n"+
		"    go run ./notebooks run -check %s    # compiles every cell, runs none\n"+
		"    go run ./notebooks run %s           # or open it: go run ./notebooks lab", s.place.relative(path), name, name)
	return nil
}

// templateName is how the template names itself in its code.
var templateName = fmt.Sprintf("Name: %q", template)

// isResult reports whether a cell, tagged "result", tells what came of the template's own term.
func isResult(cell any) bool {
	c, _ := cell.(map[string]any)
	meta, _ := c["metadata"].(map[string]any)
	tags, _ := meta["tags"].([]any)
	return slices.Contains(tags, any("result"))
}

// asNew returns a notebook as one of another name that has not been run, without what it says of its results.
func asNew(data []byte, name string) ([]byte, error) {
	var nb map[string]any
	if err := json.Unmarshal(data, &nb); err != nil {
		return nil, fmt.Errorf("%s.ipynb is not a notebook: %w", template, err)
	}
	cells, _ := nb["cells"].([]any)
	cells = slices.DeleteFunc(cells, isResult)
	nb["cells"] = cells
	renamed := false
	for _, cell := range cells {
		c, ok := cell.(map[string]any)
		if !ok || c["cell_type"] != "code" {
			continue
		}
		c["outputs"], c["execution_count"] = []any{}, nil
		lines, _ := c["source"].([]any)
		for i, line := range lines {
			if text, ok := line.(string); ok && strings.Contains(text, templateName) {
				lines[i], renamed = strings.Replace(text, templateName, fmt.Sprintf("Name: %q", name), 1), true
			}
		}
	}
	if !renamed {
		return nil, fmt.Errorf("no cell of %s.ipynb holds %s, by which the results of its copies would be kept apart", template, templateName)
	}
	text, err := json.Marshal(nb)
	if err != nil {
		return nil, err
	}
	return tidyNotebook(text, "/nowhere", "", "") // there is nothing of this machine in it
}
