package papers

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// A run tells how far it is as one training of all encoders, keeps them, and is judged on what they did not learn from. Its numbers change
// with crossFitVersion alone.
func TestCrossFitRun(t *testing.T) {
	s, keep, last := small(), t.TempDir(), train.Progress{}
	s.Pretrain.Steps = 6
	run := s.crossFit(crossFitted, 2, 1)
	outcome, err := run.Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir(), Keep: keep, Observer: train.OnStep(
		func(p train.Progress) {
			if p.Steps != 12 || p.Step < last.Step {
				t.Errorf("step %d of %d after step %d", p.Step, p.Steps, last.Step)
			}
			last = p
		})})
	if err != nil {
		t.Fatal(err)
	}
	if last.Step != 12 || len(outcome.Points) != 1 {
		t.Errorf("it ended at step %d with %d points", last.Step, len(outcome.Points))
	}
	p := outcome.Points[0]
	if p.Step != 12 || p.Test.N() != 2000 || p.PU.Labeled != 20 || p.PU.Prior != 0.3 {
		t.Errorf("%+v", p)
	}
	p.Values["accuracy"] = p.Test.Accuracy()
	for name, want := range map[string]float64{EstimatedPrior: 0.482, LabelsRight: 0.731, MembersAlone: 0.650, "accuracy": 0.696} {
		if got := p.Values[name]; !(math.Abs(got-want) < 0.01) { // engines differ in the last digits
			t.Errorf("version %d, %s: %.4f, before %.3f", crossFitVersion, name, got, want)
		}
	}
	for _, name := range []string{"member-0.classifier", "member-1.classifier"} {
		if _, err := os.Stat(filepath.Join(keep, name)); err != nil {
			t.Error(err)
		}
	}
}

// A debiased run has a second pretraining, which is told the first one's prior.
func TestCrossFitDebiasedRun(t *testing.T) {
	s, steps := small(), 0
	s.Pretrain.Steps = 4
	run := s.crossFit(crossDebiased, 2, 1)
	outcome, err := run.Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir(), Observer: train.OnStep(
		func(p train.Progress) {
			steps++
			if p.Steps != 16 || p.Step != steps {
				t.Errorf("step %d of %d is the one of number %d", p.Step, p.Steps, steps)
			}
		})})
	if err != nil {
		t.Fatal(err)
	}
	p := outcome.Points[0]
	if steps != 16 || p.Step != 16 || !(p.Values[FirstPrior] > 0 && p.Values[FirstPrior] < 1) || p.Values[FirstPrior] == p.Values[EstimatedPrior] {
		t.Errorf("%d steps, %+v", steps, p)
	}
	p.Values["accuracy"] = p.Test.Accuracy()
	for name, want := range map[string]float64{FirstPrior: 0.470, EstimatedPrior: 0.473, "accuracy": 0.715} {
		if got := p.Values[name]; !(math.Abs(got-want) < 0.01) { // engines differ in the last digits
			t.Errorf("version %d, %s: %.4f, before %.3f", crossFitVersion, name, got, want)
		}
	}
}
