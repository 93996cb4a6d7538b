package papers

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// fakeCells returns results of two seeds of PUCL, one degenerate seed of nnPU, and a vPU that is not done.
func fakeCells() *experiment.Cells {
	cells := &experiment.Cells{}
	add := func(method string, seed uint64, state experiment.State, points ...experiment.Point) {
		cells.Standings = append(cells.Standings, experiment.Standing{
			Run: experiment.Run{Setting: "CIFAR-I, 1000 labeled", Method: method, Seed: seed, Config: Baseline{Data: Data{Files: JPEGCopies}},
				Train: func(context.Context, *engine.Engine, experiment.Place) (*experiment.Outcome, error) { return nil, nil }},
			State: state, Result: &experiment.Result{Points: points},
		})
	}
	// at returns a point with right of 100 test images correct, and that proxy AUC.
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

// holds checks that each word is in the line of the table's text that begins with name.
func holds(t *testing.T, table viz.Table, name string, words ...string) {
	t.Helper()
	text := expect.Must(table.Text())(t)
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, name) {
			continue
		}
		for _, word := range words {
			expect.That(t, strings.Contains(line, word), "%q, want %q in it", line, word)
		}
		return
	}
	t.Errorf("no line begins with %q in\n%s", name, text)
}

// Our numbers are beside the published numbers of the same rule; 85 ± 12.706·7.071/√2 is the 95% interval of 90 and 80.
func TestDraw(t *testing.T) {
	table := Table2().Draw(fakeCells(), experiment.Last, "CIFAR-I, 1000 labeled")
	holds(t, table, "Table 2: PUCL and its baselines. Point chosen by: last")
	holds(t, table, "method", "CIFAR-I, 1000 labeled (JPEG copies)", "published")
	holds(t, table, "PUCL, PUPL (CE)", "85.0 ± 63.5", "92.3 ± 1.9")
	holds(t, table, "nnPU ", "60.0", "86.3")
	holds(t, table, "uPU", "n/a", "61.2")
	holds(t, table, "Mean ±", "3 of 4 runs done, 1 missing", "nnPU in 1 of 1 runs of CIFAR-I")
	holds(t, table, "vPU", "n/a")
	for _, row := range table.Rows {
		expect.That(t, row != "PAN", "a row that has no runs and nothing published is drawn")
	}
	holds(t, Table2().Draw(fakeCells(), experiment.Oracle, "CIFAR-I, 1000 labeled"), "nnPU ", "70.0", "88.7")
	// The published numbers are for other rules.
	holds(t, Table2().Draw(fakeCells(), experiment.ProxyAUC, "CIFAR-I, 1000 labeled"), "nnPU ", "65.0", "n/a")
}

// Every source is named once with its rows, and with numbers that another source hides.
func TestSources(t *testing.T) {
	told := Table2().Sources()
	for _, want := range []string{
		"uPU; nnPU: " + sourceDCPULast + ".\n", "nnPU with mixup: " + sourceDCPUPlus + ".\n",
		"MixPUL; PULNS; P3MIX-E; P3MIX-C; Dist-PU; LaGAM: " + sourceDCPU + ".\n",
		sourceLaGAM + ". Not in the tables: LaGAM, CIFAR-I, 1000 labeled, 95.78.",
		"PUCL, PUPL (CE): " + source1 + ".",
	} {
		expect.That(t, strings.Count(told, want) == 1, "%q, want %q in it once", told, want)
	}
	expect.Equal(t, (Table{Title: "empty", Rows: []Row{{"PUCL", PUPL}}}).Sources(), "", "nothing is published")
}

// A mean over part of the runs is marked once for all heads; a mean over all of them is not.
func TestDrawTellsOfFewerRuns(t *testing.T) {
	cells := fakeCells()
	note := func() string { return Table2().Draw(cells, experiment.Last, "CIFAR-I, 1000 labeled").Note }
	expect.That(t, !strings.Contains(note(), "fewer runs"), "%v", note())
	for state, told := range map[experiment.State]string{experiment.Failed: "1 failed", experiment.Missing: "1 missing"} {
		cells = fakeCells()
		third := cells.Standings[1]
		third.State, third.Run.Seed, third.Result = state, 3, nil
		cells.Standings = append(cells.Standings, third)
		want := "A mean of fewer runs, and so of those that went well where some failed: " +
			"PUCL in CIFAR-I, 1000 labeled: 2 of 3 runs done, " + told + "."
		expect.That(t, strings.Contains(note(), want), "%q, want %q in it", note(), want)
	}
}

