package classify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
)

// cliff is a schedule whose rate is a hundred times the peak in the second half.
type cliff struct{ optim.Constant }

func (cliff) Rate(peak float64, step, steps int) float64 {
	if step < steps/2 {
		return peak
	}
	return 100 * peak
}

// Fine-tuning by a PU risk learns, what is held out changes nothing, each epoch's readings are those of the network at that
// time, and the epoch chosen without negatives is the one whose weights are kept.
func TestFineTunePU(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	labeled, truth := pu(10, 96)
	held := &HeldOut{PU: evaluate.ScoreConfig{Prior: 0.2}}
	held.Images, _ = pu(11, 60)
	_, held.Test = pu(12, 90)
	config := FineTuneConfig{Epochs: 12, BatchSize: 24, LearningRate: 0.01, Seed: 2}
	tune := func() *Classifier {
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
	reading := func(c *Classifier) (proxy, test float64) {
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

// A network that gives every image the same answer is called degenerate by fine-tuning itself, and by its scores.
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
