package launcher

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestReadNotebook(t *testing.T) {
	w := newWorkshop(t)
	path := w.file("notebooks/a.ipynb", notebookText("# Title of `it`\\n\\n## Part\\n\\nGoal e.g. this, is 0.5 nats. Then."))
	nb, err := readNotebook(path)
	expect.NoError(t, err)
	expect.That(t, nb.name == "a" && nb.title == "Title of it" && nb.codeCells() == 2 && len(nb.cells) == 4, "%+v", nb)
	c := nb.cells[1]
	expect.That(t, c.number == 1 && c.title == "Say hello", "cell 1: %+v", c)
	if c := nb.cells[3]; c.number != 2 || c.title != "Part" {
		t.Errorf("cell 3: %+v", c)
	}
	later := strings.Replace(notebookText("# Title\\n\\nGoal."), `"id": "c", "metadata": {}, "execution_count": null, "outputs": [], "source": ""`,
		`"id": "c", "metadata": {}, "source": "# Later\n\nMore."`, 1)
	later = strings.Replace(later, `"cell_type": "code", "id": "c"`, `"cell_type": "markdown", "id": "c"`, 1)
	if nb, err = readNotebook(w.file("notebooks/a.ipynb", later)); err != nil || nb.title != "Title" || nb.goal != "Goal." || nb.cells[3].title != "Later" {
		t.Errorf("with a second heading: %+v, %v", nb, err)
	}
	for _, text := range []string{"", "{", `{"nbformat": 3}`, `{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}`} {
		expect.That(t, expect.Err(readNotebook(w.file("notebooks/bad.ipynb", text))) != nil, "%q was read", text)
	}
}

func TestCodeTitle(t *testing.T) {
	for _, tt := range []struct{ source, heading, want string }{
		{"// Train the encoder.\n%%\nx := 1", "H", "Train the encoder"},
		{"%%\n\n// Train\nx := 1", "H", "Train"},
		{"//gonb:%%\n// Train\nx := 1", "H", "Train"},
		{"import (\n\t\"fmt\" // printing\n)\n// Train\n", "H", "Train"},
		{"import \"fmt\"\n// Train\n", "H", "Train"},
		{"%%\nx := 1\n// late comment", "H", "H"},
		{"%%\nx := 1", "", "x := 1"},
		{"%noautoget\n!ls", "", "%noautoget"},
	} {
		expect.Equal(t, codeTitle(tt.source, tt.heading), tt.want, "%q", tt.source)
	}
}

// The page of a notebook shows the first line of a solution, and the rest of it when asked.
func TestPageFoldsSolutions(t *testing.T) {
	expect.Slow(t)
	python := expect.Must(filepath.Abs(filepath.Join("..", ".venv", "bin", "python")))(t)
	if _, err := os.Stat(python); err != nil {
		t.Skip("no environment here; `go run ./notebooks setup` makes it")
	}
	const program = `
import nbformat, run_notebook
v4 = nbformat.v4
nb = v4.new_notebook(cells=[v4.new_code_cell("// Dials"), v4.new_code_cell("// Solution 1: a < b\nlab.Confirm", metadata={"tags": ["solution"]})])
print(run_notebook.page(nb, "Title"))
`
	out, err := exec.Command(python, "-B", "-c", program).CombinedOutput() // here, where run_notebook.py lies
	expect.Require(t, err == nil, "%v\n%s", err, out)
	before, rest, ok := strings.Cut(string(out), "<details")
	folded, after, end := strings.Cut(rest, "</details>")
	expect.Require(t, ok && end && !strings.Contains(after, "<details") && strings.Contains(before, "Dials") &&
		!strings.Contains(before, "Confirm"), "not the solution alone is folded")
	contains(t, folded, "<summary>Solution 1: a &lt; b</summary>", "Confirm")
}

// withTemplate returns a checkout that has the template, and its text.
func withTemplate(t *testing.T) (*workshop, string) {
	w := newWorkshop(t)
	text := string(expect.Must(os.ReadFile(filepath.Join("..", template+".ipynb")))(t))
	w.file("notebooks/"+template+".ipynb", text)
	return w, text
}

// A new notebook is the template as it was before it ran, and may be committed as it is.
func TestNewNotebook(t *testing.T) {
	w, original := withTemplate(t)
	expect.NoError(t, w.session().newNotebook("my-term"))
	contains(t, w.out.String(), "Made notebooks/my-term.ipynb", "run -check my-term")
	data := expect.Must(os.ReadFile(filepath.Join(w.place.notebooks(), "my-term.ipynb")))(t)
	for _, c := range complaints(data) {
		t.Error(c)
	}
	text := string(data)
	contains(t, text, `Name: \"my-term\", Objective`, `Name: \"my-term\", Attract`, "# my-term: say in a line", "## The idea", "*Write here what is wrong",
		"## Try it yourself", "%noautoget`** tells", "-set seeds=5 my-term")
	expect.That(t, strings.Contains(original, "± 1.3"),
		"the template does not tell its results any more in these words: name others")
	for _, left := range []string{`Name: \"` + template, "output_type", `"execution_count": 1`, "± 1.3",
		// What is true of the example's term alone: its name, its formula, its exercises.
		"soft PUCL", "they are known to be of one class", "w_{ij}", "Set `Known` to", "makes a copy of this notebook", "NAME"} {
		expect.That(t, !strings.Contains(text, left), "it still holds %s", left)
	}
	nb, err := findNotebook(w.place, "my-term")
	old, oldErr := findNotebook(w.place, template)
	expect.That(t, err == nil && oldErr == nil && nb.codeCells() == old.codeCells(), "%+v, %v, %v", nb, err, oldErr)
}

// Nothing is written over, and a name that would be trouble later is refused at once.
func TestNewNotebookRefuses(t *testing.T) {
	w, whole := withTemplate(t)
	mine := w.file("notebooks/mine.ipynb", "mine")
	err := w.session().newNotebook("mine")
	if data, readErr := os.ReadFile(mine); err == nil || readErr != nil || string(data) != "mine" {
		t.Errorf("%v; it holds %d bytes, %v", err, len(data), readErr)
	} else {
		contains(t, err.Error(), "notebooks/mine.ipynb already", "another name")
	}
	run := func(args ...string) error {
		do, _, err := parse(append([]string{"new"}, args...))
		if err == nil {
			err = do(context.Background(), w.session())
		}
		return err
	}
	for _, args := range [][]string{{}, {"a", "b"}, {"my term"}, {"pucl"}, {"../a"}, {"My"}, {""}, {"-"}, {".hidden"}, {strings.Repeat("a", 60)}} {
		expect.Is(t, run(args...), errUsage, "new %q", args)
	}
	expect.NoError(t, run("with-ending.ipynb"))
	expect.That(t, expect.Err(asNew([]byte(strings.Replace(whole, "## The idea", "## Thoughts", 1)), "a")) != nil,
		"the example's idea would stand in every copy")
	for _, text := range []string{"[]", `{"cells": []}`} {
		expect.That(t, expect.Err(asNew([]byte(text), "a")) != nil, "%s was taken for the template", text)
	}
}
