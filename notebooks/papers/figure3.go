package papers

import (
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
)

// figure3 names the grid of Figure 3.
const figure3 = "figure-3"

// Figure3 is the grid of Figure 3: encoders by PUCL with increasing numbers of labels, on whose frozen outputs all
// heads are trained. Size laptop uses the encoders of [Labels]; size paper those by [Figure5] on Imagewoof against
// Imagenette.
func Figure3(size experiment.Size) (experiment.Grid, error) {
	of := Labels
	if size == experiment.Paper {
		of = Figure5
	}
	grid, err := of(size)
	grid.Name = figure3
	return grid.Only(func(r experiment.Run) bool {
		return r.Method == "PUCL" && (size != experiment.Paper || slices.Contains(wholeWoof(), r.Setting))
	}), err
}

// wholeWoof are the settings of Figure 3 at size paper: Imagewoof against Imagenette with labels within one set.
func wholeWoof() (names []string) {
	v := samplings[experiment.Paper][1]
	for _, gamma := range v.Gammas {
		names = append(names, v.Setting(true, gamma))
	}
	return names
}

// probes lists the heads of Figure 3.
func probes() []Row {
	return []Row{{"PUCL", Ceiling}, {"PUCL", PUPL}, {"PUCL", PUPLOnZ}, {"PUCL", NNPU}, {"PUCL", Naive}}
}

// Probes returns Figure 3 over the number of labels.
func Probes() Sweep {
	return Sweep{Title: "Heads on frozen encoders by PUCL, FMNIST-I", XLabel: "labeled positives", LogX: true, Rows: probes(), X: LabelCounts(),
		Grid: figure3, Setting: LabelsAt}
}

// AuthorsProbes returns the results of the paper's authors on Imagewoof against Imagenette, over γ.
func AuthorsProbes() Sweep {
	v := samplings[experiment.Paper][1]
	s := Sweep{Title: "Heads on frozen encoders by PUCL, Imagewoof against Imagenette", XLabel: "γ, labeled for each unlabeled image", LogX: true,
		Rows: probes(), X: v.Gammas, Grid: figure3, Setting: func(x float64) string { return v.Setting(true, x) }}
	for head, means := range map[string][]float64{
		PUPL: authorsOnWoof["PUCL"], // the same numbers; the source does not state for which of the two
		NNPU: {86.27, 89.85, 91.15, 91.59, 94.09}, Naive: {49.97, 50.06, 58.21, 88.15, 92.55},
	} {
		for i, mean := range means {
			s.Published = append(s.Published, Published{Setting: s.Setting(s.X[i]), Row: Row{"PUCL", head}, Mean: mean,
				Rule: experiment.Oracle, Source: sourceAuthors})
		}
	}
	return s
}

// experiment3 is the experiment name of claims about Figure 3.
const experiment3 = "figure 3"

// claims3 returns the paper's conclusions from Figure 3: PUPL stays accurate where other heads lack information. Its
// pseudo-labels are from the encoder outputs h; those from the projections z are a separate, marked reading.
func claims3() (list []Claim) {
	const source = "Contrastive Positive Unlabeled Learning, Figure 3"
	var settings []string
	for _, labeled := range LabelCounts() {
		settings = append(settings, LabelsAt(labeled))
	}
	for _, settings := range [][]string{settings, wholeWoof()} {
		for _, head := range []string{PUPL, PUPLOnZ} {
			for _, setting := range settings {
				for _, other := range []string{NNPU, Naive} {
					list = append(list, Claim{Experiment: experiment3, Statement: head + " is above " + other, Source: source, Setting: setting,
						Above: Row{"PUCL", head}, Below: Row{"PUCL", other}})
				}
			}
			few, many := settings[0], settings[len(settings)-1]
			list = append(list, Claim{Experiment: experiment3, Statement: head + " leads nnPU by more than with the most labels", Source: source,
				Setting: few, Than: many, Above: Row{"PUCL", head}, Below: Row{"PUCL", NNPU}})
		}
	}
	return list
}
