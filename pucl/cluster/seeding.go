package cluster

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Seeding is the method that selects the initial centers of [KMeans] among the rows.
type Seeding int

const (
	// PlusPlus draws rows one by one, with probability proportional to the squared distance to the nearest row drawn
	// before. It reads the rows K times.
	//
	// Source: D. Arthur and S. Vassilvitskii, "k-means++: The Advantages of Careful Seeding" (SODA 2007).
	PlusPlus Seeding = iota

	// Parallel is k-means‖, for many clusters and for streams. In each of five or a few more passes it draws about 2·K
	// rows independently. PlusPlus then draws K of these, weighted by the number of rows nearest to them.
	//
	// Source: B. Bahmani and others, "Scalable K-Means++" (VLDB 2012), algorithm 2 with ℓ = 2K.
	Parallel

	// Random draws rows uniformly without replacement. Rows that are drawn may be equal.
	Random
)

// seed returns the initial centers.
func (c KMeans) seed(t *table, restart int) ([][]float64, error) {
	s := &seeder{t: t, rng: rand.New(rand.NewPCG(c.Seed, uint64(restart))), drawn: make([]float32, 0, c.K*t.d)}
	var err error
	switch c.Seeding {
	case Random:
		if err = s.random(c.K); err == nil {
			err = s.enough(c.K)
		}
	case Parallel:
		err = s.parallel(c.K)
	default:
		err = s.plusPlus(c.K)
	}
	if err != nil {
		return nil, err
	}
	places := make([][]float64, c.K)
	for i := range places {
		places[i] = widened(s.row(i))
	}
	return places, nil
}

// seeder draws rows of a table.
type seeder struct {
	t     *table
	rng   *rand.Rand
	drawn []float32 // the rows drawn, concatenated

	times    []float64 // weight of each row; nil for 1
	owner    []int32   // nearest drawn row of each row
	distance []float64 // squared distance to it
}

func (s *seeder) row(i int) []float32 { return s.drawn[i*s.t.d : (i+1)*s.t.d : (i+1)*s.t.d] }

// random draws k different rows by Floyd's algorithm, which needs no list of all rows.
func (s *seeder) random(k int) error {
	taken, order := map[int]bool{}, make([]int, 0, k)
	for last := s.t.n - k; last < s.t.n; last++ {
		i := s.rng.IntN(last + 1)
		if taken[i] {
			i = last
		}
		taken[i] = true
		order = append(order, i)
	}
	return s.take(order)
}

// take appends the rows at index to the drawn rows.
func (s *seeder) take(index []int) error {
	for _, i := range index {
		s.drawn = append(s.drawn, make([]float32, s.t.d)...)
		if err := s.t.fetch(i, s.row(len(s.drawn)/s.t.d-1)); err != nil {
			return err
		}
	}
	return nil
}

// enough returns an error if fewer than k rows of the table are different, because no draw can then give k clusters.
func (s *seeder) enough(k int) error {
	different := map[string]bool{}
	var bits []byte
	add := func(row []float32) {
		bits = bits[:0]
		for _, value := range row {
			bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(value+0)) // −0 is 0
		}
		if !different[string(bits)] {
			different[string(bits)] = true
		}
	}
	for i := range k {
		add(s.row(i))
	}
	if len(different) == k { // the usual case; otherwise rows not drawn may still be different
		return nil
	}
	err := s.t.each(func(window []*piece) error {
		for _, p := range window {
			for i := 0; i < p.n && len(different) < k; i++ {
				add(p.row(i))
			}
		}
		return nil
	})
	if err == nil && len(different) < k {
		err = errTooFew(len(different), k)
	}
	return err
}

// errTooFew returns the error for too few different rows.
func errTooFew(different, k int) error {
	return fmt.Errorf("cluster: only %d of the rows are different, when entries are rounded to 2^-24 of the farthest "+
		"one, too few to seed %d clusters; lower K, leave out rows that lie far off, or have the embedding not collapse",
		different, k)
}

// plusPlus draws k rows.
func (s *seeder) plusPlus(k int) error {
	s.owner, s.distance = make([]int32, s.t.n), make([]float64, s.t.n)
	weights := s.times
	if weights == nil {
		weights = make([]float64, s.t.n)
		for i := range weights {
			weights[i] = 1
		}
	}
	weights = slices.Clone(weights)
	for i := range s.distance {
		s.distance[i] = math.Inf(1)
	}
	for drawn := range k {
		total := floats.Sum(weights)
		if total == 0 {
			return errTooFew(drawn, k)
		}
		if err := s.take([]int{draw(weights, total, s.rng)}); err != nil {
			return err
		}
		if err := s.near(drawn); err != nil {
			return err
		}
		copy(weights, s.distance)
		if s.times != nil {
			floats.Mul(weights, s.times)
		}
	}
	return nil
}

