package cluster

import "math/rand/v2"

// batches updates the centers in rounds of c.Batch random rows. Each center moves to the mean of all rows assigned to
// it in any round so far; a center without rows stays. Every restart draws other rows.
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
	rng := rand.New(rand.NewPCG(c.Seed, 1<<63|uint64(restart))) // seeding uses the same seeds without this bit
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
