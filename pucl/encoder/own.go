package encoder

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/internal/fault"
)

// Embed returns e.Embed, as training and models use it, with support for user-defined encoders, a [Func] or another
// type.
//
// Matrices and kernels without an initializer start as this package's do, drawn from the store's seed in the order of
// their creation; vectors start at 0. gomlx's dropout and other layers that depend on training get that flag, and their
// random numbers follow from the seed.
//
// Like all graph code it panics on errors, here in the result: a shape other than one row for each example, numbers
// that are not floating-point, no trained variable in scope, a variable outside of scope, which would not be saved, or
// a convolution with an even kernel, for which gomlx's gradient is wrong.
func Embed(e Encoder, scope *model.Scope, examples *Node, training bool) *Node {
	if reflect.TypeOf(e).PkgPath() == reflect.TypeFor[Func]().PkgPath() {
		return e.Embed(scope, examples, training)
	}
	return checked(fmt.Sprintf("%T", e), e.Embed, scope, examples, training)
}

// checked runs the graph of a user-defined encoder.
func checked(name string, graph func(*model.Scope, *Node, bool) *Node, scope *model.Scope, examples *Node, training bool) *Node {
	g := examples.Graph()
	first := len(g.Nodes())
	before := inUse(scope.Store(), g)
	if err := seed(scope, g, training); err != nil {
		panic(err)
	}
	h := build(name, graph, scope.WithInitializer(drawn(scope)), examples, training)
	err := cmp.Or(checkEmbeddings(name, h, examples), checkVariables(name, scope, g, before), checkKernels(name, g.Nodes()[first:]))
	if err != nil {
		panic(err)
	}
	return h
}

// build returns the result of graph, and adds the encoder's name to a panic of graph.
func build(name string, graph func(*model.Scope, *Node, bool) *Node, scope *model.Scope, examples *Node, training bool) *Node {
	defer fault.Annotate(graph, "encoder: the encoder %s", name)
	return graph(scope, examples, training)
}

// seed passes the training flag to gomlx's layers and derives their random numbers from the store's seed; gomlx would
// seed them from the clock.
func seed(scope *model.Scope, g *Graph, training bool) error {
	store := scope.Store()
	store.SetTraining(g, training)
	if !training || store.GetVariable("/"+model.RNGStateVariableName) != nil {
		return nil
	}
	return store.SetRNGStateFromSeed(int64(seedOf(scope, "random numbers")))
}

// drawn returns an initializer that draws weights from the store's seed, as weights does, and leaves vectors at 0. It
// identifies a variable by its order of creation, since an initializer does not get the name.
func drawn(scope *model.Scope) model.VariableInitializer {
	made := 0
	return func(g *Graph, shape shapes.Shape) *Node {
		if shape.Rank() < 2 {
			return initializer.Zero(g, shape)
		}
		made++
		std := math.Sqrt(2 * float64(shape.Dim(-1)) / float64(shape.Size()))
		values := drawNormal[float32](scope, fmt.Sprintf("%s variable %d", scope.Scope(), made), std, shape.Dimensions...)
		return ConvertDType(ConstTensor(g, values), shape.DType)
	}
}

// checkEmbeddings returns an error unless the embeddings are valid.
func checkEmbeddings(name string, h, examples *Node) error {
	if h == nil {
		return fmt.Errorf("encoder: the encoder %s returned nil; it must return embeddings [n, k]", name)
	}
	n := examples.Shape().Dim(0)
	return cmp.Or(
		fault.If(h.Rank() != 2 || h.Shape().Dim(0) != n || h.Shape().Dim(1) < 1,
			"encoder: the encoder %s made %s of %d examples %s; it must return one row for each example, [%d, k]: "+
				"for feature maps [n, height, width, k] take ReduceMean(x, 1, 2), or Reshape(x, n, -1)",
			name, h.Shape(), n, examples.Shape(), n),
		fault.If(!h.DType().IsFloat(),
			"encoder: the encoder %s returned numbers of type %s; embeddings must be floating-point numbers", name, h.DType()),
	)
}

