package papers

import (
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
)

// claims are the claims that the runs of a grid decide.
type claims struct {
	grid string
	list []Claim
}

// claimed lists all claims in the order of a report.
func claimed() []claims {
	return slices.Concat([]claims{{"table-1", claims1()}, {"table-2", claims2()}}, claimedByFigures(),
		[]claims{{inThePlane, planeClaims()}, {debiased, claimsDebiased()}, {labeler, claimsLabeler()}, {components, claimsComponents()}, {"table-1", claimsBesideAlgorithm1()},
			{onTables, claimsBesideAlgorithm1OnTables()}, {withoutPrior, claimsWithoutPrior()}, {unevenLabels, claimsUneven()}, {unevenPriors, claimsUnevenPriors()}, {onTables, claimsOnTables()}, {priorsOnTables, claimsPriors()}, {samplingBias, claimsSamplingBias()}, {geometry, claimsGeometry()}, {recovery, claimsRecovery()}, {debiasedPos, claimsFalsePositives()},
			{openWorldGrid, claimsOpenWorld()}, {answering, claimsAnswering()}})
}

// claimedByFigures lists the claims of figures 1 and 6, 3, 4 and 11, 5, 8, 9 and 10.
func claimedByFigures() []claims {
	return []claims{
		{figure1, claimsSupervision()}, {figure3, claims3()}, {figure4, claims4()}, {overLabels, claimsOverLabels()}, {overLabels, claimsClassifiersOverLabels()}, {figure5, claims5()},
		{figure8, claims8()}, {figure9, claimsConvergence()}, {figure10, claimsParametric()},
	}
}

// Verdicts decides the claims of all experiments by the done runs of a store at a size, each run evaluated at its last
// point. Claims about settings without runs in the grid at that size are omitted.
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
		all = append(all, c.find(cells)...)
	}
	decide(all)
	return all, nil
}

// find measures the effects of the claims, without verdicts.
func (c claims) find(cells *experiment.Cells) (all []Finding) {
	for _, claim := range c.list {
		if claim.has(cells) {
			all = append(all, claim.find(c.grid, cells, experiment.Last))
		}
	}
	return all
}
