package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
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
		{labeler, claimsLabeler()},
	}
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
			if len(cells.Runs(claim.Setting, claim.Above.Method)) > 0 && len(cells.Runs(claim.Setting, claim.Below.Method)) > 0 {
				all = append(all, claim.Decide(cells, experiment.Last))
			}
		}
	}
	return all, nil
}

// DrawClaims sets the claims of an experiment, such as "figure 13", beside what came out, each run judged at its last point.
func DrawClaims(cells *experiment.Cells, name string) viz.Table {
	var findings []Finding
	for _, c := range claimed() {
		for _, claim := range c.claims {
			if claim.Experiment == name {
				claim.Statement = fmt.Sprintf("%s: %s", claim.Setting, claim.Statement)
				findings = append(findings, claim.Decide(cells, experiment.Last))
			}
		}
	}
	out := drawFindings(cells, findings)
	out.Title, out.Decimals = "What is claimed: "+name, 2
	return out
}
