package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// site is a place in a file where an operator applies. Each variant replaces source[start:end].
type site struct {
	scope      string
	operator   string
	start, end int
	variants   []string
}

// sourceFile is a parsed file in which sites are sought.
type sourceFile struct {
	path   string // slash-separated, below the module
	source []byte
	fset   *token.FileSet
	file   *ast.File
	sites  []site
	stack  []ast.Node // from the scope's node to the parent of the visited node
	scope  string
}

// parseSites parses a file and collects its sites. Generated code has none.
func parseSites(path string, source []byte) (*sourceFile, error) {
	f := &sourceFile{path: path, source: source, fset: token.NewFileSet()}
	var err error
	f.file, err = parser.ParseFile(f.fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(f.file) {
		return f, nil
	}
	for _, s := range scopesOf(f.file) {
		f.scope = s.name
		switch node := s.node.(type) {
		case *ast.FuncDecl:
			if node.Body != nil && node.Name.Name != "_" && !writesText(node.Name.Name) {
				f.stack = []ast.Node{node}
				f.walk(node.Body)
			}
		case *ast.ValueSpec:
			if isTiming(node.Names[0].Name) {
				continue
			}
			f.stack = []ast.Node{node}
			for _, value := range node.Values {
				f.walk(value)
			}
		}
	}
	f.sites = slices.DeleteFunc(f.sites, f.touchesRawString)
	return f, nil
}

// walk collects the sites of a tree, without the subtrees that skips excludes.
func (f *sourceFile) walk(node ast.Node) {
	below := len(f.stack)
	ast.Inspect(node, func(n ast.Node) bool {
		if n == nil {
			f.stack = f.stack[:len(f.stack)-1]
			return true
		}
		if f.skips(n) {
			return false
		}
		f.visit(n)
		if call, ok := n.(*ast.CallExpr); ok && isMake(call) {
			f.walkMake(call)
			return false
		}
		f.stack = append(f.stack, n)
		return true
	})
	f.stack = f.stack[:below]
}

// isMake reports whether a call is one of the builtin make.
func isMake(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.Ident)
	return ok && fun.Name == "make" && len(call.Args) > 0
}

// walkMake collects the sites of a slice's length. Capacities, map sizes and channel buffers are hints without effect.
func (f *sourceFile) walkMake(call *ast.CallExpr) {
	if _, slice := call.Args[0].(*ast.ArrayType); slice && len(call.Args) > 1 {
		f.stack = append(f.stack, call)
		f.walk(call.Args[1])
		f.stack = f.stack[:len(f.stack)-1]
	}
}

// parent returns the parent of the visited node.
func (f *sourceFile) parent() ast.Node { return f.stack[len(f.stack)-1] }

// add records a site at [from, to) if it has variants.
func (f *sourceFile) add(operator string, from, to token.Pos, variants ...string) {
	if len(variants) > 0 {
		f.sites = append(f.sites, site{f.scope, operator, f.offset(from), f.offset(to), variants})
	}
}

func (f *sourceFile) offset(pos token.Pos) int { return f.fset.Position(pos).Offset }

// text returns the source of a node.
func (f *sourceFile) text(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

// touchesRawString reports whether a line of the site belongs to a string literal of several lines. Trimming its
// lines would change the string.
func (f *sourceFile) touchesRawString(s site) bool {
	first, last := f.lineOf(s.start), f.lineOf(s.end)
	touched := false
	ast.Inspect(f.file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, "\n") {
			from, to := f.fset.Position(lit.Pos()).Line-1, f.fset.Position(lit.End()).Line-1
			touched = touched || first <= to && from <= last
		}
		return !touched
	})
	return touched
}

// lineOf returns the line of a byte offset, from 0.
func (f *sourceFile) lineOf(offset int) int { return strings.Count(string(f.source[:offset]), "\n") }

// mutant describes the variant of a site by whole lines.
func (f *sourceFile) mutant(s site, variant string) *mutant {
	first, last := f.lineOf(s.start), f.lineOf(s.end)
	lines := strings.Split(string(f.source), "\n")
	lineStart := len(strings.Join(lines[:first], "\n"))
	if first > 0 {
		lineStart++
	}
	lineEnd := len(strings.Join(lines[:last+1], "\n"))
	changed := string(f.source[lineStart:s.start]) + variant + string(f.source[s.end:lineEnd])
	m := &mutant{File: f.path, Func: s.scope, Operator: s.operator, Mutated: trimmed(changed)}
	for _, line := range lines[first : last+1] {
		m.Lines = append(m.Lines, strings.TrimSpace(line))
	}
	if len(m.Mutated) == 1 && m.Mutated[0] == "" {
		m.Mutated = []string{}
	}
	from, _, err := m.scope(f.path, f.source)
	if err != nil {
		panic(err) // the scope was found in this very file
	}
	for i := from; i <= first; i++ {
		if i+len(m.Lines) <= len(lines) && readsAs(lines[i:], m.Lines) {
			m.Occurrence++
		}
	}
	return m
}

// trimmed returns the lines of a text without leading and trailing space.
func trimmed(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// codeLines returns the number of lines with code. Blank lines, comments and lines of strings alone do not count.
func codeLines(source []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return len(lines)
		case token.STRING, token.COMMA, token.ADD, token.SEMICOLON:
		default:
			lines[fset.Position(pos).Line] = true
		}
	}
}
