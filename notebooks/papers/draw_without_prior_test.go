package papers

import (
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// What is inside a classifier stands beside its accuracy, and the claims are about rows that a grid has.
func TestDrawWithoutPrior(t *testing.T) {
	grid, err := WithoutPrior().Grid(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
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
	if len(table.Cells) != 2 {
		t.Errorf("%d rows, want those of the setting that has runs", len(table.Cells))
	}
	choice := DrawCrossFitChoice(cells, "FMNIST-I, 1000 labeled", "FMNIST-II, 1000 labeled")
	holds(t, choice, string(experiment.Last), "93.5")
	holds(t, choice, string(experiment.Oracle), "93.5")
	holds(t, choice, string(experiment.ProxyAUC), "92.5")   // which is higher the first time here
	holds(t, choice, string(experiment.LeeLiu), "92.5")     // as the two are alike: the first
	holds(t, choice, "Lee–Liu by a standard error", "93.5") // for the same reason
	holds(t, choice, string(experiment.RiskOwnPrior), "93.5")
	for _, s := range cells.Standings { // now the first time calls a third as many positive, and recalls as many
		if s.Result != nil {
			s.Result.Points[0].PU.Predicted = 0.1
		}
	}
	holds(t, DrawCrossFitChoice(cells, "FMNIST-I, 1000 labeled"), "Lee–Liu by a standard error", "92.5")
	if len(choice.Columns) != 1 {
		t.Errorf("columns %q, want that of the setting that has runs", choice.Columns)
	}
	holds(t, DrawVerdicts(cells, experimentWithoutPrior), "FMNIST-I, 1000 labeled: encoders told the estimated prior", "1.00", "agrees")
	holds(t, WithoutPrior().Draw(cells, experiment.Last, "FMNIST-I, 1000 labeled"), "DC-PU+", "92.7")
	for _, c := range claimsWithoutPrior() {
		if strings.HasPrefix(c.Setting, "FMNIST") && !c.has(cells) {
			t.Errorf("%s in %s: the grid has no such runs", c.Statement, c.Setting)
		}
	}
}
