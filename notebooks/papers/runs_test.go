package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// small returns a setting of the smoke size with even shorter runs.
func small() setting {
	list, err := settings(experiment.Smoke)
	if err != nil {
		panic(err)
	}
	s := list[0]
	s.Encoder, s.Pretrain.Steps, s.Batch.Size = encoder.MLP{Hidden: []int{}, Dim: 8}, 4, 64
	return s
}

// few returns small with a quarter of the unlabeled images, for runs that are mostly evaluation.
func few() setting {
	s := small()
	s.Data.Unlabeled = 1800
	return s
}

// firstLosses are the losses of two steps of a small run; they change only with contrastiveVersion.
var firstLosses = map[string][2]float64{"ssCL": {4.59955, 4.52739}, "SCL-PU": {5.02577, 5.00902}, "PUCL": {4.66574, 4.59056}, "PU-debiased": {4.55732, 4.40555}}

// The numbers of contrastive runs change only with their version.
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
		expect.Require(t, errors.Is(err, context.Canceled), "%v", err)
		for i, want := range firstLosses[o.Name] {
			expect.That(t, math.Abs(losses[i]-want) <= 2e-4,
				"%s, version %d: losses %.6g, before %.6g", o.Name, contrastiveVersion, losses, firstLosses[o.Name])
		}
	}
	expect.That(t, contrastiveVersion == 2, "the frozen losses are those of versions 1 and 2, which differ by a head")
}

// firstJudgements are accuracy and AUC of each head after the four steps of a small run. They cover clustering, probing
// and measuring, which the losses do not. They change only with contrastiveVersion.
var firstJudgements = map[string][2]float64{
	NNPU: {0.721, 0.68498}, PUPL: {0.5675, 0.61998}, PUPLOnZ: {0.3885, 0.4241}, Mixture: {0.633, 0.67728}, Naive: {0.7565, 0.71622}, Ceiling: {0.7255, 0.68998},
}

// checkFirst compares a judgement with its frozen value; rounding may change the side of four of 2,000 test images.
func checkFirst(t *testing.T, j experiment.Judgement, want [2]float64) {
	t.Helper()
	if math.Abs(j.Accuracy-want[0]) > 0.0021 || math.Abs(j.AUC-want[1]) > 5e-4 {
		t.Errorf("%s: accuracy %.5f and AUC %.5f, before %.5f: a change of numbers raises the version", j.Head, j.Accuracy, j.AUC, want)
	}
}

// checkResumes interrupts a run at a step, resumes it, and compares the outcome with an uninterrupted run.
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
	_, err := run.Train(ctx, eng, interrupted)
	expect.Require(t, errors.Is(err, context.Canceled), "%v", err)
	got := expect.Must(run.Train(context.Background(), eng, place))(t)
	expect.That(t, reflect.DeepEqual(got.Points, want.Points),
		"measured %+v, without interruption %+v", got.Points, want.Points)
}

// A run that is stopped after its first point and resumed has the evaluations of an uninterrupted run.
func TestContrastiveRunResumes(t *testing.T) {
	expect.Slow(t)
	eng, run := enginetest.Open(t), few().contrastive(objectives()[2], 1)
	want := expect.Must(run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()}))(t)
	judged := experiment.Judgements(want.Points)
	if len(judged) != len(experiment.Rules())*len(Heads()) || !strings.Contains(want.Record.Data, "built-in images") {
		t.Errorf("%d judgements of %d heads; data: %s", len(judged), len(Heads()), want.Record.Data)
	}
	checkResumes(t, eng, run, want, 3)
	for _, j := range judged {
		if j.Rule == experiment.Last {
			checkFirst(t, j, firstJudgements[j.Head])
		}
		expect.That(t, (j.Head != Ceiling || j.Accuracy >= 0.7) && (j.Rule != experiment.Last || j.Step == 4) &&
			(j.Step == 2 || j.Step == 4), "%+v", j)
	}
}

// viewsOfBaselines is the digest of the views for the agreement rule. It changes only with baselineProtocol.
const viewsOfBaselines = "9991b2794e80acb2"

// The views for the agreement rule, which the identity of a baseline does not include, change with baselineProtocol.
func TestViewsOfBaselines(t *testing.T) {
	views := fmt.Sprint(corrupted)
	for _, size := range []experiment.Size{experiment.Smoke, experiment.Laptop, experiment.Paper} {
		list := expect.Must(settings(size))(t)
		for _, s := range list {
			views += fmt.Sprintf("\n%s, %s: %s", size, s.Name, s.Pretrain.Recipe)
		}
	}
	if got := train.Digest([]byte(views))[:16]; got != viewsOfBaselines || baselineProtocol != 0 {
		t.Errorf("protocol %d, digest %s; other views raise baselineProtocol, and are frozen here again: %s", baselineProtocol, got, views)
	}
}

