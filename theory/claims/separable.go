package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// AlignedUniform returns the claim that aligned and uniform representations are linearly separable.
//
// Perfect alignment maps the views of an example to one point, perfect uniformity spreads the examples evenly; neither
// determines the classes of the examples. The check labels eight evenly spaced points of the circle in all ways.
func AlignedUniform() Claim {
	return Claim{
		ID: "aligned-uniform",
		Statement: "A representation in which similar samples lie close together (alignment) and dissimilar ones spread " +
			"evenly over the sphere (uniformity) is linearly separable.",
		LaTeX:  `\text{aligned} \wedge \text{uniform} \ \Rightarrow\ \exists\, w, c:\ y = \operatorname{sign}(w \cdot z + c)`,
		Source: "Introduction to contrastive learning (in Chinese), introduction",
		Assumptions: []string{
			"who is similar is not said: the views of one example, as where there are no labels, or all samples of a class",
		},
		rests: grounds{mistakes: []mistake{{"spread", "the points are drawn at random, not evenly"}}},
		check: alignedUniformFinding,
	}
}

// separableInPlane reports whether a line separates points of the plane by their labels, among 720 directions.
func separableInPlane(points [][]float64, positive []bool) bool {
	for step := range 720 {
		angle := 2 * math.Pi * float64(step) / 720
		least, most := math.Inf(1), math.Inf(-1) // of the positives, and of the others
		for i, z := range points {
			x := math.Cos(angle)*z[0] + math.Sin(angle)*z[1]
			if positive[i] {
				least = min(least, x)
			} else {
				most = max(most, x)
			}
		}
		if least > most+contrastTolerance {
			return true
		}
	}
	return false
}

// countSeparable returns the number of labelings of the points that a line separates, and of all labelings.
func countSeparable(points [][]float64) (separable, all int) {
	for mask := range 1 << len(points) {
		all++
		separable += oneIf(separableInPlane(points, lists.Make(len(points), func(i int) bool { return mask>>i&1 == 1 })))
	}
	return separable, all
}

func alignedUniformFinding(s *subject) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(8, 0x51))
	drawn := func() [][]float64 {
		return theory.Directions(lists.Make(8, func(int) float64 { return 360 * rng.Float64() })...)
	}
	points := theory.Circle(8)
	if s.mistaken("spread") {
		points = drawn()
	}
	placements := append([][][]float64{points}, lists.Make(20, func(int) [][]float64 { return drawn() })...)
	measured := func(o pucl.Objective) []float64 { // of every placement, with both views of an example at its point
		batches := lists.Map(placements, func(z [][]float64) [][]float64 { return slices.Concat(z, z) })
		return lists.Map(must.Get(theory.AnchorLosses(s.eng, o, batches, make([]bool, len(points)), nil, 0.5)), rowMean)
	}
	uniform := measured(pucl.UniformityLoss())
	alignment, uniformity, better := measured(pucl.AlignmentLoss())[0], uniform[0], 0
	for _, other := range uniform[1:] {
		better += oneIf(other < uniformity)
	}
	separable, all := countSeparable(points)
	classes, parted := 0, 0 // one point per class, one class against the others
	for n := 2; n <= 8; n++ {
		for k := range n {
			classes++
			parted += oneIf(separableInPlane(theory.Circle(n), lists.Make(n, func(i int) bool { return i == k })))
		}
	}
	measure(&f, alignment, "eight examples evenly on the circle, views equal: alignment")
	measure(&f, uniformity, "eight examples evenly on the circle, views equal: uniformity")
	measure(&f, better, "of 20 random placements more uniform")
	measure(&f, all, "ways to label the examples")
	measure(&f, separable, "linearly separable ways")
	measure(&f, classes, "classes on a point each of the circle, 2 to 8 of them")
	measure(&f, parted, "classes that a line parts from the others")
	f.Number = exactly(separable)
	f.Why = "Only labelings whose positives are neighbors on the circle can be parted by a line, n(n−1) + 2 of 2ⁿ. Where each " +
		"class lies on a point of its own, the sphere's tangent there, moved in a little, parts it from all others."
	f.detail("a square whose corners alternate is the smallest case: aligned, uniform, and not separable")
	switch {
	case better > 0 || exceeds(alignment, contrastTolerance) || parted < classes:
		f.undecide("%d of 20 random placements are more uniform, alignment is %.4g, and %d of %d classes are parted: these "+
			"points are not aligned and uniform.",
			better, alignment, parted, classes)
	case separable == all:
		f.conclude(Holds, "All %d ways to label aligned and uniform examples are separable.", all)
	default:
		f.Corrected = "If all samples of a class share one point of the sphere, and no other class does, each class is " +
			"linearly separable from the rest."
		f.conclude(Conditional, "True where similar means of one class and all of a class lie on one point (%d of %d classes "+
			"separated). If it means views of one example, only %d of %d ways to label eight even points of the circle are "+
			"separable.", parted, classes, separable, all)
	}
	return f
}

