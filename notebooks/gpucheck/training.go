package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// task is a short training run on a benchmark of the paper.
type task struct {
	bench   string // as datasets.FindBenchmark has it
	network string
	images  func() (train, test *datasets.Images, err error)
	labeled float64 // share of the training images that are labeled positives
	batch   int     // images; 0 means 256
	steps   int
	config  train.Config
}

// tasks returns the training runs: on cards with the paper's network for color images, elsewhere with one that a CPU can
// train in a minute or two. The paper labels 1,000 of 60,000 gray images and 3,000 of 50,000 color images.
func tasks(onGPU bool) []task {
	gray := task{bench: "FMNIST-I", network: "small CNN", images: fashionImages, labeled: 1.0 / 60, steps: 500,
		config: train.Config{Encoder: encoder.SmallCNN{}, Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}}}
	color := task{bench: "CIFAR-I", network: "ResNet-18", images: cifarImages, labeled: 3.0 / 50, steps: 1000,
		config: train.Config{Encoder: encoder.ResNet{CIFAR: true, Pixels: cifarPixels}, Recipe: augment.CIFAR(0)}}
	if !onGPU {
		gray.steps, color.steps = 150, 150
		color.network, color.config.Encoder = "small CNN", encoder.SmallCNN{Mean: 0.4734, Std: 0.2516}
	}
	return []task{gray, color}
}

// trainShortly does a part's training run.
func trainShortly(ctx context.Context, eng *engine.Engine, p part, progress func(string, ...any) error) (*Row, error) {
	for _, t := range tasks(eng.Kind == "xla-cuda") {
		if t.bench == p.Name {
			if p.Steps > 0 {
				t.steps = p.Steps
			}
			return t.train(ctx, eng, progress)
		}
	}
	return nil, fmt.Errorf("there is no training run %q", p.Name)
}

// seed is that of the split, the batches, the weights and the views.
const seed = 1

// train trains with PUCL, labels the unlabeled images by PUPL on the projections, and trains one probe on these labels and
// one on the true ones.
func (t task) train(ctx context.Context, eng *engine.Engine, progress func(string, ...any) error) (*Row, error) {
	row := &Row{Kind: kindTraining, What: fmt.Sprintf("%s, %s, %d steps", t.bench, t.network, t.steps)}
	learn, test, err := t.images()
	if errors.Is(err, fs.ErrNotExist) {
		row.Result, row.Told = NotRun, err.Error()
		return row, nil
	} else if err != nil {
		return nil, err
	}
	pu, truth, err := t.split(learn, test)
	if err != nil {
		return nil, err
	}
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: t.batch, Share: 0.25, Seed: seed})
	if err != nil {
		return nil, err
	}
	config := t.config
	config.Steps, config.Seed = t.steps, seed
	var failed error
	var last train.Progress
	config.Observer = train.OnStep(func(p train.Progress) {
		last = p
		failed = errors.Join(failed, progress("step %d of %d, loss %.3f", p.Step, p.Steps, p.Loss))
	})
	model, err := train.Pretrain(ctx, eng, batches, config)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	if err := progress("embedding the images, clustering, training probes"); err != nil {
		return nil, err
	}
	ours, theirs, err := t.probes(eng, model, pu, test.Pixels, truth)
	if err != nil {
		return nil, err
	}
	t.judge(row, model.History.Losses, pucl.ChanceLevel(batches.Size(), 2), ours, theirs, truth)
	row.Told = fmt.Sprintf("%s from %d images in %.0f s; %s", plural(last.Views, "view"), learn.Len(), last.Elapsed.Seconds(), row.Told)
	row.Values["training_seconds"], row.Values["training_images"] = last.Elapsed.Seconds(), float64(learn.Len())
	return row, nil
}

// split labels some positives of the training images, and tells which test images are positive.
func (t task) split(learn, test *datasets.Images) (*datasets.PU, []bool, error) {
	bench, err := datasets.FindBenchmark(t.bench)
	if err != nil {
		return nil, nil, err
	}
	config, err := bench.Config(learn.Classes)
	if err != nil {
		return nil, nil, err
	}
	config.Labeled, config.Seed = int(math.Round(t.labeled*float64(learn.Len()))), seed
	pu, err := datasets.NewPU(learn, config)
	if err != nil {
		return nil, nil, err
	}
	truth, err := datasets.IsPositive(test, config.Positive)
	return pu, truth, err
}

// probes returns the scores on the held-out images of a probe on the pseudo-labels, as Algorithm 1 has it, and of one on the
// true labels.
func (t task) probes(eng *engine.Engine, m *train.Model, pu *datasets.PU, held []uint8, truth []bool) (ours, theirs evaluate.Binary, err error) {
	all, err := m.EmbedImages(eng, pu.Images)
	if err != nil {
		return ours, theirs, err
	}
	examples, err := all.Take(pu.Index)
	if err != nil {
		return ours, theirs, err
	}
	clusters, err := cluster.PUPL(rows.Unit(examples.Z), pu.Labeled, cluster.Config{Restarts: 5, Seed: seed})
	if err != nil {
		return ours, theirs, err
	}
	test, err := m.Embed(eng, held)
	if err != nil {
		return ours, theirs, err
	}
	for _, fit := range []struct {
		labels []bool
		score  *evaluate.Binary
	}{{clusters.Positive, &ours}, {pu.Positive, &theirs}} {
		p, err := probe.FitPU(eng, examples.H, fit.labels, risk.CrossEntropy, probe.Config{Seed: seed})
		if err != nil {
			return ours, theirs, err
		}
		if *fit.score, err = p.Score(test.H, truth); err != nil {
			return ours, theirs, err
		}
	}
	return ours, theirs, nil
}

// judge says whether the run went as it should: the mean of the last tenth of the losses is below the chance level, and both
// probes are right on more images than the larger class has, by three standard deviations of such a count.
func (t task) judge(row *Row, losses []float64, chance float64, ours, theirs evaluate.Binary, truth []bool) {
	tail := losses[len(losses)-max(len(losses)/10, 1):]
	loss := 0.0
	for _, l := range tail {
		loss += l / float64(len(tail))
	}
	positives := 0
	for _, positive := range truth {
		if positive {
			positives++
		}
	}
	share := float64(positives) / float64(len(truth))
	majority := math.Max(share, 1-share)
	wanted := majority + 3*math.Sqrt(majority*(1-majority)/float64(len(truth)))
	row.Result = Pass
	if !(loss < chance) || !(ours.Accuracy() > wanted) || !(theirs.Accuracy() > wanted) {
		row.Result = Fail
	}
	row.Told = fmt.Sprintf("loss %.3f (must be below %.3f, chance); held-out accuracy %.1f%% with PUPL's labels, "+
		"%.1f%% with true ones (must be above %.1f%%; the larger class has %.1f%%)", loss, chance, 100*ours.Accuracy(), 100*theirs.Accuracy(), 100*wanted, 100*majority)
	row.Values = map[string]float64{"loss_nats": loss, "chance_nats": chance, "pupl_accuracy": ours.Accuracy(),
		"true_label_accuracy": theirs.Accuracy(), "larger_class": majority, "wanted_accuracy": wanted}
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(float64(n)) + " " + thing
}
