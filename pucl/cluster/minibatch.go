package cluster

import "math/rand/v2"

// batches moves the centers by rounds of c.Batch rows drawn at random, each to the mean of all rows that were nearest to it in
// some round so far; one that has met none stays. Every restart draws others.
//
// Source: D. Sculley, "Web-Scale K-Means Clustering" (WWW 2010), algorithm 1.
func (c KMeans) batches(t *table, places [][]float64, restart, rounds int) (_ [][]float64, err error) {
	batch := &table{eng: t.eng, n: c.Batch, d: t.d, squares: make([]float32, c.Batch)}
	p := &piece{n: c.Batch}
	if p.buffer, err = newBuffer(t.eng, c.Batch, t.d); err != nil {
		return nil, err
	}
	defer p.free()
	batch.pieces = []*piece{p}
	a, err := newNearest(batch, places, false)
	if err != nil {
		return nil, err
	}
	defer a.free()
	rng := rand.New(rand.NewPCG(c.Seed, 1<<63|uint64(restart))) // seeding draws without the bit
	for range rounds {
		if writing := p.write(func() {
			for j := range c.Batch {
				i := rng.IntN(t.n)
				if err == nil {
					err = t.fetch(i, p.row(j))
				}
				batch.squares[j] = t.squares[i]
			}
		}); err == nil {
			err = writing
		}
		if err != nil {
			return nil, err
		}
		a.forget() // so that sums only grow
		if _, err := a.assign(); err != nil {
			return nil, err
		}
		if err := a.place(a.means()); err != nil {
			return nil, err
		}
	}
	return a.places, nil
}
