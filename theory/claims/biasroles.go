package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// BiasBySupervision returns the claim that the bias of SCL-PU grows as fewer examples are labeled, as the paper reads
// Theorem 1.
//
// The formula of Theorem 1 falls with γ, and so does the corresponding part of the attraction's bias. The bias of the
// loss behaves differently: labels raise the fraction of positive anchors above that of the population, and rows of the
// anchor's class stay in log Z.
func BiasBySupervision() Claim {
	return Claim{
		ID:        "bias-supervision",
		Statement: "The bias of L_SCL-PU (5) for L*_CL becomes more pronounced as the level of supervision γ falls.",
		LaTeX: `\gamma_1 \geq \gamma_2 \ \Rightarrow\ |\mathbb{E}[\mathcal{L}_{\text{SCL-PU}}](\gamma_1) - \mathcal{L}^*| ` +
			`\leq |\mathbb{E}[\mathcal{L}_{\text{SCL-PU}}](\gamma_2) - \mathcal{L}^*|`,
		Source: "Contrastive Positive Unlabeled Learning, section 2.2 above Theorem 1; section 3, role of γ (\"aligning " +
			"with Theorem 1\")",
		Assumptions: []string{
			"unlabeled examples stay as many while labeled ones are added, as in the paper's experiment; independent views; N " +
				"= 2b − 2",
		},
		rests: grounds{objectives: []string{"SCL-PU"}, assumptions: []string{"independent views"}, constants: []string{"group"}},
		check: biasBySupervisionFinding,
	}
}

func biasBySupervisionFinding(s *subject) Finding {
	var f Finding
	o, same, factor := s.objective(pucl.SCLPU()), viewsOf(s), s.constant("group", 1)
	m := s.meters(1, o)[0]
	worlds := append([]theory.Population{TwoPoints()}, randomPlanes(2, 10)...)
	steps, grows, groupGrows, off, largest := 0, 0, 0, 0.0, 0.0
	for k, world := range worlds {
		before, groupBefore := math.NaN(), math.NaN()
		for labeled := range 3 {
			d := theory.Design{Labeled: labeled, Unlabeled: 2, Prior: 0.5, SameView: same}
			r := must.Get(m.Exact(world, d))
			mix, group := theorem1Parts(world, d, 1)
			off = farther(off, r.AttractionBias().Value-mix-factor*group)
			if k == 0 {
				measure(&f, r.Bias.Value, "classes at ±1, π = ½, u = 2, m = %d: bias of the loss", labeled)
			}
			if labeled > 0 {
				steps++
				rise := math.Abs(r.Bias.Value) - before
				grows += oneIf(rise > contrastTolerance)
				groupGrows += oneIf(math.Abs(group)-groupBefore > contrastTolerance)
				if rise > largest {
					largest = rise
					f.Counterexample = fmt.Sprintf("positives at %v, negatives at %v, π = ½, τ = 1, two unlabeled examples: "+
						"the bias of the loss is %.6f with %d labeled ones and %+.6f with %d", theory.Points(world.Positive), theory.Points(world.Negative),
						math.Copysign(before, r.Bias.Value),
						labeled-1, r.Bias.Value, labeled)
				}
			}
			before, groupBefore = math.Abs(r.Bias.Value), math.Abs(group)
		}
	}
	off = math.Abs(off)
	measure(&f, steps, "steps of one more labeled example")
	measure(&f, grows, "steps in which |bias| of the loss grows")
	measure(&f, groupGrows, "steps in which the part of the attraction's bias that Theorem 1 stands for grows")
	measure(&f, largest, "largest growth of |bias|")
	measure(&f, off, "largest error of the corrected formula for the attraction")
	f.Number = exactly(grows)
	f.Why = "The part of the attraction's bias that pulls unlabeled positives to negatives comes with the share 1/(1+γ) of " +
		"unlabeled anchors, which falls. But the share of positives among the anchors, (γ+π)/(1+γ), moves away from π, and so " +
		"does that among the rows in log Z."
	f.Corrected = "Of the attraction's bias the part 1/(1+γ)·(2u−2)/(2u−1)·π(1−π)[2μ_PN − (μ_P + μ_N)] falls in size as " +
		"labeled examples are added."
	f.CorrectedLaTeX = `\frac{1}{1+\gamma}\,\frac{2u-2}{2u-1}\,\pi(1-\pi)\left|2\mu_{PN} - \mu_P - \mu_N\right| \ \text{falls with } \gamma`
	switch {
	case exceeds(off, contrastTolerance) || groupGrows > 0:
		f.undecide("The bias of the attraction is up to %.4g off the formula: these are not independent views, or not the "+
			"formula.", off)
	case grows > 0:
		f.conclude(Fails, "In %d of %d steps of one more labeled example the bias of the loss grows, by up to %.4f nats; the "+
			"part of the attraction's bias that Theorem 1 stands for grows in %d.", grows, steps, largest, groupGrows)
	default:
		f.conclude(Holds, "The bias does not grow in any of %d steps of one more labeled example.", steps)
		f.Corrected, f.CorrectedLaTeX = "", ""
	}
	return f
}
