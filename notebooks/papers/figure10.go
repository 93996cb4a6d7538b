package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/viz"
)

// figure10 names the grid of figure 10.
const figure10 = "figure-10"

// Lambdas are the λ of [pucl.MCL] between 0, which is ssCL, and 1, which is SCL-PU.
func Lambdas() []float64 { return []float64{0.25, 0.5, 0.75} }

// TauPlus are the τ⁺ of [pucl.DCL] above 0 (ssCL), as in the authors' code.
func TauPlus() []float64 { return []float64{0.1, 0.3, 0.5, 0.7, 0.9} }

// MCLAt names the method MCL with a λ.
func MCLAt(lambda float64) string { return fmt.Sprintf("MCL, λ = %g", lambda) }

// DCLAt names the method DCL with a τ⁺.
func DCLAt(tauPlus float64) string { return fmt.Sprintf("DCL, τ⁺ = %g", tauPlus) }

// parametricShares are the shares of labeled images at which MCL is trained.
var parametricShares = []float64{0.01, 0.1, 0.5}

// Parametric is figure 10 of "Contrastive Positive Unlabeled Learning": MCL over λ with few, some and many labels, and
// DCL over τ⁺, which uses no labels, beside the runs of [Supervision], with which it shares all other runs.
func Parametric(size experiment.Size) (experiment.Grid, error) {
	grid, err := Supervision(size)
	if err != nil {
		return grid, err
	}
	grid.Name = figure10
	shares, lambdas, tauPlus := parametricShares, Lambdas(), TauPlus()
	if size == experiment.Smoke {
		shares, lambdas, tauPlus = []float64{0.5}, lambdas[1:2], tauPlus[2:3]
	}
	list, err := supervised(size)
	if err != nil {
		return grid, err
	}
	none := list[0]
	list, err = overShares(none, figureTask(size), shares)
	if err != nil {
		return grid, err
	}
	// told returns an objective with its parameter in the name, so that runs with other parameters do not share it.
	told := func(o pucl.Objective, method string) pucl.Objective {
		o.Name = method
		return o
	}
	for seed := range uint64(none.Seeds) {
		for _, s := range list[1:] {
			for _, lambda := range lambdas {
				grid.Runs = append(grid.Runs, s.watched(MCLAt(lambda), told(pucl.MCL(lambda), MCLAt(lambda)), seed+1))
			}
		}
		for _, t := range tauPlus {
			grid.Runs = append(grid.Runs, none.watched(DCLAt(t), told(pucl.DCL(pucl.DCLConfig{TauPlus: t}), DCLAt(t)), seed+1))
		}
	}
	return grid, nil
}

// claimsParametric returns the paper's conclusions from figure 10.
func claimsParametric() (list []Claim) {
	const caption, text = "Contrastive Positive Unlabeled Learning, Figure 10", "Contrastive Positive Unlabeled Learning, appendix A.5.4"
	for _, task := range []string{figureTask(experiment.Laptop), figureTask(experiment.Paper)} {
		none := ShareAt(task, 0)
		add := func(source, statement, setting, above, below, belowSetting string, less float64) {
			list = append(list, Claim{Experiment: "figure 10", Statement: statement, Source: source, Setting: setting,
				Above: Row{above, Neighbors}, Below: Row{below, Neighbors}, BelowSetting: belowSetting, Less: less})
		}
		few, many := ShareAt(task, parametricShares[0]), ShareAt(task, parametricShares[len(parametricShares)-1])
		add(text, "with few labels a small λ is better", few, MCLAt(0.25), MCLAt(0.75), "", 0)
		add(text, "with many labels a large λ is better", many, MCLAt(0.75), MCLAt(0.25), "", 0)
		// The suitable λ according to the text: small with few labels, large with many.
		for i, share := range parametricShares {
			lambda := Lambdas()[i]
			add(caption, fmt.Sprintf("MCL with a suitable λ, here %g, competes with PUCL: at most two points below", lambda), ShareAt(task, share),
				MCLAt(lambda), "PUCL", "", competitive)
		}
		for _, t := range TauPlus() {
			add(caption, fmt.Sprintf("labels gain more than debiasing: PUCL is above DCL with τ⁺ = %g", t), ShareAt(task, 0.1), "PUCL", DCLAt(t), none, 0)
		}
		add(text, "DCL is sensitive: τ⁺ = 0.1 is above τ⁺ = 0.9", none, DCLAt(0.1), DCLAt(0.9), "", 0)
	}
	return list
}

