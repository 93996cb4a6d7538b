package refusal

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
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

// The table of wrong uses: go test -v -run Table ./internal/refusal.
func TestTable(t *testing.T) {
	root := filepath.Join("..", "..")
	rows, others := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "refusal" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return orSkip(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			folder, _ := filepath.Rel(root, filepath.Dir(path))
			r, o := count(t, path)
			rows[folder] += r
			others[folder] += o
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sum, left, out := 0, 0, ""
	for _, folder := range slices.Sorted(maps.Keys(rows)) {
		if rows[folder]+others[folder] > 0 {
			out += fmt.Sprintf("%-28s %4d rows, %4d of them with cause and mend\n", folder, rows[folder]+others[folder], rows[folder])
		}
		sum, left = sum+rows[folder], left+others[folder]
	}
	t.Logf("wrong uses in tests\n%s%-28s %4d rows, %4d of them with cause and mend", out, "all", sum+left, sum)
	if sum < 500 {
		t.Errorf("%d rows with cause and mend, want 500 or more", sum)
	}
}

// orSkip returns err, or that a folder is left out.
func orSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}
