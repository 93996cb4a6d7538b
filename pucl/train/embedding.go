package train

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
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

// GobEncode writes e, in float32.
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

// GobDecode reads what GobEncode wrote.
func (e *Embedding) GobDecode(data []byte) error {
	decoder := gob.NewDecoder(bytes.NewReader(data))
	for _, x := range []**mat.Dense{&e.H, &e.Z} {
		var s savedMatrix
		if err := decoder.Decode(&s); err != nil {
			return err
		}
		if len(s.Float32) != 4*s.Rows*s.Columns {
			return fmt.Errorf("train: a matrix of %d×%d in %d bytes", s.Rows, s.Columns, len(s.Float32))
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

// Take returns the rows of e at index, in that order; a row may come more than once. It turns the embeddings of all images
// into those of the examples of a PU data set.
func (e *Embedding) Take(index []int) (*Embedding, error) {
	h, err := rows.Take(e.H, index)
	if err != nil {
		return nil, err
	}
	z, err := rows.Take(e.Z, index)
	return &Embedding{H: h, Z: z}, err
}
