package launcher

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// graphPackage is the package of functions for terms.
const graphPackage = "github.com/gomlx/gomlx/core/graph"

// graphNames lists the functions and types of that package that terms use most.
var graphNames = strings.Fields(`Abs Add AddScalar And Clip Concatenate Const ConvertDType Div DivScalar Dot Equal Exp ExpandAxes GreaterThan
	LessThan Log Log1P LogSumExp Max Min Mul MulScalar Neg Node Not OneMinus OnesLike Or Pow PowScalar ReduceAllMean ReduceAllSum ReduceMax
	ReduceMean ReduceMin ReduceSum Reshape Scalar Sigmoid Softmax Sqrt Square Squeeze StopGradient Sub Tanh Transpose Where ZerosLike`)

// torchMethods maps a method of PyTorch tensors to its replacement.
var torchMethods = map[string]string{
	"mean": "ReduceMean(x, -1)", "sum": "ReduceSum(x, -1)", "exp": "Exp(x)", "log": "Log(x)", "softmax": "Softmax(x, -1)",
	"detach": "StopGradient(x)", "t": "Transpose(x, 0, 1)", "transpose": "Transpose(x, 0, 1)", "view": "Reshape(x, 2, 3)",
	"reshape": "Reshape(x, 2, 3)", "float": "ConvertDType(x, dtypes.Float32)",
	"item": "nothing of a graph: a node has no value while the graph is built; Objective.Value returns that of a loss",
}

var (
	noMethod  = regexp.MustCompile(`graph\.Node has no field or method (\w+)`)
	wrongType = regexp.MustCompile(`^invalid operation: (operator|.*mismatched types)`)
	unknown   = regexp.MustCompile(`^undefined: (\w+)$`)
)

// ofGraph reports whether a message is about an undefined name that the graph package has.
func ofGraph(message string) bool {
	name := unknown.FindStringSubmatch(message)
	return name != nil && slices.Contains(graphNames, name[1])
}

// importsGraph reports whether a file imports that package with a dot.
func importsGraph(file *ast.File) bool {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.ImportSpec); ok && importName(s) == "."+graphPackage {
					return true
				}
			}
		}
	}
	return false
}

// mendGraph returns the remedy for an error from a PyTorch idiom, "" for others.
func mendGraph(message string, imported bool) string {
	method := noMethod.FindStringSubmatch(message)
	switch {
	case method != nil && torchMethods[strings.ToLower(method[1])] != "":
		return "; in place of " + method[1] + " it is " + torchMethods[strings.ToLower(method[1])]
	case strings.HasPrefix(message, "non-boolean condition"):
		return "; an if takes a bool: to choose between nodes, write Where"
	case wrongType.MatchString(message) && (strings.Contains(message, "graph.Node") || strings.Contains(message, "*Node")):
		return "; nodes are added and multiplied by functions: Add, Sub, Mul, Div, AddScalar, MulScalar, OneMinus; a choice is Where"
	case ofGraph(message) && !imported:
		return "; write into the imports of this cell: import . \"" + graphPackage + "\""
	}
	return ""
}
