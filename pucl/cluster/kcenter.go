package cluster

import (
	"cmp"
	"errors"
	"math"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
)

// KCenter is k-center greedy by the cosine distance 1 − cos. Each step chooses the row farthest from its nearest
// center, the first of equally far rows, and makes it a center. By the triangle inequality, the largest angle between a
// row and its center is at most twice the optimum for K centers, and so the largest distance at most four times the
// optimum.
//
// Distances are computed in float32, and in float64 where they decide, so that the result does not depend on the engine
// or on the number of processors. There is no distance matrix; memory holds the rows and one number for each. K must be
// set; the other zero values are usable.
//
// Source: Algorithm 1, k-Center-Greedy, of Jiang, Chen, Chen and Wang, "Improving Contrastive Learning on Imbalanced Seed Data via
// Open-World Sampling", 2021, after Sener and Savarese, "Active Learning for Convolutional Neural Networks: A Core-Set Approach", 2018.
type KCenter struct {
	K int // rows to choose

	// Engine compares rows with centers; nil means the processor alone.
	Engine *engine.Engine
}

// Centers holds the rows that [KCenter] chooses.
type Centers struct {
	Rows      []int     // in the order of choice; no row occurs twice
	Distances []float64 // of each to the nearest earlier center; +Inf for the first one without start
	Radius    float64   // largest distance of a row to its nearest center
}

// Choose chooses K rows of the pool. The source start holds initial centers, such as existing examples. If it is nil,
// the first center is row 0.
//
// It is an error if there are fewer rows than K, if a row is all zeros (it has no direction) or has an entry that is
// not finite, or if the rows of start have another length.
func (c KCenter) Choose(pool, start Source) (*Centers, error) {
	n, d, err := c.check(pool, start)
	if err != nil {
		return nil, err
	}
	for _, source := range []*Source{&pool, &start} {
		if s, ok := (*source).(dense); ok {
			s.directions = true
			*source = s
		}
	}
	g, err := newGreedy(c.Engine, pool, n, d)
	if err != nil {
		return nil, err
	}
	defer g.free()
	if start != nil {
		if err := g.begin(start); err != nil {
			return nil, err
		}
	}
	out := &Centers{}
	for len(out.Rows) < c.K {
		row, distance, err := g.farthest()
		if err != nil {
			return nil, err
		}
		if err := g.choose(row); err != nil {
			return nil, err
		}
		out.Rows, out.Distances = append(out.Rows, row), append(out.Distances, distance)
	}
	if len(out.Rows) < g.n {
		_, out.Radius, err = g.farthest()
	}
	return out, err
}

// check returns the dimensions of the pool, or an error about the settings or the sources.
func (c KCenter) check(pool, start Source) (n, d int, err error) {
	if pool == nil {
		return 0, 0, errors.New("cluster: no source of rows given; Float32s and Dense make one of rows in memory")
	}
	n, d = pool.Dims()
	err = cmp.Or(
		fault.If(n < 1 || d < 1, "cluster: a source of %d rows with %d entries; k-center greedy needs at least one row of one entry", n, d),
		fault.If(c.K < 1, "cluster: %d centers; K must be 1 or more", c.K),
		fault.If(c.K > n, "cluster: %d centers of %d rows; K must be at most the number of rows", c.K, n))
	if err != nil || start == nil {
		return n, d, err
	}
	m, width := start.Dims()
	return n, d, fault.If(m < 1 || width != d, "cluster: %d centers of %d entries to start from, and rows of %d; give one or more of the same length, "+
		"or nil for none", m, width, d)
}

// directions holds rows scaled to length one in float32, and their original squared lengths.
type directions struct {
	source Source
	unit   *buffer
	square []float64
}

// newDirections reads rows first to first+n−1 of a source, of d entries each; where names them in errors.
func newDirections(eng *engine.Engine, source Source, first, n, d int, where string) (*directions, error) {
	unit, err := newBuffer(eng, n, d)
	if err != nil {
		return nil, err
	}
	out := &directions{source, unit, make([]float64, n)}
	var unread error
	err = unit.write(func() {
		if unread = source.Read(first, unit.rows[:n*d]); unread != nil {
			return
		}
		inParallel(n, func(_, first, end int) {
			for i := first; i < end; i++ {
				row := unit.row(i)
				out.square[i] = product(row, row)
				scale := 1 / math.Sqrt(out.square[i])
				for j, value := range row {
					row[j] = float32(float64(value) * scale)
				}
			}
		})
	})
	err = cmp.Or(unread, err)
	for i, square := range out.square {
		if err == nil {
			err = cmp.Or(
				fault.If(math.IsNaN(square) || math.IsInf(square, 0), "cluster: row %d of %s holds an entry that is not finite; "+
					"leave it out, or look where it came from: did training diverge?", first+i, where),
				fault.If(square == 0, "cluster: row %d of %s is all zeros and has no direction; leave it out", first+i, where))
		}
	}
	if err != nil {
		unit.free()
		return nil, err
	}
	return out, nil
}

// product returns the product of two rows in float64.
func product(a, b []float32) float64 {
	var even, odd float64
	b = b[:len(a)]
	for len(a) >= 2 {
		even += float64(a[0]) * float64(b[0])
		odd += float64(a[1]) * float64(b[1])
		a, b = a[2:], b[2:]
	}
	if len(a) == 1 {
		even += float64(a[0]) * float64(b[0])
	}
	return even + odd
}
