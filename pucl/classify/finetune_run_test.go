package classify

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// both hands on to two observers.
type both struct{ a, b train.Observer }

func (o both) Start(p train.Progress)          { o.a.Start(p); o.b.Start(p) }
func (o both) Step(p train.Progress)           { o.a.Step(p); o.b.Step(p) }
func (o both) End(p train.Progress, err error) { o.a.End(p, err); o.b.End(p, err) }

// An observer sees of fine-tuning what it sees of pretraining: the start before anything is computed, every step, and the end.
func TestFineTuneIsObserved(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := patterns(15, 12)
	var rates []float64
	seen := &witness{}
	config := FineTuneConfig{Epochs: 2, BatchSize: 5, Observer: both{seen, train.OnStep(func(p train.Progress) {
		rates = append(rates, p.Rate)
		expect.That(t, p.Step == len(rates) && p.Steps == 4 && p.Views == 5*p.Step && p.Examples == 5 &&
			p.Example == "image" && p.Chance == 0 && p.Loss > 0 && p.Waited >= 0 && p.Elapsed >= p.Waited &&
			p.Reading == nil, "step %d says %+v", len(rates), p)
	})}}
	tuned := expect.Must(FineTune(ctx, eng, m, data, 3, config))(t)
	expect.That(t, seen.starts == 1 && seen.steps == 4 && seen.ends == 1 && seen.err == nil,
		"the observer saw %+v", seen)
	last := seen.last
	expect.That(t, last.Step == 4 && last.Loss == tuned.Tuning.History.Losses[3], "at the end it saw %+v", last)
	// A half cosine from 0.001 down to 0: after 0, 1, 2 and 3 of the 4 steps.
	for step, rate := range rates {
		near(t, "rate", rate, 0.001*(1+math.Cos(math.Pi*float64(step)/4))/2, 1e-12)
	}
	h := tuned.Tuning.History
	for step := range 4 {
		expect.That(t, h.Rates[step] == rates[step] && h.Examples[step] == 5 && h.GradientNorms[step] > 0 &&
			h.ProjectionNorms[step] >= 0, "step %d: the history has rate %g, %d examples, norms %g and %g", step,
			h.Rates[step], h.Examples[step], h.GradientNorms[step], h.ProjectionNorms[step])
	}
	// What is refused before there is anything to see is not seen.
	refused := &witness{}
	_, err := FineTune(ctx, eng, m, LabeledImages[int]{data.Pixels, data.Labels[1:]}, 3, FineTuneConfig{Observer: refused})
	expect.That(t, err != nil && reflect.DeepEqual(*refused, witness{}), "%v; the observer saw %+v", err, refused)
	// The time in which images that are held out are measured is no training.
	labeled, _ := pu(15, 12)
	paused := &witness{}
	expect.NoError(t, expect.Err(FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy,
		FineTuneConfig{Epochs: 2, BatchSize: 12, Observer: paused, HeldOut: &HeldOut{Images: labeled}})))
	expect.That(t, paused.last.Paused > seen.last.Paused,
		"paused for %v with images held out, for %v without", paused.last.Paused, seen.last.Paused)
}

// Fine-tuning that is asked to stop ends as pretraining does, and says that nothing is kept without a folder for it.
func TestFineTuneStops(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	for _, folder := range []string{"", t.TempDir()} {
		ctx, stop := context.WithCancelCause(context.Background())
		enough := errors.New("the user had enough")
		seen := &witness{}
		config := FineTuneConfig{BatchSize: 4, Checkpoint: folder, Observer: both{seen, train.OnStep(func(p train.Progress) {
			if p.Step == 2 {
				stop(enough)
			}
		})}}
		_, err := FineTune(ctx, eng, m, patterns(15, 12), 3, config)
		var why *train.Stopped
		if !errors.As(err, &why) || !errors.Is(err, context.Canceled) || !errors.Is(err, enough) || why.Step != 2 || why.Steps != 150 ||
			why.Name != "fine-tuning" || (why.Checkpoint == "") != (folder == "") || why.SaveError != nil {
			t.Errorf("%+v", err)
			continue
		}
		mend := "Checkpoint names no folder: name one"
		if folder != "" {
			mend = "saved in " + why.Checkpoint + ": run the same again"
		}
		if text := err.Error(); !strings.Contains(text, "fine-tuning stopped after 2 of 150 steps (the user had enough)") || !strings.Contains(text, mend) {
			t.Error(text)
		}
		expect.That(t, seen.starts == 1 && seen.steps == 2 && seen.ends == 1 && seen.err == err,
			"the observer saw %+v", seen)
	}
}

