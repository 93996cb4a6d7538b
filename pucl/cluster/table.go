package cluster

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/pucl/engine"
)

// table holds the rows of a source, shifted and scaled so that their mean is near 0 and no entry exceeds ±1, and
// rounded to multiples of 2⁻²⁴, which float32 represents. Sums of up to 2²⁹ entries are then exact in float64 in any
// order. So no result depends on the number of processors, and moving rows between sums accumulates no error.
type table struct {
	source   Source
	eng      *engine.Engine // engine that reads the rows; nil for none
	n, d     int
	streamed bool
	origin   []float64 // offset that the source subtracts from the rows; nil for none
	unit     float64   // power of two by which the source divides them
	mean     []float64 // mean of the rows of the source
	scale    float64   // a power of two

	pieces  []*piece  // all rows, or the rows in memory at once
	squares []float32 // squared length of each row
	total   float64   // sum of squares
}

// piece holds rows that lie together in memory. All pieces have the same capacity; the last may hold fewer rows.
type piece struct {
	first, n int
	raw      []float32 // rows as in the source; nil while the field rows holds them
	*buffer
}

// unmoved returns the rows before they are centered.
func (p *piece) unmoved() []float32 {
	if p.raw != nil {
		return p.raw
	}
	return p.rows[:p.n*p.d]
}

// newTable reads the source for the mean and the range, and once more if only a block of rows is in memory at a time.
// The table must be freed.
func newTable(source Source, eng *engine.Engine, block, pieceRows int) (*table, error) {
	n, d := source.Dims()
	t := &table{source: source, unit: 1, eng: eng, n: n, d: d, streamed: block > 0, squares: make([]float32, n)}
	if s, ok := source.(dense); ok {
		s = s.near()
		t.source, t.origin, t.unit = s, s.origin, s.unit
	}
	if block == 0 {
		block = n
	}
	pieceRows = min(pieceRows, block, n)
	count := (n + pieceRows - 1) / pieceRows
	if t.streamed {
		count = min(count, block/pieceRows)
	}
	for range count {
		b, err := newBuffer(eng, pieceRows, d)
		if err != nil {
			t.free()
			return nil, err
		}
		t.pieces = append(t.pieces, &piece{buffer: b})
	}
	err := t.survey()
	if err == nil {
		err = t.measure()
	}
	if err != nil {
		t.free()
		return nil, err
	}
	return t, nil
}

func (t *table) free() {
	for _, p := range t.pieces {
		p.free()
	}
}

// windows calls read for each piece, window by window, and work with the non-empty pieces of a window.
func (t *table) windows(read func(p *piece) error, work func(window []*piece) error) error {
	for first := 0; first < t.n; {
		used := 0
		for _, p := range t.pieces {
			if first == t.n {
				break
			}
			p.first, p.n = first, min(len(p.rows)/t.d, t.n-first)
			if err := read(p); err != nil {
				return err
			}
			first += p.n
			used++
		}
		if err := work(t.pieces[:used]); err != nil {
			return err
		}
	}
	return nil
}

// each calls work with all rows, in as many windows as needed.
func (t *table) each(work func(window []*piece) error) error {
	if !t.streamed {
		return work(t.pieces)
	}
	return t.windows(t.reload, work)
}

// raw reads the rows of p as they are in the source.
func (t *table) raw(p *piece) (err error) {
	if err := checkDims(t.source, t.n, t.d); err != nil {
		return err
	}
	if memory, ok := t.source.(Float32s); ok && t.eng == nil {
		p.raw = memory.Data[p.first*t.d : (p.first+p.n)*t.d]
		return nil
	}
	if written := p.write(func() { err = t.source.Read(p.first, p.rows[:p.n*t.d]) }); err == nil {
		err = written
	}
	return err
}

// survey computes the mean and the scale, and checks that entries are finite. Each column is summed row by row, so that
// its mean does not depend on the blocks.
func (t *table) survey() error {
	t.mean = make([]float64, t.d)
	low, high := make([]float32, t.d), make([]float32, t.d)
	for j := range low {
		low[j], high[j] = math.MaxFloat32, -math.MaxFloat32
	}
	err := t.windows(t.raw, func(window []*piece) error {
		for _, p := range window {
			inParallel(t.d, func(_, first, end int) {
				// Copies, so that the workers do not share cache lines.
				sum, least, most := slices.Clone(t.mean[first:end]), slices.Clone(low[first:end]), slices.Clone(high[first:end])
				p.survey(first, sum, least, most)
				copy(t.mean[first:end], sum)
				copy(low[first:end], least)
				copy(high[first:end], most)
			})
			if total := floats.Sum(t.mean); total-total != 0 { // NaN or infinite
				return p.checkFinite()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	farthest := 0.0
	for j := range t.mean {
		t.mean[j] /= float64(t.n)
		farthest = max(farthest, float64(high[j])-t.mean[j], t.mean[j]-float64(low[j]))
	}
	_, exponent := math.Frexp(farthest) // 0 for 0
	t.scale = math.Ldexp(1, -exponent)
	return nil
}

// checkFinite returns an error that names the first entry that is not finite.
func (p *piece) checkFinite() error {
	for i := range p.n {
		for j, value := range p.unmoved()[i*p.d : (i+1)*p.d] {
			if value-value != 0 {
				return fmt.Errorf("cluster: row %d holds %g in column %d; rows must be finite: did training diverge? "+
					"Lower its learning rate; in features of your own, fill in the value or drop the row",
					p.first+i, value, j)
			}
		}
	}
	return nil
}

// roundTo24 rounds a float64 between −1 and 1 to a multiple of 2⁻²⁴ when it is added and subtracted.
const roundTo24 = 3 << 27

// center shifts, scales and rounds the raw rows of p, and writes their squared lengths.
func (t *table) center(p *piece, squared []float64) error {
	return p.write(func() {
		raw := p.unmoved()
		inParallel(p.n, func(_, first, end int) {
			centerRows(raw[first*t.d:end*t.d], p.rows[first*t.d:end*t.d], t.mean, t.scale, squared[first:end])
		})
	})
}

// measure computes the squared lengths.
func (t *table) measure() error {
	lengths := make([]float64, t.n)
	read := t.raw
	if !t.streamed { // all rows are still in memory
		read = func(*piece) error { return nil }
	}
	if err := t.windows(read, func(window []*piece) error {
		for _, p := range window {
			if err := t.center(p, lengths[p.first:p.first+p.n]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for i, length := range lengths {
		t.squares[i] = float32(length)
	}
	t.total = floats.Sum(lengths)
	return nil
}

// reload reads the rows of p again, and checks by their lengths that they are unchanged.
func (t *table) reload(p *piece) error {
	if err := t.raw(p); err != nil {
		return err
	}
	lengths := make([]float64, p.n)
	if err := t.center(p, lengths); err != nil {
		return err
	}
	for i, length := range lengths {
		if float32(length) != t.squares[p.first+i] {
			return errAnotherRow(p.first + i)
		}
	}
	return nil
}

// fetch copies row i.
func (t *table) fetch(i int, row []float32) error {
	if !t.streamed {
		size := len(t.pieces[0].rows) / t.d
		copy(row, t.pieces[i/size].row(i%size))
		return nil
	}
	return t.reload(&piece{first: i, n: 1, buffer: &buffer{rows: row, d: t.d}})
}
