package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
)

// figure5 names the grid of Figure 5.
const figure5 = "figure-5"

// Sampling has the parameters of Figure 5 for a task: two labeling settings, and increasing numbers of labels.
type Sampling struct {
	Task   string
	Images int       // n_U in addition to the labeled images, or N including them
	Prior  float64   // of the images
	Gammas []float64 // labeled positives for each unlabeled image
}

// samplings has the parameters of Figure 5. At size laptop FMNIST-I replaces cats and dogs, with the runs of Figure 4.
var samplings = map[experiment.Size][]Sampling{
	experiment.Smoke:  {{"FMNIST-I", 2000, 0.3, []float64{0.1}}},
	experiment.Laptop: {{"FMNIST-I", 16_000, 0.3, []float64{0.01, 0.03, 0.1, 0.3}}},
	experiment.Paper: {
		{"CIFAR-0", 9000, 0.5, []float64{0.05, 0.1, 0.25, 0.5}},
		{"Woof-vs-Nette", 16_000, 0.5, []float64{0.01, 0.05, 0.1, 0.2, 0.5}},
	},
}

// SamplingOf returns the parameters of Figure 5 at a size, by task.
func SamplingOf(size experiment.Size) ([]Sampling, error) { return ofSize(samplings, size) }

// Setting names the setting with that γ, of labels within one set of images or in addition to it.
func (v Sampling) Setting(oneSet bool, gamma float64) string {
	if oneSet {
		return oneSetName(v.Task, v.Images, gamma, v.Prior)
	}
	return caseControlName(v.Task, v.Images, gamma, v.Prior)
}

// Figure5 is the grid of Figure 5: the losses of Table 1 over γ, with n_U images in addition to the labeled ones, and
// with N images in all.
func Figure5(size experiment.Size) (experiment.Grid, error) {
	all, err := SamplingOf(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	var list []setting
	for _, v := range all {
		base, err := ofFigures(size, v.Task)
		if err != nil {
			return experiment.Grid{}, err
		}
		for _, gamma := range v.Gammas {
			list = append(list, base.caseControl(v.Images, gamma, v.Prior), base.singleSet(v.Images, gamma, v.Prior))
		}
	}
	return gridOf(figure5, size, list, objectives()...)
}

// Over returns the figure over γ with a head.
func (v Sampling) Over(oneSet bool, head string) Sweep {
	kind := "labels beside the unlabeled images"
	if oneSet {
		kind = "labels within one set of images"
	}
	return Sweep{Title: fmt.Sprintf("%s, %s: %s", v.Task, kind, head), XLabel: "γ, labeled for each unlabeled image", LogX: true,
		Rows: three(head), X: v.Gammas, Grid: figure5, Published: published5(),
		Setting: func(x float64) string { return v.Setting(oneSet, x) }}
}

// published5 returns the authors' numbers of Figure 5, on the settings of size paper. The authors name the classifier
// only for PUCL on Imagewoof, whose numbers they also give for PUPL, see [AuthorsProbes].
func published5() (list []Published) {
	for _, row := range []struct {
		task   int
		oneSet bool
		method string
		means  []float64
	}{
		{0, false, "ssCL", []float64{80.4, 81, 81.7, 81.95}},
		{0, false, "SCL-PU", []float64{63.2, 78.05, 83.2, 90.15}},
		{0, false, "PUCL", []float64{81.7, 82.7, 85.15, 88.35}},
		{0, true, "ssCL", []float64{79.85, 79.85, 79.85, 79.85}}, // one number for all γ
		{0, true, "SCL-PU", []float64{64.55, 78.2, 82.9, 90.65}},
		{0, true, "PUCL", []float64{81.25, 82.2, 85.65, 89.85}},
		{1, true, "ssCL", authorsOnWoof["ssCL"]},
		{1, true, "SCL-PU", authorsOnWoof["SCL-PU"]},
		{1, true, "PUCL", authorsOnWoof["PUCL"]},
	} {
		v := samplings[experiment.Paper][row.task]
		for i, mean := range row.means {
			list = append(list, Published{Setting: v.Setting(row.oneSet, v.Gammas[i]), Row: Row{row.method, PUPL}, Mean: mean,
				Rule: experiment.Oracle, Source: sourceAuthors})
		}
	}
	return list
}

// experiment5 is the experiment name of claims about Figure 5.
const experiment5 = "figure 5"

// claims5 returns the paper's conclusions from Figure 5, and those in its appendix A.3.1 about the two labeling
// settings. "Generalization" is ambiguous, so two readings are tested: the quality of the encoder, and PUPL from the
// projections z on it.
func claims5() (list []Claim) {
	const source = "Contrastive Positive Unlabeled Learning, Figure 5"
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		for _, v := range samplings[size] {
			for _, head := range []string{Neighbors, PUPLOnZ} {
				add := func(source, statement, setting, above, below string) *Claim {
					list = append(list, Claim{Experiment: experiment5, Statement: statement + " (" + head + ")", Source: source, Setting: setting,
						Above: Row{above, head}, Below: Row{below, head}})
					return &list[len(list)-1]
				}
				for _, oneSet := range []bool{false, true} {
					for _, gamma := range v.Gammas {
						add(source, "PUCL is above ssCL", v.Setting(oneSet, gamma), "PUCL", "ssCL")
					}
					few, many := v.Setting(oneSet, v.Gammas[0]), v.Setting(oneSet, v.Gammas[len(v.Gammas)-1])
					add(source, "labels are few, and SCL-PU falls below ssCL", few, "ssCL", "SCL-PU")
					add(source, "PUCL stays competitive with SCL-PU: at most two points below", many, "PUCL", "SCL-PU").Less = competitive
				}
				for _, gamma := range v.Gammas {
					c := add("Contrastive Positive Unlabeled Learning, appendix A.3.1", "PUCL's lead over ssCL is that of labels beside the images: less "+
						"than a point apart", v.Setting(true, gamma), "PUCL", "ssCL")
					c.Than, c.Within = v.Setting(false, gamma), 1
				}
			}
		}
	}
	return list
}
