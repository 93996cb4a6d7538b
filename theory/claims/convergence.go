package claims

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// VarianceConvergence returns the claim that PUCL converges faster because several labeled positives lower the
// variance.
//
// Under independent views the gradients of PUCL and ssCL have the same mean, so that only their variance can make a
// difference. The check takes a step on every batch of small populations, and measures the expected loss after it. A
// smaller variance gives a smaller loss if the loss is convex in the affected directions.
func VarianceConvergence() Claim {
	return Claim{
		ID: "variance-convergence",
		Statement: "That PUCL converges better than ssCL is due to the lower variance that several labeled positives bring: " +
			"after a step of gradient descent its expected loss is lower.",
		LaTeX: `\mathbb{E}\,\mathcal{L}(\theta - \eta\,\nabla\mathcal{L}_{\text{PUCL}}) \leq \mathbb{E}\,\mathcal{L}(\theta - ` +
			`\eta\,\nabla\mathcal{L}_{\text{ssCL}})`,
		Source: "Contrastive Positive Unlabeled Learning, appendix A.5.3 (above Theorem 4)",
		Assumptions: []string{
			"views are independent draws of their example's class, so that both losses have one mean; two labeled examples " +
				"and an unlabeled one",
			"the step is taken in the points of the population, from random places",
		},
		rests: grounds{objectives: []string{"PUCL", "ssCL"}, assumptions: []string{"independent views"}},
		check: varianceConvergenceFinding,
	}
}

// weightedBatch is a batch with its probability, and the atom of each row.
type weightedBatch struct {
	atoms []int
	p     float64
}

// smallBatches lists the batches of two labeled examples and an unlabeled one, positive with probability ½, of a
// population with two equally likely positive atoms, 0 and 1, and one negative, 2. The views are independent, or
// identical. Batches that differ in the order of views or of labeled examples count as one, since the losses here are
// invariant under it.
func smallBatches(independent bool) []weightedBatch {
	type example struct {
		first, second int
		p             float64
	}
	positive := []example{{0, 0, 0.25}, {0, 1, 0.5}, {1, 1, 0.25}}
	if !independent {
		positive = []example{{0, 0, 0.5}, {1, 1, 0.5}}
	}
	unlabeled := append(lists.Map(positive, func(e example) example { return example{e.first, e.second, e.p / 2} }), example{2, 2, 0.5})
	var all []weightedBatch
	for i, x := range positive {
		for j, y := range positive[:i+1] {
			for _, z := range unlabeled {
				p := x.p * y.p * z.p * float64(1+oneIf(j < i))
				all = append(all, weightedBatch{[]int{x.first, y.first, z.first, x.second, y.second, z.second}, p})
			}
		}
	}
	return all
}

