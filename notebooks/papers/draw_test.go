package papers

import (
	"context"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// fakeCells are results of two seeds of PUCL, of one degenerate seed of nnPU, and of a vPU that is not done.
func fakeCells() *experiment.Cells {
	cells := &experiment.Cells{}
	add := func(method string, seed uint64, state experiment.State, points ...experiment.Point) {
		cells.Standings = append(cells.Standings, experiment.Standing{
			Run: experiment.Run{Setting: "CIFAR-I, 1000 labeled", Method: method, Seed: seed, Config: Rival{Data: Data{Files: JPEGCopies}},
				Train: func(context.Context, *engine.Engine, experiment.Place) (*experiment.Outcome, error) { return nil, nil }},
			State: state, Result: &experiment.Result{Points: points},
		})
	}
	// at returns a point with so many of 100 test images right, and that proxy AUC.
	at := func(head string, step, right int, proxyAUC float64) experiment.Point {
		test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right - 1, FalsePositive: 100 - right, TrueNegative: 1}}
		return experiment.Point{Head: head, Step: step, PU: &evaluate.PU{ProxyAUC: proxyAUC}, Test: &test}
	}
	add("PUCL", 1, experiment.Done, at(PUPL, 1, 95, 0), at(PUPL, 2, 90, 0))
	add("PUCL", 2, experiment.Done, at(PUPL, 1, 81, 0), at(PUPL, 2, 80, 0))
	last := at("", 3, 60, 0)
	last.Test.Constant = true
	add("nnPU", 1, experiment.Done, at("", 1, 70, 0), at("", 2, 65, 1), last)
	add("vPU", 1, experiment.Missing)
	return cells
}

// holds reports whether each word is in the line of the table's text that begins with name.
func holds(t *testing.T, table viz.Table, name string, words ...string) {
	t.Helper()
	text, err := table.Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, name) {
			continue
		}
		for _, word := range words {
			if !strings.Contains(line, word) {
				t.Errorf("%q, want %q in it", line, word)
			}
		}
		return
	}
	t.Errorf("no line begins with %q in\n%s", name, text)
}

// Ours stand beside the published numbers of the same rule; 85 ± 12.706·7.071/√2 is the 95% interval of 90 and 80.
func TestDraw(t *testing.T) {
	table := Table2().Draw(fakeCells(), experiment.Last, "CIFAR-I, 1000 labeled")
	holds(t, table, "Table 2: PUCL and its rivals. Point chosen by: last")
	holds(t, table, "method", "CIFAR-I, 1000 labeled (JPEG copies)", "published")
	holds(t, table, "PUCL, PUPL (CE)", "85.0 ± 63.5", "92.3 ± 1.9")
	holds(t, table, "nnPU ", "60.0", "86.3")
	holds(t, table, "uPU", "n/a", "61.2")
	holds(t, table, "Mean ±", "3 of 4 runs done, 1 missing", "nnPU in 1 of 1 runs of CIFAR-I")
	holds(t, table, "vPU", "n/a")
	for _, row := range table.Rows {
		if row == "PAN" {
			t.Error("a row that has no runs and nothing published is drawn")
		}
	}
	holds(t, Table2().Draw(fakeCells(), experiment.Oracle, "CIFAR-I, 1000 labeled"), "nnPU ", "70.0", "88.7")
	holds(t, Table2().Draw(fakeCells(), experiment.ProxyAUC, "CIFAR-I, 1000 labeled"), "nnPU ", "65.0", "n/a") // published of other rules
}

// Every source is named once with its rows, and a number that another one hides.
func TestSources(t *testing.T) {
	told := Table2().Sources()
	for _, want := range []string{
		"uPU; nnPU: " + sourceDCPULast + ".\n",
		"nnPU with mixup: " + sourceDCPUPlus + ".\n",
		"MixPUL; PULNS; P3MIX-E; P3MIX-C; Dist-PU; LaGAM: " + sourceDCPU + ".\n",
		sourceLaGAM + ". Not in the tables: LaGAM, CIFAR-I, 1000 labeled, 95.78.",
		"PUCL, PUPL (CE): " + source1 + ".",
	} {
		if strings.Count(told, want) != 1 {
			t.Errorf("%q, want %q in it once", told, want)
		}
	}
	if told := (Table{Title: "empty", Rows: []Row{{"PUCL", PUPL}}}).Sources(); told != "" {
		t.Errorf("nothing is published: %s", told)
	}
}

