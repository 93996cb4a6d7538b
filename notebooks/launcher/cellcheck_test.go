package launcher

import (
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/liveline"
)

// checked checks a notebook of these code cells, with the real go command in a module without dependencies.
func checked(t *testing.T, cells ...string) error {
	t.Helper()
	dir := t.TempDir()
	list := []map[string]string{{"cell_type": "markdown", "source": "# Title\n\nGoal."}}
	for _, source := range cells {
		list = append(list, map[string]string{"cell_type": "code", "source": source})
	}
	data := expect.Must(json.Marshal(map[string]any{"nbformat": 4, "cells": list}))(t)
	path := expect.File(t, filepath.Join(dir, "a.ipynb"), data)
	expect.File(t, filepath.Join(dir, "go.mod"), []byte("module a.example/a\n\ngo 1.26.0\n"))
	return checkedIn(t, place{dir}, expect.Must(readNotebook(path))(t))
}

// checkedIn checks a notebook in a module.
func checkedIn(t *testing.T, p place, nb *notebook) error {
	t.Helper()
	return newChecker(t, p).checkCells(context.Background(), nb)
}

// newChecker returns a session of a module with the real go command.
func newChecker(t *testing.T, p place) *session {
	t.Helper()
	s := &session{place: p, console: liveline.Sized(t.Output(), false, 80)}
	s.goTool = expect.Must(findGo(context.Background(), p))(t)
	return s
}

// An error in any cell is reported by cell and line.
func TestCheckCellsFinds(t *testing.T) {
	expect.Slow(t)
	const start = "// Packages\n%noautoget\nimport \"fmt\"\n"
	for name, tt := range map[string]struct {
		cells []string
		want  []string // nil for no error
	}{
		"the last line": {[]string{start, "%%\nfmt.Println(1)", "// Train\n%%\nx := 1\n\nfmt.Println(y)"}, []string{
			"Cell 3 of a (Train), line 5: undefined: y", "fmt.Println(y)", "line 3: declared and not used: x", "Nothing was run"}},
		"no mark":             {[]string{start, "fmt.Println(1)"}, []string{"Cell 2", "line 1", "expected declaration", "below a line of its own, %%"}},
		"a mark with a space": {[]string{start, " %%\nfmt.Println(1)"}, []string{"Cell 2", "line 1", "no space before it"}},
		"a comment of Python": {[]string{start, "%%\n# one\nfmt.Println(1)"}, []string{"Cell 2", "line 2", "illegal character U+0023 '#'; a comment of Go begins with //", "# one"}},
		"a type":              {[]string{start, "func F() int { return 1 }", "%%\nvar s string = F()"}, []string{"Cell 3", "line 2", "cannot use F()"}},
		"syntax":              {[]string{start, "%%\nfmt.Println(1", "%%\nfmt.Println(2"}, []string{"Cell 2", "line 2", "Cell 3"}},
		"an open brace":       {[]string{start, "func F() {\n\tif true {\n}"}, []string{"Cell 2", "line 3"}},
		"an unknown package":  {[]string{start, "// Mine\nimport \"no.example/such\""}, []string{"Cell 2 of a (Mine), line 2", "no.example/such"}},
		"an import with a dot": {[]string{"import . \"strings\"", "%%\nprintln(ToUpper(\"a\"))"},
			[]string{"Cell 1", "imported and not used", "into the first cell that uses it"}},
		"told once":                 {[]string{start, "func F() int { return y }", "%%\nfmt.Println(1)"}, []string{"Cell 2", "undefined: y"}},
		"declared too late":         {[]string{"%%\nprintln(F())", "func F() int { return 1 }"}, []string{"Cell 1", "line 2: undefined: F"}},
		"forgotten":                 {[]string{"func F() int { return 1 }", "%reset\n", "%%\nprintln(F())"}, []string{"Cell 3", "undefined: F"}},
		"no name to run":            {[]string{start, "func F() {}\n%exec "}, []string{"Cell 2", "line 2: %exec wants the name of a function"}},
		"a field that is not there": {[]string{"type T struct{ A int }", "%%\nprintln(T{}.B)"}, []string{"Cell 2", "T{}.B undefined"}},

		"names of a graph": {[]string{start, "%%\nAdd(1, MulScalar(2, 3))\nprintln(Sub(1))"},
			[]string{"Cell 2", "line 2: undefined: Add; write into the imports of this cell: import . \"github.com/gomlx/gomlx/core/graph\""}},

		"all is well":        {[]string{start, "%%\nfmt.Println(1)"}, nil},
		"imported by itself": {[]string{"%%\nprintln(strings.ToUpper(\"a\"), rand.IntN(3))"}, nil},
		"an unused import":   {[]string{start, "%%\nprintln(1)"}, nil},
		"declared anew": {[]string{"func F() int { return 1 }\ntype T int\nvar a, b = 1, 2\nconst (\n\tx = iota\n\ty\n)", "%%\nprintln(F(), T(1)+T(y), a+b)",
			"func F() string { return \"\" }\ntype T string\nvar a = \"\"\nconst x = \"\"", "%%\nprintln(F()+string(T(\"\"))+a+x, b+y)"}, nil},
		"twice in one cell":   {[]string{"func F() int { return 1 }\nfunc F() string { return \"\" }", "%%\nprintln(F() + \"\")"}, nil},
		"a method anew":       {[]string{"type T int\nfunc (t *T) M() int { return 1 }", "func (t *T) M() string { return \"\" }", "%%\nprintln(new(T).M() + \"\")"}, nil},
		"main of one's own":   {[]string{start, "func main() {\n\tfmt.Println(1)\n}", "%%\nfmt.Println(2)"}, nil},
		"the kernel's words":  {[]string{"!echo a \\\n  b", "%env A b", "//gonb:%%\nprintln(1)", "%main\nprintln(2)", "func F() {}\n%exec F"}, nil},
		"no cells of Go":      {[]string{start, "%%bash\necho 'a b'", "%%writefile a.txt\nnot Go", "//gonb:%%script sh -e\n(", "%%\nfmt.Println(1)"}, nil},
		"C":                   {[]string{"// #include <math.h>\nimport \"C\"\n\n%%\nprintln(C.sqrt(4))"}, nil},
		"flags of the kernel": {[]string{"import \"flag\"\n%%\nprintln(flag.Arg(0))"}, nil},
		"nothing":             {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checked(t, tt.cells...)
			expect.Require(t, (err == nil) == (tt.want == nil), "%v, want %q", err, tt.want)
			if err != nil {
				contains(t, err.Error(), tt.want...)
				last := tt.want[len(tt.want)-1]
				expect.That(t, name != "told once" || strings.Count(err.Error(), last) == 1, "%v", err)
				expect.That(t, !strings.Contains(err.Error(), "Cell 1 of a (Packages)"),
					"the first cell is blamed: %v", err)
			}
		})
	}
}

