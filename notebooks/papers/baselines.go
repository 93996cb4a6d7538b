package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
)

// competitor is a baseline of Table 2.
type competitor struct {
	name string // as in the table
	slow bool   // slower than others, so it runs with fewer seeds
	// dear means that its steps cost several times as much as others', so it makes fewer.
	dear  bool
	later bool                                            // published after the paper, which has no claim about it
	views bool                                            // trains on views of images, as contrastive runs do
	of    func(prior float64, set string) baseline.Method // for a data set
}

// competitors lists the baselines in the order of Table 2.
func competitors() []competitor {
	return []competitor{
		{name: "uPU", of: func(prior float64, _ string) baseline.Method { return baseline.UPU{Prior: prior} }},
		{name: "nnPU", of: func(prior float64, _ string) baseline.Method { return baseline.NNPU{Prior: prior} }},
		{name: "nnPU with mixup", of: func(prior float64, _ string) baseline.Method {
			return baseline.NNPUMixup{NNPU: baseline.NNPU{Prior: prior}}
		}},
		{name: "Self-PU", slow: true, dear: true, of: func(prior float64, _ string) baseline.Method { return baseline.SelfPU{Prior: prior} }},
		{name: "PAN", slow: true, of: func(float64, string) baseline.Method { return baseline.PAN{} }},
		{name: "vPU", of: func(_ float64, set string) baseline.Method { return baseline.VPU{Weight: vPUWeights[set]} }},
		{name: "MixPUL", of: func(float64, string) baseline.Method { return baseline.MixPUL{} }},
		{name: "PULNS", slow: true, of: func(float64, string) baseline.Method { return baseline.PULNS{} }},
		{name: "P3MIX-E", of: func(float64, string) baseline.Method { return baseline.P3Mix{} }},
		{name: "P3MIX-C", of: func(float64, string) baseline.Method { return baseline.P3Mix{Correct: true} }},
		{name: "Dist-PU", later: true, of: func(prior float64, _ string) baseline.Method { return baseline.DistPU{Prior: prior} }},
		{name: "LaGAM", slow: true, dear: true, later: true, views: true, of: func(prior float64, _ string) baseline.Method { return baseline.LaGAM{Prior: prior} }},
		{name: "NcPU", slow: true, later: true, views: true, of: func(float64, string) baseline.Method { return baseline.NcPU{} }},
	}
}

// vPUWeights are the weights of vPU's second term per data set, from its authors; other sets use the default.
var vPUWeights = map[string]float64{"Fashion-MNIST": 0.3, "CIFAR-10": 0.03, "STL-10": 0.3}

// laptopRates are learning rates for the small CNN. With the usual 1e-3, and for vPU with its authors' 3e-4 for another
// network and fewer steps, the network memorizes the labels within two epochs. The rates were selected among 1e-3, 1e-4
// and 3e-5 on held-out labels of FMNIST-I, 1,000 labeled, seed 1, by the proxy accuracy of the epoch that it selects.
// The values are 75.6, 88.9 and 90.0 for vPU (test accuracy 71.5, 88.0 and 89.4 percent), and 81.0, 91.4 and 92.1 for
// PAN (82.8, 89.9 and 89.9). For P3MIX-E see [baseline.P3Mix].
func laptopRates() map[string]float64 {
	return map[string]float64{"vPU": 3e-5, "PAN": 3e-5, "P3MIX-E": 3e-5}
}

// laptopCIFARRates are the rates on CIFAR-10, where P3MIX-C also memorizes labels at the usual rate. Held-out labels of
// CIFAR-I, seed 1, select among 1e-3, 1e-4 and 3e-5 in the same way: 73.8, 91.4 and 87.8 (test accuracy 70.0, 81.6 and
// 83.1 percent). They also select the usual rate for nnPU: 92.2, 89.8 and 91.3 (83.0, 82.6 and 84.1; in the last epoch
// 80.1, 81.1 and 83.8). For Dist-PU they would select 1e-4: 90.9, 92.4 and 90.7, within the error of a proxy (83.4,
// 84.2 and 84.7; in the last epoch 83.5, 81.2 and 81.7).
func laptopCIFARRates() map[string]float64 {
	rates := laptopRates()
	rates["P3MIX-C"] = 1e-4
	return rates
}

// baselineProtocol increases when the numbers of all baselines change for the same method: their examples, their
// evaluation, or the views for the agreement rule, since the configuration of a baseline without views in training
// names none.
const baselineProtocol = 0

// Baseline is the configuration of a run of a baseline.
type Baseline struct {
	Protocol  int // baselineProtocol
	Data      Data
	Method    string // with all its parameters
	Encoder   string // with a linear output layer
	Views     string // "" for unchanged images
	Update    string // optimizer, learning rate and schedule
	Positives int    // labeled positives in a batch
	Unlabeled int    // unlabeled images in a batch
	Epochs    int    // passes over the unlabeled images, with an evaluation after each
}