// CurveOverLambda returns the accuracy (%) of MCL over λ with such a share labeled, from ssCL at 0 to SCL-PU at 1.
// [Neighbors] evaluates it at the end of a run; intervals are 95% over seeds. Points with fewer than two seeds are
// omitted.
func CurveOverLambda(cells *experiment.Cells, task string, share float64) viz.Curve {
	curve := viz.Curve{Name: fmt.Sprintf("MCL, %g labeled", share)}
	at := func(x float64, setting, method string) {
		addAccuracy(&curve, cells, x, Row{method, Neighbors}.in(setting), experiment.Last)
	}
	at(0, ShareAt(task, 0), "ssCL")
	for _, lambda := range Lambdas() {
		at(lambda, ShareAt(task, share), MCLAt(lambda))
	}
	at(1, ShareAt(task, share), "SCL-PU")
	return curve
}

// CurveOverTauPlus is [CurveOverLambda] for DCL over τ⁺, from ssCL at 0.
func CurveOverTauPlus(cells *experiment.Cells, task string) viz.Curve {
	return curveOf(cells, "DCL", append([]float64{0}, TauPlus()...), func(t float64) experiment.Series {
		return dclRow(t, Neighbors).in(ShareAt(task, 0))
	})
}

// dclRow returns the row of DCL with a τ⁺, or of ssCL if that is 0.
func dclRow(tauPlus float64, head string) Row {
	if tauPlus == 0 {
		return Row{"ssCL", head}
	}
	return Row{DCLAt(tauPlus), head}
}

// LabelsOfFigure10 are the labeled positives n_P of the published numbers of figure 10.
func LabelsOfFigure10() []float64 { return []float64{500, 1000, 3000, 5000, 10_000, 20_000} }

// published10 are the accuracies (%) of figure 10 on CIFAR-I over [LabelsOfFigure10]. The best and the worst λ are
// among all that the authors tried, according to these numbers. The losses of Table 1 come first, in its order.
//
// Source: the notebooks of the paper's authors; the numbers are of the best epoch on the test images.
var published10 = []struct {
	name     string
	accuracy []float64
}{
	{"ssCL", []float64{93.43, 93.43, 93.43, 93.43, 93.43, 93.43}},
	{"SCL-PU", []float64{77.90, 87.93, 92.44, 93.63, 95.05, 96.31}},
	{"PUCL", []float64{93.53, 93.55, 94.05, 94.47, 94.67, 95.50}},
	{"MCL, worst λ", []float64{92.18, 92.36, 93.14, 93.02, 93.64, 93.58}},
	{"MCL, λ = 0.5", []float64{93.08, 93.12, 93.16, 93.50, 93.92, 94.32}},
	{"MCL, best λ", []float64{93.39, 93.41, 93.48, 93.52, 94.41, 95.67}},
}

// PublishedOverLabels returns the curves of figure 10 as published, on CIFAR-I over n_P.
func PublishedOverLabels() (curves []viz.Curve) {
	for _, p := range published10 {
		curve := viz.Curve{Name: p.name}
		for i, labeled := range LabelsOfFigure10() {
			curve.Add(labeled, p.accuracy[i])
		}
		curves = append(curves, curve)
	}
	return curves
}

// PublishedOverTauPlus returns the two ends of figure 10's line of DCL, on CIFAR-I with 10,000 labels. The source is
// that of [PublishedOverLabels].
func PublishedOverTauPlus() viz.Curve {
	curve := viz.Curve{Name: "DCL, 10,000 labels"}
	curve.Add(0.1, 93.45)
	curve.Add(0.9, 90.17)
	return curve
}
