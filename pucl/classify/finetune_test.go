package classify

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// All weights of the encoder move, the model that was given does not, and new images are told apart better than by a head
// on the frozen encoder.
func TestFineTuneMovesTheEncoder(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	before := expect.Must(m.Clone())(t)
	data, test := patterns(1, 60), patterns(2, 120)
	tune := func(config FineTuneConfig) *Classifier {
		t.Helper()
		return expect.Must(FineTune(context.Background(), eng, m, data, 3, config))(t)
	}
	steps := 0
	config := FineTuneConfig{Epochs: 25, BatchSize: 20, LearningRate: 0.01, Observer: train.OnStep(func(p train.Progress) {
		if steps++; p.Step != steps || p.Steps != 75 || p.Views != 20*steps {
			t.Errorf("step %d says %+v", steps, p)
		}
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
	// Weight decay pulls at every weight that the optimizer can see.
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

// still is a configuration that takes next to no step.
var still = FineTuneConfig{Epochs: 1, LearningRate: 1e-12}

// Fine-tuning with next to no steps predicts what the head it starts at does, for classes and for PU data.
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
	expect.That(t, slices.Equal(tuned.Tuning.Predicted, counts),
		"predicted %v, want %v", tuned.Tuning.Predicted, counts)

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

// Views come from the recipe: one that blackens every image leaves nothing to learn from a balanced batch.
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
	// With the same image twelve times in every batch and a network that hardly moves, only new views can change the loss.
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
