package classify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// All weights of the encoder change, the given model does not, and new images are classified better than by a head on
// the frozen encoder.
func TestFineTuneMovesTheEncoder(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	before := expect.Must(m.Clone())(t)
	data, test := patterns(1, 60), patterns(2, 120)
	tune := func(config FineTuneConfig) *Tuned {
		t.Helper()
		return expect.Must(FineTune(context.Background(), eng, m, data, 3, config))(t)
	}
	steps := 0
	config := FineTuneConfig{Epochs: 25, BatchSize: 20, LearningRate: 0.01, Observer: train.OnStep(func(p train.Progress) {
		steps++
		expect.That(t, p.Step == steps && p.Steps == 75 && p.Views == 20*steps, "step %d says %+v", steps, p)
	})}
	tuned := tune(config)
	losses := tuned.Tuning.History.Losses
	expect.That(t, steps == 75 && len(losses) == 75, "%d steps, %d losses", steps, len(losses))
	near(t, "first loss, of a head at zero", losses[0], math.Log(3), 1e-5)
	paths := moved(t, before, m)
	expect.That(t, paths == nil, "fine-tuning changed %v of the model it was given", paths)
	kinds := map[string]int{}
	for _, path := range moved(t, m, tuned.Model) {
		kinds[filepath.Base(path)]++
		expect.That(t, strings.HasPrefix(path, "/encoder/"), "%s moved", path)
	}
	expect.That(t, fmt.Sprint(kinds) == "map[kernel:3 scale:4 shift:4 weights:1]", "these weights moved: %v", kinds)
	// Weight decay affects every weight that the optimizer includes.
	config.Observer, config.FreezeEncoder, config.Optimizer = nil, true, optim.AdamW{WeightDecay: 0.01}
	frozen := tune(config)
	if paths := moved(t, m, frozen.Model); paths != nil {
		t.Errorf("%v of a frozen encoder moved", paths)
	}
	good := expect.Must(tuned.ScoreClasses(eng, test))(t)
	fair := expect.Must(frozen.ScoreClasses(eng, test))(t)
	expect.That(t, good.Accuracy >= 0.9 && good.Accuracy >= fair.Accuracy && !tuned.Tuning.Degenerate(),
		"tuned %v, frozen %v; %v", good, fair, tuned.Tuning)
	config.FreezeEncoder, config.Optimizer, config.BatchStatistics, config.Epochs = false, nil, true, 1
	batch := tune(config)
	clear(kinds)
	for _, path := range moved(t, m, batch.Model) {
		kinds[filepath.Base(path)]++
	}
	expect.That(t, kinds["mean"] == 4 && kinds["variance"] == 4, "with batch statistics these moved: %v", kinds)
	expect.That(t, batch.Tuning.History.Losses[1] != losses[1], "batch statistics change no loss")
}

// still is a configuration with nearly zero steps.
var still = FineTuneConfig{Epochs: 1, LearningRate: 1e-12}

// Fine-tuning with nearly zero steps predicts as its initial head does, for classes and for PU data.
func TestFineTuneStartsAtTheHead(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := patterns(8, 30)
	x := unitEmbedding(t, eng, m, data.Pixels)
	head := expect.Must(probe.Fit(eng, x, data.Labels, 3, probe.Config{Epochs: 60}))(t)
	want := expect.Must(head.Logits(x))(t)
	config := still
	config.Head = head
	tuned := expect.Must(FineTune(ctx, eng, m, data, 3, config))(t)
	got := expect.Must(tuned.Logits(eng, data.Pixels))(t)
	expect.That(t, mat.EqualApprox(got, want, 1e-3), "the logits are not those of the head that training started at")
	counts := make([]int, 3)
	for _, class := range expect.Must(head.Predict(x))(t) {
		counts[class]++
	}
	expect.That(t, slices.Equal(tuned.Tuning.Predicted, counts), "predicted %v, want %v", tuned.Tuning.Predicted, counts)

	_, positive := pu(8, 30)
	binary := expect.Must(probe.FitPU(eng, x, positive.Labels, risk.CrossEntropy, probe.Config{Epochs: 60}))(t)
	for _, start := range []*probe.Probe{binary, expect.Must(binary.Classes())(t)} { // of one output, and of two classes
		config.Head = start
		tuned := expect.Must(FineTunePU(ctx, eng, m, positive, risk.CrossEntropy, config))(t)
		outputs, _, err := tuned.Probe.Shape()
		expect.Require(t, err == nil && outputs == 1, "%d outputs, %v", outputs, err)
		for j, w := range binary.Weights.RawRowView(0) {
			near(t, "weight", tuned.Probe.Weights.At(0, j), w, 1e-4)
		}
		near(t, "bias", tuned.Probe.Bias[0], binary.Bias[0], 1e-4)
		s := expect.Must(tuned.Score(eng, positive))(t)
		old := expect.Must(binary.Score(x, positive.Labels))(t)
		expect.That(t, s.Accuracy() == old.Accuracy(), "accuracy %v, of the probe %v", s, old)
		if want := []int{s.FalseNegative + s.TrueNegative, s.TruePositive + s.FalsePositive}; !slices.Equal(tuned.Tuning.Predicted, want) {
			t.Errorf("predicted %v, want %v", tuned.Tuning.Predicted, want)
		}
	}
}

