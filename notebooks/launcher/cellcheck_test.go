package launcher

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/liveline"
)

// checked has a notebook of these code cells checked, with the real go command in a module without dependencies.
func checked(t *testing.T, cells ...string) error {
	t.Helper()
	dir := t.TempDir()
	type c struct {
		Type   string `json:"cell_type"`
		Source string `json:"source"`
	}
	list := []c{{"markdown", "# Title\n\nGoal."}}
	for _, source := range cells {
		list = append(list, c{"code", source})
	}
	data, err := json.Marshal(map[string]any{"nbformat": 4, "cells": list})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.ipynb")
	for name, text := range map[string]string{path: string(data), filepath.Join(dir, "go.mod"): "module a.example/a\n\ngo 1.26.0\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	nb, err := readNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{place: place{dir}, console: liveline.Sized(t.Output(), false, 80)}
	if s.goTool, err = findGo(context.Background(), s.place); err != nil {
		t.Fatal(err)
	}
	return s.checkCells(context.Background(), nb)
}

// A slip in any cell is told by cell and line.
func TestCheckCellsFinds(t *testing.T) {
	const start = "// Packages\n%noautoget\nimport \"fmt\"\n"
	for name, tt := range map[string]struct {
		cells []string
		want  []string // nil where all is well
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
			err := checked(t, tt.cells...)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("%v, want %q", err, tt.want)
			}
			if err != nil {
				contains(t, err.Error(), tt.want...)
				if strings.Contains(err.Error(), "Cell 1 of a (Packages)") {
					t.Errorf("the first cell is blamed: %v", err)
				}
			}
		})
	}
}
