package papers

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/train"
)

// A run has all heads, each evaluated on test images, which it was not trained on, and on held-out ones, whose labels
// set the prior of Outside and ChosenSetting. Its numbers change only with componentsVersion. PUPL of the run equals
// the PUPL beside its parts. The same network trained on true labels is above pseudo-labels.
func TestComponentsRun(t *testing.T) {
	expect.Slow(t)
	s := few()
	s.Pretrain.Recipe = nil // views are for the larger runs
	outcome, err := s.takenApart(1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	expect.NoError(t, err)
	by := map[string]experiment.Point{}
	for _, p := range outcome.Points {
		by[p.Head] = p
		expect.That(t, p.Failure == "" && p.Step == s.Pretrain.Steps && p.Test.N() == 2000 && p.PU.Labeled == 20,
			"%+v", p)
	}
	want := slices.Concat(Heads(), headsOfPUPL(false)[1:], headsOfPUPL(true)[1:], []string{Outside, ChosenSetting, NNPUEstimated}, TunedHeads())
	for _, head := range want {
		_, ok := by[head]
		expect.That(t, ok, "no %s", head)
	}
	expect.That(t, len(outcome.Points) == len(want), "%d heads, want %d", len(outcome.Points), len(want))
	for _, head := range slices.Concat(headsOfPUPL(false), headsOfPUPL(true), []string{Outside, ChosenSetting, SelfTrained}) {
		right := by[head].Values[LabelsRight]
		expect.That(t, right > 0.2 && right < 1, "%s: %g of the labels are right", head, right)
	}
	if of := by[ChosenSetting].Values; !(of[WorstSetting] < of[LabelsRight] && of[LabelsRight] <= of[BestSetting]) || by[Outside].Values[LabelsRight] > of[BestSetting] {
		t.Errorf("a setting is chosen by which %g are right, of %g to %g", of[LabelsRight], of[WorstSetting], of[BestSetting])
	}
	a, b := by[TunedCeiling].Test.Accuracy(), by[Tuned].Test.Accuracy()
	expect.That(t, a >= b+0.02, "fine-tuned by true labels %.3f, by pseudo-labels %.3f", a, b)
	for head, want := range map[string]float64{
		WithoutPart(NoLabels, false): 0.667, WithoutPart(PaperCode, true): 0.606, NNPUEstimated: 0.692, Tuned: 0.702, TunedOnClear: 0.699, SelfTrained: 0.647,
	} {
		// Rounding alone makes the engines differ for SelfTrained: 0.711 and 0.698.
		if got := by[head].Test.Accuracy(); !(math.Abs(got-want) < 0.015) {
			t.Errorf("version %d, %s: accuracy %.4f, before %.3f", componentsVersion, head, got, want)
		}
	}
}

// Each row has its own head with its values, and CrossFit is beside the fully supervised classifier on its encoders.
func TestDrawComponents(t *testing.T) {
	grid := expect.Must(Components(experiment.Laptop))(t)
	const setting = "FMNIST-I, 1000 labeled"
	cells := &experiment.Cells{}
	of := map[string]int{} // percent correct, by method and head
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
	expect.That(t, len(parts.Rows) == 14 && len(tuned.Rows) == 13 && len(beside.Rows) == 4,
		"%d, %d and %d rows", len(parts.Rows), len(tuned.Rows), len(beside.Rows))
}

// A run has all heads, each evaluated on examples that it was not trained on, with the prior of its labeling. Its
// numbers change only with labelerVersion.
func TestLabelerRun(t *testing.T) {
	expect.Slow(t)
	s := few()
	outcome, err := s.heldBack(pucl.PUCL(), 1).Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	expect.NoError(t, err)
	var heads []string
	by := map[string]experiment.Point{}
	for _, p := range outcome.Points {
		heads = append(heads, p.Head)
		by[p.Head] = p
		expect.That(t, p.Failure == "" && p.Step == s.Pretrain.Steps && p.Test.N() == 2000 && p.PU.Labeled == 20 &&
			p.Values[LabelsRight] > 0, "%+v", p)
	}
	expect.That(t, slices.Equal(heads, LabelerHeads()), "heads %q", heads)
	for head, want := range map[string]float64{WithoutEstimate: 0.5, ToldPrior: 0.3, WithoutTrim: by[WholeLabeler].Values[EstimatedPrior], PUPL: 0} {
		expect.Equal(t, by[head].Values[EstimatedPrior], want, "%s: prior", head)
	}
	expect.Equal(t, by[Ceiling].Values[LabelsRight], 1, "true labels are right for")
	for _, head := range LabelerHeads()[1:8] {
		expect.That(t, by[head].Values[LabelsRight] != by[WholeLabeler].Values[LabelsRight],
			"%s has the labels of all parts", head)
	}
	// share is the fraction of PUPL's labels that equal those of all parts, or their complement, from the correct
	// fractions of both.
	share := 0.0
	for _, p := range []experiment.Point{by[WholeLabeler], by[PUPL]} {
		share += p.Values[LabelsRight]
	}
	if d := by[PUPL].Values[Disagreement]; by[WholeLabeler].Values[Disagreement] != 0 || d < math.Abs(2*by[PUPL].Values[LabelsRight]-share)-1e-12 || d > min(share, 2-share)+1e-12 {
		t.Errorf("PUPL disagrees by %g, where %+v are right", d, share)
	}
	for head, want := range map[string][2]float64{WholeLabeler: {0.729, 0.701}, WithoutSecond: {0.736, 0.706}, WithoutHeldOut: {0.694, 0.688}} {
		got := [2]float64{by[head].Values[LabelsRight], by[head].Test.Accuracy()}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) < 0.01) { // engines differ in the last digits
				t.Errorf("version %d, %s: labels right and accuracy %.4f, before %.3f", labelerVersion, head, got, want)
			}
		}
	}
}