// A run in which one head could not be fitted counts for the others; the note names the runs in the mean.
func TestDrawTellsOfHeadsThatCouldNotBeHad(t *testing.T) {
	cells := fakeCells()
	points := cells.Standings[1].Result.Points
	points[1] = experiment.Point{Head: PUPL, Step: 2, Failure: "collapsed"}
	table := Table2().Draw(cells, experiment.Last, "CIFAR-I, 1000 labeled")
	holds(t, table, "PUCL, PUPL (CE)", "90.0")
	want := "No head could be had of the embedding, and the mean is of the other runs: PUCL, PUPL (CE) in 1 of 2 runs"
	expect.That(t, strings.Contains(table.Note, want), "%q, want %q in it", table.Note, want)
}

// A claim that some seeds cannot decide states the number of seeds that did.
func TestDrawClaimsTellsOfSeedsLeftOut(t *testing.T) {
	claims := func(cells *experiment.Cells) string {
		return Table2().DrawClaims(verdictsOf("table-2", cells), "CIFAR-I, 1000 labeled").Note
	}
	cells := fakeCells()
	expect.That(t, !strings.Contains(claims(cells), "left out"), "%v", claims(cells))
	cells.Standings[0].Result.Points[1] = experiment.Point{Head: PUPL, Step: 2, Failure: "collapsed"}
	want := "Seeds are left out that failed or whose head could not be had: PUCL, PUPL (CE) in 1 of 2 runs of CIFAR-I, 1000 labeled."
	expect.That(t, strings.Contains(claims(cells), want), "%q, want %q in it", claims(cells), want)
	cells.Standings[0].State = experiment.Failed
	expect.That(t, strings.Contains(claims(cells), want), "%q, want %q in it", claims(cells), want)
}

// A baseline with fewer passes than the others is marked.
func TestDrawTellsOfFewerPasses(t *testing.T) {
	cells := fakeCells()
	passes := func(run, epochs int) {
		config := cells.Standings[run].Run.Config.(Baseline)
		config.Epochs = epochs
		cells.Standings[run].Run.Config = config
	}
	note := func() string { return Table2().Draw(cells, experiment.Last, "CIFAR-I, 1000 labeled").Note }
	for i := range cells.Standings {
		passes(i, 10)
	}
	expect.That(t, !strings.Contains(note(), "passes"), "%v", note())
	passes(2, 5)
	want := "Fewer passes than the 10 of other baselines: nnPU 5 in CIFAR-I, 1000 labeled."
	expect.That(t, strings.Contains(note(), want), "%q, want %q in it", note(), want)
	cells.Standings[2].State = experiment.Missing
	expect.That(t, !strings.Contains(note(), "passes"), "of runs that are not done: %s", note())
}

// Gaps are paired by run: 5 and 1 points.
func TestCosts(t *testing.T) {
	table := Table2().Costs(fakeCells(), "CIFAR-I, 1000 labeled")
	holds(t, table, "PUCL, PUPL (CE)", "88.0", "3.0 ± 25.4")
	holds(t, table, "nnPU ", "70.0", "10.0", "5.0", "6.8", "0.4")
}

func TestDrawClaims(t *testing.T) {
	table := Table2().DrawClaims(verdictsOf("table-2", fakeCells()), "CIFAR-I, 1000 labeled")
	holds(t, table, "PUCL with PUPL is above nnPU ", "85.0 ± 63.5", "60.0", "92.3", "86.3")
	holds(t, table, "PUCL with PUPL is above vPU", "n/a")
}

// Errors are averaged by set, by share and over all; intervals are counted, and estimators compared by draw; missing
// runs are omitted.
func TestDrawPriors(t *testing.T) {
	cells := &experiment.Cells{}
	add := func(set string, drawn [2]int, state experiment.State, truth, estimate, low, high float64) {
		of := func(head string, off float64) experiment.Point {
			return experiment.Point{Head: head, Values: map[string]float64{
				TruePrior: truth, EstimatedPrior: estimate + off, PriorLow: low, PriorHigh: high,
			}}
		}
		cells.Standings = append(cells.Standings, experiment.Standing{
			Run: experiment.Run{Setting: set, Method: priorMethod, Seed: uint64(len(cells.Standings)), Config: TablePrior{Set: set, Drawn: drawn}}, State: state,
			Result: &experiment.Result{Points: []experiment.Point{of("BBE", 0), of("DEDPUL", 0.3)}},
		})
	}
	add("spambase", [2]int{2, 2}, experiment.Done, 0.5, 0.6, 0.45, 0.75)
	add("spambase", [2]int{2, 2}, experiment.Done, 0.5, 0.3, 0.2, 0.4)
	add("wine", [2]int{1, 3}, experiment.Done, 0.25, 0.25, 0.2, 0.3)
	add("wine", [2]int{1, 3}, experiment.Done, 0.25, 0.45, 0.4, 0.5)
	add("wine", [2]int{1, 3}, experiment.Missing, 0.25, 1, 1, 1)
	add("landsat", [2]int{2, 2}, experiment.Done, 0.5, 0.55, 0.5, 0.6)
	table := DrawPriors(cells)
	holds(t, table, "BBE", "0.150  ", "0.100  ", "0.050  ", "0.100 ± 0.124", "n/a")
	holds(t, table, "DEDPUL", "0.250", "0.400", "0.350", "0.333")
	holds(t, table, "DEDPUL, published", "0.034", "0.012", "0.031")
	holds(t, table, "KM2", "n/a")
	holds(t, DrawPriorIntervals(cells), "BBE", "66.7 ± 71.7", "15.0", "16.7", "16.7")
	holds(t, DrawPriorIntervals(cells), "KM2", "n/a")
	curves := PriorCurves(cells, "BBE", "KM2")
	expect.That(t, len(curves) == 1 && slices.Equal(curves[0].X, []float64{50}) && math.Abs(curves[0].Y[0]-0.1) < 1e-12,
		"curves %+v", curves)
	holds(t, DrawPriorPairs(cells), "BBE is nearer", "22.00 ± 22.21", "23.33 ± 28.68",
		"10.00 to 30.00") // five draws, three tables
	holds(t, DrawPriorPairs(cells), "DEDPUL is nearer to the class prior than KM2", "n/a")
	holds(t, DrawVerdicts(verdictsOf(priorsOnTables, cells), priorsOnTables, experimentPriors), "BBE is nearer", "33.33", "10.00", "23.33 ± 28.68", "inconclusive")
	for _, c := range claimsPriors() {
		for _, row := range []Row{c.Above, c.Below} {
			expect.That(t, strings.Contains(strings.Join(PriorEstimators(), ","), row.Head) &&
				strings.Contains(c.Statement, row.Head), "%s: no estimator %s", c.Statement, row.Head)
		}
	}
}

