package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// The operators. A draw chooses one of those with sites in the package, then a site, then a variant.
const (
	opArithmetic = "arithmetic"        // + and -, * and /, also of graphs, of assignments and of ++
	opComparison = "comparison"        // another one of < <= > >=, == and !=
	opLogical    = "and-or"            // && and ||
	opNegation   = "negated condition" // of an if
	opSign       = "sign"              // -x becomes x
	opInteger    = "integer constant"  // one more or less
	opFloat      = "float constant"    // five percent more
	opIndex      = "index"             // one more or less
	opSlice      = "slice bound"       // one more or less
	opSeed       = "seed"              // a constant of a seed or stream, one more
	opThreshold  = "threshold"         // a constant that is compared
	opError      = "dropped error"     // return nil for an error, or an empty if err != nil
	opDeletion   = "deleted statement" // an assignment or a call
	opSwap       = "swapped arguments" // two neighbors
	opExtreme    = "max-min"           // of numbers, slices and graphs
)

// exchanged maps functions for arithmetic, comparisons and extremes to their replacements, those of graphs included.
var exchanged = map[string]struct{ operator, by string }{
	"Add": {opArithmetic, "Sub"}, "Sub": {opArithmetic, "Add"},
	"Mul": {opArithmetic, "Div"}, "Div": {opArithmetic, "Mul"},
	"MulScalar": {opArithmetic, "DivScalar"}, "DivScalar": {opArithmetic, "MulScalar"},
	"LessThan": {opComparison, "GreaterThan"}, "GreaterThan": {opComparison, "LessThan"},
	"LessOrEqual": {opComparison, "GreaterOrEqual"}, "GreaterOrEqual": {opComparison, "LessOrEqual"},
	"Equal": {opComparison, "NotEqual"}, "NotEqual": {opComparison, "Equal"},
	"max": {opExtreme, "min"}, "min": {opExtreme, "max"}, "Max": {opExtreme, "Min"}, "Min": {opExtreme, "Max"},
	"MaxScalar": {opExtreme, "MinScalar"}, "MinScalar": {opExtreme, "MaxScalar"},
	"MaxFunc": {opExtreme, "MinFunc"}, "MinFunc": {opExtreme, "MaxFunc"},
	"ReduceMax": {opExtreme, "ReduceMin"}, "ReduceMin": {opExtreme, "ReduceMax"},
	"ReduceAllMax": {opExtreme, "ReduceAllMin"}, "ReduceAllMin": {opExtreme, "ReduceAllMax"},
	"ArgMax": {opExtreme, "ArgMin"}, "ArgMin": {opExtreme, "ArgMax"},
}

// otherTokens maps operators of expressions, assignments and statements to their replacements.
var otherTokens = map[token.Token][]string{
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.MUL_ASSIGN: {"/="}, token.QUO_ASSIGN: {"*="},
	token.INC: {"--"}, token.DEC: {"++"},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.LAND: {"||"}, token.LOR: {"&&"},
}

// visit adds the sites of one node, without its descendants.
func (f *sourceFile) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		f.sign(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.IndexExpr:
		f.index(n)
	case *ast.SliceExpr:
		f.slice(n)
	case *ast.CallExpr:
		f.call(n)
	case *ast.IfStmt:
		if isErrorCheck(n.Cond) {
			if n.Cond.(*ast.BinaryExpr).Op == token.NEQ && n.Else == nil {
				f.add(opError, n.Body.Pos(), n.Body.End(), "{}")
			}
		} else if !onlyText(n.Body) {
			f.add(opNegation, n.Cond.Pos(), n.Cond.End(), "!("+f.text(n.Cond)+")")
		}
	case *ast.ReturnStmt:
		f.returned(n)
	case *ast.AssignStmt:
		f.add(opArithmetic, n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), otherTokens[n.Tok]...)
		f.deletion(n)
	case *ast.IncDecStmt:
		if _, loop := f.parent().(*ast.ForStmt); !loop { // there the loop would not end
			f.add(opArithmetic, n.TokPos, n.TokPos+2, otherTokens[n.Tok]...)
		}
		f.deletion(n)
	case *ast.ExprStmt:
		f.deletion(n)
	}
}

// reversed maps comparisons to those in the other direction.
var reversed = map[token.Token][]string{token.LSS: {">"}, token.LEQ: {">="}, token.GTR: {"<"}, token.GEQ: {"<="}}

