package launcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The page of a notebook shows the first line of a solution, and the rest of it when asked.
func TestPageFoldsSolutions(t *testing.T) {
	python, err := filepath.Abs(filepath.Join("..", ".venv", "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before, rest, ok := strings.Cut(string(out), "<details")
	folded, after, end := strings.Cut(rest, "</details>")
	if !ok || !end || strings.Contains(after, "<details") || !strings.Contains(before, "Dials") || strings.Contains(before, "Confirm") {
		t.Fatal("not the solution alone is folded")
	}
	contains(t, folded, "<summary>Solution 1: a &lt; b</summary>", "Confirm")
}
