package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
)

// KMeans is k-means in float32, for any number of clusters and rows: Lloyd's algorithm from given or seeded centers. K
// must be set; the other zero values are usable.
//
// The same seed gives the same result on any number of processors, from memory or from a stream. The engine changes the
// last digits of distances, so that rows halfway between two centers may change sides. Entries are rounded to 2⁻²⁴ of
// the largest deviation from a column mean.
type KMeans struct {
	K       int
	Seeding Seeding    // of the centers; the zero value is k-means++
	Centers *mat.Dense // [K, d], to start from instead of seeding
	Seed    uint64     // random seed

	Rounds    int     // largest number of rounds; 0 means 300
	Batch     int     // rows drawn per round of mini-batch k-means, which ends after Rounds; 0: all rows
	Restarts  int     // number of seedings; the result of lowest potential is kept; 0 means 1
	Tolerance float64 // stop at this sum of squared steps, in mean column variances; 0: when no label changes

	// Block is the number of rows in memory at once, for sets larger than memory; they are read again in each round. 0
	// means all rows, read once. Some 30 bytes per row stay in memory.
	Block int

	// Engine compares all rows with all centers, block by block, which suits accelerators. nil means the processor,
	// which skips comparisons that distance bounds decide.
	Engine *engine.Engine

	plain bool // skips no comparison
}

// Partition is the result of [KMeans].
type Partition struct {
	Labels    []int      // nearest center of each row
	Centers   *mat.Dense // [K, d]
	Counts    []int      // rows of each cluster; may be 0, see Fit
	Potential float64    // sum of squared distances of rows to their centers; infinite or 0 beyond float64
	Rounds    int        // number of center updates
	Converged bool       // the last round changed no label or stayed within the tolerance
}

// Fit clusters the rows of x. A cluster that loses all its rows takes over the row farthest from its center, unless
// every row lies on its center. Clusters may end without rows, with a count of 0 and an unmoved center. Causes are
// fewer different rows than Centers, mini-batches (Batch), or an end by Rounds or Tolerance. Check that all Counts are
// above 0 if each cluster must have rows.
//
// It is an error if there are fewer rows than clusters, fewer different rows than seeds, or an entry that is not
// finite. It is an error if Centers is not [K, d] or lies beyond 10¹⁵ times the distance of the farthest row, or if
// Batch times Rounds is more than 2²⁹. It is an error if reading the source fails or its rows change length.
func (c KMeans) Fit(x Source) (best *Partition, err error) {
	if err := c.check(x); err != nil {
		return nil, err
	}
	t, err := newTable(x, c.Engine, c.Block, c.pieceRows())
	if err != nil {
		return nil, err
	}
	defer t.free()
	if c.Centers != nil {
		places := t.inside(c.Centers)
		for i, place := range places {
			if far := floats.Norm(place, math.Inf(1)); !(far <= farthestStart) {
				return nil, fmt.Errorf("cluster: center %d is given %.2g times as far off as any row lies; "+
					"give it in the units of the rows", i, far)
			}
		}
		if best, err = c.fit(t, places, 0); err != nil {
			return nil, err
		}
		best.Potential *= t.unit * t.unit
		return best, nil
	}
	for restart := range max(c.Restarts, 1) {
		places, err := c.seed(t, restart)
		if err != nil {
			return nil, err
		}
		p, err := c.fit(t, places, restart)
		if err != nil {
			return nil, err
		}
		if best == nil || p.Potential < best.Potential {
			best = p
		}
	}
	best.Potential *= t.unit * t.unit
	return best, nil
}

// farthestStart is the largest distance of a given center, in distances of the farthest row; float32 holds its square.
const farthestStart = 1e15

// check returns an error for settings that are invalid, or invalid for x.
func (c KMeans) check(x Source) error {
	if x == nil {
		return errors.New("cluster: no source of rows given; Float32s and Dense make one of rows in memory")
	}
	n, d := x.Dims()
	err := cmp.Or(
		fault.If(n < 1 || d < 1, "cluster: a source of %d rows with %d entries; k-means needs at least one row of one entry", n, d),
		fault.If(n > 1<<29, "cluster: %d rows; sums are exact for 2^29 at most, so give a sample", n),
		fault.If(c.K < 1, "cluster: %d clusters; K must be 1 or more", c.K),
		fault.If(c.K > n, "cluster: %d clusters of %d rows; K must be at most the number of rows", c.K, n),
		fault.If(c.Seeding < PlusPlus || c.Seeding > Random,
			"cluster: there is no seeding %d; take PlusPlus, Parallel or Random", c.Seeding),
		fault.If(c.Rounds < 0 || c.Restarts < 0 || c.Batch < 0 || c.Block < 0,
			"cluster: %d rounds, %d restarts, batches of %d, blocks of %d; they must be positive, or 0 for the usual",
			c.Rounds, c.Restarts, c.Batch, c.Block),
		fault.If(c.Rounds >= 0 && c.Batch > (1<<29)/cmp.Or(c.Rounds, 300),
			"cluster: batches of %d rows in %d rounds; sums are exact for 2^29 rows in all, so lower Batch or Rounds",
			c.Batch, cmp.Or(c.Rounds, 300)),
		fault.If(!(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0), "cluster: tolerance %g; it must be 0 or more", c.Tolerance))
	if err != nil || c.Centers == nil {
		return err
	}
	if k, width := c.Centers.Dims(); k != c.K || width != d {
		return fmt.Errorf("cluster: centers [%d, %d] for %d clusters of rows of %d entries; give one row for each cluster",
			k, width, c.K, d)
	}
	return cmp.Or(
		fault.If(rows.CheckFinite(c.Centers) != nil, "cluster: the centers given hold NaN or infinite entries; they must be finite"),
		fault.If(c.Restarts > 1, "cluster: %d restarts from the same centers; leave out Restarts, or Centers", c.Restarts))
}

