package claims

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PrintedGradient returns the derivative ∂ℓ_i/∂z_i as printed in equations (17), (20) and (21), which differ in the
// rows A that attract anchor i.
//
//	−1/τ [ Σ_{q∈A} z_q (1/|A| − P_iq) − Σ_{j∉A, j≠i} z_j P_ij ],   P_ij = exp(z_i·z_j/τ) / Σ_{j≠i} exp(z_i·z_j/τ)
//
// with · the plain inner product, and z of any length. (17), ssCL, has A = {a(i)}; (20), PUCL, the other labeled rows;
// (21), SCL, the other rows of the class.
func PrintedGradient(z [][]float64, i int, attracted []int, tau float64) []float64 {
	logits := make([]float64, len(z))
	for j := range z {
		logits[j] = floats.Dot(z[i], z[j]) / tau
	}
	logits[i] = math.Inf(-1)
	logPartition := floats.LogSumExp(logits)
	slope := make([]float64, len(z[i]))
	for j, row := range z {
		if j != i {
			floats.AddScaled(slope, math.Exp(logits[j]-logPartition)/tau, row)
		}
	}
	for _, q := range attracted {
		floats.AddScaled(slope, -1/(tau*float64(len(attracted))), z[q])
	}
	return slope
}

// printedEquation is one of (17), (20), (21).
type printedEquation struct {
	name      string
	objective pucl.Objective
	attracts  func(b theory.GivenBatch, example, anchor int) bool // whether rows of an example attract an anchor of another
}

func printedEquations(s *subject) []printedEquation {
	return []printedEquation{
		{"(17), ssCL", s.objective(pucl.SSCL()), func(_ theory.GivenBatch, example, anchor int) bool { return example == anchor }},
		{"(20), PUCL", s.objective(pucl.PUCL()), func(b theory.GivenBatch, example, _ int) bool { return b.Labeled[example] }},
		{"(21), SCL", s.objective(pucl.SCL()), func(b theory.GivenBatch, example, i int) bool { return b.Class[example] == b.Class[i] }},
	}
}

// attracted lists the rows that attract anchor i.
func (e printedEquation) attracted(b theory.GivenBatch, i int) []int {
	rows := lists.Make(len(b.Z), func(j int) int { return j })
	return slices.DeleteFunc(rows, func(j int) bool { return j == i || !e.attracts(b, j%len(b.Labeled), i%len(b.Labeled)) })
}

// distances are the largest distances, over anchors, between a printed gradient and the engine's, in each reading.
type distances struct {
	alone     float64 // z_i as an anchor only, inner products
	cosine    float64 // z_i as an anchor only, cosines, as in (3)
	projected float64 // the same, the printed gradient without its part along z_i
	whole     float64 // z_i in the whole loss, inner products
	twice     float64 // z_i as an anchor only, cosines; printed · read as in (3), which already includes 1/τ
	unlabeled float64 // as alone, at unlabeled anchors
}

// theorem4Equations measures the differences between (17), (20) and (21) and the engine's derivatives, on a batch of
// two labeled and two unlabeled examples of random directions at τ = ½.
func theorem4Equations(s *subject, f *Finding) {
	const tau = 0.5
	batch := gaugeBatch()
	for _, e := range printedEquations(s) {
		d := e.distances(s.eng, batch, tau)
		measure(f, d.alone, "%s: distance, z_i as an anchor only, · the inner product over τ", e.name)
		measure(f, d.cosine, "%s: distance, z_i as an anchor only, · the cosine over τ as in (3)", e.name)
		measure(f, d.projected, "%s: the same, without the printed gradient's part along z_i", e.name)
		measure(f, d.whole, "%s: distance, z_i wherever it stands in the loss", e.name)
		measure(f, d.twice, "%s: distance, · as in (3) under a further 1/τ, as printed in (15) and (19)", e.name)
		if e.objective.Name == "PUCL" {
			measure(f, d.unlabeled, "%s: distance at unlabeled anchors, which (19) and (20) do not exclude", e.name)
		}
		right := "is not the derivative in any reading tried"
		if d.alone <= contrastTolerance {
			right = "is the derivative by z_i as an anchor, other rows held, for inner products over τ of rows that are " +
				"not scaled to length one"
			if d.projected <= contrastTolerance {
				right += "; with (3)'s cosine its part along z_i drops out"
			}
			if exceeds(d.unlabeled, contrastTolerance) {
				right += "; for labeled anchors only, since an unlabeled anchor of PUCL is attracted to its own other " +
					"view and not to the labeled rows"
			}
		}
		f.detail("equation %s %s", e.name, right)
	}
	f.detail("none of them is the gradient of the loss by z_i, to which the anchors that meet z_i as a partner " +
		"contribute as well; and the last terms of the three, which the proof compares, say nothing of a bias, the three " +
		"having the same log partition")
}

func (e printedEquation) distances(eng *engine.Engine, batch theory.GivenBatch, tau float64) distances {
	inner := must.Get(theory.AnchorGradients(eng, e.objective, batch, theory.InnerProduct, tau))
	cosine := must.Get(theory.AnchorGradients(eng, e.objective, batch, theory.Cosine, tau))
	var d distances
	for i, z := range batch.Z {
		attracted := e.attracted(batch, i)
		printed := PrintedGradient(batch.Z, i, attracted, tau)
		far := floats.Distance(printed, inner.Alone[i], 2)
		if e.objective.Name == "PUCL" && !batch.Labeled[i%len(batch.Labeled)] {
			d.unlabeled = max(d.unlabeled, far)
			continue
		}
		d.alone = max(d.alone, far)
		d.cosine = max(d.cosine, floats.Distance(printed, cosine.Alone[i], 2))
		d.whole = max(d.whole, floats.Distance(printed, inner.Whole[i], 2))
		twice := PrintedGradient(batch.Z, i, attracted, tau*tau)
		floats.Scale(tau, twice) // the factor in front stays 1/τ
		d.twice = max(d.twice, floats.Distance(twice, cosine.Alone[i], 2))
		tangent := floats.AddScaledTo(make([]float64, len(z)), printed, -floats.Dot(printed, z)/floats.Dot(z, z), z)
		d.projected = max(d.projected, floats.Distance(tangent, cosine.Alone[i], 2))
	}
	return d
}
