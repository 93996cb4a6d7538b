package tabular

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/datasets/internal/decimal"
	"gonum.org/v1/gonum/mat"
)

// Array is a NumPy array, with all numbers as float64.
type Array struct {
	Shape []int     // the length of each dimension; empty for a single number
	Data  []float64 // row by row (C order), for any order in the file
}

// ReadNPY reads one array from a .npy file of format 1, 2 or 3. Numbers may be signed or unsigned integers of 8 to 64
// bits, booleans, or floating-point numbers of 16, 32 or 64 bits, in either byte order, row by row or column by column
// (Fortran order). Everything else is an error that states how to save the array instead. [OpenNPZ] gives access to the
// arrays of a .npz file.
//
// The file must have exactly the length announced in its header, which is checked before memory is allocated. Integers
// beyond ±2⁵³, which float64 cannot represent exactly, are errors that give their position; NaN and infinity are
// returned unchanged.
//
// Format: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
func ReadNPY(fsys fs.FS, name string) (a *Array, err error) {
	// GoMLX's .npy reader allocates memory for the announced shape before it checks the file's length, and accepts
	// trailing bytes and duplicate header keys.
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
	kind, err := npyKindOf(header.descr)
	if err != nil {
		return nil, err
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
			a.Data[at(i)], err = kind.read(kind.order, buffer)
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

// LoadNPY returns a table from two .npy files: a matrix of features, one row per example, and a vector of integer
// classes. An empty name for labels means that no classes are known.
//
// With names nil the classes are the different numbers in labels, with the names and the order of [ClassName], as in
// [ReadCSV]. Names that are numbers, such as the Classes of a training table, are matched by value: the number 10 is
// the class "10". Other names belong to the classes 0, 1 and so on. A number without a name is an error.
//
// Features that are not finite, or beyond ±2⁵³ in a column of integers, are errors that give row and column. So is a
// column that counts 10 rows or more in order, from 0 or from 1, such as an index. To keep such a column, read the
// array with [ReadNPY] and construct the Table.
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
	index := func(k int) int { return k }
	for j := range columns {
		if counts(rows, func(k int) float64 { return t.Features.At(k, j) }, index) {
			return nil, fmt.Errorf("tabular: %s, column %d numbers the rows from %g to %g: save np.delete(array, "+
				"%[2]d, axis=1), or make a Table of ReadNPY's array if it is a feature", features, j, x.Data[j],
				t.Features.At(rows-1, j))
		}
	}
	if labels != "" {
		if t.Labels, t.Classes, err = labelsNPY(fsys, labels, features, rows, names); err != nil {
			return nil, err
		}
	}
	return t, t.Validate()
}

// labelsNPY reads the classes of rows, and names them by names or, if that is nil, by number.
func labelsNPY(fsys fs.FS, name, features string, rows int, names []string) ([]int, []string, error) {
	y, err := ReadNPY(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	if len(y.Data) != rows || len(y.Shape) == 0 || y.Shape[0] != rows {
		return nil, nil, fmt.Errorf("tabular: %s has the shape %v, but %s has %d rows: give one class for each row",
			name, y.Shape, features, rows)
	}
	texts := make([]string, rows)
	for i, v := range y.Data {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 { // NaN is not equal to itself
			return nil, nil, fmt.Errorf("tabular: %s, row %d: the class is %v, not a whole number: save whole "+
				"numbers, or np.unique(array, return_inverse=True)[1]", name, i, v)
		}
		texts[i] = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if names == nil {
		labels, names := classes.Of(texts)
		return labels, names, nil
	}
	place := map[string]int{}
	for i, class := range names {
		_, _, number := decimal.Parse(class)
		if number {
			place[classes.Name(class)] = i
		}
	}
	if len(place) < len(names) {
		clear(place)
		for i := range names {
			place[strconv.Itoa(i)] = i
		}
	}
	labels := make([]int, rows)
	for i, text := range texts {
		class, ok := place[classes.Name(text)]
		if !ok {
			return nil, nil, fmt.Errorf("tabular: %s, row %d: the class is %s, but the names are those of %s", name,
				i, text,
				strings.Join(slices.SortedFunc(maps.Keys(place), classes.Compare), ", "))
		}
		labels[i] = class
	}
	return labels, slices.Clone(names), nil
}

const (
	npyStart  = "\x93NUMPY"
	maxHeader = 64 << 10 // far larger than any numeric header
)
