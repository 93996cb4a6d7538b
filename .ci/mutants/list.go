package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one change of one file. Function and text locate it instead of line numbers. Edits elsewhere in the file
// therefore leave it valid.
type mutant struct {
	ID       string `json:"id"`
	Package  string `json:"package"` // path below the module, "." for its root
	File     string `json:"file"`    // slash-separated, below the module
	Func     string `json:"func"`    // "F", "T.Method", "var name" or "const name"
	Operator string `json:"operator"`
	// Lines are the changed source lines without leading and trailing space.
	Lines []string `json:"lines"`
	// Occurrence selects among several places in Func with the text of Lines, from 1.
	Occurrence int      `json:"occurrence"`
	Mutated    []string `json:"mutated"` // replaces Lines; empty where they are deleted
	// Killed reports whether a test fails because of the mutant.
	Killed bool   `json:"killed"`
	By     string `json:"by,omitempty"`   // "package/Test", with " on XLA" if the tests pass on pure Go
	Note   string `json:"note,omitempty"` // why a mutant survives
}

// mutantList is the content of list.json.
type mutantList struct {
	Seed    uint64    `json:"seed"`
	Mutants []*mutant `json:"mutants"`
}

func readList(path string) (*mutantList, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w; the draw command makes a list", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var list mutantList
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w; correct the file or draw a new list", path, err)
	}
	seen := map[string]bool{}
	for _, m := range list.Mutants {
		if m.ID == "" || seen[m.ID] {
			return nil, fmt.Errorf("%s: the id %q is empty or appears twice", path, m.ID)
		}
		seen[m.ID] = true
	}
	return &list, nil
}

func (l *mutantList) write(path string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(l); err != nil {
		return err
	}
	return replaceFile(path, text.Bytes())
}

// replaceFile writes data to path by way of a temporary file in the same folder.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// apply returns the name of m's file and its mutated source. It fails if the function or the text no longer exists.
func (m *mutant) apply(root string) (original string, source []byte, err error) {
	original = filepath.Join(root, filepath.FromSlash(m.File))
	source, err = os.ReadFile(original)
	if err != nil {
		return "", nil, m.gone(err.Error())
	}
	first, last, err := m.scope(original, source)
	if err != nil {
		return "", nil, err
	}
	lines := strings.SplitAfter(string(source), "\n")
	found := 0
	for i := first; i+len(m.Lines) <= last; i++ {
		if !readsAs(lines[i:], m.Lines) {
			continue
		}
		if found++; found == m.Occurrence {
			var out strings.Builder
			out.WriteString(strings.Join(lines[:i], ""))
			for _, line := range m.Mutated {
				out.WriteString(line + "\n")
			}
			out.WriteString(strings.Join(lines[i+len(m.Lines):], ""))
			return original, []byte(out.String()), nil
		}
	}
	return "", nil, m.gone(fmt.Sprintf("occurrence %d of %d in %s is listed", m.Occurrence, found, m.Func))
}

// String returns the place and the change on one line.
func (m *mutant) String() string {
	const separator = " ⏎ "
	return fmt.Sprintf("%s %s %s (%s): %s → %s", m.ID, m.File, m.Func, m.Operator,
		strings.Join(m.Lines, separator), strings.Join(m.Mutated, separator))
}

// scope returns the lines of m's function, the first inclusive and the last exclusive, counted from 0.
func (m *mutant) scope(path string, source []byte) (first, last int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range scopesOf(file) {
		if s.name == m.Func {
			return fset.Position(s.node.Pos()).Line - 1, fset.Position(s.node.End()).Line, nil
		}
	}
	return 0, 0, m.gone("there is no " + m.Func)
}

// gone returns the error for a mutant whose text no longer exists.
func (m *mutant) gone(cause string) error {
	return fmt.Errorf("%s: text gone from %s: %s; edit the entry, or delete it and run draw -package %s",
		m.ID, m.File, cause, m.Package)
}

// readsAs reports whether lines begin with wanted, ignoring leading and trailing space.
func readsAs(lines, wanted []string) bool {
	for i, line := range wanted {
		if strings.TrimSpace(lines[i]) != line {
			return false
		}
	}
	return true
}

// scope is a function, or one specification of a package-level var or const declaration.
type scope struct {
	name string
	node ast.Node
}

// scopesOf returns all functions and the specifications of all package-level variables and constants of a file.
func scopesOf(file *ast.File) []scope {
	var scopes []scope
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			scopes = append(scopes, scope{functionName(decl), decl})
		case *ast.GenDecl:
			if decl.Tok != token.VAR && decl.Tok != token.CONST {
				continue
			}
			for _, spec := range decl.Specs {
				value := spec.(*ast.ValueSpec)
				scopes = append(scopes, scope{decl.Tok.String() + " " + value.Names[0].Name, value})
			}
		}
	}
	return scopes
}

// functionName returns "F" for a function and "T.Method" for a method of T or *T.
func functionName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	receiver := decl.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + decl.Name.Name
		default:
			return decl.Name.Name
		}
	}
}
