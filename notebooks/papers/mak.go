package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/mak"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/train"
)

// openWorldGrid names the grid of open-world sampling, and experimentMAK is the experiment name of its claims.
const openWorldGrid, experimentMAK = "mak", "open-world sampling"

// openWorldVersion is the version of runs of [OpenWorld]; see experiment.Run.
const openWorldVersion = 1

// NothingAdded is the method of a run that trains only on the seed set.
const NothingAdded = "none"

// openWorld is a setting of [OpenWorld]: a seed set and a pool.
type openWorld struct {
	Name     string
	Data     OpenWorldData
	Encoder  encoder.Encoder
	Pretrain train.Config // Recipe, Tau, optimizer and, without Epochs, Steps
	Epochs   int          // of pretraining; 0 means Steps, regardless of the added images
	Batch    int
	Budget   int // K
	Passes   int // M
	Compared int // images of a batch of ECLE

	ProbeEpochs, ShotEpochs int
	Seeds                   int

	Rules []mak.Rule // and additionally no added images, if None
	None  bool
}

// OpenWorldConfig is the configuration of a run of [OpenWorld].
type OpenWorldConfig struct {
	OpenWorldData
	Rule     string // of package mak; "" if nothing is added
	Budget   int    // K
	Passes   int    // M
	Compared int    // images of a batch of ECLE

	Tau float64
	// Encoder, Views and Update are for pretraining, on the seed set and, from new initial weights, on it with the
	// added images.
	Encoder, Views, Update  string
	Batch, Steps, Epochs    int
	ProbeEpochs, ShotEpochs int
}

// The pools of [OpenWorld].
const (
	MixedPool    = "mixed pool"           // images of all classes of the seed set, and outliers
	InsidePool   = "in-distribution pool" // the former only
	OutsidePool  = "outlier pool"         // outliers only
	ImageNetPool = "ImageNet-900"         // classes outside the seed set
)

// PoolOf names a setting of [OpenWorld] by the long-tailed set and the pool.
func PoolOf(set, pool string) string { return fmt.Sprintf("%s-LT, %s", set, pool) }

// openWorlds returns the settings of a size.
func openWorlds(size experiment.Size) ([]openWorld, error) {
	switch size {
	case experiment.Smoke:
		small := pools(openWorld{
			Data:    OpenWorldData{Set: "Fashion-MNIST", Files: BuiltIn, Most: 200, Imbalance: 100, PerClass: 40, Outliers: 400, From: Mosaics, Balanced: 50, Shots: 5},
			Encoder: encoder.MLP{Hidden: []int{64}, Dim: 32}, Pretrain: train.Config{Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}, Steps: 20},
			Batch: 128, Budget: 100, Passes: 2, Compared: 128, ProbeEpochs: 20, ShotEpochs: 5, Seeds: 2,
		}, "FMNIST built in")
		for i := range small {
			small[i].Rules = []mak.Rule{mak.Random}
		}
		small[0].Rules = []mak.Rule{mak.Random, mak.MAK}
		return small, nil
	case experiment.Laptop:
		clothes := openWorld{
			Data: OpenWorldData{Set: "Fashion-MNIST", Files: Official, Most: 1000, Imbalance: 100, PerClass: 500, Outliers: 5000, From: "CIFAR-10",
				Balanced: 1000, Shots: 60},
			Encoder:  encoder.SmallCNN{Mean: 0.286, Std: 0.353},
			Pretrain: train.Config{Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}, Steps: 1600},
			Batch:    256, Budget: 2000, Passes: 5, Compared: 512, ProbeEpochs: 30, ShotEpochs: 30, Seeds: 3,
		}
		animals := clothes
		animals.Data.Set, animals.Data.Files, animals.Data.From = "CIFAR-10", JPEGCopies, "Fashion-MNIST"
		animals.Encoder, animals.Pretrain.Recipe = encoder.SmallCNN{Mean: 0.4734, Std: 0.2516}, augment.CIFAR(32)
		mixed := pools(animals, "CIFAR-10")[:1]
		mixed[0].Rules = []mak.Rule{mak.Random, mak.MAK}
		return append(pools(clothes, "FMNIST"), mixed...), nil
	case experiment.Paper:
		w := openWorld{
			Name:    PoolOf("ImageNet-100", ImageNetPool),
			Data:    OpenWorldData{Set: imageNet, Files: Official, Shots: 12},
			Encoder: encoder.ResNet{Depth: 50, Pixels: encoder.ImageNetPixels()},
			Pretrain: train.Config{Recipe: augment.ImageNet(224), Optimizer: optim.SGD{LearningRate: 0.5}, Schedule: optim.Cosine{},
				Compute: train.Compute{MicroBatches: 4}},
			Epochs: 1000, Batch: 256, Budget: 10_000, Passes: 10, Compared: 512, ProbeEpochs: 30, ShotEpochs: 100, Seeds: 3, Rules: published, None: true,
		}
		w.Pretrain.Tau, w.Pretrain.Objective = 0.2, pucl.SSCL()
		return []openWorld{w}, nil
	}
	return nil, size.Unknown()
}

// published are the rules of the published tables, in order of importance.
var published = []mak.Rule{mak.MAK, mak.Random, mak.OnlyDiversity, mak.TailnessProximity, mak.OnlyTailness, mak.OnlyProximity}

// pools returns a setting with its mixed pool, and with either half of it alone.
func pools(w openWorld, set string) []openWorld {
	w.Pretrain.Tau, w.Pretrain.Objective = 0.2, pucl.SSCL()
	mixed, inside, outside := w, w, w
	mixed.Name, mixed.Rules, mixed.None = PoolOf(set, MixedPool), published, true
	inside.Name, inside.Rules = PoolOf(set, InsidePool), []mak.Rule{mak.Random, mak.MAK}
	inside.Data.Outliers, inside.Data.From = 0, ""
	outside.Name, outside.Rules = PoolOf(set, OutsidePool), inside.Rules
	outside.Data.PerClass = 0
	return []openWorld{mixed, inside, outside}
}

// OpenWorld is the grid of "Improving Contrastive Learning on Imbalanced Seed Data via Open-World Sampling". An encoder
// is pretrained on a long-tailed seed set and selects images of an open pool by each rule of package mak. A new encoder
// pretrained on both sets is evaluated by classes with many, medium and few images. Pools with only in-distribution
// images and with only outliers are compared with the mixed pool, to find which of them help.
//
// Source of the question: Bai and others, "On the Effectiveness of Out-of-Distribution Data in Self-Supervised
// Long-Tail Learning" (COLT), 2023.
func OpenWorld(size experiment.Size) (experiment.Grid, error) {
	grid := experiment.Grid{Name: openWorldGrid, Size: size}
	list, err := openWorlds(size)
	if err != nil {
		return grid, err
	}
	for seed := range uint64(5) {
		for _, w := range list {
			if seed >= uint64(w.Seeds) {
				continue
			}
			if w.None {
				grid.Runs = append(grid.Runs, w.run(NothingAdded, 0, false, seed+1))
			}
			for _, rule := range w.Rules {
				grid.Runs = append(grid.Runs, w.run(rule.String(), rule, true, seed+1))
			}
		}
	}
	return grid, nil
}