// The inner values of a classifier are beside its accuracy.
func TestDrawWithoutPrior(t *testing.T) {
	grid := expect.Must(WithoutPrior().Grid(experiment.Laptop))(t)
	cells := &experiment.Cells{}
	for _, run := range grid.Runs {
		standing := experiment.Standing{Run: run}
		if run.Setting == "FMNIST-I, 1000 labeled" && run.Seed <= 2 && run.Method != "PUCL" {
			standing.State, standing.Result = experiment.Done, &experiment.Result{}
			for time, head := range []string{FirstTime, SecondTime} {
				right := 91 + time + int(run.Seed)
				test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 100 - right}}
				standing.Result.Points = append(standing.Result.Points, experiment.Point{Head: head, Step: time, Test: &test,
					PU: &evaluate.PU{Recall: 0.9, Predicted: 0.3, ProxyAUC: 0.9 - 0.1*float64(time), Labeled: 100, Unlabeled: 1000,
						Losses: evaluate.Losses{Positive: 0.5 - 0.4*float64(time)}, Below: slices.Repeat(evaluate.Counts{700}, 100)},
					Values: map[string]float64{EstimatedPrior: 0.31, LabelsRight: 0.9, MembersAlone: float64(right)/100 - 0.01}})
			}
		}
		cells.Standings = append(cells.Standings, standing)
	}
	table := DrawCrossFit(cells, "FMNIST-I, 1000 labeled", "FMNIST-II, 1000 labeled")
	holds(t, table, "FMNIST-I, 1000 labeled: CrossFit, PUCL", "31.0", "90.0", "91.5", "92.5")
	holds(t, table, "FMNIST-I, 1000 labeled: CrossFit, PU-debiased", "31.0", "93.5")
	expect.That(t, len(table.Cells) == 2, "%d rows, want those of the setting that has runs", len(table.Cells))
	choice := DrawCrossFitChoice(cells, "FMNIST-I, 1000 labeled", "FMNIST-II, 1000 labeled")
	holds(t, choice, string(experiment.Last), "93.5")
	holds(t, choice, string(experiment.Oracle), "93.5")
	holds(t, choice, string(experiment.ProxyAUC), "92.5")   // the first round has the higher value here
	holds(t, choice, string(experiment.LeeLiu), "92.5")     // the two are equal: the first
	holds(t, choice, "Lee–Liu by a standard error", "93.5") // for the same reason
	holds(t, choice, string(experiment.RiskOwnPrior), "93.5")
	for _, s := range cells.Standings { // now the first round predicts a third as many positives, with equal recall
		if s.Result != nil {
			s.Result.Points[0].PU.Predicted = 0.1
		}
	}
	holds(t, DrawCrossFitChoice(cells, "FMNIST-I, 1000 labeled"), "Lee–Liu by a standard error", "92.5")
	expect.That(t, len(choice.Columns) == 1, "columns %q, want that of the setting that has runs", choice.Columns)
	holds(t, DrawVerdicts(verdictsOf(withoutPrior, cells), withoutPrior, experimentWithoutPrior), "FMNIST-I, 1000 labeled: encoders told the estimated prior", "1.00", "agrees")
	holds(t, WithoutPrior().Draw(cells, experiment.Last, "FMNIST-I, 1000 labeled"), "DC-PU+", "92.7")
}