// A third of the labels is held back, a different third for each seed.
func TestHoldBack(t *testing.T) {
	labeled := slices.Concat(slices.Repeat([]bool{true}, 30), slices.Repeat([]bool{false}, 50))
	first := holdBack(labeled, 1)
	count := 0
	for i, hidden := range first {
		if hidden {
			count++
			expect.That(t, labeled[i], "row %d has no label to hold back", i)
		}
	}
	expect.That(t, count == 10 && !slices.Equal(first, holdBack(labeled, 2)) &&
		slices.Equal(first, holdBack(labeled, 1)), "%d held back of 30; or seeds do not count", count)
}

// Of four unlabeled rows the half with the highest scores is positive, and so is every labeled row; ties take the first
// row.
func TestHighest(t *testing.T) {
	got := highest([]float64{-9, 1, 3, 2, 2}, []bool{true, false, false, false, false}, 0.5)
	expect.Equal(t, got, []bool{true, false, true, true, false})
}

var committedCells = map[string]*experiment.Cells{}

// committed returns the committed runs of a grid, which are read once and must not be changed.
func committed(t *testing.T, grid string) *experiment.Cells {
	t.Helper()
	if committedCells[grid] == nil {
		store := expect.Must(experiment.Open("../results"))(t)
		committedCells[grid] = expect.Must(store.Cells(expect.Must(Find(grid, experiment.Laptop))(t)))(t)
	}
	return committedCells[grid]
}

