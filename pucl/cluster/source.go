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

// Source is a set of rows that [KMeans] reads block by block, several times, so a file can be larger than memory. With
// KMeans.Block single rows are also read, from all over the set: those drawn as seeds and those of each mini-batch. It
// must return the same rows each time. One goroutine at a time calls its methods.
type Source interface {
	// Dims returns the number of rows and the number of entries of each.
	Dims() (n, d int)

	// Read fills rows with consecutive whole rows, starting with row first.
	Read(first int, rows []float32) error
}

// checkDims returns an error if the source no longer has n rows of d entries.
func checkDims(s Source, n, d int) error {
	rows, entries := s.Dims()
	return fault.If(rows != n || entries != d, "cluster: the source has %d rows of %d entries now and had %d of %d; it must stay the same",
		rows, entries, n, d)
}

// errAnotherRow returns the error for a row that changed between readings.
func errAnotherRow(i int) error {
	return fmt.Errorf("cluster: row %d of the source is another one than in the first pass; a source must give the same rows each time", i)
}

// Float32s is a [Source] in memory: rows of D entries, concatenated.
type Float32s struct {
	Data []float32
	D    int
}

// Dims returns the number of rows and D; 0, 0 if Data is not a whole number of rows.
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

// Dense returns x [n, d] as a [Source] with entries rounded to float32. [KMeans] first moves columns far from 0 close
// to 0, see [rows.Near], and divides entries beyond float32 by a power of two, so that neither an offset nor a scale
// costs digits. [KCenter] compares directions from 0 and scales each such row separately.
//
// [rows.Near]: https://pkg.go.dev/github.com/puclab/puclab/pucl/rows#Near
func Dense(x *mat.Dense) Source { return dense{x: x} }

// dense is a Source of the rows (x − origin)/unit.
type dense struct {
	x          *mat.Dense // origin already subtracted
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

// unitOf returns a power of two near largest if float32 cannot hold squares of that size; otherwise, and if largest is
// not finite, 1.
func unitOf(largest float64) float64 {
	if !(largest < 0x1p-60 || largest > 0x1p60) || largest == 0 || math.IsInf(largest, 0) {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent-1, -1021)) // its inverse is finite in float64
}
