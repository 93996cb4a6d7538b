package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pu"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// cifarPixels scales the channels of CIFAR-10, as the paper's recipe does.
var cifarPixels = encoder.Pixels{Mean: []float64{0.4914, 0.4822, 0.4465}, Std: []float64{0.2470, 0.2435, 0.2616}}

// task is a short training run on a benchmark of the paper.
type task struct {
	bench   string // name for datasets.FindBenchmark
	network string
	images  func() (train, test *datasets.Images, err error)
	labeled float64 // labeled positives as a fraction of the training images
	batch   int     // images; 0 means 256
	steps   int
	config  train.Config
}

// tasks returns the training runs: on GPUs with the paper's network for color images, elsewhere with one that a CPU can
// train in a minute or two. The paper labels 1,000 of 60,000 gray images and 3,000 of 50,000 color images.
func tasks(onGPU bool) []task {
	fashion := func() (train, test *datasets.Images, err error) {
		train, test, _, err = fashionmnist.Open()
		return train, test, err
	}
	cifar10 := func() (train, test *datasets.Images, err error) { return cifarIn(datasets.Folders(cifar.Name10)) }
	gray := task{bench: "FMNIST-I", network: "small CNN", images: fashion, labeled: 1.0 / 60, steps: 500,
		config: train.Config{Encoder: encoder.SmallCNN{Mean: 0.286, Std: 0.353}, Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}}}
	color := task{bench: "CIFAR-I", network: "ResNet-18", images: cifar10, labeled: 3.0 / 50, steps: 1000,
		config: train.Config{Encoder: encoder.ResNet{CIFAR: true, Pixels: cifarPixels}, Recipe: augment.CIFAR(0)}}
	if !onGPU {
		gray.steps, color.steps = 150, 150
		color.network, color.config.Encoder = "small CNN", encoder.SmallCNN{Mean: 0.4734, Std: 0.2516}
	}
	return []task{gray, color}
}

// seed is the seed of the split, the batches, the weights and the views.
const seed = 1

// train trains with PUCL and evaluates the result.
func (t task) train(ctx context.Context, eng *engine.Engine, progress reporter) (*Row, error) {
	what := fmt.Sprintf("%s, %s, %d steps", t.bench, t.network, t.steps)
	learn, test, err := t.images()
	if errors.Is(err, fs.ErrNotExist) {
		return &Row{What: what, Result: NotRun, Detail: err.Error()}, nil
	} else if err != nil {
		return nil, err
	}
	pu, truth, err := t.split(learn, test)
	if err != nil {
		return nil, err
	}
	found, err := t.classify(ctx, eng, pu, test.Pixels, truth, progress)
	if err != nil {
		return nil, err
	}
	row := found.judge(truth)
	views, seconds := float64(found.last.Views), found.last.Elapsed.Seconds()
	row.What = what
	row.Detail = fmt.Sprintf("%s views from %d images in %.0f s; %s", grouped(views), learn.Len(), seconds, row.Detail)
	row.Values["training_seconds"], row.Values["training_images"] = seconds, float64(learn.Len())
	return row, nil
}

// outcome is the result of a training run.
type outcome struct {
	losses           []float64 // of every step
	chance           float64   // chance level of the loss
	last             train.Progress
	pupl, trueLabels evaluate.Binary // on the held-out images, of a probe on pseudo-labels and of one on the true labels
}

