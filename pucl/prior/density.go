package prior

import "math"

// grid is a set of equally spaced points from the lowest score to the highest.
type grid struct{ low, step float64 }

// gridPoints is the number of points of a grid.
const gridPoints = 1024

// newGrid returns the grid of all scores.
func newGrid(s scored) grid {
	p, u := s.positive.scores, s.unlabeled.scores
	low, high := min(p[0], u[0]), max(p[len(p)-1], u[len(u)-1])
	return grid{low, (high - low) / (gridPoints - 1)}
}

// cell returns the grid point below x, and the position of x between it and the next point, from 0 to 1.
func (g grid) cell(x float64) (point int, part float64) {
	at := (x - g.low) / g.step
	point = min(int(at), gridPoints-2)
	return point, at - float64(point)
}

// density returns the density of s at the grid points, smoothed by a Gaussian; bandwidth is in standard deviations of
// s.
func (g grid) density(s sample, bandwidth float64) []float64 {
	weights := make([]float64, gridPoints)
	for i, x := range s.scores {
		point, part := g.cell(x)
		weights[point] += s.weights[i] * (1 - part)
		weights[point+1] += s.weights[i] * part
	}
	width := max(bandwidth*s.deviation()/g.step, 0.5) // in steps; a narrower Gaussian would fall between the points
	kernel := make([]float64, int(5*width)+2)
	for i := range kernel {
		z := float64(i) / width
		kernel[i] = math.Exp(-z*z/2) / (width * g.step * math.Sqrt(2*math.Pi))
	}
	density := make([]float64, gridPoints)
	for i, w := range weights {
		for j := max(0, i-len(kernel)+1); w > 0 && j < min(gridPoints, i+len(kernel)); j++ {
			density[j] += w * kernel[max(i-j, j-i)]
		}
	}
	return density
}

// at returns the density at x by linear interpolation.
func (g grid) at(density []float64, x float64) float64 {
	point, part := g.cell(x)
	return density[point]*(1-part) + density[point+1]*part
}
