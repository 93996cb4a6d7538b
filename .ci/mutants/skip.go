package main

import (
	"go/ast"
	"go/token"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The rules of this file exclude places where a change is equivalent or no defect: texts, capacity hints, times,
// lengths and colors of drawings. The rules use syntax alone and apply to all packages.

var (
	// textNames are functions and methods that compose texts for people.
	textNames = regexp.MustCompile(`^(String|GoString|Error|Format|[uU]sage|[hH]elp|` +
		`[dD]escribe.*|[eE]xplain.*|.*[pP]rogress.*)$`)
	// textCalls are calls whose arguments are texts for people.
	textCalls = regexp.MustCompile(`^(panic|Panicf?|Errorf|Fatalf?|Sprintf?|Sprintln|[pP]rintf?|[pP]rintln|` +
		`Fprintf?|Fprintln|[lL]ogf?|Appendf|Warnf?|Infof?|V|Skipf?|.*[pP]rogress.*)$`)
	// timingNames are variables and constants of time-outs and polling.
	timingNames = regexp.MustCompile(`(?i)timeout|time_?limit|interval|poll|delay|grace|refresh|backoff|deadline`)
	// keptCalls are calls whose deletion shows at random (locks) or not at all (memory, temporary files, synced disks).
	keptCalls = regexp.MustCompile(`^(Close|[uU]nlock|[lL]ock|RLock|RUnlock|Done|Wait|Stop|KeepAlive|GC|Free.*|` +
		`Finalize.*|[rR]elease|[cC]ancel|[cC]leanup|Remove(All)?|Sync|Grow|SetFinalizer|Notify|Gosched)$`)
	// symmetric are functions whose arguments may be swapped without effect.
	symmetric = regexp.MustCompile(`^(max|min|Max|Min|Add|Mul|Equal|NotEqual|EqualFunc|DeepEqual|And|Or|LogicalAnd|` +
		`LogicalOr|Hypot|EqualFold|.*Equal)$`)
	// seedNames are variables, fields and functions of seeds and streams of random numbers, not of numbers of seeds.
	seedNames = regexp.MustCompile(`(?i)(seed|stream|salt)$`)
)

func writesText(function string) bool { return textNames.MatchString(function) }

func isTiming(name string) bool { return timingNames.MatchString(name) }

// skips reports whether the subtree of n is excluded.
func (f *sourceFile) skips(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := calledName(n)
		return textCalls.MatchString(name) || calledPackage(n) == "errors" || name == "Grow" ||
			name == "NewReaderSize" || name == "NewWriterSize" || isTimed(n)
	case *ast.CompositeLit:
		return ofPackage(n.Type, "color") // one step of a color channel is invisible
	case *ast.BinaryExpr, *ast.ReturnStmt, *ast.AssignStmt:
		return isTimed(n)
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		return ok && isTiming(key.Name)
	case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.InterfaceType, *ast.MapType, *ast.ChanType:
		return true
	case *ast.DeferStmt:
		return true
	case *ast.DeclStmt:
		decl, ok := n.Decl.(*ast.GenDecl)
		return !ok || decl.Tok != token.VAR && decl.Tok != token.CONST
	case *ast.ValueSpec:
		return isTiming(n.Names[0].Name)
	}
	return false
}

// isTimed reports whether an expression uses package time, runtime or vg (lengths of drawings) outside function
// literals.
func isTimed(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (x.Name == "time" || x.Name == "runtime" || x.Name == "vg") {
				found = true
			}
		}
		return !found
	})
	return found
}

// calledName returns the name of the called function or method, without package or receiver.
func calledName(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.IndexExpr:
		return calledName(&ast.CallExpr{Fun: fun.X})
	}
	return ""
}

// calledPackage returns the identifier before the dot of a call: a package or a variable.
func calledPackage(call *ast.CallExpr) string {
	if fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if x, ok := fun.X.(*ast.Ident); ok {
			return x.Name
		}
	}
	return ""
}

// ofPackage reports whether a type is a selector of the given package.
func ofPackage(typ ast.Expr, name string) bool {
	selector, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := selector.X.(*ast.Ident)
	return ok && x.Name == name
}

// isErrorCheck reports whether a condition compares an error with nil. The operator "dropped error" covers these.
func isErrorCheck(cond ast.Expr) bool {
	binary, ok := cond.(*ast.BinaryExpr)
	return ok && isNil(binary.Y) && isErrorName(binary.X)
}

func isErrorName(e ast.Expr) bool {
	ident, ok := e.(*ast.Ident)
	return ok && (ident.Name == "err" || strings.HasSuffix(ident.Name, "Err"))
}

func isNil(e ast.Expr) bool {
	ident, ok := e.(*ast.Ident)
	return ok && ident.Name == "nil"
}

// onlyText reports whether a block only prints or logs.
func onlyText(block *ast.BlockStmt) bool {
	for _, statement := range block.List {
		expression, ok := statement.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expression.X.(*ast.CallExpr)
		if !ok || !textCalls.MatchString(calledName(call)) || calledName(call) == "panic" {
			return false
		}
	}
	return true
}

// keptLiteral reports whether a change of the number is equivalent or no defect: a file mode, a buffer size (a power
// of two from 256), a tolerance below 1e-6, or a float from 1e6, which mostly stands for infinity.
func keptLiteral(lit *ast.BasicLit) bool {
	switch lit.Kind {
	case token.INT:
		if len(lit.Value) > 1 && lit.Value[0] == '0' {
			return true // octal modes, masks in hexadecimal
		}
		n, err := strconv.ParseInt(lit.Value, 0, 64)
		return err != nil || n >= 256 && n&(n-1) == 0
	case token.FLOAT:
		x, err := strconv.ParseFloat(lit.Value, 64)
		return err != nil || math.Abs(x) < 1e-6 || math.Abs(x) >= 1e6
	}
	return true
}

// tracksExtreme reports whether a comparison guards the assignment of one side to the other, as in
// if x < least { least = x }. There, < and <= are equivalent.
func (f *sourceFile) tracksExtreme(cond *ast.BinaryExpr) bool {
	statement, ok := f.parent().(*ast.IfStmt)
	if !ok || statement.Cond != cond {
		return false
	}
	for _, s := range statement.Body.List {
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, left := range assign.Lhs {
			if text := f.text(left); text == f.text(cond.X) || text == f.text(cond.Y) {
				return true
			}
		}
	}
	return false
}

// inSeed reports whether the visited node belongs to a seed or stream of random numbers.
func (f *sourceFile) inSeed() bool {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.CallExpr:
			if name := calledName(n); name == "NewPCG" || name == "NewChaCha8" || seedNames.MatchString(name) {
				return true
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && seedNames.MatchString(key.Name) {
				return true
			}
		case *ast.ValueSpec:
			return seedNames.MatchString(n.Names[0].Name)
		case ast.Stmt:
			return false
		}
	}
	return false
}
