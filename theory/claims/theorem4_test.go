package claims

import (
	"math"
	"math/big"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestTheorem4Verdict(t *testing.T) {
	c := check(t, Theorem4())
	expect.That(t, c.Verdict == Fails && c.Counterexample != "" && strings.Contains(c.Corrected, "κ∇μ_P") &&
		strings.Contains(c.Sentence, "equal in 9 of 9") &&
		strings.Contains(c.Counterexample, "positives at 0° and 135°, negatives at 45° of the unit circle"),
		"%s; corrected: %s", c, c.Corrected)
	near(t, "number", c.Number.Value, 8.3022, 1e-4)
	for name, want := range map[string]float64{
		"from the ideal gradient, independent views: as near":                     9,
		"from the gradient of SCL, all: farther":                                  0,
		"one labeled example: distance between the two expected gradients":        0,
		"positives at one point: distance between the two expected gradients":     0,
		"largest error of −κ∇μ_P for the difference of the expected gradients":    0,
		"(17), ssCL: distance, z_i as an anchor only, · the inner product over τ": 0,
		"(20), PUCL: the same, without the printed gradient's part along z_i":     0,
		"(21), SCL: distance, z_i as an anchor only, · the inner product over τ":  0,
	} {
		measured(t, c.Finding, name, want, 1e-12)
	}
	for _, name := range []string{
		"from the ideal gradient, views that coincide or may: farther",
		"from the ideal gradient, views that coincide or may: cases of 96 in which PUCL is nearer than ssCL",
		"(17), ssCL: distance, z_i wherever it stands in the loss",
		"(20), PUCL: distance at unlabeled anchors, which (19) and (20) do not exclude",
		"(20), PUCL: distance, z_i as an anchor only, · the cosine over τ as in (3)",
		"(21), SCL: distance, · as in (3) under a further 1/τ, as printed in (15) and (19)",
	} {
		expect.That(t, value(t, c.Finding, name) >= 0.1, "%s is 0", name)
	}
}

// The counterexample by central differences of loops over all batches: the points are moved, without automatic
// differentiation.
func TestTheorem4CounterexampleAgainstLoops(t *testing.T) {
	p := theory.Population{Positive: theory.Uniform(onCircle(0), onCircle(135)), Negative: theory.Uniform(onCircle(45))}
	d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.25, SameView: theory.IdenticalViews}
	bias := func(rule string) float64 {
		sum := 0.0
		for _, atoms := range [][]theory.Atom{p.Positive, p.Negative} {
			for _, a := range atoms {
				for k, x := range a.Z {
					const h = 1e-5
					at := func(x float64) float64 {
						a.Z[k] = x
						ideal, _ := loopIdeal(p, d.Prior, d.Negatives(), 1)
						return loopStudy(p, d, 1, rule).Mean[2] - ideal
					}
					slope := (at(x+h) - at(x-h)) / (2 * h)
					a.Z[k] = x
					sum += slope * slope
				}
			}
		}
		return math.Sqrt(sum)
	}
	first, second := bias("PUCL"), bias("ssCL")
	m := expect.Must(theory.NewMeter(openEngine(t), pucl.PUCL(), 1))(t)
	defer m.Close()
	got := expect.Must(m.GradientBias(p, d))(t)
	near(t, "bias of PUCL's gradient", got, first, 1e-7)
	near(t, "ratio of the biases", first/second, 8.3022, 1e-4) // TestTheorem4Verdict checks that the claim reports it
}

// Compared with an objective that repels instead of attracting, PUCL is always better.
func TestTheorem4VerdictFollowsTheNumbers(t *testing.T) {
	expect.Slow(t)
	repelling := pucl.Objective{Name: "repelling", Repel: pucl.LogPartition, Attract: func(b *pucl.Block) *Node {
		return MulScalar(pucl.MeanSimilarity(b, b.Others), -20)
	}}
	f := theorem4Finding(onBench(t), pucl.PUCL(), repelling)
	expect.That(t, f.Verdict == Holds && f.Corrected == "" && f.Counterexample == "",
		"%s, %s; corrected: %q; counterexample: %q", f.Verdict, f.Sentence, f.Corrected, f.Counterexample)
	for _, tt := range []struct {
		independent, coinciding tally
		want                    Verdict
		says                    string
	}{
		{tally{equal: 9}, tally{lower: 3}, Conditional, "9 of 12"},
		{tally{equal: 9}, tally{equal: 3}, Fails, "larger in 0 of 3"},
		{tally{lower: 9}, tally{lower: 2, larger: 1}, Fails, "larger in 1 of 3"},
	} {
		theorem4Judge(&f, gradientStudy{independent: tt.independent, coinciding: tt.coinciding})
		expect.That(t, f.Verdict == tt.want && strings.Contains(f.Sentence, tt.says),
			"%+v: %s, %s", tt, f.Verdict, f.Sentence)
	}
}

