package tabular

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Array is an array of NumPy, with all its numbers as float64.
type Array struct {
	Shape []int     // the length of each dimension; none for a single number
	Data  []float64 // row by row (in C order), however the file has them
}

// ReadNPY reads one array from a .npy file of format 1, 2 or 3. Numbers may be integers of 8 to 64 bits, with a sign or
// without, booleans, or floating-point numbers of 32 or 64 bits, in the byte order that PCs use (little-endian), row by
// row or column by column (Fortran order). Everything else is an error that says how to save the array instead.
//
// The file must have exactly the length that its header announces; this is checked before room for the numbers is taken.
// Whole numbers beyond ±2⁵³, which a float64 cannot hold exactly, are errors that give their place; NaN and infinity are
// returned as they are.
//
// Format: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
func ReadNPY(fsys fs.FS, name string) (a *Array, err error) {
	// GoMLX's reader of .npy files takes room for whatever shape the header announces before it looks at the file's length,
	// and passes over bytes after the numbers and headers that say something twice.
	defer check.Prefix(&err, "tabular: %s", name)
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(file)
	header, start, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	kind, ok := npyKinds[header.descr]
	if !ok {
		return nil, fmt.Errorf("numbers of the kind %q cannot be read: save array.astype('<f4') instead", header.descr)
	}
	count, err := header.count(kind.size)
	if err != nil {
		return nil, err
	}
	if want := start + int64(count)*int64(kind.size); info.Size() != want {
		return nil, fmt.Errorf("%d bytes long, but its header announces %v numbers of %d bytes, %d bytes with the header: "+
			"it is damaged, save it again", info.Size(), header.shape, kind.size, want)
	}
	a = &Array{Shape: header.shape, Data: make([]float64, count)}
	at := header.places()
	buffer := make([]byte, kind.size)
	for i := range count {
		_, err := io.ReadFull(r, buffer)
		if err == nil {
			a.Data[at(i)], err = kind.read(buffer)
		}
		if err != nil {
			return nil, fmt.Errorf("number %d (byte %d): %w", i, start+int64(i)*int64(kind.size), err)
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, cmp.Or(err, errors.New("the file goes on after its numbers"))
	}
	return a, nil
}

// LoadNPY makes a table of two .npy files: a matrix of features, a row for each example, and a vector of classes, whole
// numbers from 0. An empty name for labels means that no classes are known. Classes are named by their numbers up to the
// largest; names, if not nil, take their place.
//
// Features that are not finite are errors that give row and column.
func LoadNPY(fsys fs.FS, features, labels string, names []string) (*Table, error) {
	x, err := ReadNPY(fsys, features)
	if err != nil {
		return nil, err
	}
	if len(x.Shape) != 2 {
		return nil, fmt.Errorf("tabular: %s has the shape %v, not [rows columns]: save array.reshape(len(array), -1)",
			features, x.Shape)
	}
	rows, columns := x.Shape[0], x.Shape[1]
	if rows == 0 || columns == 0 {
		return nil, fmt.Errorf("tabular: %s has the shape %v: there is nothing in it", features, x.Shape)
	}
	t := &Table{Features: mat.NewDense(rows, columns, x.Data)}
	if i, j, found := firstBeyond(t.Features, math.MaxFloat64); found {
		return nil, fmt.Errorf("tabular: %s, row %d, column %d: the value is %v: fill it in or remove the row",
			features, i, j, t.Features.At(i, j))
	}
	if labels != "" {
		if t.Labels, t.Classes, err = labelsNPY(fsys, labels, features, rows, names); err != nil {
			return nil, err
		}
	}
	return t, t.Validate()
}

// labelsNPY reads the classes of rows, and names them: by names or, where that is nil, by their numbers.
func labelsNPY(fsys fs.FS, name, features string, rows int, names []string) ([]int, []string, error) {
	y, err := ReadNPY(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	if len(y.Data) != rows || len(y.Shape) == 0 || y.Shape[0] != rows {
		return nil, nil, fmt.Errorf("tabular: %s has the shape %v, but %s has %d rows: give one class for each row",
			name, y.Shape, features, rows)
	}
	limit := len(names)
	if names == nil {
		limit = classes.Most
	}
	labels := make([]int, rows)
	for i, v := range y.Data {
		if v != math.Trunc(v) || !(v >= 0 && v < float64(limit)) {
			return nil, nil, fmt.Errorf("tabular: %s, row %d: the class is %v, not a whole number from 0 to %d", name,
				i, v, limit-1)
		}
		labels[i] = int(v)
	}
	if names != nil {
		return labels, slices.Clone(names), nil
	}
	return labels, classes.Numbered(slices.Max(labels) + 1), nil
}

const (
	npyStart  = "\x93NUMPY"
	maxHeader = 64 << 10 // far more than any header of numbers needs
)

// npyKind is one kind of number in a file.
type npyKind struct {
	size int
	read func([]byte) (float64, error)
}

var npyKinds = map[string]npyKind{
	"<f8": {8, func(b []byte) (float64, error) { return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil }},
	"<f4": {4, func(b []byte) (float64, error) {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), nil
	}},
	"|b1": {1, func(b []byte) (float64, error) {
		return float64(b[0]), fault.If(b[0] > 1, "a truth value that is neither 0 nor 1: the file is damaged")
	}},
	"|u1": whole(1, func(b []byte) uint8 { return b[0] }),
	"|i1": whole(1, func(b []byte) int8 { return int8(b[0]) }),
	"<u2": whole(2, binary.LittleEndian.Uint16),
	"<i2": whole(2, func(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) }),
	"<u4": whole(4, binary.LittleEndian.Uint32),
	"<i4": whole(4, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }),
	"<u8": whole(8, binary.LittleEndian.Uint64),
	"<i8": whole(8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }),
}

// whole returns the kind of whole numbers of that many bytes, read by get.
func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](size int, get func([]byte) T) npyKind {
	return npyKind{size, func(b []byte) (float64, error) {
		v := get(b)
		f := float64(v)
		return f, fault.If(math.Abs(f) > 1<<53 || T(f) != v,
			"a whole number beyond ±2⁵³, too large to be exact: is this an identifier?")
	}}
}
