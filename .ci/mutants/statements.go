package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// call exchanges the called function and swaps neighboring arguments.
func (f *sourceFile) call(n *ast.CallExpr) {
	name := calledName(n)
	fun := ast.Unparen(n.Fun)
	at := fun
	if selector, ok := fun.(*ast.SelectorExpr); ok {
		at = selector.Sel
	}
	binary := len(n.Args) > 1
	from := calledPackage(n)
	single := strings.HasPrefix(name, "Reduce") || strings.HasPrefix(name, "Arg") ||
		from == "slices" || from == "floats"
	if other, ok := exchanged[name]; ok && (binary || single) && !n.Ellipsis.IsValid() {
		f.add(other.operator, at.Pos(), at.End(), other.by)
	}
	if name == "Neg" && len(n.Args) == 1 {
		f.add(opSign, n.Pos(), n.End(), f.text(n.Args[0]))
	}
	if n.Ellipsis.IsValid() || symmetric.MatchString(name) {
		return
	}
	for i := range len(n.Args) - 1 {
		if a, b := n.Args[i], n.Args[i+1]; f.swappable(a, b) {
			between := string(f.source[f.offset(a.End()):f.offset(b.Pos())])
			f.add(opSwap, a.Pos(), b.End(), f.text(b)+between+f.text(a))
		}
	}
}

// swappable reports whether two arguments differ and may have the same type.
func (f *sourceFile) swappable(a, b ast.Expr) bool {
	for _, e := range []ast.Expr{a, b} {
		switch e := e.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.ArrayType:
			return false
		case *ast.BasicLit:
			if e.Kind == token.STRING {
				return false
			}
		case *ast.Ident:
			if e.Name == "ctx" || e.Name == "nil" {
				return false
			}
		}
	}
	return f.text(a) != f.text(b)
}

// returned replaces a returned error by nil: a variable or a new error.
func (f *sourceFile) returned(n *ast.ReturnStmt) {
	results := f.results()
	if results == nil || len(n.Results) != results.NumFields() || len(n.Results) == 0 {
		return
	}
	typ, ok := results.List[len(results.List)-1].Type.(*ast.Ident)
	if !ok || typ.Name != "error" {
		return
	}
	last := n.Results[len(n.Results)-1]
	call, made := last.(*ast.CallExpr)
	if isErrorName(last) || made && (calledName(call) == "Errorf" || calledPackage(call) == "errors") {
		f.add(opError, last.Pos(), last.End(), "nil")
	}
}

// results returns the results of the innermost function around the node.
func (f *sourceFile) results() *ast.FieldList {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.FuncLit:
			return n.Type.Results
		case *ast.FuncDecl:
			return n.Type.Results
		}
	}
	return nil
}

// deletion deletes an assignment or a call that is a statement of a block.
func (f *sourceFile) deletion(n ast.Stmt) {
	switch f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || blank(n.Lhs) {
			return
		}
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok || keptCalls.MatchString(calledName(call)) || textCalls.MatchString(calledName(call)) {
			return
		}
	}
	f.add(opDeletion, n.Pos(), n.End(), "")
}

// blank reports whether all expressions are _.
func blank(expressions []ast.Expr) bool {
	for _, e := range expressions {
		if ident, ok := e.(*ast.Ident); !ok || ident.Name != "_" {
			return false
		}
	}
	return true
}