// PositivesTogether returns the claim that clustering the positives together solves the classification of positives
// against negatives.
//
// It states nothing about the negatives. On the sphere, positives at one point can be separated from all other points.
// Without the sphere, or with negatives among the positives, they cannot.
func PositivesTogether() Claim {
	return Claim{
		ID: "positives-together",
		Statement: "In the binary setting, being able to cluster positives together automatically solves the downstream " +
			"problem of positives against negatives.",
		LaTeX:  `\mathrm{diam}(\mathcal{Z}_P) \to 0 \ \Rightarrow\ \exists\, w, c:\ y = \operatorname{sign}(w \cdot z + c)`,
		Source: "Contrastive Positive Unlabeled Learning, appendix A.5.2, experimental evaluation",
		Assumptions: []string{
			"the downstream classifier is linear; nothing is said of where negatives lie",
		},
		rests: grounds{mistakes: []mistake{{"scattered", "the positives lie on two points, not on one"}}},
		check: func(s *subject) Finding { return positivesTogetherFinding(s.mistaken("scattered")) },
	}
}

// countParted puts all positives on the first places and negatives on every choice of the others, and counts the
// choices that a line separates.
func countParted(places [][]float64, positives int) (parted, all int) {
	rest := places[positives:]
	for mask := 1; mask < 1<<len(rest); mask++ {
		points, positive := slices.Clone(places[:positives]), slices.Repeat([]bool{true}, positives)
		for k, z := range rest {
			if mask>>k&1 == 1 {
				points, positive = append(points, z), append(positive, false)
			}
		}
		all++
		parted += oneIf(separableInPlane(points, positive))
	}
	return parted, all
}

func positivesTogetherFinding(scattered bool) Finding {
	var f Finding
	positives := 1 + oneIf(scattered)
	circle := theory.Circle(8)
	if scattered {
		circle[1], circle[4] = circle[4], circle[1] // the second lies opposite the first
	}
	grid := gridPlaces(3)
	grid[0], grid[4] = grid[4], grid[0] // the positives lie in the middle
	onCircle, circles := countParted(circle, positives)
	inPlane, planes := countParted(grid, positives)
	among, amongs := countParted(append([][]float64{circle[0]}, circle...), positives) // a negative may coincide
	measure(&f, circles, "positives on one point of the circle, negatives on some of seven others")
	measure(&f, onCircle, "of these linearly separable")
	measure(&f, amongs, "the same, negatives allowed on the positives' point")
	measure(&f, among, "of these separable")
	measure(&f, planes, "positives in the middle of a 3×3 grid, negatives on some of eight others")
	measure(&f, inPlane, "of these separable")
	f.Number = exactly(planes - inPlane)
	f.Why = "A point of a sphere is an extreme point of all points on it. In the plane it need not be one, and a negative on " +
		"the positives' own point is nowhere parted from them."
	f.Corrected = "On the unit sphere positives on one point are linearly separable from negatives elsewhere."
	f.Counterexample = fmt.Sprintf("positives at the origin, negatives at (−1, 0) and (1, 0): no line parts them (separable: %t)",
		separableInPlane([][]float64{{0, 0}, {-1, 0}, {1, 0}}, []bool{true, false, false}))
	switch {
	case onCircle < circles:
		f.undecide("On the circle %d of %d cases are separable, where a single point always is: the positives do not lie on "+
			"one.", onCircle, circles)
	case inPlane < planes || among < amongs:
		f.conclude(Conditional, "True on the sphere with the positives on one point and no negative there, in all %d cases. "+
			"It fails in %d of %d with the positives in the middle of a grid, and in %d of %d with a negative allowed on their "+
			"point.", circles, planes-inPlane, planes,
			amongs-among, amongs)
	default:
		f.conclude(Holds, "All %d cases are separable.", circles+planes+amongs)
		f.Corrected, f.Counterexample = "", ""
	}
	return f
}
