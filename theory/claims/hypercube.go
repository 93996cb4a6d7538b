package claims

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Hypercube returns the claim of the captions of Figures 2 and 7. It is about the placements of four objects, a blue
// and a red triangle and a blue and a red circle, on the corners of a square. ssCL prefers the four placements in which
// objects of one shape are neighbors. PUCL prefers only those of them in which objects of one color are neighbors too.
//
// The captions leave much open, so the check runs the objectives in all readings, see [HypercubeReadings]. Readings
// differ in corners {0,1}² or {±1}², cosines or plain inner products, the definition of the two views of an object, the
// labeled blue objects, and whether the blue triangle stays at (0, 1).
func Hypercube() Claim {
	return Claim{
		ID: "hypercube",
		Statement: "With four objects, two shapes in two colors, on the corners of the unit square and the blue triangle " +
			"at (0, 1), ssCL is least in the four placements where objects of one shape are neighbors, and PUCL only in " +
			"such of the four as keep objects of one color together as well.",
		LaTeX: `\operatorname{argmin} \mathcal{L}_{\text{PUCL}} \subseteq \operatorname{argmin} \mathcal{L}_{\text{ssCL}} \cap ` +
			`\operatorname{argmin} \mathcal{L}_{\text{SCL}}, \qquad |\operatorname{argmin} \mathcal{L}_{\text{ssCL}}| = 4`,
		Source: "Contrastive Positive Unlabeled Learning, Figures 2 and 7, appendix A.5.2",
		Assumptions: []string{
			"the feature is the shape (x = 1 triangle, x = 0 circle), the label the color (y = 1 blue, y = 0 red; Figure " +
				"2 prints y = 1 for both)",
			"each object on a corner of its own, the blue triangle at (0, 1)",
			"objects with x_i = x_j are similar; blue objects are the labeled positives",
		},
		rests: grounds{objectives: []string{"ssCL", "PUCL", "SCL"}, assumptions: []string{labelsByColor}},
		check: func(s *subject) Finding {
			readings := hypercubeReadings(s, 0.5, Placements())
			cold := hypercubeReadings(s, 0.1, Placements()[:fixedPlacements])
			return hypercubeFinding(readings, cold, captionPlacements)
		},
	}
}

// Placement holds the corner of each object: the blue triangle, the red triangle, the blue circle and the red circle,
// in this order. Corners are numbered round the square from (0, 1) on: 0 is (0, 1), 1 is (1, 1), 2 is (1, 0), 3 is (0,
// 0).
type Placement [4]int

// The objects of a placement.
const (
	BlueTriangle = iota
	RedTriangle
	BlueCircle
	RedCircle
)

// Placements lists all 24 placements, first the six with the blue triangle at (0, 1).
func Placements() []Placement {
	var all []Placement
	for bt := range 4 {
		for rt := range 4 {
			for bc := range 4 {
				if rt != bt && bc != bt && bc != rt {
					all = append(all, Placement{bt, rt, bc, 6 - bt - rt - bc})
				}
			}
		}
	}
	return all
}

// fixedPlacements is the number of Placements with the blue triangle at (0, 1).
const fixedPlacements = 6

// Neighbors reports whether two objects lie on neighboring corners, not on opposite ones.
func (p Placement) Neighbors(a, b int) bool { return (p[a]-p[b])%2 != 0 }

// ShapesTogether reports whether objects of one shape are neighbors. If one pair is, so is the other.
func (p Placement) ShapesTogether() bool { return p.Neighbors(BlueTriangle, RedTriangle) }

// ColorsTogether reports whether objects of one color are neighbors.
func (p Placement) ColorsTogether() bool { return p.Neighbors(BlueTriangle, BlueCircle) }

// captionPlacements reports whether, by the captions, a placement is best for ssCL, for PUCL and for SCL.
func captionPlacements(p Placement) (ssCL, puCL, scl bool) {
	return p.ShapesTogether(), p.ShapesTogether() && p.ColorsTogether(), p.ColorsTogether()
}

// leastPlacements reports which losses are smallest, up to rounding. It ends the check if one is NaN.
func leastPlacements(losses []float64) []bool {
	best := lists.Map(losses, func(l float64) bool { return l <= slices.Min(losses)+contrastTolerance })
	if !slices.Contains(best, true) {
		must.Fail("the losses %g of the placements are not all numbers", losses)
	}
	return best
}

// caption reports whether a placement is best for ssCL, for PUCL and for SCL.
type caption func(Placement) (ssCL, puCL, scl bool)

// hypercubeOutcome is the result of one reading for some placements, and its agreement with a caption.
type hypercubeOutcome struct {
	ssCL, puCL, scl int // how many placements are best

	printedSSCL, printedSCL bool // they equal the placements of the caption
	printedPUCL, allPUCL    bool // a subset of the caption's placements; all of them
	intersection            bool // the best of PUCL are the placements that are best for both ssCL and SCL
}