// A baseline is evaluated after every epoch. Its numbers change only with its version in package baseline and with
// baselineProtocol.
func TestBaselineRun(t *testing.T) {
	expect.Slow(t)
	run := small().baseline(competitors()[1], 1)
	outcome, err := run.Train(context.Background(), enginetest.Open(t), experiment.Place{Folder: t.TempDir()})
	expect.NoError(t, err)
	judged := experiment.Judgements(outcome.Points)
	expect.Require(t, run.Method == "nnPU" && len(judged) == len(experiment.Rules()) && outcome.Record.Settings != "",
		"%s: %+v", run.Method, outcome)
	checkFirst(t, judged[0], [2]float64{0.5505, 0.757})
	for i, rule := range experiment.Rules() {
		j := judged[i]
		expect.That(t, j.Rule == rule && j.Head == "" && (j.Step == 10 || j.Step == 20) &&
			(rule != experiment.Last || j.Step == 20) && j.AUC >= 0.7, "%+v, rule %s", j, rule)
	}
}

// A run with all true labels trains on the classes of all images that are unlabeled for baselines, and resumes where it
// stopped. Its training has the parameters in its identity, and its numbers change only with its version.
func TestTrueLabels(t *testing.T) {
	expect.Slow(t)
	eng, s := enginetest.Open(t), small()
	run := s.trueLabels(1)
	want := expect.Must(run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()}))(t)
	judged := experiment.Judgements(want.Points)
	expect.Require(t, run.Version == 1 && len(judged) == len(experiment.Rules())-1 && judged[0].Step == 2*(7200/784),
		"version %d: %+v", run.Version, judged) // no views for agreement
	checkFirst(t, judged[0], [2]float64{0.76, 0.84796})
	checkResumes(t, eng, run, want, 5)
	if update := run.Config.(Supervised).Update; !strings.Contains(want.Record.Settings, update) {
		t.Errorf("trained by %q, told %q", want.Record.Settings, update)
	}
}

// firstWatched are accuracies by the two heads and the values of a small watched run after its two steps. They change
// only with watchedVersion.
var firstWatched = map[string]float64{
	Neighbors: 0.7665, Ceiling: 0.768, Alignment: 0.46613, Uniformity: -1.10378, Rank: 5.94473, Separation: 0.04239,
}

// A watched run is measured at its listed steps and resumes where it was stopped, and its numbers change only with its
// version.
func TestWatchedRun(t *testing.T) {
	expect.Slow(t)
	s := small()
	s.Bank, s.Data.Single, s.Batch.Share, s.Pretrain.Steps = 300, true, 0, 2
	eng, run := enginetest.Open(t), s.watched("PUCL", pucl.PUCL(), 1)
	want := expect.Must(run.Train(context.Background(), eng, experiment.Place{Folder: t.TempDir()}))(t)
	var steps []int
	for _, p := range want.Points {
		steps = append(steps, p.Step)
	}
	expect.Require(t, slices.Equal(slices.Compact(steps), []int{1, 2}) && len(want.Points) == 6,
		"points after %d", steps)
	for _, p := range want.Points[3:] {
		if p.Test != nil {
			checkWatched(t, p.Head, p.Test.Accuracy(), 0.0021)
		}
		for name, value := range p.Values {
			checkWatched(t, name, value, 2e-3*math.Abs(value)+1e-4)
		}
	}
	expect.That(t, watchedVersion == 2, "the frozen numbers are those of version 2")
	checkResumes(t, eng, run, want, 1)
}

func checkWatched(t *testing.T, name string, got, tolerance float64) {
	t.Helper()
	if want, ok := firstWatched[name]; !ok || !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5f, before %.5f: a change of numbers raises the version", name, got, want)
	}
}

// The evaluations of runs of all sizes end with their last step.
func TestWatchedAt(t *testing.T) {
	at := watchedAt(1000)
	expect.That(t, len(at) == 13 && at[0] == 25 && at[12] == 1000 && slices.IsSorted(at), "%d", at)
	if at := watchedAt(100); !slices.Equal(at[:3], []int{2, 5, 10}) || at[12] != 100 {
		t.Errorf("%d", at)
	}
	expect.Equal(t, watchedAt(20), []int{10, 20})
}

// Four points on a line, with class means at 1 and 3: the variance is 2, of which 1 is between the classes.
func TestBetweenClasses(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 5, 2, 5, 2, 5, 4, 5})
	for _, tt := range []struct {
		positive []bool
		want     float64
	}{{[]bool{false, false, true, true}, 0.5}, {[]bool{true, false, false, true}, 0}, {make([]bool, 4), 0}} {
		got := betweenClasses(x, tt.positive)
		expect.That(t, math.Abs(got-tt.want) <= 1e-12, "%v: %g, want %g", tt.positive, got, tt.want)
	}
	expect.Equal(t, betweenClasses(mat.NewDense(3, 1, []float64{1, 1, 1}), make([]bool, 3)), 0, "without variance")
}

func TestSample(t *testing.T) {
	images := &datasets.Images{Pixels: make([]uint8, 6), Height: 1, Width: 1, Channels: 1, Labels: make([]int, 6), Classes: []string{"a"}}
	p := part{images, &datasets.Split{Index: []int{5, 1, 1, 3, 0}, Positive: []bool{true, true, true, false, false}}}
	for n, want := range map[int][]int{0: {0, 1, 3, 5}, 2: {0, 3}, 9: {0, 1, 3, 5}} {
		index, positive := p.sample(n)
		expect.That(t, slices.Equal(index, want), "%d of them: %d, want %d", n, index, want)
		for i, row := range index {
			expect.That(t, positive[i] == (row == 1 || row == 5), "image %d is positive: %v", row, positive[i])
		}
	}
}
