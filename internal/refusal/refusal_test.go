package refusal

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, says, want string }{
		{"right", "pucl: λ = 2; it must lie between 0 and 1", "λ = 2 … between 0 and 1", ""},
		{"parts that touch", "pucl: λ = 2; make it 1", "pucl: λ = 2; … make it 1", ""},
		{"inside another package", "pucl: augment: no images. Give some", "no images … Give some", ""},
		{"a list", "pucl: unknown name x; take one of\n  a\n  b", "x … take one of", ""},
		{"no error", "", "λ … 1", "no error"},
		{"no mend", "pucl: λ = 2; make it 1", "pucl: λ = 2", "names no mend"},
		{"an empty mend", "pucl: λ = 2; make it 1", "λ = 2 …", "empty part"},
		{"no cause", "pucl: wrong number; make it 1", "λ = 2 … make it 1", `lacks "λ = 2"`},
		{"mend before cause", "pucl: make it 1; λ = 2", "λ = 2 … make it 1", "too early"},
		{"no package", "λ = 2; make it 1", "λ = 2 … make it 1", "name of a package"},
		{"named twice", "pucl: HeldOut: pucl: λ = 2; make it 1", "λ = 2 … make it 1", "twice"},
		{"the engine's words", "pucl: graphFn for f: λ = 2; make it 1", "λ = 2 … make it 1", "graphFn"},
		{"the runtime's words", "pucl: runtime error: λ = 2; make it 1", "λ = 2 … make it 1", "runtime error"},
		{"a type", "pucl: []float64 of λ = 2; make it 1", "λ = 2 … make it 1", "[]float"},
		{"a forgotten argument", "pucl: λ = 2 %!d(MISSING); make it 1", "λ = 2 … make it 1", "%!"},
		{"lines", "pucl: λ = 2\nmake it 1", "λ = 2 … make it 1", "breaks its line"},
		{"an essay", "pucl: λ = 2. Wrong! Really. make it 1", "λ = 2 … make it 1", "two sentences"},
	} {
		var err error
		if tt.text != "" {
			err = errors.New(tt.text)
		}
		got := strings.Join(faults(err, tt.says), "; ")
		expect.That(t, (got == "") == (tt.want == "") && strings.Contains(got, tt.want),
			"%s: got %q, want %q", tt.name, got, tt.want)
	}
}

// fake notes whether a test failed.
type fake struct {
	testing.TB
	failed bool
}

func (*fake) Helper()                 {}
func (f *fake) Errorf(string, ...any) { f.failed = true }

func TestCheck(t *testing.T) {
	err := Of(func() { panic("refusal: no rows; give one") })
	Check(t, err, "no rows … give one")
	other := &fake{TB: t}
	if Check(other, err, "no rows … give two"); !other.failed {
		t.Error("a mend that is not there passes")
	}
	Whole(t, err, "refusal: no rows; … give one")
	part := &fake{TB: t}
	if Whole(part, err, "no rows; … give one"); !part.failed {
		t.Error("a part of the sentence passes for the whole")
	}
	got := Err(1, err)
	expect.That(t, got == err, "got %v", got)
	if err := Of(func() {}); err != nil {
		t.Errorf("a call that does not panic gave %v", err)
	}
}

// count returns how many quotations with an ellipsis a test file has, which is how rows of [Check] and [Whole] are written, and how many
// rows of tests that look into what an error says without them: the entries of the table gone through, or one where there is no table.
func count(t *testing.T, path string) (rows, others int) {
	t.Helper()
	file := expect.Must(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t)
	checks := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return strings.HasSuffix(i.Path.Value, "/internal/refusal\"") })
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		table, own, looks := 0, 0, false
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if entries, ok := n.X.(*ast.CompositeLit); ok {
					table += len(entries.Elts)
				}
			case *ast.BasicLit:
				if checks && n.Kind == token.STRING && strings.Contains(n.Value, "… ") {
					own++
				}
			case *ast.CallExpr:
				looks = looks || looksAtError(n)
			}
			return true
		})
		if rows += own; looks && own == 0 {
			others += max(table, 1)
		}
	}
	return rows, others
}

// looksAtError reports whether a call is strings.Contains or HasPrefix of an error's text, or of a helper for that.
func looksAtError(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return strings.EqualFold(f.Name, "wantError") || f.Name == "names" || f.Name == "wants"
	case *ast.SelectorExpr:
		if f.Sel.Name == "Contains" || f.Sel.Name == "HasPrefix" {
			of, ok := call.Args[0].(*ast.CallExpr)
			if !ok {
				return false
			}
			inner, ok := of.Fun.(*ast.SelectorExpr)
			return ok && inner.Sel.Name == "Error"
		}
	}
	return false
}

// In these packages every test that looks into what an error says wants its cause and its mend.
func TestErrorsHaveCauseAndMend(t *testing.T) {
	for _, name := range []string{ // from the repository's root
		"pucl/cluster", "pucl/encoder", "pucl/evaluate", "pucl/optim", "pucl/prior", "pucl/probe", "pucl/pseudo", "pucl/reduce", "pucl/risk", "pucl/rival", "pucl/rows",
		"pucl/safetensors",
	} {
		paths := expect.Must(filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(name), "*_test.go")))(t)
		all := 0
		for _, path := range paths {
			rows, others := count(t, path)
			if all += rows; others > 0 {
				t.Errorf("%s: %d errors are looked into without refusal.Check", path, others)
			}
		}
		expect.That(t, all != 0, "%s: no error is looked into", name)
	}
}