// On the outputs of PUCL of FMNIST-I, where Algorithm 1 labels less than half correctly, a classifier trained on the
// labeler's pseudo-labels reaches 88% or more with every seed. Its pseudo-labels are less accurate than Algorithm 1's
// only where the doc of package pseudo warns of it: on encoders by SCL-PU.
func TestLabelerBesideAlgorithm1(t *testing.T) {
	cells := committed(t, "table-1")
	for _, labeled := range []int{1000, 3000} {
		setting := settingName("FMNIST-I", labeled)
		for _, s := range cells.Runs(setting, "PUCL") {
			expect.Require(t, s.State == experiment.Done, "%v %v", s.Run, s.State)
			ours, theirs := experiment.LastPoint(s.Result.Points, Mixture).Test.Accuracy(), experiment.LastPoint(s.Result.Points, PUPL).Test.Accuracy()
			expect.That(t, ours >= 0.88 && theirs <= 0.5, "%s: %.3f, and %.3f by Algorithm 1", s.Run, ours, theirs)
		}
	}
	var below []string
	for _, c := range claimsBesideAlgorithm1() {
		if f := decided(c, cells); f.Verdict == Disagrees {
			below = append(below, c.Setting+", "+c.Above.String()+" below "+c.Below.String())
		}
	}
	want := []string{
		"CIFAR-I, 1000 labeled, SCL-PU, mixture (CE) below SCL-PU, PUPL (CE)",
		"CIFAR-I, 1000 labeled, SCL-PU, mixture (CE) below SCL-PU, PUPL on z (CE)",
		"FMNIST-I, 3000 labeled, SCL-PU, mixture (CE) below SCL-PU, PUPL on z (CE)",
		"FMNIST-II, 1000 labeled, SCL-PU, mixture (CE) below SCL-PU, PUPL (CE)",
		"FMNIST-II, 1000 labeled, SCL-PU, mixture (CE) below SCL-PU, PUPL on z (CE)",
		"FMNIST-II, 3000 labeled, SCL-PU, mixture (CE) below SCL-PU, PUPL on z (CE)",
	}
	slices.Sort(below)
	expect.That(t, slices.Equal(below, want), "worse than Algorithm 1: %q, want %q", below, want)
}

// A run reports the training of all encoders as one progress and keeps the encoders. It is evaluated on examples that
// it was not trained on, after the first and the second round, beside all true labels on the same encoders. Its numbers
// change only with crossFitVersion.
func TestCrossFitRun(t *testing.T) {
	expect.Slow(t)
	s, keep, last := few(), t.TempDir(), train.Progress{}
	s.Pretrain.Steps = 6
	run := s.crossFitOf(func(c *CrossFit) { c.Folds, c.Ceiling = 2, true }, 1)
	outcome, err := run.Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir(), Keep: keep, Observer: train.OnStep(
		func(p train.Progress) {
			expect.That(t, p.Steps == 36 && p.Step == last.Step+1,
				"step %d of %d after step %d", p.Step, p.Steps, last.Step)
			last = p
		})})
	expect.NoError(t, err)
	expect.Require(t, last.Step == 36 && len(outcome.Points) == 4,
		"it ended at step %d with %d points", last.Step, len(outcome.Points))
	for i, want := range []map[string]float64{
		{EstimatedPrior: 0.359, LabelsRight: 0.789, MembersAlone: 0.717, "accuracy": 0.755}, {EstimatedPrior: 0.402, "accuracy": 0.751},
	} {
		p, above := outcome.Points[2*i], outcome.Points[2*i+1]
		if above.Head != p.Head+", all true labels" || above.Step != p.Step || above.Test.Accuracy() < p.Test.Accuracy()+0.01 {
			t.Errorf("%s has %.3f beside %s with %.3f", above.Head, above.Test.Accuracy(), p.Head, p.Test.Accuracy())
		}
		expect.That(t, p.Head == []string{FirstTime, SecondTime}[i] && p.Step == []int{12, 36}[i] &&
			p.Test.N() == 2000 && p.PU.Labeled == 20 && p.PU.Prior == 0.3, "%+v", p)
		p.Values["accuracy"] = p.Test.Accuracy()
		for name, want := range want {
			if got := p.Values[name]; !(math.Abs(got-want) < 0.01) { // engines differ in the last digits
				t.Errorf("version %d, %s, %s: %.4f, before %.3f", crossFitVersion, p.Head, name, got, want)
			}
		}
	}
	kept := expect.Must(learn.Load(filepath.Join(keep, "crossfit.classifier"), enginetest.Open(t), nil))(t)
	expect.Equal(t, len(kept.Members()), 2, "members")
}