// near updates the distances of all rows with the row drawn last. A row whose owner is less than half as far from it as
// from the new row keeps its owner.
func (s *seeder) near(last int) error {
	apart := make([]float64, last) // square of half the distance between drawn rows
	center := s.row(last)
	square := float64(dot(center, center))
	for i := range apart {
		apart[i] = squaredApart(s.row(i), center) / 4
	}
	return s.t.each(func(window []*piece) error {
		for _, p := range window {
			inParallel(p.n, func(_, first, end int) {
				for j := first; j < end; j++ {
					i := p.first + j
					if last > 0 && s.distance[i] < apart[s.owner[i]] {
						continue
					}
					row := p.row(j)
					if far := s.apart(i, row, center, float64(dot(row, center)), square); far < s.distance[i] {
						s.distance[i], s.owner[i] = far, int32(last)
					}
				}
			})
		}
		return nil
	})
}

// squaredApart returns the squared distance of two rows, exactly 0 for equal ones.
func squaredApart(a, b []float32) (sum float64) {
	for j, value := range a {
		difference := float64(value) - float64(b[j])
		sum += difference * difference
	}
	return sum
}

// parallel draws rows by k-means‖, and then k of these.
func (s *seeder) parallel(k int) error {
	const passes, mostPasses = 5, 50
	t := s.t
	index := []int{s.rng.IntN(t.n)}
	if err := s.take(index); err != nil {
		return err
	}
	owner, distance := make([]int32, t.n), make([]float64, t.n)
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	for pass, known := 0, 0; ; pass++ {
		if err := s.compare(known, owner, distance); err != nil {
			return err
		}
		for j, i := range index {
			if distance[i] > 0 { // 0 by rounding if another row drawn in this pass is as near
				distance[i], owner[i] = 0, int32(known+j)
			}
		}
		known = len(s.drawn) / t.d
		total := floats.Sum(distance)
		if total == 0 || pass >= passes && known >= k {
			// Many drawn rows may be equal, so that too few different ones are drawn although more exist.
			if err := s.choose(k, owner); err == nil || total == 0 || pass >= mostPasses {
				return err
			}
		}
		index = index[:0]
		for i, far := range distance {
			if s.rng.Float64()*total < 2*float64(k)*far {
				index = append(index, i)
			}
		}
		if err := s.take(index); err != nil {
			return err
		}
	}
}

// choose draws k of the rows drawn, weighted by how many rows they own.
func (s *seeder) choose(k int, owner []int32) error {
	t := s.t
	candidates := &table{n: len(s.drawn) / t.d, d: t.d}
	p := &piece{n: candidates.n, buffer: &buffer{rows: s.drawn, d: t.d}}
	candidates.pieces = []*piece{p}
	for i := range p.n {
		candidates.squares = append(candidates.squares, dot(p.row(i), p.row(i)))
	}
	chosen := &seeder{t: candidates, rng: s.rng, times: make([]float64, candidates.n)}
	for _, i := range owner {
		chosen.times[i]++
	}
	if err := chosen.plusPlus(k); err != nil {
		return err
	}
	s.drawn = chosen.drawn
	return nil
}

// compare updates the distances of all rows with the drawn rows from number known on.
func (s *seeder) compare(known int, owner []int32, distance []float64) error {
	var places [][]float64
	for i := known; i < len(s.drawn)/s.t.d; i++ {
		places = append(places, widened(s.row(i)))
	}
	if len(places) == 0 {
		return nil
	}
	a, err := newNearest(s.t, places, false)
	if err != nil {
		return err
	}
	defer a.free()
	a.found = func(i int, row []float32, won winner) {
		half := float64(a.centers.half[won.slot])
		far := s.apart(i, row, a.centers.row(int(won.slot)), half-float64(won.best), 2*half)
		if far < distance[i] {
			distance[i], owner[i] = far, int32(known+a.index[won.slot])
		}
	}
	_, err = a.assign()
	return err
}

// apart returns the squared distance of row i to a center, given their product and the center's squared length. If
// cancellation may be large, it is computed directly.
func (s *seeder) apart(i int, row, center []float32, product, square float64) float64 {
	both := float64(s.t.squares[i]) + square
	if far := both - 2*product; far >= both/1024 {
		return far
	}
	return squaredApart(row, center)
}
