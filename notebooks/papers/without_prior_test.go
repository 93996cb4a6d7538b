package papers

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// A run tells how far it is as one training of all encoders, keeps them, and is judged on what they did not learn from, after the first time and
// after the second, beside all true labels on the same encoders. Its numbers change with crossFitVersion alone.
func TestCrossFitRun(t *testing.T) {
	expect.Slow(t)
	s, keep, last := small(), t.TempDir(), train.Progress{}
	s.Pretrain.Steps = 6
	run := s.crossFitOf(func(c *CrossFit) { c.Folds, c.Ceiling = 2, true }, 1)
	outcome, err := run.Train(t.Context(), enginetest.Open(t), experiment.Place{Folder: t.TempDir(), Keep: keep, Observer: train.OnStep(
		func(p train.Progress) {
			if p.Steps != 36 || p.Step != last.Step+1 {
				t.Errorf("step %d of %d after step %d", p.Step, p.Steps, last.Step)
			}
			last = p
		})})
	if err != nil {
		t.Fatal(err)
	}
	if last.Step != 36 || len(outcome.Points) != 4 {
		t.Fatalf("it ended at step %d with %d points", last.Step, len(outcome.Points))
	}
	for i, want := range []map[string]float64{
		{EstimatedPrior: 0.377, LabelsRight: 0.789, MembersAlone: 0.717, "accuracy": 0.755}, {EstimatedPrior: 0.380, "accuracy": 0.773},
	} {
		p, above := outcome.Points[2*i], outcome.Points[2*i+1]
		if above.Head != p.Head+", all true labels" || above.Step != p.Step || above.Test.Accuracy() < p.Test.Accuracy()+0.01 {
			t.Errorf("%s has %.3f beside %s with %.3f", above.Head, above.Test.Accuracy(), p.Head, p.Test.Accuracy())
		}
		if p.Head != []string{FirstTime, SecondTime}[i] || p.Step != []int{12, 36}[i] || p.Test.N() != 2000 || p.PU.Labeled != 20 || p.PU.Prior != 0.3 {
			t.Errorf("%+v", p)
		}
		p.Values["accuracy"] = p.Test.Accuracy()
		for name, want := range want {
			if got := p.Values[name]; !(math.Abs(got-want) < 0.01) { // engines differ in the last digits
				t.Errorf("version %d, %s, %s: %.4f, before %.3f", crossFitVersion, p.Head, name, got, want)
			}
		}
	}
	for _, name := range []string{"member-0.classifier", "member-1.classifier"} {
		if _, err := os.Stat(filepath.Join(keep, name)); err != nil {
			t.Error(err)
		}
	}
}
