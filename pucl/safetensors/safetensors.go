// Package safetensors reads and writes the safetensors format, in which PyTorch and other libraries exchange weights
// without code: eight bytes with the header's length, little-endian, the header in JSON, then the numbers of all
// tensors.
//
// Files are untrusted, so everything is checked before use: the header's length and syntax, and every name, type, shape
// and range. Ranges must cover the data completely, without gaps or overlaps.
//
// Source: the format's description at https://huggingface.co/docs/safetensors.
package safetensors

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
)

// DType is a tensor's number type, as spelled in the header.
type DType string

// The number types of the format. This package converts the first four to Go numbers; it reads and writes the others as
// bytes.
const (
	F32, F64, F16, BF16     DType = "F32", "F64", "F16", "BF16"
	I64, I32, I16, I8       DType = "I64", "I32", "I16", "I8"
	U64, U32, U16, U8, Bool DType = "U64", "U32", "U16", "U8", "BOOL"
)

// sizes holds the number of bytes of one number by type.
var sizes = map[DType]int{F64: 8, I64: 8, U64: 8, F32: 4, I32: 4, U32: 4, F16: 2, BF16: 2, I16: 2, U16: 2, I8: 1, U8: 1, Bool: 1}

// size returns the number of bytes of one number, 0 for an unknown type.
func (d DType) size() int { return sizes[d] }

// Tensor is a tensor in a file.
type Tensor struct {
	DType DType
	Shape []int  // nil or empty for a single number
	Data  []byte // row-major, little-endian, product of Shape times the type's bytes
}

// fit is the remedy for a tensor that [Tensor.check] rejects.
const fit = "give a DType, a Shape and Data that fit each other"

// check returns an error unless the length of Data fits DType and Shape.
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
		return 0, fmt.Errorf("the type %q is not one of %v", dtype, slices.Sorted(maps.Keys(sizes)))
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
	Metadata map[string]string // free text, "__metadata__" in the header; nil for none
}

// float holds the functions that write and read one floating-point type.
type float struct {
	put func([]byte, float64)
	get func([]byte) float64
}

var (
	le     = binary.LittleEndian
	floats = map[DType]float{
		F64: {func(b []byte, v float64) { le.PutUint64(b, math.Float64bits(v)) },
			func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }},
		F32: {func(b []byte, v float64) { le.PutUint32(b, math.Float32bits(float32(v))) },
			func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }},
		F16: {func(b []byte, v float64) { le.PutUint16(b, shortBits(v, 5, 10)) },
			func(b []byte) float64 { return float16.FromBits(le.Uint16(b)).Float64() }},
		BF16: {func(b []byte, v float64) { le.PutUint16(b, shortBits(v, 8, 7)) },
			func(b []byte) float64 { return bfloat16.FromBits(le.Uint16(b)).Float64() }},
	}
)

// floatOf returns the functions that write and read the type.
func floatOf(dtype DType) (float, error) {
	f, ok := floats[dtype]
	if !ok {
		return f, fmt.Errorf("safetensors: numbers of type %q are not F32, F64, F16 or BF16; convert the tensor to one of them, or leave it out", dtype)
	}
	return f, nil
}

// New returns a tensor of the given shape and type, F32, F64, F16 or BF16, with values rounded to nearest. A value
// beyond the type's range becomes infinite.
func New(dtype DType, shape []int, values []float64) (Tensor, error) {
	f, err := floatOf(dtype)
	if err != nil {
		return Tensor{}, err
	}
	size := dtype.size()
	t := Tensor{DType: dtype, Shape: append([]int{}, shape...), Data: make([]byte, len(values)*size)}
	for i, v := range values {
		f.put(t.Data[i*size:], v)
	}
	if err := t.check(); err != nil {
		return Tensor{}, fmt.Errorf("safetensors: %w; give as many numbers as the shape has", err)
	}
	return t, nil
}

// Float64s returns the tensor's numbers without loss. The type must be F32, F64, F16 or BF16.
func (t Tensor) Float64s() ([]float64, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("safetensors: %w; %s", err, fit)
	}
	f, err := floatOf(t.DType)
	if err != nil {
		return nil, err
	}
	size := t.DType.size()
	values := make([]float64, len(t.Data)/size)
	for i := range values {
		values[i] = f.get(t.Data[i*size:])
	}
	return values, nil
}

// Find returns the index, in Shape, and the value of the first entry of a floating-point tensor for which bad is true.
// The index is nil if there is none, as for other types, and empty for a tensor without dimensions.
func (t Tensor) Find(bad func(float64) bool) (index []int, value float64, err error) {
	if err := t.check(); err != nil {
		return nil, 0, fmt.Errorf("safetensors: %w; %s", err, fit)
	}
	f, ok := floats[t.DType]
	if !ok {
		return nil, 0, nil
	}
	size := t.DType.size()
	for i := range len(t.Data) / size {
		if value = f.get(t.Data[i*size:]); !bad(value) {
			continue
		}
		index = make([]int, len(t.Shape))
		for axis := len(t.Shape) - 1; axis >= 0; axis-- {
			index[axis], i = i%t.Shape[axis], i/t.Shape[axis]
		}
		return index, value, nil
	}
	return nil, 0, nil
}

// CheckFinite returns an error that names the first entry that is NaN or infinite, by its index in Shape. Tensors of
// other types are finite.
func (t Tensor) CheckFinite() error {
	index, value, err := t.Find(func(v float64) bool { return v-v != 0 }) // NaN also if v is infinite
	if err != nil || index == nil {
		return err
	}
	return fmt.Errorf("the entry at %v is %g, and weights must be finite", index, value)
}

// shortBits returns the 16-bit floating-point number nearest to v, ties to even, for the given bits of exponent and
// fraction. It rounds once; conversion through float32 would round twice, and gomlx's float16 turns numbers below 2⁻¹⁴
// into 0.
func shortBits(v float64, exponentBits, fractionBits int) uint16 {
	var sign uint64
	if math.Signbit(v) {
		sign = 1 << 15
	}
	infinity := uint64(1<<exponentBits-1) << fractionBits
	switch {
	case math.IsNaN(v):
		return uint16(sign | infinity | 1<<(fractionBits-1))
	case math.IsInf(v, 0):
		return uint16(sign | infinity)
	case v == 0:
		return uint16(sign)
	}
	v = math.Abs(v)
	bias := 1<<(exponentBits-1) - 1
	_, exponent := math.Frexp(v) // v < 2^exponent
	exponent = max(exponent-1, 1-bias)
	fraction := math.RoundToEven(math.Ldexp(v, fractionBits-exponent)) // including the leading 1 of a normal number
	if exponent > bias {
		return uint16(sign | infinity)
	}
	// The leading 1, or a carry of the rounding, increments the exponent.
	return uint16(sign | min(uint64(fraction)+uint64(exponent+bias-1)<<fractionBits, infinity))
}
