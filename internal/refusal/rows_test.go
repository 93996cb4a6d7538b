package refusal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// count returns how many quotations with an ellipsis a test file has, which is how rows of [Check] and [Whole] are written, and how many
// rows of tests that look into what an error says without them: the entries of the table gone through, or one where there is no table.
func count(t *testing.T, path string) (rows, others int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
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
		paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(name), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, path := range paths {
			rows, others := count(t, path)
			if all += rows; others > 0 {
				t.Errorf("%s: %d errors are looked into without refusal.Check", path, others)
			}
		}
		if all == 0 {
			t.Errorf("%s: no error is looked into", name)
		}
	}
}
