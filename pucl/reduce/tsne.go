package reduce

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/internal/spans"
	"github.com/puclab/puclab/pucl/rows"
)

// TSNEConfig configures t-SNE. The zero value is common practice.
type TSNEConfig struct {
	Perplexity float64    // effective number of neighbors, at least 1 and below the number of rows; 0 means 30
	Iterations int        // number of steps, the first 250 with attractions multiplied by 12; 0 means 1,000
	Angle      float64    // θ, up to 0.7: a cell no wider than θ times its distance counts as one point; 0 means 0.5
	Start      mat.Matrix // [n, 2], initial points; nil means the first two principal components, scaled to 1e-4
}

const (
	exaggeration     = 12.0
	exaggeratedSteps = 250
	startDeviation   = 1e-4 // of the first coordinate, so small that clusters need not cross
	largestAngle     = 0.7  // below 1/√2 no cell can stand for a point inside it
)

// TSNE computes the Barnes–Hut t-SNE map of data, [n, d] with one example per row: points [n, 2] in the plane at which
// near rows stay near. It also returns the Kullback–Leibler divergence, in nats, of the distribution over pairs of
// points from that over pairs of rows. Of two runs on the same data and perplexity the one with the lower divergence is
// better. Distances between far groups, and their sizes and densities, are not meaningful.
//
// The same arguments give the same points on one machine, for any number of processors. Rows are compared by Euclidean
// distance; scale embeddings trained by cosine to unit length first ([rows.Unit]). Bit-identical rows start at one
// point; they separate if only some of them are among the nearest 3·perplexity of another row. A step takes time
// proportional to n log n and to n times the perplexity; the neighbor search, done once, takes n²·d. Canceling ctx ends
// the run with its error.
//
// TSNE returns an error if n < 3 or d < 2, if the perplexity is not below n, if Start has another shape, or if an entry is
// not finite.
//
// Source: L. van der Maaten, Accelerating t-SNE using tree-based algorithms (2014), sections 3 and 4; the learning rate by A. C. Belkina
// et al. (2019), the start by D. Kobak and P. Berens (2019).
//
// [rows.Unit]: https://pkg.go.dev/github.com/puclab/puclab/pucl/rows#Unit
func TSNE(ctx context.Context, data mat.Matrix, config TSNEConfig) (points *mat.Dense, divergence float64, err error) {
	n, d := dims(data)
	config, err = config.fill(n, d)
	if err != nil {
		return nil, 0, err
	}
	if err := checkFinite("t-SNE", data); err != nil {
		return nil, 0, err
	}
	x, _ := rows.Varying(mat.DenseCopyOf(data))
	center(x)
	y, err := start(x, config.Start)
	if err != nil {
		return nil, 0, err
	}
	p, err := affinities(ctx, x, config.Perplexity)
	if err != nil {
		return nil, 0, err
	}
	descent := newDescent(y, p, config.Angle)
	for step := range config.Iterations {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if step < exaggeratedSteps {
			descent.step(exaggeration, 0.5)
		} else {
			descent.step(1, 0.8)
		}
	}
	divergence = descent.divergence()
	points = mat.NewDense(n, 2, nil)
	for i, v := range y {
		points.SetRow(i, []float64{v.x, v.y})
	}
	return points, divergence, nil
}

