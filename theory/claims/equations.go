package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// A claim on an objective is a claim on an equation of the paper. So before a check measures an objective, this file
// compares it with its equation, in plain loops over one batch.

// equation is a printed objective: the log partition of an anchor over all other rows, minus the mean similarity to the
// rows that attract it.
type equation struct {
	objective pucl.Objective
	name      string                                                // "(6)"
	attracts  func(b theory.GivenBatch, example, anchor int) bool   // whether the rows of an example attract an anchor of another
	negative  func(exps []float64, own, n int, tau float64) float64 // replaces the sum over negatives; nil for the sum

	// whole, if not nil, returns the terms of an objective of another form.
	whole func(b theory.GivenBatch, i int, tau float64) (attraction, partition float64)
}

// equations are the objectives of package pucl that claims use, by name. DCL has τ⁺ = ½ and Q = N, PU-debiased π = ½.
var equations = map[string]equation{
	"ssCL": {objective: pucl.SSCL(), name: "(4)", attracts: ownExample},
	"PUCL": {objective: pucl.PUCL(), name: "(6)", attracts: func(b theory.GivenBatch, example, anchor int) bool {
		return b.Labeled[example] && b.Labeled[anchor] || example == anchor
	}},
	"SCL-PU": {objective: pucl.SCLPU(), name: "(5)", attracts: func(b theory.GivenBatch, example, anchor int) bool {
		return b.Labeled[example] == b.Labeled[anchor]
	}},
	"SCL": {objective: pucl.SCL(), name: "(14)", attracts: func(b theory.GivenBatch, example, anchor int) bool {
		return b.Class[example] == b.Class[anchor]
	}},
	"DCL":         {objective: pucl.DCL(pucl.DCLConfig{TauPlus: 0.5}), name: "that of Chuang et al.", attracts: ownExample, negative: debiasedSum},
	"PU-debiased": {objective: pucl.PUDebiased(0.5), name: "its formula", whole: puDebiasedTerms},
}

func ownExample(_ theory.GivenBatch, example, anchor int) bool { return example == anchor }

// debiasedSum returns N times max{(mean over negatives − ½ e^own)/½, e^(−1/τ)}.
func debiasedSum(exps []float64, own, n int, tau float64) float64 {
	sum := 0.0
	for j, e := range exps {
		if j != own {
			sum += e
		}
	}
	return float64(n) * max(debiasedMean(sum/float64(n), exps[own], 0.5), math.Exp(-1/tau))
}

// puDebiasedTerms returns the terms of PU-debiased with π = ½ for row i.
func puDebiasedTerms(b theory.GivenBatch, i int, tau float64) (attraction, partition float64) {
	sims, examples := cosineCritic(b.Z, tau)[i], len(b.Labeled)
	var sums, counts [2]float64 // over the labeled rows of other examples, and the unlabeled ones
	anchors := [2]float64{}     // number of labeled and of other rows
	kind := func(j int) int { return oneIf(!b.Labeled[j%examples]) }
	for j, s := range sims {
		anchors[kind(j)]++
		if j%examples != i%examples {
			sums[kind(j)] += math.Exp(s)
			counts[kind(j)]++
		}
	}
	own, n := sims[(i+examples)%len(sims)], float64(len(sims)-2)
	labeled, unlabeled := sums[0]/counts[0], sums[1]/counts[1]
	negative := math.Log(math.Exp(own) + n*labeled)
	if kind(i) == 1 {
		each := float64(len(sims)) / anchors[1]
		return each * own, each * negative
	}
	positive := math.Log(math.Exp(own) + n*max(debiasedMean(unlabeled, labeled, 0.5), math.Exp(-1/tau)))
	return 0, float64(len(sims)) / anchors[0] * 0.5 * (positive - negative)
}

// terms returns the attraction and the repulsion of row i.
func (e equation) terms(b theory.GivenBatch, i int, tau float64) (attraction, partition float64) {
	if e.whole != nil {
		return e.whole(b, i, tau)
	}
	sims := cosineCritic(b.Z, tau)[i]
	exps, examples := make([]float64, len(sims)), len(b.Labeled)
	own, sum, count := (i+examples)%len(sims), 0.0, 0.0
	for j, s := range sims {
		if j == i {
			continue
		}
		exps[j] = math.Exp(s)
		partition += exps[j]
		if e.attracts(b, j%examples, i%examples) {
			sum, count = sum+s, count+1
		}
	}
	if e.negative != nil {
		partition = exps[own] + e.negative(exps, own, len(sims)-2, tau)
	}
	return sum / count, math.Log(partition)
}

// gaugeBatch returns a batch of two labeled and two unlabeled examples of random directions in the plane.
func gaugeBatch() theory.GivenBatch {
	rng := rand.New(rand.NewPCG(4, 0x9c1a))
	batch := theory.GivenBatch{Labeled: []bool{true, true, false, false}, Class: []int32{1, 1, 1, 0}}
	for range 8 {
		angle := 2 * math.Pi * rng.Float64()
		batch.Z = append(batch.Z, []float64{math.Cos(angle), math.Sin(angle)})
	}
	return batch
}

// otherObjective is the error of an objective that disagrees with its equation.
type otherObjective struct {
	text string
	off  float64
}

func (o *otherObjective) Error() string { return o.text }

// gauge returns an error, an [otherObjective], if a term of the objective, or the loss, disagrees with its equation.
func gauge(eng *engine.Engine, o pucl.Objective) (err error) {
	defer must.Catch(&err)
	const tau = 0.5
	e, known := equations[o.Name]
	if !known {
		return fmt.Errorf("there is no equation to hold objective %q against", o.Name)
	}
	b := gaugeBatch()
	out, err := ExecOnceN(eng.Backend, func(z, labeled, class *Node) []*Node {
		views := pucl.Views{Z: z, Labeled: labeled, Class: class}
		block := views.Block(tau)
		attract, repel := o.Terms(block)
		return []*Node{attract, repel, o.PerAnchor(views, tau)}
	}, b.Z, b.Labeled, b.Class)
	must.Wrap(engine.RootCause(err), "scoring one batch by %s", o.Name)
	var terms [3][]float64
	for k := range terms {
		terms[k] = must.Get(tensors.CopyFlatData[float64](out[k]))
	}
	for i := range b.Z {
		attraction, partition := e.terms(b, i, tau)
		for k, want := range []float64{attraction, partition, partition - attraction} {
			if got := terms[k][i]; !agree(got, want) {
				return &otherObjective{fmt.Sprintf("The objective measured is not %s's: of row %d of a batch of two labeled "+
					"and two unlabeled examples its %s is %.4f, where %s has %.4f", o.Name, i+1,
					[]string{"attraction", "log partition", "loss"}[k], got, e.name, want), got - want}
			}
		}
	}
	return nil
}
