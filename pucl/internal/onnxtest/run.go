package onnxtest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"google.golang.org/protobuf/proto"

	"github.com/gomlx/compute-onnx/support/protos"
)

// Run evaluates a model of rows. Numbers of all types are stored in float64. Operators that such models do not use are
// an error.
func Run(file []byte, inputs map[string]Tensor) (outputs map[string]Tensor, err error) {
	var m protos.ModelProto
	if err := proto.Unmarshal(file, &m); err != nil {
		return nil, err
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("onnxtest: %v", fault)
		}
	}()
	values := map[string]Tensor{}
	for _, c := range m.Graph.Initializer {
		values[c.Name] = decode(c)
	}
	maps.Copy(values, inputs)
	for _, n := range m.Graph.Node {
		var in []Tensor
		for _, name := range n.Input {
			in = append(in, values[name])
		}
		values[n.Output[0]] = op(n, in)
	}
	outputs = map[string]Tensor{}
	for _, out := range m.Graph.Output {
		outputs[out.Name] = values[out.Name]
		require(fits(values[out.Name], out), "output %s of shape %d", out.Name, values[out.Name].Dims)
	}
	return outputs, nil
}

func require(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}

// decode returns a constant.
func decode(c *protos.TensorProto) Tensor {
	t, raw := Tensor{Dims: whole(c.Dims)}, c.RawData
	for len(raw) > 0 {
		if c.DataType == int32(protos.TensorProto_FLOAT) {
			t.Numbers, raw = append(t.Numbers, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))), raw[4:]
			continue
		}
		bits := binary.LittleEndian.Uint64(raw)
		x := math.Float64frombits(bits)
		if c.DataType == int32(protos.TensorProto_INT64) {
			x = float64(int64(bits))
		}
		t.Numbers, raw = append(t.Numbers, x), raw[8:]
	}
	return t
}

// at returns the number at an index. Axes are counted from the last, and an axis of size 1 has one number for all
// places.
func (t Tensor) at(index ...int) float64 {
	place, skip := 0, len(index)-len(t.Dims)
	for axis, size := range t.Dims {
		i := index[skip+axis]
		if size == 1 {
			i = 0
		}
		place = place*size + i
	}
	return t.Numbers[place]
}