// fill returns the configuration with its defaults, for n rows of d numbers.
func (c TSNEConfig) fill(n, d int) (TSNEConfig, error) {
	if n < 3 || d < 2 {
		return c, fmt.Errorf("reduce: t-SNE: %d rows of %d numbers, want 3 rows of 2 numbers or more: %w", n, d, ErrShape)
	}
	if c.Perplexity == 0 {
		c.Perplexity = 30
	}
	if !(c.Perplexity >= 1 && c.Perplexity < float64(n)) {
		return c, fmt.Errorf("reduce: t-SNE: perplexity %g with %d rows; give one from 1 to below the number of rows: %w",
			c.Perplexity, n, ErrConfig)
	}
	if c.Iterations == 0 {
		c.Iterations = 1000
	}
	if c.Iterations < 0 {
		return c, fmt.Errorf("reduce: t-SNE: %d iterations; give a number above 0: %w", c.Iterations, ErrConfig)
	}
	if c.Angle == 0 {
		c.Angle = 0.5
	}
	if !(c.Angle > 0 && c.Angle <= largestAngle) {
		return c, fmt.Errorf("reduce: t-SNE: angle %g; give one above 0, where all is exact and slow, up to %g: %w", c.Angle, largestAngle, ErrConfig)
	}
	if c.Start != nil {
		if m, k := c.Start.Dims(); m != n || k != 2 {
			return c, fmt.Errorf("reduce: t-SNE: a start of %d rows of %d numbers, want %d rows of 2: %w", m, k, n, ErrShape)
		}
		return c, checkFinite("start of t-SNE", c.Start)
	}
	return c, nil
}

// start returns the initial points.
func start(data, given mat.Matrix) ([]point, error) {
	factor := 1.0
	if given == nil {
		projected, _, err := PCA(data, 2)
		if err != nil {
			return nil, err
		}
		given = projected
		n, _ := projected.Dims()
		sum := 0.0 // sum of squares about the mean 0
		for i := range n {
			sum += projected.At(i, 0) * projected.At(i, 0)
		}
		if sum > 0 {
			factor = startDeviation / math.Sqrt(sum/float64(n))
		}
	}
	n, _ := given.Dims()
	y := make([]point, n)
	for i := range y {
		y[i] = point{factor * given.At(i, 0), factor * given.At(i, 1)}
	}
	return y, nil
}

// descent minimizes the divergence by gradient descent with momentum. Each coordinate has its own learning rate, which
// grows while the direction persists.
type descent struct {
	y, gradient, moved, gain []point
	p                        pairs
	tree                     *quadtree
	rate                     float64
}

func newDescent(y []point, p pairs, angle float64) *descent {
	n := len(y)
	d := &descent{y: y, p: p, gradient: make([]point, n), moved: make([]point, n), gain: make([]point, n), tree: newQuadtree(n, angle),
		rate: max(float64(n)/(4*exaggeration), 50)}
	for i := range d.gain {
		d.gain[i] = point{1, 1}
	}
	return d
}

// step moves all points once, with attractions multiplied by attraction.
func (d *descent) step(attraction, momentum float64) {
	d.slope(attraction)
	along := func(gain, moved *float64, slope float64) float64 {
		if *moved*slope < 0 {
			*gain += 0.2
		} else {
			*gain = max(*gain*0.8, 0.01)
		}
		*moved = momentum**moved - d.rate**gain*slope
		return *moved
	}
	for i := range d.y {
		d.y[i].x += along(&d.gain[i].x, &d.moved[i].x, d.gradient[i].x)
		d.y[i].y += along(&d.gain[i].y, &d.moved[i].y, d.gradient[i].y)
	}
}

// slope computes the gradient of the divergence, with attractions multiplied by attraction.
func (d *descent) slope(attraction float64) {
	z := d.tree.repel(d.y, d.gradient)
	spans.EachOf(len(d.y), blockSize, func(_, first, end int) {
		for i := first; i < end; i++ {
			pull := d.p.pull(i, d.y)
			d.gradient[i].x = 4 * (attraction*pull.x - d.gradient[i].x/z)
			d.gradient[i].y = 4 * (attraction*pull.y - d.gradient[i].y/z)
		}
	})
}

// divergence returns Σ p log(p/q) over the pairs of neighbors; p is taken as 0 for all other pairs.
func (d *descent) divergence() float64 {
	z := d.tree.repel(d.y, d.gradient)
	sum := 0.0
	for i := range d.y {
		columns, values := d.p.row(i)
		for k, j := range columns {
			if values[k] > 0 {
				q := 1 / (1 + d.y[i].squaredDistance(d.y[j])) / z
				sum += values[k] * math.Log(values[k]/q)
			}
		}
	}
	return sum
}
