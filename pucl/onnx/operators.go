package onnx

import (
	"slices"

	"github.com/gomlx/compute-onnx/support/protos"
)

// binary applies an operator to x and a constant of one number for each place of the last axis, or a scalar.
func (g *graph) binary(op string, x value, constant string) value {
	return g.node(op, x.dims, []string{x.name, constant})
}

// cast converts the numbers of x.
func (g *graph) cast(x value, to protos.TensorProto_DataType) value {
	return g.node("Cast", x.dims, []string{x.name}, integer("to", int(to)))
}

// reshape gives x the sizes dims, beside the batch.
func (g *graph) reshape(x value, dims ...int) value {
	to := []int64{0} // keeps the batch
	for _, dim := range dims {
		to = append(to, int64(dim))
	}
	return g.node("Reshape", dims, []string{x.name, constant(g, "shape", to, len(to))})
}

// flat makes one row of all numbers of an example.
func (g *graph) flat(x value) value {
	size := 1
	for _, dim := range x.dims {
		size *= dim
	}
	if len(x.dims) == 1 {
		return x
	}
	return g.reshape(x, size)
}

// transpose orders the axes of x anew; axis 0 is the batch and stays where it is.
func (g *graph) transpose(x value, axes ...int) value {
	dims := make([]int, len(axes)-1)
	for i, axis := range axes[1:] {
		dims[i] = x.dims[axis-1]
	}
	return g.node("Transpose", dims, []string{x.name}, ints("perm", axes...))
}

// concat joins values along axis 1.
func (g *graph) concat(parts ...value) value {
	if len(parts) == 1 {
		return parts[0]
	}
	dims := slices.Clone(parts[0].dims)
	var names []string
	dims[0] = 0
	for _, part := range parts {
		dims[0] += part.dims[0]
		names = append(names, part.name)
	}
	return g.node("Concat", dims, names, integer("axis", 1))
}

// pick selects places of axis 1.
func (g *graph) pick(x value, index []int64) value {
	dims := slices.Clone(x.dims)
	dims[0] = len(index)
	return g.node("Gather", dims, []string{x.name, constant(g, "index", index, len(index))}, integer("axis", 1))
}

// add returns x + y.
func (g *graph) add(x, y value) value { return g.node("Add", x.dims, []string{x.name, y.name}) }

// relu returns max(x, 0).
func (g *graph) relu(x value) value { return g.node("Relu", x.dims, []string{x.name}) }

// gelu returns x·(1 + erf(x/√2))/2.
func (g *graph) gelu(x value) value {
	const root2 = 1.4142135623730951
	cdf := g.node("Erf", x.dims, []string{g.binary("Div", x, g.scalar(root2)).name})
	cdf = g.binary("Mul", g.binary("Add", cdf, g.scalar(1)), g.scalar(0.5))
	return g.node("Mul", x.dims, []string{x.name, cdf.name})
}

// unit scales rows [k] to length one. A zero row stays zero, since lengths below 1e-30 count as 1e-30.
func (g *graph) unit(x value) value {
	norm := g.node("ReduceL2", []int{1}, []string{x.name}, ints("axes", 1), integer("keepdims", 1))
	norm = g.binary("Max", norm, g.scalar(1e-30))
	return g.node("Div", x.dims, []string{x.name, norm.name})
}
