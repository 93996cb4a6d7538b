package pucl

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Embedding holds what a model makes of images, one row each.
type Embedding struct {
	H *mat.Dense // encoder outputs g_B(x), [n, k]
	Z *mat.Dense // projections h_Γ(g_B(x)), [n, p]
}

// savedMatrix is a matrix in a file. Models compute in float32, so nothing is lost by keeping no more; bytes, since gob
// takes numbers one by one.
type savedMatrix struct {
	Rows, Columns int
	Float32       []byte // row by row, little-endian
}

// GobEncode lets gob write an Embedding, in float32.
func (e *Embedding) GobEncode() ([]byte, error) {
	var out bytes.Buffer
	encoder := gob.NewEncoder(&out)
	for _, x := range []*mat.Dense{e.H, e.Z} {
		var s savedMatrix
		if x != nil {
			s.Rows, s.Columns = x.Dims()
			s.Float32 = make([]byte, 0, 4*s.Rows*s.Columns)
			for i := range s.Rows {
				for _, value := range x.RawRowView(i) {
					s.Float32 = binary.LittleEndian.AppendUint32(s.Float32, math.Float32bits(float32(value)))
				}
			}
		}
		if err := encoder.Encode(s); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// GobDecode lets gob read what GobEncode wrote.
func (e *Embedding) GobDecode(data []byte) error {
	decoder := gob.NewDecoder(bytes.NewReader(data))
	for _, x := range []**mat.Dense{&e.H, &e.Z} {
		var s savedMatrix
		if err := decoder.Decode(&s); err != nil {
			return err
		}
		if len(s.Float32) != 4*s.Rows*s.Columns {
			return fmt.Errorf("pucl: a matrix of %d×%d in %d bytes", s.Rows, s.Columns, len(s.Float32))
		}
		if *x = nil; len(s.Float32) == 0 {
			continue
		}
		wide := make([]float64, s.Rows*s.Columns)
		for i := range wide {
			wide[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(s.Float32[4*i:])))
		}
		*x = mat.NewDense(s.Rows, s.Columns, wide)
	}
	return nil
}

// Take returns the rows of x that index names, in that order; a row may come more than once. It is how an embedding of all
// images becomes one of the examples of a PU data set.
func Take(x *mat.Dense, index []int) (*mat.Dense, error) {
	n, k := x.Dims()
	if len(index) == 0 {
		return nil, fmt.Errorf("pucl: no rows to take")
	}
	out := mat.NewDense(len(index), k, nil)
	for i, row := range index {
		if row < 0 || row >= n {
			return nil, fmt.Errorf("pucl: row %d is not one of %d", row, n)
		}
		out.SetRow(i, x.RawRowView(row))
	}
	return out, nil
}

// Rows splits the rows of x into those that mask selects and the others, in order: the labeled and the unlabeled rows of
// an embedding, for [PUPL]. Either is empty where mask selects all or none.
func Rows(x *mat.Dense, mask []bool) (selected, others *mat.Dense, err error) {
	n, k, err := labeledRows(x, len(mask), "marks")
	if err != nil {
		return nil, nil, err
	}
	count := 0
	for _, m := range mask {
		if m {
			count++
		}
	}
	matrix := func(rows int) *mat.Dense {
		if rows == 0 {
			return &mat.Dense{}
		}
		return mat.NewDense(rows, k, nil)
	}
	selected, others = matrix(count), matrix(n-count)
	to := map[bool]*mat.Dense{true: selected, false: others}
	var next = map[bool]int{}
	for i, m := range mask {
		to[m].SetRow(next[m], x.RawRowView(i))
		next[m]++
	}
	return selected, others, nil
}

// UnitRows returns x with every row scaled to length one; a row of zeros stays as it is. The contrastive losses compare
// directions only, so this is the space in which they place the examples.
func UnitRows(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	rows, _ := out.Dims()
	for i := range rows {
		row := out.RawRowView(i)
		if norm := mat.Norm(mat.NewVecDense(len(row), row), 2); norm > 0 {
			for k := range row {
				row[k] /= norm
			}
		}
	}
	return out
}
