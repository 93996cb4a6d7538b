package reduce

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/internal/spans"
	"github.com/puclab/puclab/pucl/rows"
)

// TSNEConfig says how t-SNE goes about it. Its zero value is usual practice.
type TSNEConfig struct {
	Perplexity float64    // about how many neighbors a row has, at least 1 and below the number of rows; 0 means 30
	Iterations int        // steps in all, the first 250 of them with attractions exaggerated 12 times; 0 means 1,000
	Angle      float64    // θ, up to 0.7: a cell of points as wide as θ times its distance counts as one point; 0 means 0.5
	Start      mat.Matrix // [n, 2], where the points begin; nil means the first two principal components, scaled down to 1e-4
}

const (
	exaggeration     = 12.0
	exaggeratedSteps = 250
	startDeviation   = 1e-4 // of the first coordinate, so small that no cluster has to be passed through another
	largestAngle     = 0.7  // below 1/√2 no cell can stand for a point inside it
)

// TSNE places the rows of data, [n, d] with one example a row, in the plane, so that rows that are near stay near: t-SNE, by the
// method of Barnes and Hut. It returns the points [n, 2] and the Kullback–Leibler divergence in nats of the distribution over
// pairs of points from the one over pairs of rows, which says how well that went; of two runs on the same data and perplexity
// the one with less is better. Distances between far groups, their sizes and densities mean nothing.
//
// The same arguments give the same points on one machine, on however many processors. Rows are compared by Euclidean distance;
// bring embeddings that were trained by cosine to unit length first ([rows.Unit]). Rows that are equal to the last bit begin on one
// point; they part where only some of them are among the nearest 3·perplexity of another row. One step takes time in proportion to
// n log n and to n times the perplexity; finding neighbors, done once, n²·d. Ending ctx ends the steps with its error.
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

// fill returns the configuration with its defaults for n rows of d numbers.
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

// start returns where the points begin.
func start(data, given mat.Matrix) ([]point, error) {
	factor := 1.0
	if given == nil {
		projected, _, err := PCA(data, 2)
		if err != nil {
			return nil, err
		}
		given = projected
		n, _ := projected.Dims()
		sum := 0.0 // of squares about the mean, which is 0
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

// descent moves points down the gradient of the divergence, with momentum and a rate of its own for every coordinate that
// grows while it keeps its direction.
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

// step moves all points once, attractions being taken so many times.
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

// slope finds the gradient of the divergence, with attractions taken so many times.
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

// divergence returns Σ p log(p/q) over the pairs of neighbors, for which alone p is not taken for 0.
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
