package cluster

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
)

// Source is a set of rows that [KMeans] reads block by block, as often as it has to: one that reads files can be larger than
// memory. With KMeans.Block rows are read one by one too, where only these are needed: those drawn for a seed, and those of each mini-batch,
// from all over the set. It must give the same rows each time. Its methods are called by one goroutine at a time.
type Source interface {
	// Dims returns the number of rows and the number of entries of each.
	Dims() (n, d int)

	// Read fills rows, whole rows one after the other, with those from row first on.
	Read(first int, rows []float32) error
}

// checkDims returns an error if a source is not the n rows of d entries any more that it was.
func checkDims(s Source, n, d int) error {
	rows, entries := s.Dims()
	return fault.If(rows != n || entries != d, "cluster: the source has %d rows of %d entries now and had %d of %d; it must stay the same",
		rows, entries, n, d)
}

// errAnotherRow is the error where a row is read again and has changed.
func errAnotherRow(i int) error {
	return fmt.Errorf("cluster: row %d of the source is another one than in the first pass; a source must give the same rows each time", i)
}

// Float32s is a [Source] in memory: rows of D entries one after the other.
type Float32s struct {
	Data []float32
	D    int
}

// Dims returns 0, 0 where Data is no whole number of rows.
func (s Float32s) Dims() (n, d int) {
	if s.D < 1 || len(s.Data)%s.D != 0 {
		return 0, 0
	}
	return len(s.Data) / s.D, s.D
}

// Read copies rows.
func (s Float32s) Read(first int, rows []float32) error {
	if copied := copy(rows, s.Data[first*s.D:]); copied < len(rows) {
		return fmt.Errorf("cluster: rows %d to %d are asked for; there are %d", first, first+len(rows)/s.D-1, len(s.Data)/s.D)
	}
	return nil
}

// Dense returns x [n, d] as a [Source], its entries rounded to float32. One that is too large for that, beyond 3.4e38, is an error.
func Dense(x *mat.Dense) Source { return dense{x} }

type dense struct{ x *mat.Dense }

func (s dense) Dims() (n, d int) {
	if s.x == nil {
		return 0, 0
	}
	return s.x.Dims()
}

func (s dense) Read(first int, rows []float32) error {
	_, d := s.x.Dims()
	for i := range len(rows) / d {
		for j, value := range s.x.RawRowView(first + i) {
			rows[i*d+j] = float32(value)
			if math.IsInf(float64(rows[i*d+j]), 0) && !math.IsInf(value, 0) {
				return fmt.Errorf("cluster: row %d holds %g in column %d, which is too large for float32; scale the rows down", first+i, value, j)
			}
		}
	}
	return nil
}
