package papers

import (
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
)

// overLabels names the grid over the number of labeled positives.
const overLabels = "labels"

// LabelCounts are the numbers of labeled positives n_P in [Labels].
func LabelCounts() []float64 { return []float64{50, 100, 300, 1000, 3000, 10_000} }

// LabelsAt names the setting of n_P labeled positives.
func LabelsAt(labeled float64) string { return settingName("FMNIST-I", int(labeled)) }

// Labels measures the value of labels: the losses of Table 1 with their heads, and nnPU, with numbers of labeled
// positives from 50 to 10,000 and all else equal. It shares the runs that Tables 1 and 2 also have.
//
// At size laptop it also has [ByHeart] on FMNIST-II with 1,000 and with 10,000 labels. With the fewer they stay far
// below published numbers; the gain with the more shows their lack of labels.
func Labels(size experiment.Size) (experiment.Grid, error) {
	grid := experiment.Grid{Name: overLabels, Size: size}
	const seeds = 3
	var list []setting
	switch size {
	case experiment.Smoke:
		list = []setting{smoke()}
	case experiment.Laptop:
		for _, labeled := range LabelCounts() {
			list = append(list, laptopFashion("FMNIST-I", int(labeled), []string{"nnPU"}))
		}
	case experiment.Paper:
		for _, labeled := range LabelCounts() {
			list = append(list, paper("FMNIST-I", int(labeled)))
		}
	default:
		return experiment.Grid{}, size.Unknown()
	}
	list, err := withBenchmarks(list)
	if err != nil {
		return experiment.Grid{}, err
	}
	nnPU := competitorsOf("nnPU")[0]
	for seed := range uint64(seeds) {
		for _, s := range list {
			if seed >= uint64(s.Seeds) {
				continue
			}
			for _, o := range objectives() {
				grid.Runs = append(grid.Runs, s.contrastive(o, seed+1))
			}
			grid.Runs = append(grid.Runs, s.baseline(nnPU, seed+1))
		}
	}
	if size != experiment.Laptop {
		return grid, nil
	}
	if list, err = withBenchmarks([]setting{laptopFashion("FMNIST-II", 1000, nil), laptopFashion("FMNIST-II", 10_000, nil)}); err != nil {
		return experiment.Grid{}, err
	}
	for _, s := range list {
		for seed := range uint64(seeds) {
			for _, c := range competitorsOf(ByHeart()...) {
				grid.Runs = append(grid.Runs, s.baseline(c, seed+1))
			}
		}
	}
	return grid, nil
}

// ByHeart returns the baselines that memorize few labels: uPU, whose risk then falls below zero, and four without a
// given class prior.
func ByHeart() []string { return []string{"uPU", "vPU", "MixPUL", "P3MIX-E", "P3MIX-C"} }

// competitorsOf returns the baselines of some names, in the order of Table 2.
func competitorsOf(names ...string) []competitor {
	return slices.DeleteFunc(competitors(), func(c competitor) bool { return !slices.Contains(names, c.name) })
}
