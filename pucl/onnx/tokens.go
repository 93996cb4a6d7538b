package onnx

import (
	"math"
	"slices"
)

// tokenDense returns tokens [.., in] times the variable weights [in, out], plus the bias. Of several layers whose
// weights lie side by side, it is the given part.
func (l layers) tokenDense(x value, part, parts int) value {
	weights, dims := l.variable("weights", 2)
	bias, _ := l.variable("bias", 1)
	in, all := dims[0], dims[1]
	out := all / parts
	l.fits(in, x.dims[len(x.dims)-1])
	l.fits(all, len(bias))
	var own []float32
	for i := range in {
		own = append(own, weights[i*all+part*out:i*all+(part+1)*out]...)
	}
	to := slices.Clone(x.dims)
	to[len(to)-1] = out
	y := l.node("MatMul", to, []string{x.name, constant(l.graph, l.path+"/weights", own, in, out)})
	if len(bias) != all {
		return y
	}
	return l.binary("Add", y, constant(l.graph, l.path+"/bias", bias[part*out:(part+1)*out], out))
}

// layerNorm normalizes the last axis.
func (l layers) layerNorm(x value, epsilon float64) value {
	return l.node("LayerNormalization", x.dims, []string{x.name, l.weight("scale", 1), l.weight("shift", 1)},
		integer("axis", -1), float("epsilon", epsilon))
}

// attention computes softmax(QKᵀ/√d)V of tokens [tokens, dim] for each head of d numbers, and a dense layer of the
// result.
func (l layers) attention(x value, heads int) value {
	tokens, dim := x.dims[0], x.dims[1]
	if dim%heads != 0 {
		l.fail("%d heads of tokens of %d numbers; give the model that was trained with this encoder", heads, dim)
		return x
	}
	size := dim / heads
	part := func(i int, axes ...int) value {
		return l.transpose(l.reshape(l.in("in_proj").tokenDense(x, i, 3), tokens, heads, size), axes...)
	}
	q, k, v := part(0, 0, 2, 1, 3), part(1, 0, 2, 3, 1), part(2, 0, 2, 1, 3)
	q = l.binary("Mul", q, l.scalar(1/math.Sqrt(float64(size))))
	scores := l.node("MatMul", []int{heads, tokens, tokens}, []string{q.name, k.name})
	weights := l.node("Softmax", scores.dims, []string{scores.name}, integer("axis", -1))
	y := l.node("MatMul", q.dims, []string{weights.name, v.name})
	y = l.reshape(l.transpose(y, 0, 2, 1, 3), tokens, dim)
	return l.in("out_proj").tokenDense(y, 0, 1)
}

// patches maps squares of images [channels, height, width], row by row, to tokens [patches, dim].
func (l layers) patches(x value, patch int) value {
	y := l.convolution(x, patch, 0, true)
	dim, count := y.dims[0], y.dims[1]*y.dims[2]
	return l.transpose(l.reshape(y, dim, count), 0, 2, 1)
}

// before puts the variable [1, 1, dim] of the given name in front of the tokens of every example.
func (l layers) before(name string, x value) value {
	dim := x.dims[1]
	n := l.node("Shape", nil, []string{x.name}, integer("start", 0), integer("end", 1))
	to := l.node("Concat", nil, []string{n.name, constant(l.graph, "shape", []int64{1, int64(dim)}, 2)},
		integer("axis", 0))
	first := l.node("Expand", []int{1, dim}, []string{l.weight(name, 3), to.name})
	return l.concat(first, x)
}