// build returns the tensor with the number f(i) at each index i.
func build(dims []int, f func(i []int) float64) Tensor {
	out, index := Tensor{Dims: dims}, make([]int, len(dims))
	for range product(dims) {
		out.Numbers = append(out.Numbers, f(index))
		for axis := len(dims) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < dims[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return out
}

// elementwise are the operators on numbers of the same place.
var elementwise = map[string]func(v []float64) float64{
	"Identity": func(v []float64) float64 { return v[0] },
	"Cast":     func(v []float64) float64 { return v[0] },
	"Add":      func(v []float64) float64 { return v[0] + v[1] },
	"Sub":      func(v []float64) float64 { return v[0] - v[1] },
	"Mul":      func(v []float64) float64 { return v[0] * v[1] },
	"Div":      func(v []float64) float64 { return v[0] / v[1] },
	"Max":      func(v []float64) float64 { return slices.Max(v) },
	"Mean":     mean,
	"Relu":     func(v []float64) float64 { return max(v[0], 0) },
	"Sigmoid":  func(v []float64) float64 { return 1 / (1 + math.Exp(-v[0])) },
	"IsNaN":    func(v []float64) float64 { return map[bool]float64{true: 1}[math.IsNaN(v[0])] },
	"Where":    func(v []float64) float64 { return v[2-int(v[0])] },
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// op evaluates a node.
func op(n *protos.NodeProto, in []Tensor) Tensor {
	at := func(name string) *protos.AttributeProto {
		i := slices.IndexFunc(n.Attribute, func(a *protos.AttributeProto) bool { return a.Name == name })
		require(i >= 0, "node %s has no attribute %s", n.Name, name)
		return n.Attribute[i]
	}
	x := in[0]
	dims := slices.Clone(x.Dims)
	if f := elementwise[n.OpType]; f != nil {
		for _, other := range in[1:] { // sizes are counted from the last axis
			for len(dims) < len(other.Dims) {
				dims = slices.Insert(dims, 0, 1)
			}
			for i, size := range other.Dims {
				to := &dims[len(dims)-len(other.Dims)+i]
				require(size == 1 || *to == 1 || size == *to, "node %s of sizes %d and %d", n.Name, size, *to)
				*to = max(*to, size)
			}
		}
		v := make([]float64, len(in))
		return build(dims, func(i []int) float64 {
			for k := range in {
				v[k] = in[k].at(i...)
			}
			return f(v)
		})
	}
	switch n.OpType {
	case "Reshape":
		dims = whole(in[1].Numbers)
		for i, dim := range dims {
			if dim == 0 {
				dims[i] = x.Dims[i]
			}
		}
		require(product(dims) == len(x.Numbers), "node %s makes %d of %d", n.Name, dims, x.Dims)
		return Tensor{Dims: dims, Numbers: x.Numbers}
	case "Concat":
		axis := int(at("axis").I)
		for _, other := range in[1:] {
			dims[axis] += other.Dims[axis]
		}
		return build(dims, func(i []int) float64 {
			from, part := slices.Clone(i), 0
			for ; from[axis] >= in[part].Dims[axis]; part++ {
				from[axis] -= in[part].Dims[axis]
			}
			return in[part].at(from...)
		})
	case "Gather":
		axis, rank := int(at("axis").I), len(in[1].Dims)
		return build(slices.Concat(dims[:axis], in[1].Dims, dims[axis+1:]), func(i []int) float64 {
			return x.at(slices.Concat(i[:axis], []int{int(in[1].at(i[axis : axis+rank]...))}, i[axis+rank:])...)
		})
	case "Gemm":
		require(dims[1] == in[1].Dims[0], "node %s of %d and %d", n.Name, dims, in[1].Dims)
		return build([]int{dims[0], in[1].Dims[1]}, func(i []int) (y float64) {
			for k := range dims[1] {
				y += x.at(i[0], k) * in[1].at(k, i[1])
			}
			if len(in) > 2 {
				y += in[2].at(i...)
			}
			return y
		})
	case "BatchNormalization":
		return build(dims, func(i []int) float64 {
			scale, shift, mean, variance := in[1].at(i[1]), in[2].at(i[1]), in[3].at(i[1]), in[4].at(i[1])
			return (x.at(i...)-mean)/math.Sqrt(variance+float64(at("epsilon").F))*scale + shift
		})
	case "ReduceL2":
		require(slices.Equal(at("axes").Ints, []int64{1}) && at("keepdims").I == 1, "node %s", n.Name)
		return build([]int{dims[0], 1}, func(i []int) float64 {
			return floats.Norm(x.Numbers[i[0]*dims[1]:][:dims[1]], 2)
		})
	case "LabelEncoder":
		return build(dims, func(i []int) float64 {
			text := x.Texts[i[0]*dims[1]+i[1]]
			key := slices.IndexFunc(at("keys_strings").Strings, func(key []byte) bool { return string(key) == text })
			if key < 0 {
				return float64(at("default_int64").I)
			}
			return float64(at("values_int64s").Ints[key])
		})
	case "TreeEnsembleRegressor":
		return trees(x, at)
	}
	panic("no operator " + n.OpType)
}

// trees adds the leaves that rows reach. Nodes and leaves are identified by their tree and their number in it.
func trees(x Tensor, at func(name string) *protos.AttributeProto) Tensor {
	type node struct{ tree, number int64 }
	places, leaves := map[node]int{}, map[node]float64{}
	ofTree := at("nodes_treeids").Ints
	for i, number := range at("nodes_nodeids").Ints {
		places[node{ofTree[i], number}] = i
	}
	for i, tree := range at("target_treeids").Ints {
		leaves[node{tree, at("target_nodeids").Ints[i]}] += float64(at("target_weights").Floats[i])
	}
	low, high, compared := at("nodes_truenodeids").Ints, at("nodes_falsenodeids").Ints, at("nodes_featureids").Ints
	return build([]int{x.Dims[0], 1}, func(i []int) float64 {
		score := float64(at("base_values").Floats[0])
		for tree := range slices.Max(ofTree) + 1 {
			at0 := node{tree, 0}
			for string(at("nodes_modes").Strings[places[at0]]) == "BRANCH_LT" {
				place := places[at0]
				at0.number = high[place]
				if x.at(i[0], int(compared[place])) < float64(at("nodes_values").Floats[place]) {
					at0.number = low[place]
				}
			}
			score += leaves[at0]
		}
		return score
	})
}
