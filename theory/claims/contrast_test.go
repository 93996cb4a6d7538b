package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Plain loops over all batches, which share nothing with the claims: every class, first view and second view of every
// example in turn.

// looped holds mean and variance of attraction, log partition and loss.
type looped struct{ mean, variance [3]float64 }

// attracts says for two rows of an example each whether the first is attracted to the second, by their examples, labels and
// classes.
type attracts func(sameExample, labeledI, labeledJ, sameClass bool) bool

var loopRules = map[string]attracts{
	"ssCL":   func(own, _, _, _ bool) bool { return own },
	"PUCL":   func(own, i, j, _ bool) bool { return i && j || own },
	"SCL-PU": func(_, i, j, _ bool) bool { return i == j },
}

// hidden returns the share of positives among the unlabeled.
func hidden(d theory.Design) float64 {
	if d.Scheme == theory.SingleDataset {
		return (d.Prior - d.Prior*d.LabelRate) / (1 - d.Prior*d.LabelRate)
	}
	return d.Prior
}

// loopSimilarity returns the cosine over τ.
func loopSimilarity(a, b []float64, tau float64) float64 {
	var ab, aa, bb float64
	for k := range a {
		ab, aa, bb = ab+a[k]*b[k], aa+a[k]*a[k], bb+b[k]*b[k]
	}
	return ab / math.Sqrt(aa*bb) / tau
}

func loopStudy(p theory.Population, d theory.Design, tau float64, rule attracts) looped {
	b := d.Labeled + d.Unlabeled
	atoms := append(append([]theory.Atom(nil), p.Positive...), p.Negative...)
	sim := make([][]float64, len(atoms))
	for i := range atoms {
		for j := range atoms {
			sim[i] = append(sim[i], loopSimilarity(atoms[i].Z, atoms[j].Z, tau))
		}
	}
	rows, positive := make([]int, 2*b), make([]bool, b)
	var first, second [3]float64
	var example func(e int, weight float64)
	score := func(weight float64) {
		attraction, partition := 0.0, 0.0
		for i := range rows {
			z, sum, count := 0.0, 0.0, 0.0
			for j := range rows {
				if j == i {
					continue
				}
				s := sim[rows[i]][rows[j]]
				z += math.Exp(s)
				if rule(i%b == j%b, i%b < d.Labeled, j%b < d.Labeled, positive[i%b] == positive[j%b]) {
					sum, count = sum+s, count+1
				}
			}
			attraction += sum / count
			partition += math.Log(z)
		}
		n := float64(2 * b)
		for k, x := range []float64{attraction / n, partition / n, (partition - attraction) / n} {
			first[k] += weight * x
			second[k] += weight * x * x
		}
	}
	example = func(e int, weight float64) {
		if e == b {
			score(weight)
			return
		}
		for _, class := range []bool{true, false} {
			share, own, from := 1.0, p.Positive, 0
			if !class {
				own, from = p.Negative, len(p.Positive)
			}
			switch {
			case e < d.Labeled && !class:
				continue
			case e >= d.Labeled && class:
				share = hidden(d)
			case e >= d.Labeled:
				share = 1 - hidden(d)
			}
			positive[e] = class
			for i, a := range own {
				for j, c := range own {
					p := a.P * c.P * (1 - d.SameView)
					if i == j {
						p += a.P * d.SameView
					}
					if p > 0 {
						rows[e], rows[b+e] = from+i, from+j
						example(e+1, weight*share*p)
					}
				}
			}
		}
	}
	example(0, 1)
	var l looped
	for k := range first {
		l.mean[k], l.variance[k] = first[k], second[k]-first[k]*first[k]
	}
	return l
}

// loopIdeal returns the ideal loss (3) and its attraction, each negative drawn in turn.
func loopIdeal(p theory.Population, prior float64, negatives int, tau float64) (loss, attraction float64) {
	for _, side := range []struct {
		own, other []theory.Atom
		share      float64
	}{{p.Positive, p.Negative, prior}, {p.Negative, p.Positive, 1 - prior}} {
		for _, i := range side.own {
			for _, j := range side.own {
				own := loopSimilarity(i.Z, j.Z, tau)
				weight := side.share * i.P * j.P
				attraction += weight * own
				var draw func(left int, weight, z float64)
				draw = func(left int, weight, z float64) {
					if left == 0 {
						loss += weight * (math.Log(z) - own)
						return
					}
					for _, k := range side.other {
						draw(left-1, weight*k.P, z+math.Exp(loopSimilarity(i.Z, k.Z, tau)))
					}
				}
				draw(negatives, weight, math.Exp(own))
			}
		}
	}
	return loss, attraction
}

