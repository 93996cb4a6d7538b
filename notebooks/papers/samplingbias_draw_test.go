package papers

import (
	"math"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Drawn batches hold as many pairs of one class as the closed form says, which for two classes of 3 and 1 examples is 3/4 · 2/3.
func TestFalseNegativeShare(t *testing.T) {
	measured, closed := FalseNegativeShare([]int{1, 1, 1, 0}, 2, 20_000, 1)
	if math.Abs(closed-0.5) > 1e-12 || math.Abs(measured-0.5) > 0.015 {
		t.Errorf("measured %g, closed form %g, want a half", measured, closed)
	}
	var classes []int
	for i := range 1000 {
		classes = append(classes, i%10)
	}
	if measured, closed = FalseNegativeShare(classes, 50, 300, 2); math.Abs(closed-99./999) > 1e-12 || math.Abs(measured-closed) > 0.003 {
		t.Errorf("measured %g, closed form %g, want 99/999", measured, closed)
	}
}

// Tables and curves hold the numbers of the runs, under the right names.
func TestDrawSamplingBias(t *testing.T) {
	task := "FMNIST, ten classes"
	cells := &experiment.Cells{}
	add := func(setting, method string, linear, bias float64) {
		for seed := range uint64(2) {
			cells.Standings = append(cells.Standings, experiment.Standing{Run: experiment.Run{Setting: setting, Method: method, Seed: seed}, State: experiment.Done,
				Result: &experiment.Result{Points: []experiment.Point{
					{Head: Ceiling, Step: 4, Many: &evaluate.Classes{Accuracy: linear, N: 10, Predicted: []int{5, 5}}},
					{Step: 2, Values: map[string]float64{PlainBias: bias / 2}}, {Step: 4, Values: map[string]float64{PlainBias: bias, Clipped: 0.25}}}}})
		}
	}
	add(task, "ssCL", 0.5, 0.2)
	add(task, DCLAt(0.1), 0.6, 0.3)
	add(BatchesOf(task, 64), "ssCL", 0.4, 0)
	add(ViewsOf(task, 4), DCLWith(TenClasses, 3), 0.7, 0.1)
	if table := DrawCosts(cells, experiment.Laptop); table.Cells[0][0].Mean != 50 || table.Cells[1][0].Mean != 60 || !table.Cells[2][0].Missing ||
		table.Cells[0][4].Mean != 80.15 || table.Cells[1][4].Mean != 84.26 || !table.Cells[2][4].Missing {
		t.Errorf("costs %+v", table)
	}
	if c := CurvesOverCorrection(cells, task)[0]; len(c.X) != 2 || c.X[1] != 0.1 || c.Y[0] != 50 || c.Y[1] != 60 {
		t.Errorf("over τ⁺ %+v", c)
	}
	if c := CurvesOverBatches(cells, task, 256)[0]; len(c.X) != 2 || c.X[0] != 64 || c.Y[0] != 40 || c.Y[1] != 50 {
		t.Errorf("over batches %+v", c)
	}
	if row := DrawPositives(cells, task).Cells[2]; row[0].Mean != 70 || row[2].Mean != 10 || row[5].Mean != 25 {
		t.Errorf("positives %+v", row)
	}
	if table := DrawEstimates(cells, task); table.Cells[2][1].Mean != 30 || table.Cells[2][5].Mean != 25 || table.Cells[2][0].Text != "0.1" {
		t.Errorf("estimates %+v", table)
	}
	if c := BiasOverSteps(cells, task, "ssCL"); len(c) != 1 || c[0].Y[0] != 10 || c[0].Y[1] != 20 {
		t.Errorf("over steps %+v", c)
	}
}
