package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
)

// debiased names the grid of the losses of [Debiased].
const debiased = "debiased"

// Debiased sets encoders pretrained by [pucl.PUDebiased], told the true class prior, beside those by PUCL, with all heads: whether a loss that
// is less biased, and varies more, trains a better encoder. Its runs of PUCL are those of Table 1.
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
			told.Name = fmt.Sprintf("%s, prior %g", method, s.prior()) // which a run of another prior does not share
			run := s.contrastive(told, seed+1)
			run.Method = method
			grid.Runs = append(grid.Runs, s.contrastive(pucl.PUCL(), seed+1), run)
		}
	}
	return grid, nil
}

// claimsDebiased returns what one would expect of a less biased loss, head by head, setting by setting.
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
