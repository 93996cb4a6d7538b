package baseline

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// Invalid input is an error before training starts, with the cause and the remedy.
func TestRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	good := mixture(4, 12, 1)
	bad := func(value float64) Examples {
		x := points(12, 6, 1)
		x.X.Set(7, 1, value)
		return x
	}
	images := func(shape augment.Shape, bytes int) Data {
		return Data{Examples: Images{make([]uint8, bytes), shape}, Labeled: firstAre(1, 3)}
	}
	for name, tt := range map[string]struct {
		data   Data
		change func(c *Config)
		want   string
	}{
		"no examples … give Images or Rows": {Data{}, nil, "baseline: no examples; … give Images or Rows"},
		"no rows":                           {Data{Examples: Rows{}}, nil, "baseline: no rows given … embed or read at least one example"},
		"fewer labels": {Data{Examples: good.Examples, Labeled: firstAre(4, 11)}, nil,
			"baseline: 12 examples and 11 entries in Labeled; … give one for each, in the same order"},
		"no positive": {Data{Examples: good.Examples, Labeled: firstAre(0, 12)}, nil,
			"baseline: none of 12 examples is a labeled positive; … mark at least one in Labeled"},
		"no unlabeled": {Data{Examples: good.Examples, Labeled: firstAre(12, 12)}, nil,
			"baseline: all of 12 examples are labeled positives; … add unlabeled ones, from which negatives can be learned"},
		"all the same": {Data{Examples: Rows{mat.NewDense(12, 2, slices.Repeat([]float64{1, 2}, 12))}, Labeled: good.Labeled}, nil,
			"baseline: all 12 rows are the same, so that nothing tells them apart; … give rows that differ"},
		"images all the same": {images(augment.Shape{Height: 1, Width: 1, Channels: 1}, 3), nil,
			"baseline: all 3 images are the same, so that nothing tells them apart; … give images that differ"},
		"NaN": {Data{Examples: bad(math.NaN()), Labeled: good.Labeled}, nil,
			"baseline: feature 1 of row 7 is NaN; … features must be finite numbers in the range of float32: leave such " +
				"rows out, or fill the gaps in first"},
		"beyond float32": {Data{Examples: bad(1e39), Labeled: good.Labeled}, nil,
			"baseline: feature 1 of row 7 is 1e+39; … features must be"},
		"half an image": {images(augment.Shape{Height: 2, Width: 2, Channels: 1}, 11), nil,
			"baseline: 11 bytes are no whole number of images of 2×2×1 … each takes 4 bytes"},
		"images of width": {images(augment.Shape{Height: 2, Channels: 1}, 12), nil,
			"baseline: images of 2×0×1 (height×width×channels); … all three must be at least 1"},

		"no method": {good, func(c *Config) { c.Method = nil },
			"baseline: no Method; … NNPU with the class prior is one, VPU needs no prior"},
		"prior 0": {good, func(c *Config) { c.Method = NNPU{} },
			"baseline: nnPU with class prior 0; … it must lie above 0 and below 1: set Prior to the share of positives " +
				"among unlabeled examples, known or estimated, or use a method that needs none, such as VPU"},
		"prior 1": {good, func(c *Config) { c.Method = UPU{Prior: 1} },
			"baseline: uPU with class prior 1; … it must lie above 0"},
		"prior NaN": {good, func(c *Config) { c.Method = DistPU{Prior: math.NaN()} },
			"baseline: Dist-PU with class prior NaN; … it must lie above 0"},
		"prior of mixup": {good, func(c *Config) { c.Method = NNPUMixup{} },
			"baseline: nnPU with mixup with class prior 0; … it must lie above 0"},
		"beta": {good, func(c *Config) { c.Method = NNPU{Prior: 0.5, Beta: -1} },
			"baseline: nnPU with Beta -1; … it must be at least 0, or 0 for the default"},
		"gamma": {good, func(c *Config) { c.Method = NNPU{Prior: 0.5, Gamma: 2} },
			"baseline: nnPU with Gamma 2; … it must be above 0 and at most 1, or 0 for the default"},
		"alpha": {good, func(c *Config) { c.Method = VPU{Alpha: -1} },
			"baseline: vPU with Alpha -1; … it must be above 0, or 0 for the default"},
		"weight": {good, func(c *Config) { c.Method = VPU{Weight: math.Inf(1)} },
			"baseline: vPU with Weight +Inf; … it must be at least 0"},
		"warm-up": {good, func(c *Config) { c.Method = DistPU{Prior: 0.5, Warmup: 2} },
			"baseline: Dist-PU with Warmup 2; … it must be at least 0 and at most 1, or 0 for the default"},
		"lambda": {good, func(c *Config) { c.Method = PAN{Lambda: math.NaN()} },
			"baseline: PAN with Lambda NaN; … it must be at least 0"},

		"early of P3Mix-C": {good, func(c *Config) { c.Method = P3Mix{Correct: true, Early: 1} },
			"baseline: P3Mix-C with Early 1; … it weighs a part that P3Mix-E alone has: leave it 0"},
		"sure": {good, func(c *Config) { c.Method = P3Mix{Sure: 0.4} }, "baseline: P3Mix-E with Sure 0.4; … it must be above 0.5 and at most 1"},

		"margin": {good, func(c *Config) { c.Method = MixPUL{Margin: 2} },
			"baseline: MixPUL with Margin 2; … it must be above 0 and at most 1, or 0 for the default"},
		"negatives": {good, func(c *Config) { c.Method = MixPUL{Negatives: -1} }, "baseline: MixPUL with Negatives -1; … it must be above 0"},
		"alpha of MixPUL": {good, func(c *Config) { c.Method = MixPUL{Alpha: math.Inf(1)} },
			"baseline: MixPUL with Alpha +Inf; … it must be above 0"},
		"prior of Self-PU": {good, func(c *Config) { c.Method = SelfPU{} }, "baseline: Self-PU with class prior 0; … it must lie above 0"},
		"gamma of Self-PU": {good, func(c *Config) { c.Method = SelfPU{Prior: 0.5, Gamma: 2} },
			"baseline: Self-PU with Gamma 2; … it must be at least 0 and at most 1, or 0 for the default"},
		"pace": {good, func(c *Config) { c.Method = SelfPU{Prior: 0.5, SecondPace: math.NaN()} },
			"baseline: Self-PU with SecondPace NaN; … it must be at least 0 and at most 1"},
		"one example to look ahead to": {mixture(11, 12, 1), func(c *Config) { c.Method = SelfPU{Prior: 0.5} },
			"baseline: Self-PU π=0.5, α=10, β=0.3, γ=0.0625, paces 0.2 and 0.3, momentum 0.999 sets some unlabeled examples aside, " +
				"and there is only 1; … give at least 2, or use a method that sets none aside, such as VPU"},

		"selections": {good, func(c *Config) { c.Method = PULNS{Selections: 1} },
			"baseline: PULNS with Selections 1; … it must be at least 2, or 0 for the default"},
		"judges": {good, func(c *Config) { c.Method = PULNS{Judges: 1} }, "baseline: PULNS with Judges 1; … it must be above 0 and at most 0.9"},
		"one positive to set aside": {Data{Examples: good.Examples, Labeled: firstAre(1, 12)}, func(c *Config) { c.Method = PULNS{} },
			"judges 0.2 sets some labeled positives aside, and there is only 1; … give at least 2"},
		"one unlabeled to set aside": {Data{Examples: good.Examples, Labeled: firstAre(11, 12)}, func(c *Config) { c.Method = LaGAM{Prior: 0.5} },
			"judges 0.2 sets some unlabeled examples aside, and there is only 1 … give at least 2, or use a method that sets none"},
		"prior of LaGAM": {good, func(c *Config) { c.Method = LaGAM{} }, "baseline: LaGAM with class prior 0; … it must lie above 0"},
		"groups":         {good, func(c *Config) { c.Method = LaGAM{Prior: 0.5, Groups: -1} }, "baseline: LaGAM with Groups -1; … it must be at least 1"},
		"temperature": {good, func(c *Config) { c.Method = LaGAM{Prior: 0.5, Temperature: -1} },
			"baseline: LaGAM with Temperature -1; … it must be above 0"},
		"pair":   {good, func(c *Config) { c.Method = NcPU{Pair: 2} }, "baseline: NcPU with Pair 2; … it must be above 0 and at most 1"},
		"memory": {good, func(c *Config) { c.Method = NcPU{Memory: math.NaN()} }, "baseline: NcPU with Memory NaN; … it must be above 0"},

		"sizes": {good, func(c *Config) { c.Unlabeled = -1 },
			"baseline: batches of 32 labeled positives and -1 unlabeled examples; … there must be at least 1 of both, or " +
				"0 for the defaults"},
		"micro-batches": {good, func(c *Config) { c.Settings.Compute.MicroBatches = 2 },
			"baseline: a part of a batch may hold positives alone, and batch normalization would see no other; … " +
				"leave MicroBatches 0"},
		"devices": {good, func(c *Config) {
			c.Method, c.Positives, c.Unlabeled, c.Settings.Compute.Devices = SelfPU{Prior: 0.5}, 9, 9, 2
		}, "baseline: 3 rows of a batch set aside, which 2 devices cannot share evenly; … change the size of the batch, or Devices"},
		"views of rows": {good, func(c *Config) { c.Recipe = augment.Recipe{augment.Crop{}} },
			"baseline: a Recipe makes views of images; … leave it nil for rows of features"},
		"steps": {good, func(c *Config) { c.Settings.Steps = -1 }, "Steps -1, CheckpointEvery 500 … none may be negative, and 0 means the default"},
		"held out": {good, func(c *Config) { c.HeldOut.Data = Data{Examples: good.Examples, Labeled: firstAre(0, 12)} },
			"baseline: HeldOut: none of 12 examples is a labeled positive … mark at least one in Labeled"},
		"prior of held out": {good, func(c *Config) { c.HeldOut = HeldOut{good, 1.5} },
			"baseline: HeldOut: evaluate: class prior 1.5 … it must be above 0 and below 1, or 0 where"},
		"test": {good, func(c *Config) { c.Test = Rows{mat.NewDense(1, 3, nil)} },
			"baseline: Test: examples that are rows of shape [3], but the network takes rows of shape [2]; " +
				"… bring them to that shape, or train on these"},
	} {
		t.Run(name, func(t *testing.T) {
			config := quick(VPU{}, 2)
			config.Settings.Observer = train.OnStep(func(train.Progress) { t.Error("it was trained") })
			if tt.change != nil {
				tt.change(&config)
			}
			refusal.Check(t, refusal.Err(Train(context.Background(), eng, tt.data, config)), tt.want)
		})
	}
}

