// Package safetensors reads and writes the safetensors format, in which PyTorch and others exchange weights without code:
// eight bytes with the header's length, little-endian, the header in JSON, then the numbers of all tensors.
//
// A file is bytes from elsewhere, so everything in it is checked before it is used: the header's length and syntax, every
// name, type, shape and range. Ranges must cover the data in full, without holes or overlaps.
//
// Source: the format's description at https://huggingface.co/docs/safetensors.
package safetensors

import (
	"fmt"
	"math"
	"slices"
)

// DType is a tensor's number type, as the header spells it.
type DType string

// The number types of the format that this package can turn into Go numbers are the first four. The others can be read and
// written as bytes.
const (
	F32, F64, F16, BF16     DType = "F32", "F64", "F16", "BF16"
	I64, I32, I16, I8       DType = "I64", "I32", "I16", "I8"
	U64, U32, U16, U8, Bool DType = "U64", "U32", "U16", "U8", "BOOL"
)

// sizes are the numbers of bytes of one number.
var sizes = map[DType]int{F64: 8, I64: 8, U64: 8, F32: 4, I32: 4, U32: 4, F16: 2, BF16: 2, I16: 2, U16: 2, I8: 1, U8: 1, Bool: 1}

// size returns the number of bytes of one number, 0 for an unknown type.
func (d DType) size() int { return sizes[d] }

// Tensor is a tensor as the file holds it.
type Tensor struct {
	DType DType
	Shape []int  // nil or empty for a single number
	Data  []byte // row-major, little-endian, product of Shape times the type's bytes
}

// check returns an error unless Data has the bytes that DType and Shape ask for.
func (t Tensor) check() error {
	want, err := byteCount(t.DType, t.Shape)
	if err != nil {
		return err
	}
	if len(t.Data) != want {
		return fmt.Errorf("%s %v takes %d bytes, not %d", t.DType, t.Shape, want, len(t.Data))
	}
	return nil
}

// byteCount returns the number of bytes of a tensor.
func byteCount(dtype DType, shape []int) (int, error) {
	total := dtype.size()
	if total == 0 {
		return 0, fmt.Errorf("the type %q is not one that this package knows", dtype)
	}
	if len(shape) > 0 && slices.Min(shape) < 0 {
		return 0, fmt.Errorf("the shape %v has a negative side", shape)
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	for _, n := range shape {
		if total > math.MaxInt/n {
			return 0, fmt.Errorf("the shape %v has more numbers than memory can hold", shape)
		}
		total *= n
	}
	return total, nil
}

// File is the contents of a safetensors file.
type File struct {
	Tensors  map[string]Tensor
	Metadata map[string]string // free notes, "__metadata__" in the header; nil for none
}