// baseline returns the run of a setting that trains a baseline.
func (s setting) baseline(c competitor, seed uint64) experiment.Run {
	config := s.baselineConfig(c, seed)
	epochs := s.Epochs
	if c.dear {
		epochs = cmp.Or(s.Fewer, epochs)
	}
	views := ""
	if c.views {
		views = config.Recipe.String()
	}
	return experiment.Run{
		Setting: s.Name, Method: c.name, Seed: seed, Version: baseline.Version(config.Method),
		Config: Baseline{
			Protocol: baselineProtocol, Data: s.Data, Method: config.Method.String(), Encoder: encoder.Describe(s.Encoder), Views: views,
			Update: config.Settings.WithDefaults().Update(), Positives: config.Positives, Unlabeled: config.Unlabeled, Epochs: epochs,
		},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.compete(ctx, eng, place, config, epochs)
		},
	}
}

// baselineConfig returns the training configuration of a baseline, without evaluation data and duration.
func (s setting) baselineConfig(c competitor, seed uint64) baseline.Config {
	config := s.Baseline
	config.Method, config.Encoder, config.Seed = c.of(s.prior(), s.benchmark.Set), s.Encoder, seed
	config.Settings.LearningRate = s.Rates[c.name]
	if c.views {
		config.Recipe = s.Pretrain.Recipe
	}
	return config
}

// prior returns the class prior given to methods: the true one, or for STL-10 the paper's estimate.
func (s setting) prior() float64 {
	if s.benchmark.Set == "STL-10" {
		return s.benchmark.PaperPrior
	}
	return s.benchmark.Prior()
}

// compete does a run of the given number of epochs.
func (s setting) compete(ctx context.Context, eng *engine.Engine, place experiment.Place, c baseline.Config, epochs int) (
	_ *experiment.Outcome, err error) {
	data, err := s.Data.open(c.Seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	return data.competeOnImages(ctx, eng, place, s.Pretrain.Recipe, c, epochs)
}

// competeOnImages trains a baseline on the images for the given number of epochs and evaluates it after each; recipe
// makes the views for the agreement rule.
func (o *opened) competeOnImages(ctx context.Context, eng *engine.Engine, place experiment.Place, recipe augment.Recipe, c baseline.Config, epochs int) (
	*experiment.Outcome, error) {
	learn, err := o.train.examples()
	held, heldErr := o.held.examples()
	pixels, testErr := read(o.test, rows.All(o.test.Len()))
	views, viewsErr := o.viewsOf(eng, recipe, c.Seed)
	if err := errors.Join(err, heldErr, testErr, viewsErr); err != nil {
		return nil, err
	}
	ofViews, err := read(views, o.held.Index)
	if err != nil {
		return nil, err
	}
	c.HeldOut = baseline.HeldOut{Data: held, Prior: o.held.Prior}
	c.Test = baseline.Images{Pixels: append(pixels, ofViews...), Shape: shape(o.test)}
	return o.compete(ctx, eng, place, learn, c, epochs)
}

// compete trains a baseline for the given passes over the unlabeled examples and evaluates it after each. c.Test holds
// the test examples, followed by views of the held-out examples.
func (o *opened) compete(ctx context.Context, eng *engine.Engine, place experiment.Place, learn baseline.Data, c baseline.Config, passes int) (
	*experiment.Outcome, error) {
	_, unlabeled := rows.Split(learn.Labeled)
	c.Settings.Steps = passes * ((len(unlabeled) + c.Unlabeled - 1) / c.Unlabeled)
	c.Settings.Checkpoint, c.Settings.CheckpointEvery = filepath.Join(place.Folder, "training"), checkpointEvery
	c.Settings.Observer = place.Observer
	result, err := baseline.Train(ctx, eng, learn, c)
	if err != nil {
		return nil, err
	}
	judged, err := epochs(result, o.truth)
	if err != nil {
		return nil, err
	}
	return o.outcome(result.Record, judged), nil
}

// epochs returns the evaluations of a baseline's epochs.
func epochs(result *baseline.Result, truth []bool) (judged []experiment.Point, err error) {
	for _, epoch := range result.Epochs {
		views := epoch.Test[len(truth):]
		p, err := scored(epoch.Test[:len(truth)], truth)
		if err != nil { // non-finite scores, which a retry would repeat
			return nil, &experiment.Failure{Err: fmt.Errorf("papers: epoch %d: %w", epoch.Epoch, err)}
		}
		agree, err := agreement(epoch.HeldOut, views)
		if err != nil {
			return nil, err
		}
		p.Step, p.PU, p.Values = epoch.Steps, epoch.PU, agree
		judged = append(judged, p)
	}
	return judged, nil
}

// shape returns the shape of the images of a source.
func shape(source datasets.Source) augment.Shape {
	height, width, channels := source.Shape()
	return augment.Shape{Height: height, Width: width, Channels: channels}
}

// examples returns a part in the form that baselines take.
func (p part) examples() (baseline.Data, error) {
	pixels, err := read(p.images, p.Index)
	return baseline.Data{Examples: baseline.Images{Pixels: pixels, Shape: shape(p.images)}, Labeled: p.Labeled}, err
}
