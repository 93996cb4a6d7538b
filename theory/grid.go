package theory

import (
	"math"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Circle returns n points on the unit circle, evenly spaced from (1, 0) on. The points on the axes are exact. It is empty
// for n below 1.
func Circle(n int) [][]float64 {
	var points [][]float64
	for i := range n {
		angle := 2 * math.Pi * float64(i) / float64(n)
		z := []float64{math.Cos(angle), math.Sin(angle)}
		if 4*i%n == 0 {
			z = []float64{math.Round(z[0]) + 0, math.Round(z[1]) + 0} // + 0 turns −0 into 0
		}
		points = append(points, z)
	}
	return points
}

// Directions returns the points of the unit circle at the given angles in degrees, counted counterclockwise from (1, 0).
func Directions(degrees ...float64) [][]float64 {
	return lists.Map(degrees, func(d float64) []float64 {
		return []float64{math.Cos(d * math.Pi / 180), math.Sin(d * math.Pi / 180)}
	})
}

// Corners returns the 2^dim corners of a cube, all coordinates ±1; (1, 1, …) comes first. It is empty for dim below 1
// and above 16, which is too many for any search.
func Corners(dim int) [][]float64 {
	if dim < 1 || dim > 16 {
		return nil
	}
	return lists.Table(1<<dim, dim, func(i, k int) float64 { return float64(1 - 2*(i>>(dim-1-k)&1)) })
}

// Vary returns copies of d with every combination of the given numbers; an empty list keeps d's own value. The
// combination without labeled and unlabeled examples is left out.
func (d Design) Vary(labeled, unlabeled []int, priors []float64) []Design {
	var all []Design
	for _, d.Labeled = range orOwn(labeled, d.Labeled) {
		for _, d.Unlabeled = range orOwn(unlabeled, d.Unlabeled) {
			for _, d.Prior = range orOwn(priors, d.Prior) {
				if d.Labeled != 0 || d.Unlabeled != 0 {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// orOwn returns list, or own alone if list is empty.
func orOwn[T any](list []T, own T) []T {
	if len(list) == 0 {
		return []T{own}
	}
	return list
}

// maxGridPopulations bounds the size of a grid before duplicates are removed.
const maxGridPopulations = 2e5

// grid lists the populations whose classes put multiples of 1/parts on at most atoms of the points. If oriented is not
// set, it keeps one of several populations that rotations or reflections of the points map onto each other. It returns
// an error if they are too many.
func grid(points [][]float64, atoms, parts int, oriented bool) []Population {
	size := 0.0
	for k := 1; k <= min(atoms, parts, len(points)); k++ {
		size += countSubsets(len(points), k) * countSubsets(parts-1, k-1)
	}
	if size*size > maxGridPopulations {
		must.Fail("theory: up to %d of %d points with probabilities in steps of 1/%d make %.3g classes and %.3g populations, more than the %.3g "+
			"that a grid may have; take fewer Points, Atoms or Parts, or no grid (Parts below 0) and more Random cases",
			atoms, len(points), parts, size, size*size, float64(maxGridPopulations))
	}
	classes := shares(len(points), atoms, parts)
	group := [][]int{}
	if !oriented {
		group = isometries(points)
	}
	var all []Population
	for _, positive := range classes {
		stabilizer, largest := fixing(group, positive)
		if !largest {
			continue
		}
		for _, negative := range classes {
			if _, largest := fixing(stabilizer, negative); largest {
				all = append(all, Population{atomsOf(points, positive, parts), atomsOf(points, negative, parts)})
			}
		}
	}
	return all
}

// countSubsets returns C(n, k).
func countSubsets(n, k int) float64 { return countDraws(n-k+1, k, false) }

// shares lists all ways to distribute parts among at most atoms of n points.
func shares(n, atoms, parts int) [][]int {
	var all [][]int
	next := make([]int, n)
	var fill func(at, atoms, left int)
	fill = func(at, atoms, left int) {
		if left == 0 {
			all = append(all, slices.Clone(next))
			return
		}
		if at == n || atoms == 0 {
			return
		}
		for share := left; share >= 0; share-- {
			next[at] = share
			rest := atoms
			if share > 0 {
				rest--
			}
			fill(at+1, rest, left-share)
		}
		next[at] = 0
	}
	fill(0, atoms, parts)
	return all
}

// fixing reports whether share is the largest of its images under the group's permutations, in the order of
// [slices.Compare]. It also returns the permutations that leave share unchanged.
func fixing(group [][]int, share []int) (stabilizer [][]int, largest bool) {
	image := make([]int, len(share))
	for _, g := range group {
		for i, to := range g {
			image[to] = share[i]
		}
		switch slices.Compare(image, share) {
		case +1:
			return nil, false
		case 0:
			stabilizer = append(stabilizer, g)
		}
	}
	return stabilizer, true
}

// atomsOf returns the class that puts share[i]/parts on point i.
func atomsOf(points [][]float64, share []int, parts int) []Atom {
	var atoms []Atom
	for i, s := range share {
		if s > 0 {
			atoms = append(atoms, Atom{slices.Clone(points[i]), float64(s) / float64(parts)})
		}
	}
	return atoms
}

// maxIsometries bounds the number of rotations and reflections. Missing some only leaves duplicates in a grid.
const maxIsometries = 400

// isometries lists permutations of the points that keep all inner products: the rotations and reflections that map the
// points onto themselves.
func isometries(points [][]float64) [][]int {
	n := len(points)
	inner := lists.Table(n, n, func(i, j int) (sum float64) {
		for k, x := range points[i] {
			sum += x * points[j][k]
		}
		return sum
	})
	equal := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }
	var all [][]int
	image, used := make([]int, n), make([]bool, n)
	var place func(at int)
	place = func(at int) {
		if at == n {
			all = append(all, slices.Clone(image))
			return
		}
	candidates:
		for to := range n {
			if used[to] || len(all) == maxIsometries {
				continue
			}
			image[at] = to
			for i := range at + 1 {
				if !equal(inner[i][at], inner[image[i]][to]) {
					continue candidates
				}
			}
			used[to] = true
			place(at + 1)
			used[to] = false
		}
	}
	place(0)
	return all
}
