package onnxtest

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/gomlx/compute-onnx/support/protos"
)

// structure returns an error unless a model is well formed: it has the given inputs, and every node reads only earlier
// values. No two values share a name, every constant has the number of bytes of its shape, and every value except the
// outputs is read.
func structure(file []byte, inputs map[string]Tensor) error {
	var m protos.ModelProto
	if err := proto.Unmarshal(file, &m); err != nil {
		return err
	}
	read := map[string]bool{} // whether a value is read, for every value so far
	add := func(name string) error {
		if _, twice := read[name]; twice || name == "" {
			return fmt.Errorf("onnxtest: two values are named %q, or one has no name", name)
		}
		read[name] = false
		return nil
	}
	for _, in := range m.Graph.Input {
		if x, given := inputs[in.Name]; !given || len(inputs) != len(m.Graph.Input) || !fits(x, in) {
			return fmt.Errorf("onnxtest: the model has %d inputs, one of them %s; given are %d", len(m.Graph.Input), in,
				len(inputs))
		}
		if err := add(in.Name); err != nil {
			return err
		}
	}
	for _, c := range m.Graph.Initializer {
		width := map[int32]int{int32(protos.TensorProto_FLOAT): 4, int32(protos.TensorProto_DOUBLE): 8,
			int32(protos.TensorProto_INT64): 8}[c.DataType]
		if size := product(whole(c.Dims)); size*width != len(c.RawData) || width == 0 {
			return fmt.Errorf("onnxtest: the constant %s %d of type %d has %d bytes", c.Name, c.Dims, c.DataType,
				len(c.RawData))
		}
		if err := add(c.Name); err != nil {
			return err
		}
	}
	for _, n := range m.Graph.Node {
		for _, name := range n.Input {
			if _, there := read[name]; !there {
				return fmt.Errorf("onnxtest: node %s reads %q, which does not stand before it", n.Name, name)
			}
			read[name] = true
		}
		if err := add(n.Output[0]); err != nil {
			return err
		}
	}
	for _, out := range m.Graph.Output {
		if _, there := read[out.Name]; !there {
			return fmt.Errorf("onnxtest: the output %s is computed nowhere", out.Name)
		}
		read[out.Name] = true
	}
	for name, used := range read {
		if !used {
			return fmt.Errorf("onnxtest: nothing reads the value %s", name)
		}
	}
	return nil
}

// fits reports whether x has the declared sizes; the batch size is free.
func fits(x Tensor, declared *protos.ValueInfoProto) bool {
	dims := declared.Type.GetTensorType().Shape.Dim
	ok := len(x.Dims) == len(dims) && dims[0].GetDimParam() != ""
	for i := 1; ok && i < len(dims); i++ {
		ok = int64(x.Dims[i]) == dims[i].GetDimValue()
	}
	return ok
}

func whole[T int64 | float64](numbers []T) (out []int) {
	for _, x := range numbers {
		out = append(out, int(x))
	}
	return out
}

func product(dims []int) int {
	n := 1
	for _, dim := range dims {
		n *= dim
	}
	return n
}
