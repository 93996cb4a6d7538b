package papers

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// TableDraw is a draw from a UCI table in the case-control setting: labeled positives, and unlabeled rows of which a
// quarter is positive.
type TableDraw struct {
	X           *mat.Dense // training rows [n, d]
	Labeled     []bool     // [n]
	Held        *mat.Dense // held-out rows [m, d], drawn as the training rows
	HeldLabeled []bool     // [m]
	Test        *mat.Dense // test rows [k, d], drawn as the unlabeled rows
	Truth       []bool     // [k], the true class of each test row
}

// TableNames returns the names of the six UCI tables.
func TableNames() []string {
	var names []string
	for _, set := range uciSets() {
		names = append(names, set.name)
	}
	return names
}

// DrawTable returns the rows of a UCI table that the runs of [BaselinesOnTables] with that seed use. It returns an
// error for an unknown name and for missing files.
func DrawTable(name string, seed uint64) (*TableDraw, error) {
	for _, set := range uciSets() {
		if set.name != name {
			continue
		}
		o, err := set.open(seed)
		if err != nil {
			return nil, err
		}
		out := &TableDraw{Labeled: o.train.Labeled, HeldLabeled: o.held.Labeled, Truth: o.truth}
		for _, part := range []struct {
			to    **mat.Dense
			index []int
		}{{&out.X, o.train.Index}, {&out.Held, o.held.Index}, {&out.Test, o.tests}} {
			if *part.to, err = rows.Take(o.table.Features, part.index); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("papers: no UCI table %q; there are %s", name, strings.Join(TableNames(), ", "))
}