// A mean over what is left of several runs says so, once for all heads; one over all of them does not.
func TestDrawTellsOfFewerRuns(t *testing.T) {
	cells := fakeCells()
	note := func() string { return Table2().Draw(cells, experiment.Last, "CIFAR-I, 1000 labeled").Note }
	if strings.Contains(note(), "fewer runs") {
		t.Error(note())
	}
	for state, told := range map[experiment.State]string{experiment.Failed: "1 failed", experiment.Missing: "1 missing"} {
		cells = fakeCells()
		third := cells.Standings[1]
		third.State, third.Run.Seed, third.Result = state, 3, nil
		cells.Standings = append(cells.Standings, third)
		want := "A mean of fewer runs, and so of those that went well where some failed: " +
			"PUCL in CIFAR-I, 1000 labeled: 2 of 3 runs done, " + told + "."
		if !strings.Contains(note(), want) {
			t.Errorf("%q, want %q in it", note(), want)
		}
	}
}

// A run in which one head could not be had counts for the others; the note says of whom the mean is.
func TestDrawTellsOfHeadsThatCouldNotBeHad(t *testing.T) {
	cells := fakeCells()
	points := cells.Standings[1].Result.Points
	points[1] = experiment.Point{Head: PUPL, Step: 2, Failure: "collapsed"}
	table := Table2().Draw(cells, experiment.Last, "CIFAR-I, 1000 labeled")
	holds(t, table, "PUCL, PUPL (CE)", "90.0")
	if want := "No head could be had of the embedding, and the mean is of the other runs: PUCL, PUPL (CE) in 1 of 2 runs"; !strings.Contains(table.Note, want) {
		t.Errorf("%q, want %q in it", table.Note, want)
	}
}

// A claim that some seeds cannot decide says how many did.
func TestDrawClaimsTellsOfSeedsLeftOut(t *testing.T) {
	claims := func(cells *experiment.Cells) string {
		return Table2().DrawClaims(cells, experiment.Last, "CIFAR-I, 1000 labeled").Note
	}
	cells := fakeCells()
	if strings.Contains(claims(cells), "left out") {
		t.Error(claims(cells))
	}
	cells.Standings[0].Result.Points[1] = experiment.Point{Head: PUPL, Step: 2, Failure: "collapsed"}
	want := "Seeds are left out that failed or whose head could not be had: PUCL, PUPL (CE) in 1 of 2 runs of CIFAR-I, 1000 labeled."
	if !strings.Contains(claims(cells), want) {
		t.Errorf("%q, want %q in it", claims(cells), want)
	}
	cells.Standings[0].State = experiment.Failed
	if !strings.Contains(claims(cells), want) {
		t.Errorf("%q, want %q in it", claims(cells), want)
	}
}

// A rival that makes fewer passes than the others stands beside them with that said.
func TestDrawTellsOfFewerPasses(t *testing.T) {
	cells := fakeCells()
	passes := func(run, epochs int) {
		config := cells.Standings[run].Run.Config.(Rival)
		config.Epochs = epochs
		cells.Standings[run].Run.Config = config
	}
	note := func() string { return Table2().Draw(cells, experiment.Last, "CIFAR-I, 1000 labeled").Note }
	for i := range cells.Standings {
		passes(i, 10)
	}
	if strings.Contains(note(), "passes") {
		t.Error(note())
	}
	passes(2, 5)
	if want := "Fewer passes than the 10 of other rivals: nnPU 5 in CIFAR-I, 1000 labeled."; !strings.Contains(note(), want) {
		t.Errorf("%q, want %q in it", note(), want)
	}
	cells.Standings[2].State = experiment.Missing
	if strings.Contains(note(), "passes") {
		t.Errorf("of runs that are not done: %s", note())
	}
}

// Gaps are taken run by run: 5 and 1 points.
func TestCosts(t *testing.T) {
	table := Table2().Costs(fakeCells(), "CIFAR-I, 1000 labeled")
	holds(t, table, "PUCL, PUPL (CE)", "88.0", "3.0 ± 25.4")
	holds(t, table, "nnPU ", "70.0", "10.0", "5.0", "6.8", "0.4")
}

func TestDrawClaims(t *testing.T) {
	table := Table2().DrawClaims(fakeCells(), experiment.Last, "CIFAR-I, 1000 labeled")
	holds(t, table, "PUCL with PUPL is above nnPU ", "85.0 ± 63.5", "60.0", "92.3", "86.3")
	holds(t, table, "PUCL with PUPL is above vPU", "n/a")
}
