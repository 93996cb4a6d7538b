package papers

import (
	"cmp"

	"github.com/puclab/puclab/notebooks/experiment"
)

// claimed are the grids whose runs decide claims, with these, in the order of a report.
func claimed() []struct {
	grid   string
	claims []Claim
} {
	return []struct {
		grid   string
		claims []Claim
	}{
		{"table-1", claims1()},
		{"table-2", claims2()},
		{inThePlane, planeClaims()},
		{debiased, claimsDebiased()},
		{figure3, claims3()},
		{figure4, claims4()},
		{overLabels, claimsOverLabels()},
		{figure5, claims5()},
		{figure8, claims8()},
	}
}

// decidable reports whether the cells have runs, done or not, of the settings that the claim is about.
func (c Claim) decidable(cells *experiment.Cells) bool {
	for _, setting := range []string{c.Setting, cmp.Or(c.Than, c.Setting)} {
		if len(cells.Runs(setting, c.Above.Method)) == 0 || len(cells.Runs(setting, c.Below.Method)) == 0 {
			return false
		}
	}
	return true
}

// Verdicts decides the claims of all experiments by the runs of a store that are done at a size, each run judged at its last point.
// Claims about settings of which the grid has no run at that size are left out.
func Verdicts(store *experiment.Store, size experiment.Size) (all []Finding, err error) {
	for _, c := range claimed() {
		grid, err := Find(c.grid, size)
		if err != nil {
			return nil, err
		}
		cells, err := store.Cells(grid)
		if err != nil {
			return nil, err
		}
		for _, claim := range c.claims {
			if claim.decidable(cells) {
				all = append(all, claim.Decide(cells, experiment.Last))
			}
		}
	}
	return all, nil
}
