package papers

import (
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// DrawPartsOfPUPL returns the results of PUPL without each of its parts, on h and on z of the encoders of [Components]
// in a setting. It gives the fraction of correct pseudo-labels, and the accuracy of a linear classifier of h trained on
// them, in percent as mean ± half of the 95% interval over the seeds.
func DrawPartsOfPUPL(cells *experiment.Cells, setting string) viz.Table {
	return drawComponents(cells, setting, "PUPL and its parts", slices.Concat(headsOfPUPL(false), headsOfPUPL(true)), LabelsRight)
}

// DrawTuned returns the same for the additions to Algorithm 1, and the estimated class priors: pseudo-labels by package
// pseudo, and networks fine-tuned on them, beside fully supervised heads.
func DrawTuned(cells *experiment.Cells, setting string) viz.Table {
	heads := slices.Concat([]string{PUPL, PUPLOnZ, NNPU, NNPUEstimated, Mixture, Outside, ChosenSetting}, TunedHeads()[:4], []string{Ceiling, TunedCeiling})
	return drawComponents(cells, setting, "what is added", heads, EstimatedPrior, LabelsRight)
}

// headsOfPUPL lists PUPL, and PUPL without each of its parts.
func headsOfPUPL(onZ bool) []string {
	heads := []string{PUPL}
	if onZ {
		heads[0] = PUPLOnZ
	}
	for _, part := range PartsOfPUPL() {
		heads = append(heads, WithoutPart(part, onZ))
	}
	return heads
}

// drawComponents draws heads of [Components] in a setting.
func drawComponents(cells *experiment.Cells, setting, of string, heads []string, shares ...string) viz.Table {
	return drawHeads(cells, setting, ComponentsMethod, viz.Table{Title: setting + ": " + of, RowsHeader: "classifier"}, heads, shares...)
}

// DrawBesideTrueLabels returns the results of CrossFit in a setting of [Components], and of fully supervised
// classifiers on the same encoders, in the form of [DrawTuned].
func DrawBesideTrueLabels(cells *experiment.Cells, setting string) viz.Table {
	heads := []string{FirstTime, ownCeiling(FirstTime), SecondTime, ownCeiling(SecondTime)}
	return drawHeads(cells, setting, besideTrueLabels, viz.Table{Title: setting + ": CrossFit", RowsHeader: "encoders by, classifiers told"}, heads)
}

// drawHeads fills in a table of heads: known shares of their pseudo-labels, and accuracy.
func drawHeads(cells *experiment.Cells, setting, method string, out viz.Table, heads []string, shares ...string) viz.Table {
	named := map[string]string{LabelsRight: "pseudo-labels right", EstimatedPrior: "π"}
	for _, share := range shares {
		out.Columns = append(out.Columns, named[share])
	}
	out.Columns = append(out.Columns, "accuracy on test images")
	out.Note = "Percent, mean ± 95% interval over seeds. " + experiment.Tell(cells.Runs(setting, method)) + "."
	for _, head := range heads {
		var line []viz.Cell
		for _, share := range shares {
			line = append(line, Percent(cells.Value(setting, method, head, share)))
		}
		out.Add(head, append(line, Percent(cells.At(setting, method, head, experiment.Last).Accuracy)))
	}
	return out
}

// claimsComponents returns the claims that each part of PUPL has an effect, and each addition to Algorithm 1.
func claimsComponents() (list []Claim) {
	for _, benchmark := range benchmarksOfLabeler {
		setting := settingName(benchmark, 1000)
		add := func(experiment, statement, above, below string) {
			list = append(list, labelerClaim(experiment, statement, setting, ComponentsMethod, above, below))
		}
		for _, onZ := range []bool{false, true} {
			heads := headsOfPUPL(onZ)
			for _, head := range heads[1:] {
				add("parts of PUPL", "all parts are above "+head, heads[0], head)
			}
		}
		for _, head := range []string{Outside, ChosenSetting} {
			add("settings without a negative", "it is above the standard setting: "+head, head, Mixture)
		}
		const fineTuning = "fine-tuning without a prior"
		for _, head := range TunedHeads()[:4] {
			add(fineTuning, "it is above a linear probe on the same encoder: "+head, head, Mixture)
		}
		add(fineTuning, "views of the images help", Tuned, TunedOnImages)
		add(fineTuning, "leaving doubtful images out helps", TunedOnClear, Tuned)
		add(fineTuning, "a linear probe by nnPU that is told the estimated prior is above the mixture", NNPUEstimated, Mixture)
	}
	return append(list, claimsOwnCeiling()...)
}
