package theory_test

import (
	"fmt"
	"log"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Two views equal to one of two values. A perfect critic cannot distinguish a negative that equals the positive, as
// half of them do. The loss is ½ log 2, and log 2 − ½ log 2 stays below the information, log 2.
func ExampleCriticLoss() {
	views := theory.Joint{{0.5, 0}, {0, 0.5}}
	loss, err := theory.CriticLoss(views, views.LogRatio(), 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("information %.4f\n", views.MutualInformation())
	fmt.Printf("bound       %.4f\n", math.Ln2-loss)
	// Output:
	// information 0.6931
	// bound       0.3466
}

// The number of heads in tosses of three coins.
func ExampleExpectCounts() {
	heads, err := theory.ExpectCounts([]float64{0.5, 0.5}, 3, func(counts []int) float64 { return float64(counts[0]) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(heads)
	// Output:
	// 1.5
}

// The similarities of a positive at +1: its own class at +1 and −1, negatives at +1. With e^(1/τ) = 2 the means of e^s
// are rational.
func ExampleAnchors() {
	world := theory.Population{
		Positive: theory.Uniform([]float64{1}, []float64{-1}),
		Negative: theory.Uniform([]float64{1}),
	}
	anchors, err := theory.Anchors(world, 0.5, 1/math.Ln2)
	if err != nil {
		log.Fatal(err)
	}
	a := anchors[0]
	fmt.Printf("own %.3f, other %.3f, all %.3f\n", theory.MeanExp(a.Own), theory.MeanExp(a.Other), theory.MeanExp(a.All()))
	// Output:
	// own 1.250, other 2.000, all 1.625
}

// Two examples at right angles, each with two equal views: every row has one other row at s = 1, and the other example
// twice.
func ExampleAnchorLosses() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	batch := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	losses, err := theory.AnchorLosses(eng, pucl.SSCL(), [][][]float64{batch}, make([]bool, 2), nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f = log(1 + 2/e)\n", losses[0][0])
	// Output:
	// 0.5514 = log(1 + 2/e)
}

// Positives lie mostly at the first of two places, negatives at both, and four in ten observed positives are negatives.
// The scores of N-pair recover the observed distribution, L_Pos over pairs has less of p⁺ than that, and L_Pos over all
// rows recovers p⁺.
func ExampleFalsePositives_Recovered() {
	w := theory.FalsePositives{Positive: []float64{0.9, 0.1}, Negative: []float64{0.5, 0.5}, Rate: 0.4}
	fmt.Printf("observed %.3f\n", w.Observed())
	for _, mass := range []theory.PositiveMass{theory.AsObserved, theory.Subtracted, theory.Mixed} {
		q, err := w.Recovered(mass, 1e6)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("recovered %.3f\n", q)
	}
	fmt.Printf("corrected afterwards %.3f\n", w.Without(w.Observed()))
	// Output:
	// observed [0.740 0.260]
	// recovered [0.740 0.260]
	// recovered [0.644 0.356]
	// recovered [0.900 0.100]
	// corrected afterwards [0.900 0.100]
}

// Two labeled examples and an unlabeled one with independent views: the gradient of PUCL varies less than that of ssCL,
// and in no direction more.
func ExampleMeter_GradientCovariance() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}, []float64{0, 1}),
		Negative: theory.Uniform([]float64{-1, 0}),
	}
	meters, err := theory.NewMeters(eng, 1, pucl.SSCL(), pucl.PUCL())
	if err != nil {
		log.Fatal(err)
	}
	var covariances [2]*mat.SymDense
	for i, m := range meters {
		defer m.Close()
		if covariances[i], err = m.GradientCovariance(world, theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.25}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("traces %.4f and %.4f\n", mat.Trace(covariances[0]), mat.Trace(covariances[1]))
	n := covariances[0].SymmetricDim()
	gap := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			gap.SetSym(i, k, covariances[0].At(i, k)-covariances[1].At(i, k))
		}
	}
	fmt.Println("positive semi-definite:", theory.LeastEigenvalue(gap) > -1e-12)
	// Output:
	// traces 0.1229 and 0.0489
	// positive semi-definite: true
}