// varianceConvergenceFinding compares the two losses on random populations.
func varianceConvergenceFinding(s *subject) Finding {
	var f Finding
	objectives := []pucl.Objective{s.objective(pucl.PUCL()), s.objective(pucl.SSCL())}
	batches := smallBatches(s.assumes("independent views"))
	rng := rand.New(rand.NewPCG(9, 0x51))
	worlds := lists.Make(30, func(int) [][]float64 {
		return theory.Directions(lists.Make(3, func(int) float64 { return 360 * rng.Float64() })...)
	})
	labeled, rates := []bool{true, true, false}, []float64{0.1, 1}
	rowsOf := func(points [][]float64, b weightedBatch) [][]float64 {
		return lists.Map(b.atoms, func(atom int) []float64 { return points[atom] })
	}
	var given []theory.GivenBatch
	for _, points := range worlds {
		for _, b := range batches {
			given = append(given, theory.GivenBatch{Z: rowsOf(points, b), Labeled: labeled, Class: []int32{1, 1, 1}})
		}
	}
	means, variances := make([][][]float64, 2), make([][]float64, 2) // by objective and world
	var after [][][]float64                                          // batches after every step
	for k, o := range objectives {
		slopes := slopesOf(s.eng, o, given, 1).byRow
		for w, points := range worlds {
			steps := make([][]float64, len(batches)) // gradients in the points, flat
			mean := make([]float64, 6)
			for i, b := range batches {
				steps[i] = make([]float64, 6)
				for row, atom := range b.atoms {
					floats.Add(steps[i][2*atom:2*atom+2], slopes[w*len(batches)+i][row])
				}
				floats.AddScaled(mean, b.p, steps[i])
			}
			spread := 0.0
			for i, b := range batches {
				d := floats.Distance(steps[i], mean, 2)
				spread += b.p * d * d
			}
			means[k], variances[k] = append(means[k], mean), append(variances[k], spread)
			for _, rate := range rates {
				for _, step := range steps {
					moved := slices.Collect(slices.Chunk(floats.AddScaledTo(make([]float64, 6), slices.Concat(points...), -rate,
						step), 2))
					for _, b := range batches {
						after = append(after, rowsOf(moved, b))
					}
				}
			}
		}
	}
	losses := must.Get(theory.AnchorLosses(s.eng, objectives[1], after, labeled, nil, 1))
	expected := func(at int) (sum float64) { // over steps and batches, the first of which has index at
		for i, step := range batches {
			for j, b := range batches {
				sum += step.p * b.p * rowMean(losses[at+i*len(batches)+j])
			}
		}
		return sum
	}
	meanOff, cases, lower, varies, gain, loss := 0.0, 0, 0, 0, 0.0, 0.0
	size := len(batches) * len(batches)
	for w := range worlds {
		meanOff = max(meanOff, floats.Distance(means[0][w], means[1][w], 2))
		varies += oneIf(variances[0][w] < variances[1][w])
		for r, rate := range rates {
			puCL, ssCL := expected((w*len(rates)+r)*size), expected(((len(worlds)+w)*len(rates)+r)*size)
			cases++
			lower += oneIf(puCL < ssCL)
			gain = max(gain, ssCL-puCL)
			if puCL-ssCL > loss {
				loss = puCL - ssCL
				f.Counterexample = fmt.Sprintf("positives at %.4f and %.4f, a negative at %.4f, two labeled examples and an "+
					"unlabeled one, π = ½, τ = 1, a step of %g: the expected loss is %.7f after PUCL's step and %.7f after "+
					"ssCL's, though the variance of the gradient is %.5f against %.5f",
					worlds[w][0], worlds[w][1], worlds[w][2], rate, puCL, ssCL, variances[0][w], variances[1][w])
			}
		}
	}
	measure(&f, cases, "cases of a world and a step")
	measure(&f, lower, "cases in which the expected loss is lower after PUCL's step")
	measure(&f, gain, "largest gain in expected loss by PUCL's step")
	measure(&f, loss, "largest loss by it")
	measure(&f, varies, "worlds of %d in which PUCL's gradient varies less", len(worlds))
	measure(&f, meanOff, "largest distance of the mean gradients")
	f.Number = exactly(lower)
	f.Why = "With one mean g of the gradient and covariance C, the loss after a step is L − η|g|² + η²/2·(gᵀHg + tr HC) to " +
		"second order, H being the Hessian. Cov(∇PUCL) ⪯ Cov(∇ssCL) (theorem-4-variance), so that tr HC is smaller for PUCL " +
		"where H is positive on what is saved."
	f.Corrected = "Under independent views the two gradients have one mean, and PUCL's the smaller covariance; its step " +
		"leaves the lower expected loss where tr H(Cov(∇ssCL) − Cov(∇PUCL)) > 0, which a loss with positive curvature makes " +
		"sure of."
	switch {
	case exceeds(meanOff, contrastTolerance) || varies < len(worlds):
		f.undecide("The mean gradients differ by up to %.4g, and PUCL's varies less in %d of %d worlds: the views are not "+
			"independent, and more than the variance differs.", meanOff, varies, len(worlds))
	case lower == cases:
		f.conclude(Holds, "The mean gradients are the same, PUCL's varies less in all %d worlds, and after its step the "+
			"expected loss is lower in all %d cases, by up to %.4f.", varies, cases, gain)
	default:
		f.conclude(Conditional, "The mean gradients are the same and PUCL's varies less in all %d worlds; after its step the "+
			"expected loss is lower in %d of %d cases, and higher in the others, by up to %.4f.", varies, lower, cases, loss)
	}
	return f
}
