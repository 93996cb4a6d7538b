package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
)

// corruptionRates names the grid over how many features of a row a view has from other rows.
const corruptionRates = "corruption-rates"

// CorruptionRates are the shares of features that [Corruption] goes through. 0.6 is that of SCARF and of all other runs.
func CorruptionRates() []float64 { return []float64{0.1, 0.2, 0.4, 0.6, 0.8} }

// Corruption is what the share of replaced features decides for PUCL on the six tables of [RivalsOnTables], whose runs of PUCL it shares: of
// few, two views tell each other by what they kept; of many, nothing of the row is left.
func Corruption(size experiment.Size) (experiment.Grid, error) {
	seeds, sets := 5, uciSets()
	switch size {
	case experiment.Smoke:
		seeds, sets = 1, sets[:1]
	case experiment.Laptop, experiment.Paper: // a GPU gains nothing here
	default:
		return experiment.Grid{}, size.Unknown()
	}
	grid := experiment.Grid{Name: corruptionRates, Size: size}
	for seed := range uint64(seeds) {
		for _, set := range sets {
			for _, set.corruption = range CorruptionRates() {
				grid.Runs = append(grid.Runs, set.contrastive(pucl.PUCL(), size, seed+1))
			}
		}
	}
	return grid, nil
}

// OverCorruption is the figure of [Corruption] for a table, such as "mushroom". It is an error if there is no such table.
func OverCorruption(table string) (Sweep, error) {
	sets := uciSets()
	at := slices.IndexFunc(sets, func(u uciSet) bool { return u.name == table })
	if at < 0 {
		var names []string
		for _, set := range sets {
			names = append(names, set.name)
		}
		return Sweep{}, fmt.Errorf("papers: there are no rows of %q%s; there are those of %s", table, naming.DidYouMean(table, names), strings.Join(names, ", "))
	}
	s := Sweep{
		Title: fmt.Sprintf("PUCL on %s", sets[at].setting()), XLabel: "corruption rate", X: CorruptionRates(), Grid: corruptionRates,
		Setting: func(rate float64) string {
			set := sets[at]
			set.corruption = rate
			return set.setting()
		},
	}
	for _, head := range []string{PUPL, PUPLOnZ, Mixture, NNPU, Ceiling} {
		s.Rows = append(s.Rows, Row{"PUCL", head})
	}
	return s, nil
}
