package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
)

// experiment4 is the experiment name of claims about Figures 4 and 11.
const experiment4 = "figures 4 and 11"

// claims4 returns the paper's conclusions from Figures 4 and 11, at the sizes at which runs decide.
func claims4() (list []Claim) {
	const figure = "Contrastive Positive Unlabeled Learning, Figure 4 and section 3, "
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		a := ablations[size]
		add := func(source, statement, above, below string, gamma, prior float64) *Claim {
			list = append(list, Claim{Experiment: experiment4, Statement: statement, Source: source, Setting: a.Setting(gamma, prior),
				Above: Row{above, Neighbors}, Below: Row{below, Neighbors}})
			return &list[len(list)-1]
		}
		few, many := a.Gammas[0], a.Gammas[len(a.Gammas)-1]
		for _, gamma := range a.Gammas {
			add(figure+"role of γ", "PUCL is above ssCL", "PUCL", "ssCL", gamma, a.Prior)
		}
		add(figure+"role of γ", "PUCL's lead over ssCL is larger than with the fewest labels", "PUCL", "ssCL", many, a.Prior).Than =
			a.Setting(few, a.Prior)
		for _, gamma := range a.Gammas[:2] {
			add(figure+"role of γ", "labels are few, and SCL-PU falls below ssCL", "ssCL", "SCL-PU", gamma, a.Prior)
		}
		for _, gamma := range a.Gammas[len(a.Gammas)-2:] {
			add("Contrastive Positive Unlabeled Learning, section 2.2.1 on Figure 4", "labels are many, and SCL-PU is above ssCL", "SCL-PU", "ssCL",
				gamma, a.Prior)
		}
		add("Contrastive Positive Unlabeled Learning, section 2.2.1", "PUCL stays competitive with SCL-PU: at most two points below", "PUCL",
			"SCL-PU", many, a.Prior).Less = competitive
		for _, prior := range a.Priors {
			if a.Setting(a.Gamma, prior) != a.Setting(a.Gamma, a.Prior) { // this is included above
				add("Contrastive Positive Unlabeled Learning, Figure 11", "PUCL is above ssCL", "PUCL", "ssCL", a.Gamma, prior)
			}
		}
		first, last := a.Priors[0], a.Priors[len(a.Priors)-1]
		add(figure+"role of π", "ssCL's lead over SCL-PU is larger near π = ½ than with few positives", "ssCL", "SCL-PU", a.Gamma, 0.5).Than =
			a.Setting(a.Gamma, first)
		add(figure+"role of π", "π is near 1, and SCL-PU collapses below ssCL", "ssCL", "SCL-PU", a.Gamma, last)
		add(figure+"role of π", "PUCL's lead over ssCL is larger with few positives than with π near 1", "PUCL", "ssCL", a.Gamma, first).Than =
			a.Setting(a.Gamma, last)
	}
	return list
}

// sourceAuthors is the source of numbers that the paper's authors published separately.
const sourceAuthors = "the notebooks that the paper's authors published, of the best epoch on test images"

// claimsOverLabels returns the claims of the authors' numbers on CIFAR-I over the number of labels: PUCL leads below
// 10,000, SCL-PU from there on. A linear probe with all classes evaluates the encoders.
func claimsOverLabels() (list []Claim) {
	for _, labeled := range LabelCounts() {
		c := Claim{Experiment: experiment4, Statement: "labels are few, and PUCL is above SCL-PU", Source: sourceAuthors, Setting: LabelsAt(labeled),
			Above: Row{"PUCL", Ceiling}, Below: Row{"SCL-PU", Ceiling}}
		if labeled >= 10_000 {
			c.Statement, c.Above, c.Below = "labels are many, and SCL-PU is above PUCL", c.Below, c.Above
		}
		list = append(list, c)
	}
	return list
}

// experimentLabels is the experiment name of claims about classifiers over the number of labels.
const experimentLabels = "classifiers over n_P"

// classifiersOverLabels lists classifiers on encoders by PUCL without a given class prior, and nnPU with it.
func classifiersOverLabels() []Row {
	return []Row{{"PUCL", PUPL}, {"PUCL", PUPLOnZ}, {"PUCL", Mixture}, {"nnPU", ""}}
}

// ClassifiersOverLabels returns the figure of classifiers over the number of labels: without a class prior on encoders
// by PUCL, and nnPU.
func ClassifiersOverLabels() Sweep {
	s := OverLabels("")
	s.Title, s.Rows = "FMNIST-I, told no class prior, beside nnPU", classifiersOverLabels()
	return s
}

// claimsClassifiersOverLabels returns the claims that classifiers without a class prior are above nnPU at every number
// of labels.
func claimsClassifiersOverLabels() (list []Claim) {
	rows := classifiersOverLabels()
	for _, labeled := range LabelCounts() {
		for _, row := range rows[:3] {
			list = append(list, Claim{Experiment: experimentLabels, Statement: fmt.Sprintf("told no class prior, %s is above nnPU, which is told it", row),
				Source: "Contrastive Positive Unlabeled Learning, of 1,000 and 3,000 labels", Setting: LabelsAt(labeled), Above: row, Below: rows[3]})
		}
	}
	return list
}

// OverLabels returns the figure over the number of labels with a head; Table 1 has the runs at 1,000 labels.
func OverLabels(head string) Sweep {
	return Sweep{Title: "FMNIST-I, a quarter of each batch labeled: " + head, XLabel: "labeled positives", LogX: true, Rows: three(head),
		X: LabelCounts(), Grid: overLabels, Setting: LabelsAt}
}

// AuthorsOverLabels returns the results of the paper's authors on CIFAR-I over the number of labels. They do not name
// the classifier.
func AuthorsOverLabels() Sweep {
	s := Sweep{Title: "CIFAR-I, ResNet-18", XLabel: "labeled positives", LogX: true, Rows: three(""),
		X: LabelsOfFigure10(), Setting: func(x float64) string { return settingName("CIFAR-I", int(x)) }}
	for i, x := range s.X {
		for k, row := range s.Rows {
			p := Published{Setting: s.Setting(x), Row: row, Mean: published10[k].accuracy[i], Rule: experiment.Oracle, Source: sourceAuthors}
			switch row.Method {
			case "ssCL":
				p.Spread = 0.18 // without labels
			case "SCL-PU":
				p.Spread = []float64{3.02, 0, 0, 0, 0, 0}[i]
			case "PUCL":
				p.Spread = []float64{0.15, 0.18, 0.02, 0.17, 0.09, 0.10}[i]
			}
			s.Published = append(s.Published, p)
		}
	}
	return s
}