// pieceRows returns the number of rows of a piece: on an engine, the number compared with all centers at once.
func (c KMeans) pieceRows() int {
	if c.Engine == nil {
		return math.MaxInt
	}
	return max(256, min(8192, 1<<21/c.K))
}

// inside converts centers to the coordinates of the table.
func (t *table) inside(centers *mat.Dense) [][]float64 {
	k, _ := centers.Dims()
	places := make([][]float64, k)
	for c := range places {
		places[c] = make([]float64, t.d)
		copy(places[c], centers.RawRowView(c))
		if t.origin != nil {
			floats.Sub(places[c], t.origin)
		}
		floats.Scale(1/t.unit, places[c])
		floats.Sub(places[c], t.mean)
		floats.Scale(t.scale, places[c])
	}
	return places
}

// outside is the inverse of inside.
func (t *table) outside(places [][]float64) *mat.Dense {
	centers := mat.NewDense(len(places), t.d, nil)
	for c, place := range places {
		row := centers.RawRowView(c)
		floats.AddScaledTo(row, t.mean, 1/t.scale, place)
		floats.Scale(t.unit, row)
		if t.origin != nil {
			floats.Add(row, t.origin)
		}
	}
	return centers
}

// fit runs Lloyd's algorithm from places.
func (c KMeans) fit(t *table, places [][]float64, restart int) (*Partition, error) {
	out, rounds := &Partition{}, cmp.Or(c.Rounds, 300)
	if c.Batch > 0 {
		var err error
		if places, err = c.batches(t, places, restart, rounds); err != nil {
			return nil, err
		}
		out.Rounds = rounds
	}
	a, err := newNearest(t, places, !c.plain && c.Block == 0)
	if err != nil {
		return nil, err
	}
	defer a.free()
	for moving := c.Batch == 0; ; {
		if c.plain {
			a.loosen()
		}
		changed, err := a.assign()
		if err == nil && moving && changed > 0 {
			err = a.fillEmpty()
		}
		if err != nil {
			return nil, err
		}
		if out.Converged = out.Converged || changed == 0; out.Converged || !moving {
			break
		}
		next := a.means()
		step := 0.0
		for c, place := range next {
			step += squaredDistance(place, a.places[c])
		}
		if err := a.place(next); err != nil {
			return nil, err
		}
		out.Rounds++
		if c.Tolerance > 0 && step <= c.Tolerance*t.total/float64(t.n*t.d) {
			out.Converged, moving = true, false
		}
		moving = moving && out.Rounds < rounds
	}
	out.Centers, out.Counts = t.outside(a.places), a.counts
	out.Potential = a.potential() / (t.scale * t.scale) // in units of the source
	out.Labels = make([]int, t.n)
	for i, slot := range a.labels {
		out.Labels[i] = a.index[slot]
	}
	return out, nil
}

// means returns the mean of the rows of each cluster, or its present center if it has none.
func (a *nearest) means() [][]float64 {
	out := make([][]float64, a.k)
	for c, count := range a.counts {
		if out[c] = slices.Clone(a.places[c]); count > 0 {
			floats.ScaleTo(out[c], 1/float64(count), a.sum(c))
		}
	}
	return out
}

// potential returns the sum of the squared distances from the rows to their centers.
func (a *nearest) potential() float64 {
	sum := a.t.total
	for c, place := range a.places {
		sum += float64(a.counts[c])*floats.Dot(place, place) - 2*floats.Dot(place, a.sum(c))
	}
	return max(0, sum)
}

// fillEmpty assigns to each cluster without rows the row farthest from its center.
func (a *nearest) fillEmpty() error {
	for c, count := range a.counts {
		if count > 0 {
			continue
		}
		farthest, at := 0.0, -1
		var row []float64
		err := a.t.each(func(window []*piece) error {
			for _, p := range window {
				for i := range p.n {
					label := a.labels[p.first+i]
					if a.counts[a.index[label]] == 1 {
						continue
					}
					if distance := squaredApart(p.row(i), a.centers.row(int(label))); distance > farthest {
						farthest, at = distance, p.first+i
						row = widened(p.row(i))
					}
				}
			}
			return nil
		})
		if err != nil || at < 0 {
			return err
		}
		old := a.index[a.labels[at]]
		floats.Sub(a.sum(old), row)
		floats.Add(a.sum(c), row)
		a.counts[old]--
		a.counts[c]++
		a.labels[at], a.upper[at] = a.slots[c], float32(math.Inf(1))
		for g := range a.groups {
			a.lower[at*a.groups+g] = float32(math.Inf(-1))
		}
	}
	return nil
}

func widened(row []float32) []float64 {
	out := make([]float64, len(row))
	for j, value := range row {
		out[j] = float64(value)
	}
	return out
}