// With one labeled example κ = 0 although views coincide: the biases are equal, while 2⟨B, ∇μ_P⟩ > κ|∇μ_P|² = 0 would
// predict that PUCL's is lower.
func TestTheorem4OneLabeled(t *testing.T) {
	world := theory.Population{Positive: theory.Uniform([]float64{1, 0}, []float64{0, 1}), Negative: theory.Uniform([]float64{-1, -1})}
	d := theory.Design{Labeled: 1, Unlabeled: 2, Prior: 0.25, SameView: theory.IdenticalViews}
	near(t, "κ", Theorem4Factor(d), 0, 0)
	proximity := pucl.Objective{Name: "similarity", Attract: pucl.OwnViews, Repel: pucl.Nothing}
	meters := metersOf(t, pucl.PUCL(), pucl.SSCL(), pucl.SCL(), proximity)
	s := gradientStudy{on: &subject{}}
	s.add(meters, contrastCase{world, d})
	expect.That(t, s.coinciding == (tally{equal: 1}) && s.criterion == 0,
		"%+v, criterion off in %d", s.coinciding, s.criterion)
	var f Finding
	theorem4Judge(&f, gradientStudy{})
	expect.That(t, strings.Contains(f.Corrected, "κ = 0 (independent views, or m ≤ 1)"), "corrected: %q", f.Corrected)
	f = Finding{}
	theorem4Judge(&f, gradientStudy{smaller: 0.1})
	expect.That(t, f.Corrected == "",
		"corrected, though one labeled example tells the gradients apart: %q", f.Corrected)
}

func TestTheorem4Factor(t *testing.T) {
	near(t, "two of three, identical views", Theorem4Factor(theory.Design{Labeled: 2, Unlabeled: 1, SameView: 1}), 4.0/9, 1e-15)
	near(t, "independent views", Theorem4Factor(theory.Design{Labeled: 2, Unlabeled: 1}), 0, 0)
	near(t, "nothing labeled", Theorem4Factor(theory.Design{Unlabeled: 1, SameView: 1}), 0, 0)
}

// Three rows on a line, the anchor at 1, another at 1 and one at −1, τ = 1. With P = e/(e + e⁻¹) for the first,
// attracted to it alone, the derivative is −[1 − P + (1 − P)] = −2(1−P).
func TestPrintedGradientByHand(t *testing.T) {
	z := [][]float64{{1}, {1}, {-1}}
	p := math.E / (math.E + 1/math.E)
	near(t, "slope", PrintedGradient(z, 0, []int{1}, 1)[0], -2*(1-p), 1e-15)
	// Attracted to both, −[1·(½ − P) − 1·(½ − (1−P))] = 2P − 1; at τ = ½ with P = e²/(e² + e⁻²), twice that.
	near(t, "slope, two", PrintedGradient(z, 0, []int{1, 2}, 1)[0], 2*p-1, 1e-15)
	p = math.Exp(2) / (math.Exp(2) + math.Exp(-2))
	near(t, "slope, two, τ = ½", PrintedGradient(z, 0, []int{1, 2}, 0.5)[0], 2*(2*p-1), 1e-15)
}

func TestTheorem4RepairedVerdict(t *testing.T) {
	c := checkAs(t, Holds, Theorem4Repaired())
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

// Two unlabeled examples of identical views, π = ½: P is 0, 1, 2 with probability ¼, ½, ¼, and f(2) = 4/3.
func TestTheorem4Supervised(t *testing.T) {
	positive, negative := Theorem4Supervised(theory.Design{Unlabeled: 2, Prior: 0.5, SameView: theory.IdenticalViews})
	near(t, "C_P", positive, 1.0/6, 1e-15)
	near(t, "C_N", negative, 1.0/6, 1e-15)
	d := theory.Design{Labeled: 3, Prior: 0.5, SameView: 0.5}
	positive, negative = Theorem4Supervised(d)
	near(t, "C_P without unlabeled examples", positive, Theorem4Factor(d), 1e-15)
	near(t, "C_N without unlabeled examples", negative, 0, 0)
	broken, even, cases := supervisedGrid(whole(1), whole(1))
	expect.That(t, broken <= 0 && even != 0 && cases != 0, "%d of %d broken, %d equal", broken, cases, even)
	if broken, _, _ := supervisedGrid(big.NewRat(65, 64), whole(1)); broken == 0 {
		t.Error("a larger κ is not noticed")
	}
}

func TestTheorem4VarianceVerdict(t *testing.T) {
	c := checkAs(t, Holds, Theorem4Variance())
	expect.That(t, c.Number.Value > 0 && c.Number.Value < 1, "%s", c)
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

// PUCL against itself: the covariances and the means are equal.
func TestCovarianceGapOfOneObjective(t *testing.T) {
	again := pucl.PUCL()
	again.Name = "PUCL again"
	meters := metersOf(t, pucl.PUCL(), again)
	c := contrastCase{randomPlanes(1, 3)[0], theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}}
	gap, traces := covarianceGap(meters, c)
	near(t, "eigenvalue", theory.LeastEigenvalue(gap), 0, 1e-15)
	near(t, "traces", traces[0]-traces[1], 0, 0)
	near(t, "distance", distance(meters, c), 0, 0)
}