// classify runs Algorithm 1 with PUPL on the projections, and trains a second probe on the true labels. truth marks the
// positive held-out images.
func (t task) classify(
	ctx context.Context, eng *engine.Engine, split *datasets.PU, held []uint8, truth []bool, progress reporter,
) (*outcome, error) {
	found := &outcome{}
	p := contrast.Pretraining{Config: t.config, ImageBatches: func([]bool) (train.Batches, error) {
		return datasets.NewBatches(split, datasets.BatchConfig{Size: t.batch, Share: 0.25, Seed: seed})
	}}
	p.Steps = t.steps
	p.Observer = train.OnStep(func(p train.Progress) {
		found.last = p
		progress("step %d of %d, loss %.3f", p.Step, p.Steps, p.Loss)
	})
	set, err := pu.FromPU(split)
	if err != nil {
		return nil, err
	}
	data, _, err := set.Encode()
	if err != nil {
		return nil, err
	}
	method := contrast.Algorithm1{Pretraining: p, Space: contrast.Projections, Cluster: cluster.Config{Restarts: 5}}
	run, err := method.Fit(ctx, eng, data, learn.Run{Seed: seed})
	if err != nil {
		return nil, err
	}
	network, unit := run.Networks[0], rows.Unit(run.Embeddings[0].H)
	found.losses, found.chance = network.History.Losses, network.History.Chance
	progress("training a probe on the true labels")
	supervised, err := probe.FitPU(eng, unit, split.Positive, risk.CrossEntropy, probe.Config{Seed: seed})
	if err != nil {
		return nil, err
	}
	test, err := network.Embed(eng, held)
	if err != nil {
		return nil, err
	}
	for p, score := range map[*probe.Probe]*evaluate.Binary{run.Members[0].Head: &found.pupl, supervised: &found.trueLabels} {
		if *score, err = p.Score(rows.Unit(test.H), truth); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// split labels some positives of the training images, and returns which test images are positive.
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

// judge reports whether the run succeeded: the mean of the last tenth of the losses is below the chance level, and both
// probes exceed the accuracy of the majority class by three standard errors.
func (o *outcome) judge(truth []bool) *Row {
	loss := stat.Mean(o.losses[len(o.losses)-max(len(o.losses)/10, 1):], nil)
	positives, _ := rows.Split(truth)
	share := float64(len(positives)) / float64(len(truth))
	majority := math.Max(share, 1-share)
	wanted := majority + 3*math.Sqrt(majority*(1-majority)/float64(len(truth)))
	pupl, trueLabels := o.pupl.Accuracy(), o.trueLabels.Accuracy()
	row := &Row{Result: Fail, Detail: fmt.Sprintf("loss %.3f (must be below %.3f, chance); "+
		"held-out accuracy %.1f%% with PUPL's labels, %.1f%% with true ones (must be above %.1f%%; the larger class has %.1f%%)",
		loss, o.chance, 100*pupl, 100*trueLabels, 100*wanted, 100*majority),
		Values: map[string]float64{"loss_nats": loss, "chance_nats": o.chance, "pupl_accuracy": pupl,
			"true_label_accuracy": trueLabels, "larger_class": majority, "wanted_accuracy": wanted}}
	if loss < o.chance && pupl > wanted && trueLabels > wanted {
		row.Result = Pass
	}
	return row
}

// cifarIn returns the images of CIFAR-10 in the first of the folders that has them. If only its test part exists, a
// fifth of it is held out and the rest is the training set. Without any images the error wraps fs.ErrNotExist. There
// are no published checksums of .bin files, so the check accepts any content.
func cifarIn(folders []string) (train, test *datasets.Images, err error) {
	for _, folder := range folders {
		test, err = cifar.Load10(os.DirFS(folder), cifar.Test, cifar.Options{AnyContent: true})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			train, err = cifar.Load10(os.DirFS(folder), cifar.Train, cifar.Options{AnyContent: true})
		}
		if errors.Is(err, fs.ErrNotExist) {
			train, test, err = datasets.Holdout(test, 0.2, 0)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("in the folder %s: %w", folder, err)
		}
		return train, test, nil
	}
	return nil, nil, fmt.Errorf("CIFAR-10 is not on this machine: put cifar-10-binary.tar.gz, from "+
		"https://www.cs.toronto.edu/~kriz/cifar.html, or its .bin files into the folder %s or into that which %s names: %w",
		strings.Join(folders, " or "), datasets.EnvDataDir, fs.ErrNotExist)
}