// Four examples, two of them labeled: mean squared errors of losses and gradients against the ideal ones. The last row
// is PU-debiased with the negatives' part clipped at 0, as in nnPU, since its true value is not negative: its loss is
// nearer, its gradient farther. The best mixture of the first three has the smallest error, with a weight on each.
func ExampleErrorMeter_SquaredErrors() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	const prior, tau = 0.3, 0.5
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}, []float64{0, 1}),
		Negative: theory.Uniform([]float64{-1, 0}, []float64{0, -1}),
	}
	cut := pucl.PUDebiased(prior)
	cut.Name = "cut at 0"
	cut.Whole = func(v pucl.Views, tau float64) *Node {
		return MaxScalar(Neg(pucl.Objective{Attract: pucl.Nothing, Repel: negativePart(prior)}.Loss(v, tau)), 0.0)
	}
	objectives := []pucl.Objective{pucl.PUCL(), pucl.DCL(pucl.DCLConfig{TauPlus: prior}), pucl.PUDebiased(prior), cut}
	m, err := theory.NewErrorMeter(eng, objectives, tau)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	loss, gradient, err := m.SquaredErrors(world, theory.Design{Labeled: 2, Unlabeled: 2, Prior: prior})
	if err != nil {
		log.Fatal(err)
	}
	for k, o := range objectives {
		fmt.Printf("%-11s  loss %.4f  gradient %.4f\n", o.Name, loss.At(k, k), gradient.At(k, k))
	}
	for _, errs := range []*mat.SymDense{loss, gradient} {
		weights, least, err := theory.BestMixture(errs.SliceSym(0, 3))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f make %.4f\n", weights, least)
	}
	// Output:
	// PUCL         loss 0.8179  gradient 1.1165
	// DCL          loss 0.7833  gradient 1.2620
	// PU-debiased  loss 0.6924  gradient 1.4998
	// cut at 0     loss 0.6084  gradient 1.6553
	// [0.245 0.224 0.532] make 0.5137
	// [0.497 0.219 0.284] make 1.0026
}

// negativePart is 1/|𝕌| Σ_{i∈𝕌} f₋(i) − π/|ℙ| Σ_{i∈ℙ} f₋(i) of [pucl.PUDebiased] in batches of two labeled and two unlabeled
// examples.
func negativePart(prior float64) pucl.Term {
	return func(b *pucl.Block) *Node {
		// The labeled rows of other examples: two if the anchor is labeled itself, else all four. N = 2b − 2.
		sum := Exp(pucl.LogSumExp(b, And(b.OtherExamples(), b.ToLabeled)))
		mean := Where(b.AnchorLabeled, MulScalar(sum, 1.0/2), MulScalar(sum, 1.0/4))
		own, n := pucl.OwnViews(b), float64(b.Sim.Shape().Dim(-1)-2)
		f := Sub(Log(Add(Exp(own), MulScalar(mean, n))), own)
		return Where(b.AnchorLabeled, MulScalar(f, -2*prior), MulScalar(f, 2)) // each kind is half of the rows
	}
}

// Classes at +1 and −1, τ = 1, half of the batch positive. Half of an anchor's rows have the highest similarity and
// half the lowest. All negatives of the ideal loss have the lowest: log((e + e⁻¹)/2) + 1.
func ExampleLimitPartitionGap() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	gap, err := theory.LimitPartitionGap(world, 0.5, 0.5, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", gap)
	// Output:
	// 1.4338
}

// The same classes in a batch that is half labeled, π = ½: at 128 examples the gap is about 3.2/128 away from its
// limit.
func ExampleLimitPartitionRate() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	rate, err := theory.LimitPartitionRate(world, theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", rate)
	// Output:
	// -3.2348
}