// Numbers that are not finite end fine-tuning with what is known of the step, in the loss of a step and in the weights that the
// last step made, with a folder for checkpoints and without.
func TestFineTuneDiverges(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	images := patterns(15, 12)
	data := LabeledImages[bool]{images.Pixels, append(make([]bool, 11), true)}
	broken := func(logits, _ *Node) *Node { return Log(Neg(ReduceAllSum(Square(AddScalar(logits, 1))))) }
	for _, folder := range []string{"", t.TempDir()} {
		seen := &witness{}
		_, err := FineTunePU(ctx, eng, m, data, broken, FineTuneConfig{Seed: 7, Observer: seen, Checkpoint: folder})
		var d *train.Diverged
		if !errors.As(err, &d) || d.Step != 0 || d.Seed != 7 || !math.IsNaN(d.Loss) || d.Batches != "12 images, 1 of them labeled true" ||
			d.Folder != folder || d.Checkpoint != "" || len(d.Layers) == 0 {
			t.Errorf("%+v", err)
		} else if text := err.Error(); !strings.Contains(text, "the loss is NaN at step 0") || !strings.Contains(text, "seed 7") {
			t.Error(text)
		}
		expect.That(t, seen.ends == 1 && seen.err == err, "the observer saw %+v", seen)
	}
	far := FineTuneConfig{Epochs: 1, BatchSize: 12, LearningRate: 1e39, Seed: 8}
	_, err := FineTune(ctx, eng, m, images, 3, far)
	var d *train.Diverged
	expect.Require(t, errors.As(err, &d) && d.Step == 0 && d.Seed == 8 && d.BadLayers != 0 && !math.IsNaN(d.Loss),
		"weights beyond float32 gave %+v", err)
	var paths []string
	for _, layer := range d.Layers {
		paths = append(paths, layer.Path)
	}
	for _, want := range []string{"/encoder/", "/head/weights", "/head/bias"} {
		expect.That(t, strings.Contains(strings.Join(paths, " "), want), "the layers %v lack %s", paths, want)
	}
	expect.That(t, strings.Contains(err.Error(), "the weights are not finite") &&
		strings.Contains(err.Error(), d.Layer), "%v", err)
	// What is held out cannot be measured then, which does not hide it.
	labeled, _ := pu(15, 12)
	far.HeldOut = &HeldOut{Images: labeled}
	if _, err := FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy, far); !errors.As(err, &d) || d.BadLayers == 0 {
		t.Errorf("with images held out: %+v", err)
	}
	// A step that was saved before stays, and the error names it.
	sudden := FineTuneConfig{Epochs: 4, BatchSize: 12, LearningRate: 1e-3, Schedule: leap(2), Checkpoint: t.TempDir(), CheckpointEvery: 1}
	_, err = FineTune(ctx, eng, m, images, 3, sudden)
	expect.That(t, errors.As(err, &d) && d.Step == 2 && d.SavedStep == 2 && d.Checkpoint != "", "%+v", err)
}

// leap is a constant rate but for that step, which goes beyond float32.
type leap int

func (l leap) Rate(peak float64, step, steps int) float64 {
	if step == int(l) {
		return 1e39
	}
	return peak
}
func (l leap) Check(int) error { return nil }
func (l leap) String() string  { return "leap" }