// The worlds that claims go over must not be special: no class is one point, none is symmetric.
func TestRandomPlanesAreOrdinary(t *testing.T) {
	for k, p := range randomPlanes(4, 1) {
		expect.NoError(t, p.Validate())
		positive, negative := expect.Must2(p.PairVariance(1))(t)
		for _, v := range []theory.PairVariance{positive, negative} {
			expect.That(t, v.Linear >= 1e-4 && v.Rest >= 1e-3, "world %d: %+v", k, v)
		}
	}
	expect.That(t, fmt.Sprint(randomPlanes(2, 1)) != fmt.Sprint(randomPlanes(2, 2)), "the seed does not count")
}

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// NaN, of which every comparison is false, must not count for a claim.
func TestComparisonsWithNaN(t *testing.T) {
	nan := math.NaN()
	for what, wrong := range map[string]bool{
		"NaN does not exceed a limit":   !exceeds(nan, 1),
		"nothing exceeds a limit NaN":   !exceeds(0, nan),
		"NaN agrees":                    agree(nan, 0) || agree(0, nan) || agree(nan, nan),
		"NaN fades":                     fades(1, nan) || fades(nan, 0),
		"NaN vanishes":                  vanishes(1, nan) || vanishes(nan, 0),
		"NaN is lost as the farthest":   !math.IsNaN(farther(nan, 1)) || !math.IsNaN(farther(1, nan)),
		"1 does not exceed 0":           !exceeds(1, 0) || exceeds(0, 0),
		"equal numbers do not agree":    !agree(1, 1) || agree(1, 1.1),
		"the farther number is another": farther(-2, 1) != -2 || farther(1, -2) != -2,
	} {
		expect.That(t, !wrong, "%v", what)
	}
	var e seedingExtreme
	e.meet(nan, nil, 0, 0)
	e.meet(1, nil, 0, 0)
	expect.That(t, math.IsNaN(e.ratio), "the largest ratio of NaN and 1 is %g", e.ratio)
}

// A number that is not finite leaves a claim undecided, whatever verdict its check came to.
func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, x := range notFinite {
		for what, f := range map[string]Finding{
			`"number"`: {Verdict: Holds, Number: theory.Exactly(x)},
			`"gap"`:    {Verdict: Fails, Measured: []Measurement{{"sound", theory.Exactly(0)}, {"gap", theory.Number{Value: 1, Low: x, High: 2}}}},
		} {
			c, err := Claim{ID: "x", check: func(*subject) Finding { return f }}.Check(nil)
			wantError(t, what, err, what, "nothing is decided", "must be finite")
			expect.That(t, c.Verdict == Undecided, "%s: verdict %s", what, c.Verdict)
		}
	}
}

// Formulas and objectives that give NaN or infinity leave the claims that are checked with them undecided.
func TestClaimsOnNumbersThatAreNotFinite(t *testing.T) {
	expect.Slow(t)
	nan := math.NaN()
	for what, check := range map[string]func(*subject) Finding{
		"infonce-mi, ∞": func(*subject) Finding { return infoNCEFinding(onCounts(), func(int) float64 { return math.Inf(1) }) },
		"infonce-mi":    func(*subject) Finding { return infoNCEFinding(onCounts(), func(int) float64 { return nan }) },
		"dcl-limit": func(*subject) Finding {
			return dclLimitFinding(onBench(t), func(float64, float64, float64) float64 { return nan })
		},
		"lpos-limit": func(*subject) Finding {
			return lposLimitFinding(onCounts(), func(theory.Anchor, float64) float64 { return nan })
		},
		"theorem-1": func(*subject) Finding {
			return theorem1Finding(onBench(t), func(theory.Population, theory.Design, float64) (float64, error) { return nan, nil })
		},
		"theorem-2-variance": func(*subject) Finding {
			return theorem2VarianceFinding(onBench(t), func(theory.PairVariance, theory.Design, int) float64 { return nan })
		},
	} {
		c, err := Claim{ID: what, check: check}.Check(openEngine(t))
		expect.That(t, err != nil && strings.Contains(err.Error(), "finite") && c.Verdict == Undecided,
			"%s: %s, %v", what, c.Verdict, err)
	}
	placements := func() (err error) {
		defer must.Catch(&err)
		leastPlacements([]float64{1, nan, 2})
		return nil
	}
	wantError(t, "placements", placements(), "not all numbers")
	var counts tally
	compare := func() (err error) {
		defer must.Catch(&err)
		counts.add(nan, 1)
		return nil
	}
	wantError(t, "gradient biases", compare(), "cannot be compared")
}
