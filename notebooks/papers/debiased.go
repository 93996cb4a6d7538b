package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
)

// debiased names the grid of the losses of [Debiased].
const debiased = "debiased"

// Debiased compares encoders pretrained by [pucl.PUDebiased], given the true class prior, with encoders by PUCL, with
// all heads: does a loss with less bias and more variance train a better encoder? Its runs of PUCL are those of Table
// 1.
func Debiased(size experiment.Size) (experiment.Grid, error) {
	list, err := settings(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: debiased, Size: size}
	for _, s := range list {
		for seed := range uint64(s.Seeds) {
			told := pucl.PUDebiased(s.prior())
			method := told.Name
			// A run with another prior needs another name.
			told.Name = fmt.Sprintf("%s, prior %g", method, s.prior())
			run := s.contrastive(told, seed+1)
			run.Method = method
			grid.Runs = append(grid.Runs, s.contrastive(pucl.PUCL(), seed+1), run)
		}
	}
	return grid, nil
}

// claimsDebiased returns the expectations about a less biased loss, by head and setting.
func claimsDebiased() (list []Claim) {
	for _, labeled := range []int{1000, 3000} {
		for _, benchmark := range benchmarks1 {
			for _, head := range []string{PUPLOnZ, Mixture, NNPU, Ceiling} {
				list = append(list, Claim{
					Experiment: "PU-debiased", Statement: "less bias, a better encoder: PU-debiased is above PUCL, both with " + head,
					Source: "this library", Setting: settingOf(benchmark, labeled), Above: Row{"PU-debiased", head}, Below: Row{"PUCL", head},
				})
			}
		}
	}
	return list
}
