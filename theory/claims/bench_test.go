package claims

import (
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

// A meter of a bench runs the batches of a population and a design once, and those of another design or prior anew.
func TestMetersMeasureOnce(t *testing.T) {
	m := metersOf(t, pucl.PUCL())[0]
	runs := 0
	m.Progress = func(done, _ float64) { runs += oneIf(done == 0) }
	exact := func(d theory.Design, want int) theory.Result {
		t.Helper()
		r, err := m.Exact(TwoSigns(), d)
		if err != nil || runs != want {
			t.Errorf("%+v: %d runs, want %d; %v", d, runs, want, err)
		}
		return r
	}
	d := theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.25}
	first := exact(d, 1)
	if again := exact(d, 1); again != first {
		t.Errorf("%v, and then %v", first, again)
	}
	d.Prior = 0.5
	exact(d, 2)
	for range 2 {
		if _, err := m.Gradient(TwoSigns(), d); err != nil || runs != 3 {
			t.Errorf("gradient: %d runs, want 3; %v", runs, err)
		}
	}
	for range 2 { // an error is not kept
		_, err := m.Exact(TwoSigns(), theory.Design{})
		wantError(t, "no batch", err, "neither may be negative")
	}
}