// inUse lists the variables that g uses.
func inUse(store *model.Store, g *Graph) map[string]bool {
	paths := map[string]bool{}
	for v := range store.IterVariables() {
		if v.InUseByGraph(g) {
			paths[v.Path()] = true
		}
	}
	return paths
}

// checkVariables returns an error unless the variables that an encoder uses are valid, ignoring those that g used
// before.
func checkVariables(name string, scope *model.Scope, g *Graph, before map[string]bool) error {
	trained, inside := 0, strings.TrimSuffix(scope.Scope(), "/")+"/"
	for v := range scope.Store().IterVariables() {
		switch {
		case !v.Trainable || !v.InUseByGraph(g):
		case strings.HasPrefix(v.Path(), inside):
			trained++
		case !before[v.Path()]:
			return fmt.Errorf("encoder: the encoder %s uses the variable %s outside of its scope %s, so that it would not be saved; "+
				"make variables with the scope that the function is given", name, v.Path(), scope.Scope())
		}
	}
	return fault.If(trained == 0,
		"encoder: the encoder %s has no trained variable in its scope %s, so that there is nothing to learn; "+
			"make some with the scope that the function is given, for example by Dense(scope, x, 64, true)", name, scope.Scope())
}

// checkKernels returns an error for convolutions with even kernels that are variables [side, side, .., channels,
// channels].
func checkKernels(name string, nodes []*Node) error {
	for _, node := range nodes {
		if node.Type() != NodeTypeConvGeneral {
			continue
		}
		x, kernel := node.Inputs()[0], node.Inputs()[1]
		of := kernel
		for of.Type() == NodeTypeConvertDType {
			of = of.Inputs()[0]
		}
		sides := kernel.Shape().Dimensions[:kernel.Rank()-2]
		channelsLast := kernel.Shape().Dim(-1) == node.Shape().Dim(-1) && x.Shape().Dim(-1)%kernel.Shape().Dim(-2) == 0
		even := slices.ContainsFunc(sides, func(side int) bool { return side%2 == 0 })
		if of.Type() == NodeTypeParameter && channelsLast && even {
			return fmt.Errorf("encoder: the encoder %s convolves with a kernel of %v; gomlx's gradient is wrong for even sizes, "+
				"use odd ones", name, sides)
		}
	}
	return nil
}

// Func is a user-defined encoder: one function from examples to embeddings, made of gomlx's layers and operations, or
// of this package's [Convolution], [BatchNorm], [Dense] and [ReLU].
//
// A saved model holds the weights and the Name, but no code: its loader must pass the same Func again, and a Func of
// another name is an error. Checkpoints compare the name too, so rename a changed function.
type Func struct {
	Name string // names the encoder in messages, records, checkpoints and files

	// Graph maps examples, images [n, height, width, channels] with values in [0, 1] or rows of features [n, d], to
	// embeddings [n, k] of the examples' precision. Variables are made by scope or by scopes inside it, at least one of
	// them trained. In training, batch statistics may be used and running ones updated. [Embed] documents the initial
	// weights.
	Graph func(scope *model.Scope, examples *Node, training bool) *Node
}

// Embed implements [Encoder]. Like all graph code it panics on errors, see [Embed], and if Name or Graph is missing.
func (f Func) Embed(scope *model.Scope, examples *Node, training bool) *Node {
	fault.PanicIf(f.Name == "" || f.Graph == nil,
		"encoder: a Func lacks its Name or its Graph; give both: the name tells saved models apart, the field Graph is the function")
	return checked(fmt.Sprintf("%q", f.Name), f.Graph, scope, examples, training)
}

// String returns the name for records and checkpoints.
func (f Func) String() string { return fmt.Sprintf("own encoder %q", f.Name) }

// MarshalJSON writes the name, by which a saved model identifies its encoder; a function cannot be written.
func (f Func) MarshalJSON() ([]byte, error) { return json.Marshal(struct{ Name string }{f.Name}) }
