package theory_test

import (
	"fmt"
	"log"

	. "github.com/gomlx/gomlx/core/graph"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Four examples, two of them labeled: how far losses and gradients lie from the ideal ones, as mean squared errors. The last
// row is PU-debiased with the negatives' part, which cannot truly be below 0, cut there, in the way of nnPU: its loss is
// nearer, its gradient farther. Nearer than each is the best mixture of the first three, which takes something of all.
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
		// The labeled rows of other examples: two where the anchor is labeled itself, else all four. N = 2b − 2.
		sum := Exp(pucl.LogSumExp(b, And(b.OtherExamples(), b.ToLabeled)))
		mean := Where(b.AnchorLabeled, MulScalar(sum, 1.0/2), MulScalar(sum, 1.0/4))
		own, n := pucl.OwnViews(b), float64(b.Sim.Shape().Dim(-1)-2)
		f := Sub(Log(Add(Exp(own), MulScalar(mean, n))), own)
		return Where(b.AnchorLabeled, MulScalar(f, -2*prior), MulScalar(f, 2)) // each kind is half of the rows
	}
}
