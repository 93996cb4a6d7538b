package cluster

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
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

// Dense returns x [n, d] as a [Source], its entries rounded to float32. [KMeans] first moves columns that lie far
// from 0 next to it, see [rows.Near], and divides by a power of two where entries are beyond float32, so that neither
// an offset nor a scale costs digits. [KCenter], for which the direction from 0 counts, scales each such row by
// itself.
//
// [rows.Near]: https://pkg.go.dev/github.com/puclab/puclab/pucl/rows#Near
func Dense(x *mat.Dense) Source { return dense{x: x} }

// dense is the rows (x − origin)/unit.
type dense struct {
	x          *mat.Dense // without the origin already
	origin     []float64  // nil for none
	unit       float64    // a power of two; 0 for 1
	directions bool       // each row is scaled so that float32 holds it
}

func (s dense) Dims() (n, d int) {
	if s.x == nil {
		return 0, 0
	}
	return s.x.Dims()
}

func (s dense) Read(first int, rows []float32) error {
	_, d := s.x.Dims()
	for i := range len(rows) / d {
		row, factor := s.x.RawRowView(first+i), 1/cmp.Or(s.unit, 1)
		if s.directions {
			factor = 1 / unitOf(floats.Norm(row, math.Inf(1)))
		}
		for j, value := range row {
			rows[i*d+j] = float32(value * factor)
			if math.IsInf(float64(rows[i*d+j]), 0) && !math.IsInf(value, 0) {
				return fmt.Errorf("cluster: row %d holds %g in column %d, which is too large for float32; scale the rows down", first+i, value, j)
			}
		}
	}
	return nil
}

// near returns s without large offsets and scales.
func (s dense) near() dense {
	if s.x == nil || s.x.IsEmpty() {
		return s
	}
	s.x, s.origin = rows.Near(s.x)
	s.unit = unitOf(max(mat.Max(s.x), -mat.Min(s.x)))
	return s
}

// unitOf returns 1, or the power of two next to the largest magnitude of numbers of which float32 does not hold the
// squares. It is 1 for numbers that are not finite.
func unitOf(largest float64) float64 {
	if !(largest < 0x1p-60 || largest > 0x1p60) || largest == 0 || math.IsInf(largest, 0) {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent-1, -1021)) // of which float64 holds the inverse
}
