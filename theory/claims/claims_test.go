package claims

import (
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

var (
	openEngine = enginetest.Open
	near       = theorytest.Near
	wantError  = theorytest.WantError
)

// metersOf returns meters of the objectives at temperature 1, until the end of the test.
func metersOf(t *testing.T, objectives ...pucl.Objective) []*meter {
	s := &subject{eng: openEngine(t), bench: newBench()}
	t.Cleanup(s.bench.close)
	return s.meters(1, objectives...)
}

// What tests have checked, on one bench: compiling takes longer than measuring, and a claim's finding is the same whoever asks.
var (
	shared = newBench()
	found  = map[string]Claim{}
)

// check returns the claim with what its check finds, which is computed once for all tests.
func check(t *testing.T, c Claim) (Claim, error) {
	t.Helper()
	if known, ok := found[c.ID]; ok {
		return known, nil
	}
	checked, err := c.checkOn(shared, openEngine(t), Plant{})
	if err == nil {
		found[c.ID] = checked
	}
	return checked, err
}
