package papers

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// A run has all heads, each judged on test images, which it did not learn from, and on held-out ones, whose labels have told Outside and
// ChosenSetting the prior; its numbers change with componentsVersion alone. PUPL of the run is what stands beside its parts, and true labels,
// learned by the same network, are above pseudo-labels.
func TestComponentsRun(t *testing.T) {
	expect.Slow(t)
	s := small()
	s.Pretrain.Recipe = nil // views are for the larger runs
	outcome, err := s.takenApart(1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]experiment.Point{}
	for _, p := range outcome.Points {
		by[p.Head] = p
		if p.Failure != "" || p.Step != s.Pretrain.Steps || p.Test.N() != 2000 || p.PU.Labeled != 20 {
			t.Errorf("%+v", p)
		}
	}
	want := slices.Concat(Heads(), headsOfPUPL(false)[1:], headsOfPUPL(true)[1:], []string{Outside, ChosenSetting, NNPUEstimated}, TunedHeads())
	for _, head := range want {
		if _, ok := by[head]; !ok {
			t.Errorf("no %s", head)
		}
	}
	if len(outcome.Points) != len(want) {
		t.Errorf("%d heads, want %d", len(outcome.Points), len(want))
	}
	for _, head := range slices.Concat(headsOfPUPL(false), headsOfPUPL(true), []string{Outside, ChosenSetting, SelfTrained}) {
		if right := by[head].Values[LabelsRight]; !(right > 0.2 && right < 1) {
			t.Errorf("%s: %g of the labels are right", head, right)
		}
	}
	if of := by[ChosenSetting].Values; !(of[WorstSetting] < of[LabelsRight] && of[LabelsRight] <= of[BestSetting]) || by[Outside].Values[LabelsRight] > of[BestSetting] {
		t.Errorf("a setting is chosen by which %g are right, of %g to %g", of[LabelsRight], of[WorstSetting], of[BestSetting])
	}
	if a, b := by[TunedCeiling].Test.Accuracy(), by[Tuned].Test.Accuracy(); a < b+0.02 {
		t.Errorf("fine-tuned by true labels %.3f, by pseudo-labels %.3f", a, b)
	}
	for head, want := range map[string]float64{
		WithoutPart(NoLabels, false): 0.608, WithoutPart(PaperCode, true): 0.378, NNPUEstimated: 0.708, Tuned: 0.702, TunedOnClear: 0.699, SelfTrained: 0.704,
	} {
		if got := by[head].Test.Accuracy(); !(math.Abs(got-want) < 0.015) { // the two engines have 0.711 and 0.698 for SelfTrained, by last digits alone
			t.Errorf("version %d, %s: accuracy %.4f, before %.3f", componentsVersion, head, got, want)
		}
	}
}

// Each row is of its own head, with what is known of it, and CrossFit stands beside what knows all classes on its encoders.
func TestDrawComponents(t *testing.T) {
	grid, err := Components(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	const setting = "FMNIST-I, 1000 labeled"
	cells := &experiment.Cells{}
	of := map[string]int{} // per cent right, by the method and the head
	for _, run := range grid.Runs {
		standing := experiment.Standing{Run: run}
		heads := []string{FirstTime, ownCeiling(FirstTime), SecondTime, ownCeiling(SecondTime)}
		if run.Method == ComponentsMethod {
			heads = slices.Concat(Heads(), headsOfPUPL(false)[1:], headsOfPUPL(true)[1:], []string{Outside, ChosenSetting, NNPUEstimated}, TunedHeads())
		}
		if run.Setting == setting && run.Seed <= 2 {
			standing.State, standing.Result = experiment.Done, &experiment.Result{}
			for i, head := range heads {
				of[head] = 50 + i
				test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: 50 + i, FalseNegative: 50 - i}}
				p := experiment.Point{Head: head, Test: &test, Values: map[string]float64{LabelsRight: float64(i) / 100}}
				if head == Outside {
					p.Values[EstimatedPrior] = 0.123
				}
				standing.Result.Points = append(standing.Result.Points, p)
			}
		}
		cells.Standings = append(cells.Standings, standing)
	}
	percent := func(head string) string { return fmt.Sprintf("%d.0", of[head]) }
	parts := DrawPartsOfPUPL(cells, setting)
	for _, head := range slices.Concat(headsOfPUPL(false), headsOfPUPL(true)) {
		holds(t, parts, head, percent(head), fmt.Sprintf("%d.0", of[head]-50))
	}
	tuned := DrawTuned(cells, setting)
	holds(t, tuned, Outside, "12.3", percent(Outside))
	holds(t, tuned, SelfTrained, percent(SelfTrained))
	holds(t, tuned, TunedCeiling, percent(TunedCeiling))
	beside := DrawBesideTrueLabels(cells, setting)
	holds(t, beside, SecondTime, percent(SecondTime))
	holds(t, beside, ownCeiling(SecondTime), percent(ownCeiling(SecondTime)))
	if len(parts.Rows) != 14 || len(tuned.Rows) != 13 || len(beside.Rows) != 4 {
		t.Errorf("%d, %d and %d rows", len(parts.Rows), len(tuned.Rows), len(beside.Rows))
	}
}