func TestSelectRefuses(t *testing.T) {
	_, err := (&Result{}).Select(nil, nil)
	refusal.Check(t, err, "nothing to choose an epoch by … both Config.HeldOut and Config.Test")
	pu := evaluate.PU{Recall: 1, Predicted: 0.5}
	_, err = (&Result{Epochs: []Epoch{{Epoch: 1, PU: &pu, Test: []float64{1}}}}).Select(nil, nil)
	refusal.Check(t, err, "1 scores and 0 labels … give one for each, in the same order")
	_, err = (&Result{Epochs: []Epoch{{Epoch: 1, PU: &pu, Test: []float64{1}}}}).Select([]bool{true}, evaluate.ByProxyAccuracy)
	refusal.Check(t, err, "the proxy of epoch 1 is not a number … give the prior, or take ByLeeLiu")
}

// A network that was trained on images takes only images of their shape.
func TestScoreRefusesOtherExamples(t *testing.T) {
	n := &Network{like: Images{Shape: augment.Shape{Height: 2, Width: 3, Channels: 1}}}
	for want, examples := range map[string]Examples{
		"rows of shape [2], but the network takes … bring them to that shape, or train on these": points(3, 1, 1),
		"images of shape [3 2 1], but the network … bring them to that shape, or train on these": Images{make([]uint8, 12), augment.Shape{Height: 3, Width: 2, Channels: 1}},
		"no examples … give Images or Rows":                                                      nil,
	} {
		refusal.Check(t, refusal.Err(n.check(examples)), want)
	}
}

// Scoring on another engine is an error that names the remedy.
func TestScoreOnAnotherEngine(t *testing.T) {
	result := must(t, enginetest.Open(t), mixture(4, 12, 1), quick(NNPU{Prior: 0.5}, 2))
	other := expect.Must(engine.Open())(t)
	refusal.Check(t, refusal.Err(result.Network.Score(other, points(3, 1, 1))),
		"baseline: scoring examples from 0 on: the weights are held by another engine … open one engine, and give it to the training and to all that comes after")
}