// PyTorch idioms are reported with their replacements, based on the compiler's messages about the real package.
func TestMendGraph(t *testing.T) {
	expect.Slow(t)
	const functions = "by functions: Add, Sub, Mul, Div, AddScalar, MulScalar, OneMinus; a choice is Where"
	s := newChecker(t, expect.Must(findRoot("."))(t))
	var packages exports // of all codes, which have equal imports
	for code, want := range map[string]string{
		"_ = x + x": functions, "_ = 2 * x": functions, "_ = x * 0.5": functions, "_ = -x": functions, "if x { }": "takes a bool",
		"_ = x.mean(1)": "ReduceMean(x, -1)", "_ = x.Sum(1)": "ReduceSum(x, -1)", "_ = x.detach()": "StopGradient(x)",
		"_ = x.softmax(1)": "Softmax(x, -1)", "_ = x.t()": "Transpose(x, 0, 1)", "_ = x.view(1)": "Reshape(x",
		"_ = x.item()": "Objective.Value", "_ = x.float()": "ConvertDType(x", "_ = x.nothing()": "",
	} {
		source := "import . \"" + graphPackage + "\"\nfunc F(x *Node) {\n\t" + code + "\n}"
		files := token.NewFileSet()
		cells, slips := parseCells(files, &notebook{name: "a", cells: []cell{{title: "Term", number: 1, source: source}}})
		if packages.packages == nil {
			packages = expect.Must(s.exported(t.Context(), cells))(t)
		}
		said := fmt.Sprint(append(slips, packages.check(files, cells)...))
		expect.That(t, said != "[]" && strings.Contains(said, want) && (want != "" || !strings.Contains(said, "place of")),
			"%s: got %s, want %q", code, said, want)
	}
}

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

// The page of a notebook shows the first line of a solution, and the rest on request.
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
	out, err := exec.Command(python, "-B", "-c", program).CombinedOutput() // run_notebook.py is in this folder
	expect.Require(t, err == nil, "%v\n%s", err, out)
	before, rest, ok := strings.Cut(string(out), "<details")
	folded, after, end := strings.Cut(rest, "</details>")
	expect.Require(t, ok && end && !strings.Contains(after, "<details") && strings.Contains(before, "Dials") &&
		!strings.Contains(before, "Confirm"), "not the solution alone is folded")
	contains(t, folded, "<summary>Solution 1: a &lt; b</summary>", "Confirm")
}

// withTemplate returns a checkout with the template, and its text.
func withTemplate(t *testing.T) (*workshop, string) {
	w := newWorkshop(t)
	text := string(expect.Must(os.ReadFile(filepath.Join("..", template+".ipynb")))(t))
	w.file("notebooks/"+template+".ipynb", text)
	return w, text
}

// A new notebook is the template before it ran, and may be committed unchanged.
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
		"## Try it yourself", "%noautoget`** stops", "-set seeds=5 my-term")
	expect.That(t, strings.Contains(original, "± 1.3"),
		"the template does not tell its results any more in these words: name others")
	for _, left := range []string{`Name: \"` + template, "output_type", `"execution_count": 1`, "± 1.3",
		// Text specific to the example's term: its name, its formula, its exercises.
		"soft PUCL", "they are known to be of one class", "w_{ij}", "Set `Known` to", "makes a copy of this notebook", "NAME"} {
		expect.That(t, !strings.Contains(text, left), "it still holds %s", left)
	}
	nb, err := findNotebook(w.place, "my-term")
	old, oldErr := findNotebook(w.place, template)
	expect.That(t, err == nil && oldErr == nil && nb.codeCells() == old.codeCells(), "%+v, %v, %v", nb, err, oldErr)
}

// Nothing is overwritten, and a name that would cause errors later is rejected at once.
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
