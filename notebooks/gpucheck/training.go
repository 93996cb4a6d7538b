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
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// cifarPixels scales the channels of CIFAR-10, as the paper's recipe does.
var cifarPixels = encoder.Pixels{Mean: []float64{0.4914, 0.4822, 0.4465}, Std: []float64{0.2470, 0.2435, 0.2616}}

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
func trainShortly(ctx context.Context, eng *engine.Engine, p part, progress reporter) (*Row, error) {
	t, err := find(tasks(eng.Kind == "xla-cuda"), p.Name, func(t task) string { return t.bench })
	if err != nil {
		return nil, err
	}
	if p.Steps > 0 {
		t.steps = p.Steps
	}
	return t.train(ctx, eng, progress)
}

// seed is that of the split, the batches, the weights and the views.
const seed = 1

// train trains with PUCL and judges what came of it.
func (t task) train(ctx context.Context, eng *engine.Engine, progress reporter) (*Row, error) {
	row := &Row{Kind: kindTraining, What: fmt.Sprintf("%s, %s, %d steps", t.bench, t.network, t.steps)}
	learn, test, err := t.images()
	if errors.Is(err, fs.ErrNotExist) {
		row.Result, row.Detail = NotRun, err.Error()
		return row, nil
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
	t.judge(row, found.losses, found.chance, found.pupl, found.trueLabels, truth)
	views, seconds := float64(found.last.Views), found.last.Elapsed.Seconds()
	row.Detail = fmt.Sprintf("%s views from %d images in %.0f s; %s", grouped(views), learn.Len(), seconds, row.Detail)
	row.Values["training_seconds"], row.Values["training_images"] = seconds, float64(learn.Len())
	return row, nil
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

// judge fills in whether the run went as it should: the mean of the last tenth of the losses is below the chance level, and both
// probes are right on more images than the larger class has, by three standard deviations of such a count.
func (t task) judge(row *Row, losses []float64, chance float64, pupl, trueLabels evaluate.Binary, truth []bool) {
	loss := stat.Mean(losses[len(losses)-max(len(losses)/10, 1):], nil)
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
	if !(loss < chance) || !(pupl.Accuracy() > wanted) || !(trueLabels.Accuracy() > wanted) {
		row.Result = Fail
	}
	row.Detail = fmt.Sprintf("loss %.3f (must be below %.3f, chance); held-out accuracy %.1f%% with PUPL's labels, "+
		"%.1f%% with true ones (must be above %.1f%%; the larger class has %.1f%%)",
		loss, chance, 100*pupl.Accuracy(), 100*trueLabels.Accuracy(), 100*wanted, 100*majority)
	row.Values = map[string]float64{"loss_nats": loss, "chance_nats": chance, "pupl_accuracy": pupl.Accuracy(),
		"true_label_accuracy": trueLabels.Accuracy(), "larger_class": majority, "wanted_accuracy": wanted}
}

// fashionImages returns the images of Fashion-MNIST that are on this machine.
func fashionImages() (train, test *datasets.Images, err error) {
	train, test, _, err = fashionmnist.Open()
	return train, test, err
}

// cifarImages returns the images of CIFAR-10 that are on this machine.
func cifarImages() (train, test *datasets.Images, err error) {
	return cifarIn(datasets.Folders(cifar.Name10))
}

// cifarIn returns the images of CIFAR-10 in the first of the folders that has them. Where only those of its test part are, a
// fifth of them is held out and the rest is learned from. Where there is none the error wraps fs.ErrNotExist. Of .bin files
// nobody published a checksum; a check may take any.
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
	return nil, nil, fmt.Errorf("CIFAR-10 is not on this machine: put cifar-10-binary.tar.gz, "+
		"from https://www.cs.toronto.edu/~kriz/cifar.html, "+
		"or its .bin files into the folder %s or into that which %s names: %w",
		strings.Join(folders, " or "), datasets.EnvDataDir, fs.ErrNotExist)
}
