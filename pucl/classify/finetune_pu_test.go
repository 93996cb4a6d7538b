package classify

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// Fine-tuning by a PU risk learns and held-out images change nothing. Each epoch's readings belong to the network at
// that time, and the epoch chosen without negatives is the one whose weights are kept.
func TestFineTunePU(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	labeled, truth := pu(10, 96)
	held := &HeldOut{PU: evaluate.ScoreConfig{Prior: 0.2}}
	held.Images, _ = pu(11, 60)
	_, held.Test = pu(12, 90)
	config := FineTuneConfig{Epochs: 12, BatchSize: 24, LearningRate: 0.01, Seed: 2}
	tune := func() *Tuned {
		t.Helper()
		nnpu := risk.NNPU(0.2, risk.SigmoidLoss)
		return expect.Must(FineTunePU(context.Background(), eng, m, labeled, nnpu, config))(t)
	}
	alone := tune()
	s := expect.Must(alone.Score(eng, truth))(t)
	expect.That(t, s.Accuracy() >= 0.85 && !s.Degenerate(), "%v", s)
	refusal.Check(t, refusal.Err(alone.Tuning.Selection()), "nothing was measured while fine-tuning … set FineTuneConfig.HeldOut")
	config.HeldOut = held
	last := tune()
	expect.That(t, slices.Equal(last.Tuning.History.Losses, alone.Tuning.History.Losses),
		"what is held out changes the losses")
	paths := moved(t, alone.Model, last.Model)
	expect.That(t, paths == nil, "what is held out changes %v", paths)
	reading := func(c *Tuned) (proxy, test float64) {
		p := expect.Must(c.ScorePU(eng, held.Images, held.PU))(t)
		return p.ProxyAccuracy(), expect.Must(c.Score(eng, held.Test))(t).Accuracy()
	}
	chosen := expect.Must(last.Tuning.Selection())(t)
	proxy, test := reading(last)
	near(t, "proxy of the last epoch", chosen.Last.Proxy, proxy, 1e-9)
	near(t, "test of the last epoch", chosen.Last.Test, test, 1e-9)
	expect.That(t, len(last.Tuning.Epochs) == 12 && chosen.Last.Epoch == 12, "epochs %+v", last.Tuning.Epochs)
	// A rate that is much too high in the second half ruins the last epoch.
	config.Keep, config.Schedule = evaluate.WithoutNegatives, cliff{}
	best := tune()
	chosen = expect.Must(best.Tuning.Selection())(t)
	expect.Require(t, !best.Tuning.Degenerate() && chosen.WithoutNegatives.Epoch != 12 &&
		chosen.WithoutNegatives.Proxy != chosen.Last.Proxy, "this run does not tell the rules apart: %v", chosen)
	proxy, test = reading(best)
	near(t, "proxy of the chosen epoch", proxy, chosen.WithoutNegatives.Proxy, 1e-9)
	near(t, "test of the chosen epoch", test, chosen.WithoutNegatives.Test, 1e-9)
	for _, want := range []string{"last epoch", "chosen without negatives", "oracle"} {
		text := best.Tuning.String()
		expect.That(t, strings.Contains(text, want), "%q lacks %q", text, want)
	}
	expect.That(t, strings.Contains(best.Tuning.Record.Settings, "keeping: chosen without negatives; seed 2"),
		"%v", best.Tuning.Record.Settings)
}

// A network that classifies every image alike is reported as degenerate by fine-tuning itself, and by its scores.
func TestDegenerateFineTuning(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := patterns(13, 12)
	config := still
	config.Head = &probe.Probe{Weights: mat.NewDense(3, 8, nil), Bias: []float64{0, 50, 0}}
	tuned := expect.Must(FineTune(ctx, eng, m, data, 3, config))(t)
	s := expect.Must(tuned.ScoreClasses(eng, data))(t)
	labeled, _ := pu(13, 12)
	config.Head = &probe.Probe{Weights: mat.NewDense(2, 8, nil), Bias: []float64{50, 0}}
	config.HeldOut = &HeldOut{Images: labeled, Test: labeled}
	binary := expect.Must(FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy, config))(t)
	b := expect.Must(binary.Score(eng, labeled))(t)
	for _, x := range []fmt.Stringer{tuned.Tuning, s, binary.Tuning, b} {
		expect.That(t, strings.Contains(x.String(), "degenerate: every prediction is"),
			"%q does not say that it is degenerate", x)
	}
	expect.That(t, strings.Contains(binary.Tuning.String(), "(epoch 1, degenerate)"), "%v", binary.Tuning)
}