// Views come from the recipe: if it blackens every image, a balanced batch contains no information.
func TestFineTuneLearnsFromViews(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	varied := patterns(9, 12)
	run := func(data LabeledImages[int], c FineTuneConfig) []float64 {
		c.Epochs = 4
		return expect.Must(FineTune(context.Background(), eng, m, data, 3, c))(t).Tuning.History.Losses
	}
	black := augment.Recipe{augment.Func{Name: "black", Graph: func(x, _ *Node) *Node { return ZerosLike(x) }}}
	for _, loss := range run(varied, FineTuneConfig{Recipe: black, Optimizer: optim.SGD{LearningRate: 0.1}}) {
		near(t, "loss of black images", loss, math.Log(3), 1e-5)
	}
	// With the same image twelve times in every batch and a nearly constant network, only new views can change the
	// loss.
	quiet := still
	quiet.Head = &probe.Probe{Weights: mat.NewDense(3, 8, nil), Bias: make([]float64, 3)}
	for i := range 3 {
		for j := range 8 {
			quiet.Head.Weights.Set(i, j, math.Sin(float64(1+8*i+j)))
		}
	}
	repeated := LabeledImages[int]{bytes.Repeat(varied.Pixels[:imageBytes], 12), make([]int, 12)}
	same := run(repeated, quiet)
	near(t, "loss of a later step", same[3], same[0], 1e-5)
	quiet.Recipe = augment.Recipe{augment.Crop{}}
	views := run(repeated, quiet)
	for i := range views {
		expect.That(t, math.Abs(views[i]-same[0]) >= 1e-4 && (i <= 0 || math.Abs(views[i]-views[i-1]) >= 1e-4),
			"views have the losses %v, the images themselves %v", views, same[0])
	}
	flipped := FineTuneConfig{Recipe: augment.Recipe{augment.Crop{}}, BatchSize: 5, Seed: 3}
	once, again := run(varied, flipped), run(varied, flipped)
	expect.That(t, len(once) == 8 && slices.Equal(once, again),
		"the same seed gave %v and %v; 8 steps were wanted", once, again)
	plain, other := flipped, flipped
	plain.Recipe, other.Seed = nil, 4
	expect.That(t, !slices.Equal(once, run(varied, plain)) && !slices.Equal(once, run(varied, other)),
		"neither views nor seed may leave the losses as they are")
}

// An observer receives the same events from fine-tuning as from pretraining: the start before any computation, every
// step, and the end.
func TestFineTuneIsObserved(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := patterns(15, 12)
	var rates []float64
	seen := &witness{}
	config := FineTuneConfig{Epochs: 2, BatchSize: 5, Observer: observers{seen, train.OnStep(func(p train.Progress) {
		rates = append(rates, p.Rate)
		expect.That(t, p.Step == len(rates) && p.Steps == 4 && p.Views == 5*p.Step && p.Examples == 5 &&
			p.Example == "image" && p.Chance == 0 && p.Loss > 0 && p.Waited >= 0 && p.Elapsed >= p.Waited &&
			p.Reading == nil, "step %d says %+v", len(rates), p)
	})}}
	tuned := expect.Must(FineTune(ctx, eng, m, data, 3, config))(t)
	expect.That(t, seen.Starts == 1 && seen.Steps == 4 && seen.Ends == 1 && seen.Err == nil, "the observer saw %+v", seen)
	last := seen.Last
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
	// A run that fails its checks calls no observer.
	refused := &witness{}
	_, err := FineTune(ctx, eng, m, LabeledImages[int]{data.Pixels, data.Labels[1:]}, 3, FineTuneConfig{Observer: refused})
	expect.That(t, err != nil && reflect.DeepEqual(*refused, witness{}), "%v; the observer saw %+v", err, refused)
	// The time for evaluating held-out images does not count as training.
	labeled, _ := pu(15, 12)
	paused := &witness{}
	expect.NoError(t, expect.Err(FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy,
		FineTuneConfig{Epochs: 2, BatchSize: 12, Observer: paused, HeldOut: &HeldOut{Images: labeled}})))
	expect.That(t, paused.Last.Paused > seen.Last.Paused,
		"paused for %v with images held out, for %v without", paused.Last.Paused, seen.Last.Paused)
}

// Numbers that are not finite end fine-tuning with the data of the step: in the loss of a step and in the weights of
// the last step, with a folder for checkpoints and without.
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
		expect.That(t, seen.Ends == 1 && seen.Err == err, "the observer saw %+v", seen)
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
	expect.Contains(t, strings.Join(paths, " "), "/encoder/", "/head/weights", "/head/bias")
	expect.That(t, strings.Contains(err.Error(), "the weights are not finite") &&
		strings.Contains(err.Error(), d.Layer), "%v", err)
	// Held-out images cannot be evaluated then, which must not hide the error.
	labeled, _ := pu(15, 12)
	far.HeldOut = &HeldOut{Images: labeled}
	if _, err := FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy, far); !errors.As(err, &d) || d.BadLayers == 0 {
		t.Errorf("with images held out: %+v", err)
	}
	// A step that was saved before stays, and the error names it.
	sudden := FineTuneConfig{Epochs: 4, BatchSize: 12, LearningRate: 1e-3, Schedule: traintest.Leap{Step: 2, At: 1e39},
		Checkpoint: t.TempDir(), CheckpointEvery: 1}
	_, err = FineTune(ctx, eng, m, images, 3, sudden)
	expect.That(t, errors.As(err, &d) && d.Step == 2 && d.SavedStep == 2 && d.Checkpoint != "", "%+v", err)
}