func (f *sourceFile) binary(n *ast.BinaryExpr) {
	variants := otherTokens[n.Op]
	operator := opArithmetic
	switch n.Op {
	case token.ADD:
		if isString(n.X) || isString(n.Y) {
			return
		}
	case token.SUB, token.MUL, token.QUO:
	case token.LAND, token.LOR:
		operator = opLogical
	case token.EQL, token.NEQ:
		if isErrorCheck(n) {
			return
		}
		operator = opComparison
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		operator = opComparison
		if f.tracksExtreme(n) || f.orders() {
			variants = reversed[n.Op]
		}
	default:
		return
	}
	f.add(operator, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), variants...)
}

// orders reports whether the visited node is the result of a sort's comparison. There, < and <= differ only in the
// order of equal elements.
func (f *sourceFile) orders() bool {
	if _, ok := f.parent().(*ast.ReturnStmt); !ok {
		return false
	}
	for i := len(f.stack) - 1; i > 0; i-- {
		if _, ok := f.stack[i].(*ast.FuncLit); ok {
			call, ok := f.stack[i-1].(*ast.CallExpr)
			return ok && (calledPackage(call) == "sort" || strings.HasPrefix(calledName(call), "Sort"))
		}
	}
	return strings.HasSuffix(f.scope, ".Less")
}

// isString reports whether an operand is a string literal, a conversion to string, or a sum with one.
func isString(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isString(e.X) || isString(e.Y)
	case *ast.CallExpr:
		return calledName(e) == "string" || textCalls.MatchString(calledName(e))
	}
	return false
}

// sign drops a minus, except of an axis −1: axis 1 may be the same axis.
func (f *sourceFile) sign(n *ast.UnaryExpr) {
	if n.Op != token.SUB {
		return
	}
	if call, ok := f.parent().(*ast.CallExpr); ok && f.text(n) == "-1" && calledPackage(call) != "math" {
		return
	}
	f.add(opSign, n.OpPos, n.X.Pos(), "")
}

// literal changes a number, except in an index or slice bound, which have operators of their own.
func (f *sourceFile) literal(n *ast.BasicLit) {
	integer := n.Kind == token.INT
	if f.inSeed() && integer {
		f.add(opSeed, n.Pos(), n.End(), n.Value+"+1")
		return
	}
	if keptLiteral(n) {
		return
	}
	operator := opFloat
	if integer {
		operator = opInteger
	}
	switch parent := f.parent().(type) {
	case *ast.IndexExpr, *ast.SliceExpr:
		return
	case *ast.BinaryExpr:
		switch parent.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			operator = opThreshold
		case token.SHL, token.SHR, token.AND, token.OR, token.XOR:
			return
		}
	}
	if integer {
		value, err := strconv.ParseInt(n.Value, 0, 64)
		if err != nil {
			return
		}
		f.add(operator, n.Pos(), n.End(), strconv.FormatInt(value+1, 10), strconv.FormatInt(value-1, 10))
		return
	}
	value, err := strconv.ParseFloat(n.Value, 64)
	if err != nil {
		return
	}
	f.add(operator, n.Pos(), n.End(), strconv.FormatFloat(value*1.05, 'g', 10, 64))
}

func (f *sourceFile) index(n *ast.IndexExpr) {
	if !isString(n.Index) {
		f.add(opIndex, n.Index.Pos(), n.Index.End(), f.oneMore(n.Index), f.oneLess(n.Index))
	}
}

func (f *sourceFile) slice(n *ast.SliceExpr) {
	switch {
	case n.Low != nil:
		f.add(opSlice, n.Low.Pos(), n.Low.End(), f.oneMore(n.Low))
	case f.text(n)[len(f.text(n.X)):] != "[:]":
		f.add(opSlice, n.Lbrack+1, n.Lbrack+1, "1")
	}
	if n.High != nil && f.text(n.High) != "0" { // x[:0] empties for use again
		f.add(opSlice, n.High.Pos(), n.High.End(), f.oneLess(n.High))
	}
}

func (f *sourceFile) oneMore(e ast.Expr) string { return f.operand(e) + "+1" }
func (f *sourceFile) oneLess(e ast.Expr) string { return f.operand(e) + "-1" }

// operand returns the text of an expression to which a term is added.
func (f *sourceFile) operand(e ast.Expr) string {
	arithmetic := []token.Token{token.ADD, token.SUB, token.MUL, token.QUO}
	if binary, ok := e.(*ast.BinaryExpr); ok && !slices.Contains(arithmetic, binary.Op) {
		return "(" + f.text(e) + ")"
	}
	return f.text(e)
}