// tuneKept fine-tunes on PU data so that an epoch in the middle is kept: a rate that is much too high in the second
// half ruins the last epochs.
func tuneKept(ctx context.Context, eng *engine.Engine, m *train.Model, c FineTuneConfig) (*Tuned, error) {
	labeled, _ := pu(10, 24)
	held := &HeldOut{Proxy: evaluate.ByProxyAUC} // which hardly ever is the same in two epochs
	held.Images, _ = pu(11, 30)
	_, held.Test = pu(12, 30)
	c.Epochs, c.BatchSize, c.LearningRate, c.Seed = 6, 12, 0.02, 2
	c.Keep, c.Schedule, c.HeldOut = evaluate.WithoutNegatives, cliff{}, held
	return FineTunePU(ctx, eng, m, labeled, risk.NNPU(0.2, risk.SigmoidLoss), c)
}

// A run that is stopped after any of its steps, repeatedly, ends bit-identically to an undisturbed one.
func TestFineTuneResumesExactly(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	classes := func(c FineTuneConfig) func(context.Context, FineTuneConfig) (*Tuned, error) {
		return func(ctx context.Context, more FineTuneConfig) (*Tuned, error) {
			c.Epochs, c.BatchSize, c.Seed, c.Checkpoint, c.Observer = 3, 5, 4, more.Checkpoint, more.Observer
			return FineTune(ctx, eng, m, patterns(9, 12), 3, c)
		}
	}
	for name, tune := range map[string]func(context.Context, FineTuneConfig) (*Tuned, error){
		"classes, views, momentum": classes(FineTuneConfig{Recipe: augment.Recipe{augment.Crop{}}, Optimizer: optim.SGD{LearningRate: 0.1}}),
		"head alone":               classes(FineTuneConfig{FreezeEncoder: true}),
		"batch statistics":         classes(FineTuneConfig{BatchStatistics: true}),
		"best epoch of PU data": func(ctx context.Context, c FineTuneConfig) (*Tuned, error) {
			return tuneKept(ctx, eng, m, c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			whole := expect.Must(tune(context.Background(), FineTuneConfig{}))(t)
			c := FineTuneConfig{Checkpoint: t.TempDir()}
			for step := 1; step < len(whole.Tuning.History.Losses); step++ {
				if eng.Kind != "go" && step%3 != 1 {
					continue // an engine that compiles for every run takes too long for all of them
				}
				ctx, stop := context.WithCancel(context.Background())
				c.Observer = train.OnStep(func(p train.Progress) {
					if p.Step == step {
						stop()
					}
				})
				var stopped *train.Stopped
				_, err := tune(ctx, c)
				expect.Require(t, errors.As(err, &stopped) && stopped.Step == step, "step %d: %v", step, err)
				stop()
			}
			c.Observer = nil
			sameClassifier(t, expect.Must(tune(context.Background(), c))(t), whole)
			// A finished run is not trained on.
			c.Observer = train.OnStep(func(train.Progress) { t.Error("a finished run was trained on") })
			sameClassifier(t, expect.Must(tune(context.Background(), c))(t), whole)
		})
	}
}

// sameClassifier compares two classifiers and their tuning bit for bit.
func sameClassifier(t *testing.T, got, want *Tuned) {
	t.Helper()
	paths := moved(t, want.Model, got.Model)
	expect.That(t, paths == nil, "%v differ", paths)
	expect.That(t, mat.Equal(got.Probe.Weights, want.Probe.Weights) &&
		reflect.DeepEqual(got.Probe.Bias, want.Probe.Bias), "the head is %v, want %v", got.Probe, want.Probe)
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"history", got.Tuning.History, want.Tuning.History}, {"epochs", got.Tuning.Epochs, want.Tuning.Epochs},
		{"predictions", got.Tuning.Predicted, want.Tuning.Predicted},
	} {
		expect.That(t, reflect.DeepEqual(part.got, part.want), "%s: %+v, want %+v", part.name, part.got, part.want)
	}
}

// The run of the tests above keeps an epoch before the last, so that it tests whether the best weights survive.
func TestKeptEpochIsNotTheLast(t *testing.T) {
	c := expect.Must(tuneKept(context.Background(), enginetest.Open(t), quickModel(t), FineTuneConfig{}))(t)
	s := expect.Must(c.Tuning.Selection())(t)
	expect.That(t, s.WithoutNegatives.Epoch < 4 && s.WithoutNegatives.Proxy != s.Last.Proxy, "epochs %+v", c.Tuning.Epochs)
}
