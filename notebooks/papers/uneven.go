package papers

import (
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
)

// unevenLabels names the grid over the unevenness of labels.
const unevenLabels = "uneven-labels"

// Unevenness are the ratios in [UnevenLabels] of labeling probabilities between successive positive classes; 1 is the
// case of all other grids.
func Unevenness() []float64 { return []float64{1, 2, 5} }

// UnevenAt names the setting of such an unevenness.
func UnevenAt(times float64) string { return unevenly(settingName("FMNIST-I", 1000), times) }

// unevenly returns the name of a setting with such an unevenness.
func unevenly(name string, times float64) string {
	if times == 1 {
		return name
	}
	return fmt.Sprintf("%s, unevenly by %g", name, times)
}

// UnevenLabels measures heads on encoders by PUCL, and classifiers without a prior, when labels are not a uniform
// sample of the positives, which all of them assume. Of three positive classes the first is labeled more often than the
// second, and the second more often than the third, in training and held-out data alike. Test images are unchanged.
func UnevenLabels(size experiment.Size) (experiment.Grid, error) {
	var s setting
	const seeds = 3
	switch size {
	case experiment.Smoke:
		s = smoke()
	case experiment.Laptop:
		s = laptopFashion("FMNIST-I", 1000, nil)
	case experiment.Paper:
		s = paper("FMNIST-I", 1000)
	default:
		return experiment.Grid{}, size.Unknown()
	}
	whole, err := s.withBenchmark()
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: unevenLabels, Size: size}
	for seed := range uint64(min(whole.Seeds, seeds)) {
		for _, times := range Unevenness() {
			s := whole
			if s.Name = unevenly(s.Name, times); times != 1 {
				s.Data.Uneven = times
			}
			grid.Runs = append(grid.Runs, s.contrastive(pucl.PUCL(), seed+1), s.crossFit(seed+1))
		}
	}
	return grid, nil
}

// OverUnevenness is the figure of [UnevenLabels].
func OverUnevenness() Sweep {
	return Sweep{
		Title: "Labels drawn unevenly, FMNIST-I", XLabel: "times as likely labeled as the next class", LogX: true, Rows: unevenRows(), X: Unevenness(),
		Setting: UnevenAt, Grid: unevenLabels,
	}
}

// unevenRows lists the classifiers that are trained on uneven labels.
func unevenRows() []Row {
	return []Row{{crossFitMethod, FirstTime}, {crossFitMethod, SecondTime}, {"PUCL", NNPU}, {"PUCL", PUPLOnZ}, {"PUCL", Mixture}, {"PUCL", Ceiling}}
}

// claimsUneven returns the claims that every classifier trained on the labels loses accuracy.
func claimsUneven() (list []Claim) {
	for _, times := range Unevenness()[1:] {
		for _, row := range unevenRows()[:5] {
			list = append(list, Claim{
				Experiment: "uneven labels", Source: "this library", Setting: UnevenAt(1), Above: row, Below: row, BelowSetting: UnevenAt(times),
				Statement: fmt.Sprintf("labels that are drawn unevenly, by %g, cost accuracy: %s", times, row),
			})
		}
	}
	return list
}

// drawUnevenly draws the labels of a split in proportion to a weight for each positive class, times as large as the
// next class's.
func drawUnevenly(config *datasets.SplitConfig, labels []int, times float64) {
	config.Draw = datasets.Weighted
	config.Propensity = func(row int) float64 {
		return math.Pow(times, -float64(slices.Index(config.Positive, labels[row])))
	}
}
