package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// small is a setting of the smoke size whose runs are shorter still.
func small() setting {
	list, err := settings(experiment.Smoke)
	if err != nil {
		panic(err)
	}
	s := list[0]
	s.Encoder, s.Pretrain.Steps, s.Batch.Size = encoder.MLP{Hidden: []int{}, Dim: 8}, 4, 64
	return s
}

// firstLosses are the losses of two steps of a small run, and change with contrastiveVersion alone.
var firstLosses = map[string][2]float64{"ssCL": {4.59955, 4.52739}, "SCL-PU": {5.02577, 5.00902}, "PUCL": {4.66574, 4.59056}, "PU-debiased": {4.55732, 4.40555}}

// The numbers of contrastive runs change with their version alone.
func TestFirstLosses(t *testing.T) {
	eng, s := enginetest.Open(t), small()
	s.Points = 1
	for _, o := range append(objectives(), pucl.PUDebiased(0.3)) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var losses [2]float64
		_, err := s.contrastive(o, 1).Train(ctx, eng, experiment.Place{Folder: t.TempDir(), Observer: train.OnStep(func(p train.Progress) {
			if losses[p.Step-1] = p.Loss; p.Step == 2 {
				stop()
			}
		})})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for i, want := range firstLosses[o.Name] {
			if math.Abs(losses[i]-want) > 2e-4 {
				t.Errorf("%s, version %d: losses %.6g, before %.6g", o.Name, contrastiveVersion, losses, firstLosses[o.Name])
			}
		}
	}
	if contrastiveVersion != 2 {
		t.Error("the frozen losses are those of versions 1 and 2, which differ by a head")
	}
}

// firstJudgements are accuracy and AUC of each head after the four steps of a small run: what the losses do not show of clustering,
// probing and measuring. They change with contrastiveVersion alone.
var firstJudgements = map[string][2]float64{
	NNPU: {0.7575, 0.74029}, PUPL: {0.4185, 0.49554}, PUPLOnZ: {0.569, 0.63604}, Mixture: {0.631, 0.74301}, Naive: {0.7, 0.7387}, Ceiling: {0.768, 0.74517},
}

// checkFirst compares a judgement with the one that was frozen; four of 2,000 test images may be on another side by rounding.
func checkFirst(t *testing.T, j experiment.Judgement, want [2]float64) {
	t.Helper()
	if math.Abs(j.Accuracy-want[0]) > 0.0021 || math.Abs(j.AUC-want[1]) > 5e-4 {
		t.Errorf("%s: accuracy %.5f and AUC %.5f, before %.5f: a change of numbers raises the version", j.Head, j.Accuracy, j.AUC, want)
	}
}

// checkResumes interrupts a run at a step, and holds what comes of it, when it goes on, to what was measured without interruption.
func checkResumes(t *testing.T, eng *engine.Engine, run experiment.Run, want *experiment.Outcome, step int) {
	t.Helper()
	place := experiment.Place{Folder: t.TempDir()}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	interrupted := place
	interrupted.Observer = train.OnStep(func(p train.Progress) {
		if p.Step == step {
			stop()
		}
	})
	if _, err := run.Train(ctx, eng, interrupted); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got, err := run.Train(context.Background(), eng, place)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Points, want.Points) {
		t.Errorf("measured %+v, without interruption %+v", got.Points, want.Points)
	}
}

// A run that is stopped after its first point and goes on is judged as one that was not.
func TestContrastiveRunResumes(t *testing.T) {
	expect.Slow(t)
	eng, run := enginetest.Open(t), small().contrastive(objectives()[2], 1)
	want, err := run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	judged := experiment.Judgements(want.Points)
	if len(judged) != len(experiment.Rules())*len(Heads()) || !strings.Contains(want.Record.Data, "built-in images") {
		t.Errorf("%d judgements of %d heads; data: %s", len(judged), len(Heads()), want.Record.Data)
	}
	checkResumes(t, eng, run, want, 3)
	for _, j := range judged {
		if j.Rule == experiment.Last {
			checkFirst(t, j, firstJudgements[j.Head])
		}
		if j.Head == Ceiling && j.Accuracy < 0.7 || j.Rule == experiment.Last && j.Step != 4 || j.Step != 2 && j.Step != 4 {
			t.Errorf("%+v", j)
		}
	}
}

// viewsOfRivals is the digest of the views by which agreement is measured. It changes with rivalProtocol alone.
const viewsOfRivals = "9991b2794e80acb2"

// What the identity of a rival does not tell, the views that its agreement follows from, changes with rivalProtocol.
func TestViewsOfRivals(t *testing.T) {
	views := fmt.Sprint(corrupted)
	for _, size := range []experiment.Size{experiment.Smoke, experiment.Laptop, experiment.Paper} {
		list, err := settings(size)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			views += fmt.Sprintf("\n%s, %s: %s", size, s.Name, s.Pretrain.Recipe)
		}
	}
	if got := train.Digest([]byte(views))[:16]; got != viewsOfRivals || rivalProtocol != 0 {
		t.Errorf("protocol %d, digest %s; other views raise rivalProtocol, and are frozen here again: %s", rivalProtocol, got, views)
	}
}

// A rival is judged after every epoch. Its numbers change with its own version, which package rival holds, and with rivalProtocol.
func TestRivalRun(t *testing.T) {
	run := small().rival(competitors()[1], 1)
	outcome, err := run.Train(context.Background(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	judged := experiment.Judgements(outcome.Points)
	if run.Method != "nnPU" || len(judged) != len(experiment.Rules()) || outcome.Record.Settings == "" {
		t.Fatalf("%s: %+v", run.Method, outcome)
	}
	checkFirst(t, judged[0], [2]float64{0.5505, 0.757})
	for i, rule := range experiment.Rules() {
		j := judged[i]
		if j.Rule != rule || j.Head != "" || j.Step != 10 && j.Step != 20 || rule == experiment.Last && j.Step != 20 || j.AUC < 0.7 {
			t.Errorf("%+v, rule %s", j, rule)
		}
	}
}

// A run with all true labels learns from every image that is unlabeled to rivals, by its class, goes on where it stopped, and tells of its
// training what its identity does. Its numbers change with its version.
func TestTrueLabels(t *testing.T) {
	eng, s := enginetest.Open(t), small()
	run := s.trueLabels(1)
	want, err := run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	judged := experiment.Judgements(want.Points)
	if run.Version != 1 || len(judged) != len(experiment.Rules())-1 || judged[0].Step != 2*(7200/784) { // no views for agreement
		t.Fatalf("version %d: %+v", run.Version, judged)
	}
	checkFirst(t, judged[0], [2]float64{0.76, 0.84796})
	checkResumes(t, eng, run, want, 5)
	if update := run.Config.(Supervised).Update; !strings.Contains(want.Record.Settings, update) {
		t.Errorf("trained by %q, told %q", want.Record.Settings, update)
	}
}