// outcome evaluates the first placements of the reading.
func (r HypercubeReading) outcome(placements []Placement, c caption) hypercubeOutcome {
	n := len(placements)
	ssCL, puCL, scl := leastPlacements(r.SSCL[:n]), leastPlacements(r.PUCL[:n]), leastPlacements(r.SCL[:n])
	o := hypercubeOutcome{printedSSCL: true, printedSCL: true, printedPUCL: true, allPUCL: true, intersection: true}
	for i, p := range placements {
		wantSSCL, wantPUCL, wantSCL := c(p)
		o.ssCL, o.puCL, o.scl = o.ssCL+oneIf(ssCL[i]), o.puCL+oneIf(puCL[i]), o.scl+oneIf(scl[i])
		o.printedSSCL = o.printedSSCL && ssCL[i] == wantSSCL
		o.printedSCL = o.printedSCL && scl[i] == wantSCL
		o.printedPUCL = o.printedPUCL && (wantPUCL || !puCL[i])
		o.allPUCL = o.allPUCL && (puCL[i] || !wantPUCL)
		o.intersection = o.intersection && puCL[i] == (ssCL[i] && scl[i])
	}
	return o
}

// printed reports whether the outcome agrees with the caption.
func (o hypercubeOutcome) printed() bool { return o.printedSSCL && o.printedPUCL }

// hypercubeFinding compares the best placements of all readings with a caption; cold are the same readings at a fifth
// of the temperature.
func hypercubeFinding(readings, cold []HypercubeReading, c caption) Finding {
	var f Finding
	placements := Placements()
	fixed := placements[:fixedPlacements]
	var comesOut []HypercubeReading
	names := []string{
		"readings in which ssCL is least as printed",
		"readings in which PUCL is least in placements printed only",
		"readings in which the caption comes out and PUCL is least in all placements printed",
		"readings in which the caption comes out for all 24 placements",
		"readings in which SCL is least where colors are together",
		"readings in which PUCL is least where both ssCL and SCL are",
		"readings with another outcome at a fifth of the temperature",
	}
	tally := make([]int, len(names))
	for i, r := range readings {
		o, all := r.outcome(fixed, c), r.outcome(placements, c)
		if o.printed() {
			comesOut = append(comesOut, r)
		}
		for k, yes := range []bool{
			o.printedSSCL, o.printedPUCL, o.printed() && o.allPUCL, all.printed(), o.printedSCL, o.intersection,
			cold[i].outcome(fixed, c) != o,
		} {
			tally[k] += oneIf(yes)
		}
		f.detail("%s: of 6 placements %d are best for ssCL%s, %d for PUCL%s, %d for SCL%s; of all 24 %d, %d and %d", r,
			o.ssCL, asPrinted(o.printedSSCL), o.puCL, asPrinted(o.printedPUCL), o.scl, asPrinted(o.printedSCL), all.ssCL,
			all.puCL, all.scl)
	}
	total := len(readings)
	f.Number = exactly(float64(len(comesOut)))
	measure(&f, total, "readings")
	measure(&f, f.Number.Value, "readings in which the caption comes out")
	for k, name := range names {
		measure(&f, tally[k], "%s", name)
	}
	f.detail("(0, 0) has no direction: its cosine with everything counts as 0, as in package pucl. Plain inner products are " +
		"run as cosines of vectors with one more coordinate for each row, chosen so that the cosine is half the inner product")
	f.detail("with labels by row and only one blue object labeled, no other labeled row is there to attract it, and (6) " +
		"is not defined; that reading is left out")
	f.detail("placing similar objects next to each other maximises their inner product; the text says that it minimises it")
	f.Why = "All corners are taken in every placement, so where each object shows equally many rows the log partition is " +
		"the same for all, and attraction decides. If both views of an object are the object itself, ssCL attracts " +
		"nothing else and all placements are equal; if the other object of its shape is its view, the two pairs of a " +
		"shape are nearer in sum when they are neighbors. PUCL pulls labeled rows to labeled rows in place of their " +
		"views, and keeps shapes together only through unlabeled rows. If labels belong to examples, all views of " +
		"labeled examples attract each other, and what remains is what ssCL has."
	switch {
	case len(comesOut) == total:
		f.conclude(Holds, "The caption comes out in all %.0f readings.", f.Number.Value)
		return f
	case len(comesOut) > 0:
		f.conclude(Conditional, "The caption is true in %.0f of %d readings, all with these choices: %s. In %d of them PUCL "+
			"is least in all placements that keep shapes and colors together.", f.Number.Value, total,
			commonChoices(comesOut), tally[2])
		f.Corrected = "with these readings, " + commonChoices(comesOut) + ", ssCL is least in the four placements with shapes " +
			"together, and PUCL only where colors are together as well"
		f.CorrectedLaTeX = `\operatorname{argmin} \mathcal{L}_{\text{PUCL}} \subseteq \operatorname{argmin} ` +
			`\mathcal{L}_{\text{ssCL}} \cap \operatorname{argmin} \mathcal{L}_{\text{SCL}}`
	default:
		f.conclude(Fails, "The caption comes out in %.0f of %d readings.", f.Number.Value, total)
	}
	// The simplest reading that disagrees with the caption.
	for _, r := range readings {
		o, ssCL, puCL := r.outcome(fixed, c), r.SSCL[:fixedPlacements], r.PUCL[:fixedPlacements]
		if !o.printed() {
			f.Counterexample = fmt.Sprintf("%s, τ = %g: %d of 6 placements are best for ssCL, which goes from %.6f to "+
				"%.6f, and %d for PUCL, which goes from %.6f to %.6f", r, r.Temperature, o.ssCL, slices.Min(ssCL),
				slices.Max(ssCL), o.puCL, slices.Min(puCL), slices.Max(puCL))
			break
		}
	}
	return f
}

func asPrinted(yes bool) string {
	if yes {
		return " (as printed)"
	}
	return ""
}
