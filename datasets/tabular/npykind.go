package tabular

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puclab/puclab/internal/fault"
)

// npyKind is one number type in a file.
type npyKind struct {
	size  int
	order binary.ByteOrder
	read  func(binary.ByteOrder, []byte) (float64, error)
}

// npyKindOf returns the type for a descriptor: the byte order, a letter and the number of bytes, such as "<f8".
func npyKindOf(descr string) (npyKind, error) {
	if len(descr) < 2 {
		return npyKind{}, fmt.Errorf("numbers of the kind %q are unknown: save the array with NumPy's np.save", descr)
	}
	kind, known := npyKinds[descr[1:]]
	switch order := descr[0]; {
	case known && (order == '<' || order == '|' && kind.size == 1):
		kind.order = binary.LittleEndian
	case known && order == '>':
		kind.order = binary.BigEndian
	default:
		remedy := npyRemedies[descr[1]]
		if remedy == "" || known {
			remedy = "save array.astype('<f4') instead"
		}
		return npyKind{}, fmt.Errorf("numbers of the kind %q cannot be read: %s", descr, remedy)
	}
	return kind, nil
}

// npyRemedies holds the remedies for unsupported types, by letter.
var npyRemedies = map[byte]string{
	'f': "these are numbers of more than 64 bits; save array.astype('<f8') instead",
	'c': "these are complex numbers; save array.real and array.imag instead",
	'O': "these are objects of Python; save array.astype('<f8') or, of classes, " +
		"np.unique(array, return_inverse=True)[1]",
	'U': "these are texts; save numbers or, of classes, np.unique(array, return_inverse=True)[1]",
	'S': "these are texts; save numbers or, of classes, np.unique(array, return_inverse=True)[1]",
	'T': "these are texts; save numbers or, of classes, np.unique(array, return_inverse=True)[1]",
	'M': "these are dates; save features of them, such as array.astype('datetime64[D]').astype('<i8')",
	'm': "these are durations; save array / np.timedelta64(1, 's') instead",
	'V': "these are raw bytes; save one array of numbers at a time",
}

// npyKinds holds the types by letter and number of bytes.
var npyKinds = map[string]npyKind{
	"f8": {size: 8, read: func(o binary.ByteOrder, b []byte) (float64, error) {
		return math.Float64frombits(o.Uint64(b)), nil
	}},
	"f4": {size: 4, read: func(o binary.ByteOrder, b []byte) (float64, error) {
		return float64(math.Float32frombits(o.Uint32(b))), nil
	}},
	"f2": {size: 2, read: func(o binary.ByteOrder, b []byte) (float64, error) { return half(o.Uint16(b)), nil }},
	"b1": {size: 1, read: func(_ binary.ByteOrder, b []byte) (float64, error) {
		return float64(b[0]), fault.If(b[0] > 1, "a truth value that is neither 0 nor 1: the file is damaged")
	}},
	"u1": whole(1, func(_ binary.ByteOrder, b []byte) uint8 { return b[0] }),
	"i1": whole(1, func(_ binary.ByteOrder, b []byte) int8 { return int8(b[0]) }),
	"u2": whole(2, binary.ByteOrder.Uint16),
	"i2": whole(2, func(o binary.ByteOrder, b []byte) int16 { return int16(o.Uint16(b)) }),
	"u4": whole(4, binary.ByteOrder.Uint32),
	"i4": whole(4, func(o binary.ByteOrder, b []byte) int32 { return int32(o.Uint32(b)) }),
	"u8": whole(8, binary.ByteOrder.Uint64),
	"i8": whole(8, func(o binary.ByteOrder, b []byte) int64 { return int64(o.Uint64(b)) }),
}

// whole returns the integer type of that many bytes, read by get.
func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](size int,
	get func(binary.ByteOrder, []byte) T) npyKind {
	return npyKind{size: size, read: func(o binary.ByteOrder, b []byte) (float64, error) {
		v := get(o, b)
		f := float64(v)
		return f, fault.If(math.Abs(f) > 1<<53 || T(f) != v,
			"a whole number beyond ±2⁵³, too large to be exact: is this an identifier?")
	}}
}

// half returns the value of the 16 bits of an IEEE 754 binary16 number: a sign, 5 bits of exponent and 10 of fraction.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)/1024
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -14)
	case 31:
		v = math.Inf(1)
		if fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1+fraction, exponent-15)
	}
	return math.Copysign(v, 1-2*float64(bits>>15))
}
