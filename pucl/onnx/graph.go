package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute-onnx/support/protos"
)

// graph is an ONNX graph that is built node by node. It keeps the first error; the nodes that follow an error are
// meaningless, and the graph is not written.
type graph struct {
	proto protos.GraphProto
	taken map[string]bool // names of values
	ml    bool            // there is a node of ai.onnx.ml
	err   error
}

// value is a tensor of a graph. Its first axis is the batch, whose size is free; dims are the sizes of the others.
type value struct {
	name string
	dims []int
}

// Types of numbers.
const (
	float32Type = protos.TensorProto_FLOAT
	float64Type = protos.TensorProto_DOUBLE
	int64Type   = protos.TensorProto_INT64
	uint8Type   = protos.TensorProto_UINT8
	stringType  = protos.TensorProto_STRING
)

// newGraph returns an empty graph that will have outputs of the given names.
func newGraph(outputs ...string) *graph {
	g := &graph{proto: protos.GraphProto{Name: "puclab"}, taken: map[string]bool{}}
	for _, name := range outputs {
		g.taken[name] = true
	}
	return g
}

// fail keeps the first error.
func (g *graph) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("onnx: "+format, args...)
	}
}

// unique returns a name that no other value has and that begins with base.
func (g *graph) unique(base string) string {
	name := base
	for i := 2; g.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	g.taken[name] = true
	return name
}

// input adds an input [n, dims...].
func (g *graph) input(name string, of protos.TensorProto_DataType, doc string, dims ...int) value {
	if g.taken[name] {
		g.fail("an input named %q, a name that another input or an output has; rename the column in the training "+
			"table", name)
	}
	g.taken[name] = true
	g.proto.Input = append(g.proto.Input, info(name, of, doc, dims))
	return value{name, dims}
}

// output makes x, float32, the output of the given name, which newGraph reserved.
func (g *graph) output(name, doc string, x value) {
	g.proto.Node = append(g.proto.Node, &protos.NodeProto{Name: name, OpType: "Identity", Input: []string{x.name},
		Output: []string{name}})
	g.proto.Output = append(g.proto.Output, info(name, float32Type, doc, x.dims))
}

// info describes an input or output.
func info(name string, of protos.TensorProto_DataType, doc string, dims []int) *protos.ValueInfoProto {
	shape := []*protos.TensorShapeProto_Dimension{{Value: &protos.TensorShapeProto_Dimension_DimParam{DimParam: "n"}}}
	for _, dim := range dims {
		shape = append(shape, &protos.TensorShapeProto_Dimension{
			Value: &protos.TensorShapeProto_Dimension_DimValue{DimValue: int64(dim)},
		})
	}
	tensor := &protos.TypeProto_TensorType{
		TensorType: &protos.TypeProto_Tensor{ElemType: int32(of), Shape: &protos.TensorShapeProto{Dim: shape}},
	}
	return &protos.ValueInfoProto{Name: name, DocString: doc, Type: &protos.TypeProto{Value: tensor}}
}

// node adds a node with one output, whose sizes but the batch's are dims.
func (g *graph) node(op string, dims []int, inputs []string, attributes ...*protos.AttributeProto) value {
	name := g.unique(op)
	g.proto.Node = append(g.proto.Node, &protos.NodeProto{Name: name, OpType: op, Input: inputs, Output: []string{name},
		Attribute: attributes})
	return value{name, dims}
}

// mlNode is node for operators of ai.onnx.ml.
func (g *graph) mlNode(op string, dims []int, inputs []string, attributes ...*protos.AttributeProto) value {
	out := g.node(op, dims, inputs, attributes...)
	g.proto.Node[len(g.proto.Node)-1].Domain = mlDomain
	g.ml = true
	return out
}

const mlDomain = "ai.onnx.ml"

// constant adds a tensor of constants and returns its name.
func constant[T float32 | float64 | int64](g *graph, name string, values []T, dims ...int) string {
	t := &protos.TensorProto{Name: g.unique(name)}
	size := 1
	for _, dim := range dims {
		t.Dims = append(t.Dims, int64(dim))
		size *= dim
	}
	if size != len(values) {
		g.fail("%d numbers for the constant %s of shape %d", len(values), name, dims)
	}
	switch values := any(values).(type) {
	case []float32:
		t.DataType = int32(float32Type)
		t.RawData = make([]byte, 0, 4*len(values))
		for _, v := range values {
			t.RawData = binary.LittleEndian.AppendUint32(t.RawData, math.Float32bits(v))
		}
	case []float64:
		t.DataType = int32(float64Type)
		for _, v := range values {
			t.RawData = binary.LittleEndian.AppendUint64(t.RawData, math.Float64bits(v))
		}
	case []int64:
		t.DataType = int32(int64Type)
		for _, v := range values {
			t.RawData = binary.LittleEndian.AppendUint64(t.RawData, uint64(v))
		}
	}
	g.proto.Initializer = append(g.proto.Initializer, t)
	return t.Name
}

// scalar adds a float32 constant without axes.
func (g *graph) scalar(v float64) string { return constant(g, "constant", []float32{float32(v)}) }

// errNoModel is the error of a nil model.
var errNoModel = errors.New("onnx: no model; train one, or load one with train.LoadModel")

// ints returns an attribute of whole numbers.
func ints[T int | int64](name string, values ...T) *protos.AttributeProto {
	a := &protos.AttributeProto{Name: name, Type: protos.AttributeProto_INTS}
	for _, v := range values {
		a.Ints = append(a.Ints, int64(v))
	}
	return a
}

// integer returns an attribute of one whole number.
func integer(name string, v int) *protos.AttributeProto {
	return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_INT, I: int64(v)}
}

// float returns an attribute of one number.
func float(name string, v float64) *protos.AttributeProto {
	return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_FLOAT, F: float32(v)}
}

// floats returns an attribute of numbers.
func floats(name string, values ...float32) *protos.AttributeProto {
	return &protos.AttributeProto{Name: name, Type: protos.AttributeProto_FLOATS, Floats: values}
}

// texts returns an attribute of texts.
func texts(name string, values ...string) *protos.AttributeProto {
	a := &protos.AttributeProto{Name: name, Type: protos.AttributeProto_STRINGS}
	for _, v := range values {
		a.Strings = append(a.Strings, []byte(v))
	}
	return a
}
