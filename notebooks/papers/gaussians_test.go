package papers

import (
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Two round clouds at a distance d with as many points of each: Bayes' rule is right on Φ(d/2) of them, where a line through the middle
// is as good, and the paper's claim holds.
func TestRoundClouds(t *testing.T) {
	expect.Slow(t)
	grid, err := Gaussians(experiment.Smoke)
	if err != nil {
		t.Fatal(err)
	}
	run := grid.Runs[slices.IndexFunc(grid.Runs, func(r experiment.Run) bool { return r.Setting == RoundAt(2, 0.5) })]
	outcome, err := run.Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	best := 0.5 * math.Erfc(-1/math.Sqrt2)
	noise := 4 * math.Sqrt(best*(1-best)/20_000) // of the test points
	for _, j := range experiment.Judgements(outcome.Points) {
		if j.Rule != experiment.Last {
			continue
		}
		switch miss := best - j.Accuracy; {
		case j.Head == Bayes && math.Abs(miss) > noise:
			t.Errorf("Bayes' rule: %.4f, want %.4f", j.Accuracy, best)
		case (j.Head == PUPL || j.Head == Ceiling) && math.Abs(miss) > noise+0.005:
			t.Errorf("%s: %.4f, want nearly %.4f", j.Head, j.Accuracy, best)
		case j.Head == Naive && miss < 0.1:
			t.Errorf("%s: %.4f although most positives are unlabeled", j.Head, j.Accuracy)
		}
	}
	if n := len(outcome.Points); n != 8 || outcome.Points[7].Values["pseudo-labels right"] < best-0.03 {
		t.Errorf("%+v", outcome.Points)
	}
}
