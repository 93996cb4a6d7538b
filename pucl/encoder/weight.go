package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
)

// Weight returns the trained variable name of scope for use beside x: the variable is kept in float32, or in float64
// where x is, and the value is converted to the precision of x. So a network whose data come in bfloat16 computes in
// bfloat16, while its weights, and what an optimizer adds to them, keep all their digits. The gradient comes back the same
// way. Encoders of one's own should make all their variables with it; start says what the variable holds at first, for
// which the package initializer of gomlx has functions.
func Weight(scope *model.Scope, name string, x *Node, start model.VariableInitializer, dims ...int) *Node {
	v := scope.WithInitializer(start).VariableWithShape(name, shapes.Make(master(x.DType()), dims...))
	return ConvertDType(v.NodeValue(x.Graph()), x.DType())
}

// master returns the precision of variables beside data of the given one: float32, or float64 where the data have it.
func master(data dtypes.DType) dtypes.DType {
	if data == dtypes.Float64 {
		return data
	}
	return dtypes.Float32
}

// widely returns f applied to x in the precision of variables: for sums of many numbers, of which bfloat16 with its 8 binary
// digits would lose most.
func widely(x *Node, f func(x *Node) *Node) *Node {
	return ConvertDType(f(ConvertDType(x, master(x.DType()))), x.DType())
}

// dot returns gomlx's product of matrices, whose gradient it would compute in float32 for factors in bfloat16; here that has their
// own precision, too. Engines add up in float32 either way.
func dot(x, y *Node) *DotBuilder { return Dot(x, y).WithAccumulatorDType(dtypes.InvalidDType) }
