package launcher

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// codeCell is the Go code of a cell. Its positions match the cell: a line of the file is a line of the cell.
type codeCell struct {
	*cell
	decls []ast.Decl // all except imports and main
	main  *ast.FuncDecl
	specs []*ast.ImportSpec
	reset bool // the kernel drops earlier declarations
}

// slip is a compile error of a cell.
type slip struct {
	cell *cell
	line int // of the cell, counted from 1
	text string
}

// parseCells parses the code cells of a notebook. The slips are the syntax errors.
func parseCells(files *token.FileSet, nb *notebook) (cells []codeCell, slips []slip) {
	for i := range nb.cells {
		c := &nb.cells[i]
		if c.number == 0 {
			continue
		}
		if first, _, _ := strings.Cut(c.source, "\n"); otherLanguage.MatchString(strings.TrimPrefix(first, kernelMark)) {
			continue
		}
		source, reset, err := goSource(c.source)
		if wrong := (*lineError)(nil); errors.As(err, &wrong) {
			slips = append(slips, slip{c, wrong.line, wrong.text})
			continue
		}
		file, err := parser.ParseFile(files, strconv.Itoa(c.number), source, parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			lines := strings.Split(c.source, "\n")
			at := min(list[0].Pos.Line, len(lines))
			// Later errors are usually consequences.
			slips = append(slips, slip{c, at, list[0].Msg + mendSyntax(list[0].Msg, lines[at-1])})
			continue
		}
		code := codeCell{cell: c, reset: reset, specs: file.Imports}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			g, isGen := d.(*ast.GenDecl)
			switch {
			case isFunc && f.Recv == nil && f.Name.Name == "main":
				code.main = f
			case !isGen || g.Tok != token.IMPORT:
				code.decls = append(code.decls, d)
			}
		}
		cells = append(cells, code)
	}
	return cells, slips
}

// mendSyntax returns the remedy for a syntax error that comes from notebooks or Python, not from Go, "" for others.
func mendSyntax(message, line string) string {
	switch {
	case strings.HasPrefix(message, "illegal character U+0023"):
		return "; a comment of Go begins with // instead"
	case strings.HasPrefix(strings.TrimSpace(line), "%"):
		return "; a line for the kernel begins with its %, with no space before it"
	case strings.HasPrefix(message, "expected declaration"):
		return "; what is to run stands below a line of its own, %%"
	}
	return ""
}

// mainLine matches the kernel's mark after which the rest of a cell is the body of main.
var mainLine = regexp.MustCompile(`^%(%|main)(\s|$)`)

// otherLanguage matches the first line of a cell without Go code: text for a file, or a script for another program.
var otherLanguage = regexp.MustCompile(`^%%(writefile|script|bash|sh|gx)(\s|$)`)

// kernelMark may precede kernel commands, so that Go editors treat them as comments.
const kernelMark = "//gonb:"

// lineError is an error in a kernel command on a line of a cell, counted from 1.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// goSource returns a cell as a Go file with the same lines: kernel commands are removed, and main begins at "%%". reset
// reports whether the cell makes the kernel drop earlier declarations. The error is a *lineError.
func goSource(cell string) (source string, reset bool, err error) {
	var b strings.Builder
	b.WriteString("package main;")
	end, special := "", false // special: the previous line continues and was not Go
	for i, line := range strings.Split(cell, "\n") {
		mark := strings.TrimPrefix(line, kernelMark)
		words := strings.Fields(mark)
		switch {
		case special:
		case mainLine.MatchString(mark):
			b.WriteString("func main() {")
			end = "}"
		case strings.HasPrefix(mark, "%exec") && words[0] == "%exec":
			if len(words) == 1 {
				return "", false, &lineError{i + 1, "%exec wants the name of a function"}
			}
			fmt.Fprintf(&b, "func main() { %s() }", words[1])
		case len(mark) > 1 && (mark[0] == '%' || mark[0] == '!'):
			reset = reset || mark == "%reset"
		case !strings.HasPrefix(line, "package"):
			b.WriteString(line)
		}
		special = (special || len(mark) > 1 && (mark[0] == '%' || mark[0] == '!')) && strings.HasSuffix(line, `\`)
		b.WriteString("\n")
	}
	return b.String() + end + "\n", reset, nil
}

// upTo returns the program that the kernel compiles for the last of the cells: their declarations, in which a later one
// replaces an earlier one of the same name, and the main of the last cell.
func upTo(cells []codeCell) *ast.File {
	for i := len(cells) - 1; i > 0; i-- {
		if cells[i].reset {
			cells = cells[i:]
			break
		}
	}
	imports, declared := map[string]bool{}, map[string]bool{}
	file := &ast.File{Name: ast.NewIdent("main")}
	specs := &ast.GenDecl{Tok: token.IMPORT}
	for i := len(cells) - 1; i >= 0; i-- { // the last one of a name counts, also within a cell
		for _, spec := range cells[i].specs {
			if name := importName(spec); !imports[name] {
				imports[name] = true
				specs.Specs = append(specs.Specs, spec)
			}
		}
		for k := len(cells[i].decls) - 1; k >= 0; k-- {
			if kept := without(cells[i].decls[k], declared); kept != nil {
				file.Decls = append(file.Decls, kept)
			}
		}
	}
	if len(specs.Specs) > 0 {
		file.Decls = append([]ast.Decl{specs}, file.Decls...)
	}
	if main := cells[len(cells)-1].main; main != nil {
		file.Decls = append(file.Decls, main)
	}
	return file
}

// importName returns the name that identifies an import: the kernel treats two with one name as one.
func importName(spec *ast.ImportSpec) string {
	switch {
	case spec.Name == nil:
		return path.Base(importPath(spec))
	case spec.Name.Name == "." || spec.Name.Name == "_":
		return spec.Name.Name + importPath(spec)
	}
	return spec.Name.Name
}

func importPath(spec *ast.ImportSpec) string {
	text, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser accepted it
		return spec.Path.Value
	}
	return text
}

// without returns a declaration without the names that are already declared, nil if nothing is left, and adds the names
// that it declares. A removed constant or variable becomes "_", so that others of its group keep their values.
func without(d ast.Decl, declared map[string]bool) ast.Decl {
	isNew := func(name string) bool {
		was := declared[name]
		declared[name] = true
		return !was || name == "_"
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) > 0 {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		if isNew(name) {
			return d
		}
	case *ast.GenDecl:
		kept := *d
		kept.Specs = nil
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if isNew(s.Name.Name) {
					kept.Specs = append(kept.Specs, s)
				}
			case *ast.ValueSpec:
				renamed := *s
				renamed.Names = nil
				for _, name := range s.Names {
					if !isNew(name.Name) {
						name = &ast.Ident{NamePos: name.NamePos, Name: "_"}
					}
					renamed.Names = append(renamed.Names, name)
				}
				kept.Specs = append(kept.Specs, &renamed)
			}
		}
		if len(kept.Specs) > 0 {
			return &kept
		}
	}
	return nil
}

// receiver names the type of a method's receiver.
func receiver(of ast.Expr) string {
	switch x := of.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
