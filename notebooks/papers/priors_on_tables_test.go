package papers

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/prior"
)

// A draw labels positives, and has as many unlabeled rows of both classes beside them as it says; every estimator makes an estimate with
// an interval of them, right where classes are far apart but for the two that are not made for it.
func TestPriorsOfATable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	features, labels := mat.NewDense(600, 3, nil), make([]int, 600)
	for i := range labels {
		labels[i] = i % 2
		for j := range 3 {
			features.Set(i, j, random.NormFloat64()+6*float64(labels[i]))
		}
	}
	u := uciSet{name: "a table", labeled: 100, positives: 100, negatives: 200}
	known, positives, negatives, err := u.deal(labels, 1, priorStream)
	if err != nil {
		t.Fatal(err)
	}
	x, labeled, err := stacked(features, known, positives, negatives)
	if err != nil {
		t.Fatal(err)
	}
	near := func(i int) bool { return x.At(i, 0)+x.At(i, 1)+x.At(i, 2) > 9 } // the middle between the classes
	for i, l := range labeled {
		if l != (i < 100) || near(i) != (i < 200) {
			t.Errorf("row %d: labeled %t, looks positive %t", i, l, near(i))
		}
	}
	c := TablePrior{Trees: prior.Trees{Trees: 20}, Folds: 4, Repeats: 1, Again: 10, Rows: 10}
	points, err := c.estimate(context.Background(), x, labeled, u.prior(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		v := p.Values
		if v[TruePrior] != u.prior() || !(v[PriorLow] <= v[EstimatedPrior] && v[EstimatedPrior] <= v[PriorHigh]) || v[PriorOverlap] != 0 {
			t.Errorf("%s: %v", p.Head, v)
		}
		if e := v[EstimatedPrior]; !strings.HasPrefix(p.Head, "Elkan") && !strings.HasPrefix(p.Head, "TIcE") && (e < 0.2 || e > 0.45) {
			t.Errorf("%s: %g, want about %g", p.Head, e, u.prior())
		}
	}
	for i, name := range PriorEstimators() {
		if len(points) != len(PriorEstimators()) || points[i].Head != name {
			t.Fatalf("%d estimators, of which %s should be at %d", len(points), name, i)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := c.estimate(stopped, x, labeled, u.prior(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is stopped: %v", err)
	}
	u.positives = 300
	if _, _, _, err := u.deal(labels, 1, priorStream); err == nil || !strings.Contains(err.Error(), "300 positives") {
		t.Errorf("too few positives: %v", err)
	}
}

// Every draw has the share of positives that its setting names, but for the rows that a set lacks.
func TestPriorDraws(t *testing.T) {
	grid, err := PriorsOnTables(experiment.Laptop)
	if err != nil || len(grid.Runs) != 300 {
		t.Fatalf("%d runs, %v", len(grid.Runs), err)
	}
	for _, run := range grid.Runs {
		c := run.Config.(TablePrior)
		if run.Setting != PriorSetting(c.Set, c.percent()) {
			t.Errorf("%s has a share of %d%%", run, c.percent())
		}
	}
	for _, u := range uciSets() {
		if want := [3]int{u.labeled, u.positives, u.negatives}; priorDraws[u.name][1] != want {
			t.Errorf("%s: %d, and %d where rivals are trained", u.name, priorDraws[u.name][1], want)
		}
	}
}
