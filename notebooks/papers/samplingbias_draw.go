package papers

import (
	"fmt"
	"math/rand/v2"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// FalseNegativeShare draws batches of examples of the given classes. It returns the fraction of pairs of two different
// examples of a batch with the same class, and the same fraction in closed form: if a class has k of all n examples,
// its anchors have k−1 of n−1 others.
//
//	Σ_c k_c/n · (k_c − 1)/(n − 1),   for C classes of one size (n/C − 1)/(n − 1), about 1/C
func FalseNegativeShare(classes []int, batch, batches int, seed uint64) (measured, closed float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	same, pairs := 0, 0
	for range batches {
		drawn := rng.Perm(len(classes))[:batch]
		for i, a := range drawn {
			for _, b := range drawn[:i] {
				if pairs++; classes[a] == classes[b] {
					same++
				}
			}
		}
	}
	size, n := map[int]float64{}, float64(len(classes))
	for _, class := range classes {
		size[class]++
	}
	for _, k := range size {
		closed += k / n * (k - 1) / (n - 1)
	}
	return float64(same) / float64(pairs), closed
}

// costMethods are ssCL, its correction and the upper reference.
func costMethods() []string { return []string{"ssCL", DCLAt(TenClasses), OracleNegatives} }

// costNames are the names of [costMethods] by their negatives.
func costNames() []string {
	return []string{"biased (ssCL)", fmt.Sprintf("debiased (%s)", DCLAt(TenClasses)), "unbiased (true negatives)"}
}

// sourceDCL is the source of [publishedBias].
const sourceDCL = "the public code of Chuang et al. (2020): STL-10, ResNet-50, batches of 256, linear probe, 400 epochs, one run"

// publishedBias are the accuracies (%) of linear probes over τ⁺; 0 is ssCL. For unbiased negatives only a plot is
// published.
var publishedBias = []struct{ tauPlus, accuracy float64 }{{0, 80.15}, {0.05, 81.85}, {0.1, 84.26}}

// PublishedCorrections returns the accuracy of DCL over τ⁺ as published.
func PublishedCorrections() viz.Curve {
	curve := viz.Curve{Name: "DCL, STL-10"}
	for _, p := range publishedBias {
		curve.Add(p.tauPlus, p.accuracy)
	}
	return curve
}

// DrawCosts compares plain, corrected and true negatives in the settings of some tasks, with a linear probe and nearest
// neighbors, with the published numbers.
func DrawCosts(cells *experiment.Cells, size experiment.Size) viz.Table {
	out := viz.Table{Title: "What false negatives cost", RowsHeader: "negatives",
		Note: fmt.Sprintf("Top-1 accuracy (%%) on test images at the end of a run, mean ± 95%% interval over seeds. Published: %s. The whole grid: %s.", sourceDCL, cells)}
	for _, task := range UnlabeledTasks(size) {
		out.Columns = append(out.Columns, task+", linear probe", task+", kNN")
	}
	out.Columns = append(out.Columns, "STL-10, published")
	for i, method := range costMethods() {
		var line []viz.Cell
		for _, task := range UnlabeledTasks(size) {
			for _, head := range []string{Ceiling, Neighbors} {
				line = append(line, Percent(cells.At(task+", ten classes", method, head, experiment.Last).Accuracy))
			}
		}
		published := viz.Cell{Missing: true}
		for _, p := range publishedBias {
			if dclRow(p.tauPlus, "").Method == method {
				published = viz.Cell{Mean: p.accuracy}
			}
		}
		out.Add(costNames()[i], append(line, published))
	}
	return out
}

// CurvesOverCorrection returns the accuracy (%) of DCL over τ⁺ in a setting, from ssCL at 0, a curve for a linear probe
// and one for nearest neighbors, with 95% intervals over seeds.
func CurvesOverCorrection(cells *experiment.Cells, setting string) (curves []viz.Curve) {
	for _, head := range []string{Ceiling, Neighbors} {
		curves = append(curves, curveOf(cells, headName(head), append([]float64{0}, CorrectionsOfTen()...), func(t float64) experiment.Series {
			return dclRow(t, head).in(setting)
		}))
	}
	return curves
}

// headName returns a short name of a fully supervised head.
func headName(head string) string {
	if head == Ceiling {
		return "linear probe"
	}
	return "kNN"
}

// CurvesOverBatches returns the accuracy (%) of a linear probe over the size of the batch, a curve for each kind of
// negatives, with 95% intervals over seeds.
func CurvesOverBatches(cells *experiment.Cells, task string, usual int) (curves []viz.Curve) {
	for _, method := range costMethods() {
		curves = append(curves, curveOf(cells, method, []float64{float64(usual) / 4, float64(usual), 2 * float64(usual)}, func(batch float64) experiment.Series {
			setting := task
			if int(batch) != usual {
				setting = BatchesOf(task, int(batch))
			}
			return Row{method, Ceiling}.in(setting)
		}))
	}
	return curves
}

// DrawPositives compares DCL with one other view and with three as positives, and ssCL, in batches of four views.
func DrawPositives(cells *experiment.Cells, task string) viz.Table {
	out := viz.Table{Title: task + ", 4 views", RowsHeader: "method",
		Columns: []string{"linear probe", "kNN", "bias, plain", "bias, corrected", "deviation, corrected", "on the floor"},
		Note:    "Accuracy (%), and the estimate of the mean over true negatives at the end of a run in percent of the truth. Mean ± 95% interval over seeds."}
	setting := ViewsOf(task, 4)
	for _, method := range []string{"ssCL", DCLWith(TenClasses, 1), DCLWith(TenClasses, 3)} {
		line := []viz.Cell{Percent(cells.At(setting, method, Ceiling, experiment.Last).Accuracy), Percent(cells.At(setting, method, Neighbors, experiment.Last).Accuracy)}
		for _, value := range []string{PlainBias, CorrectedBias, CorrectedDeviation, Clipped} {
			line = append(line, Percent(cells.Value(setting, method, "", value)))
		}
		out.Add(method, line)
	}
	return out
}

// DrawEstimates shows, for each τ⁺, the corrected estimate of the mean over negatives at the end of a run.
func DrawEstimates(cells *experiment.Cells, setting string) viz.Table {
	out := viz.Table{Title: "The estimate at the end of a run, " + setting, RowsHeader: "trained by",
		Columns: []string{"τ⁺ of the estimate", "bias, plain", "bias, corrected", "deviation, plain", "deviation, corrected", "on the floor"},
		Note:    "In percent of the true mean of exp s over other classes, mean ± 95% interval over seeds. The floor: percent of the estimates."}
	row := func(method string, tauPlus float64) {
		line := []viz.Cell{{Text: fmt.Sprint(tauPlus)}}
		for _, value := range []string{PlainBias, CorrectedBias, PlainDeviation, CorrectedDeviation, Clipped} {
			line = append(line, Percent(cells.Value(setting, method, "", value)))
		}
		out.Add(method, line)
	}
	row("ssCL", TenClasses)
	for _, tauPlus := range CorrectionsOfTen() {
		row(DCLAt(tauPlus), tauPlus)
	}
	row(OracleNegatives, TenClasses)
	return out
}

// BiasOverSteps returns the bias of the plain and of the corrected mean over the training steps of a method, in percent
// of the truth.
func BiasOverSteps(cells *experiment.Cells, setting, method string) (curves []viz.Curve) {
	for _, value := range []string{PlainBias, CorrectedBias} {
		for _, curve := range ValuesOverSteps(cells, value, Row{Method: method}.in(setting)) {
			curve.Name = method + ": " + value
			for i := range curve.Y {
				curve.Y[i], curve.Low[i], curve.High[i] = 100*curve.Y[i], 100*curve.Low[i], 100*curve.High[i]
			}
			curves = append(curves, curve)
		}
	}
	return curves
}
