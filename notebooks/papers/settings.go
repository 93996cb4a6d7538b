package papers

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/train"
)

// setting is a column of a table: a task and its training parameters.
type setting struct {
	Name string // the same at every size, so that published numbers match
	Data Data

	Encoder  encoder.Encoder      // of the contrastive runs and, with a linear output layer, of the baselines
	Pretrain train.Config         // Recipe, Steps, Tau and the optimizer of contrastive runs
	Batch    datasets.BatchConfig // of contrastive runs
	Points   int                  // of contrastive runs, number of evaluations by heads
	Heads    []string             // of contrastive runs; nil for all
	Judge    int                  // neighbors in the evaluation of contrastive runs, see [Neighbors]; 0 for none
	Baseline baseline.Config      // sizes of batches and Settings of baselines
	Epochs   int                  // of baselines
	// Fewer has the epochs of baselines whose steps cost several times as much as others'; 0 means Epochs.
	Fewer int

	Seeds, SlowSeeds int                // of all methods except the slow baselines, and of the slow ones
	Baselines        []string           // including [TrueLabels], if they run; nil for all
	Rates            map[string]float64 // learning rates of baselines; others have the usual 0.001
	Bank             int                // of watched runs; see Watched

	benchmark datasets.Benchmark
}

// has reports whether the baseline of that name, or [TrueLabels], runs in the setting.
func (s setting) has(name string) bool {
	return s.Baselines == nil || slices.Contains(s.Baselines, name)
}

// settings returns the settings of a size, in order of importance.
func settings(size experiment.Size) ([]setting, error) {
	var list []setting
	switch size {
	case experiment.Smoke:
		list = []setting{smoke()}
	case experiment.Laptop:
		few := []string{"nnPU", "vPU"}
		some := []string{"nnPU", "Dist-PU", "vPU", "P3MIX-E", "P3MIX-C", TrueLabels}
		list = []setting{
			laptopFashion("FMNIST-I", 1000, nil), laptopFashion("FMNIST-II", 1000, nil),
			laptopFashion("FMNIST-I", 3000, few), laptopFashion("FMNIST-II", 3000, few),
			laptopCIFAR("CIFAR-I", some), laptopCIFAR("CIFAR-II", some),
		}
	case experiment.Paper:
		for _, labeled := range []int{1000, 3000} {
			for _, name := range []string{"FMNIST-I", "FMNIST-II", "CIFAR-I", "CIFAR-II", "STL-I", "STL-II"} {
				list = append(list, paper(name, labeled))
			}
		}
	default:
		return nil, size.Unknown()
	}
	return withBenchmarks(list)
}

// withBenchmark fills in the benchmark of the setting.
func (s setting) withBenchmark() (_ setting, err error) {
	s.benchmark, err = findTask(s.Data.Benchmark)
	return s, err
}

// withBenchmarks fills in the benchmarks of settings.
func withBenchmarks(list []setting) ([]setting, error) {
	for i, s := range list {
		var err error
		if list[i], err = s.withBenchmark(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// settingName names a setting by its task and n_P.
func settingName(benchmark string, labeled int) string {
	return fmt.Sprintf("%s, %d labeled", benchmark, labeled)
}

// tenth is the fraction of the training images that is held out.
const tenth = 0.1

// smoke returns a setting for checking that everything runs.
func smoke() setting {
	return setting{
		Name: "FMNIST-I built in, 200 labeled", Data: Data{Benchmark: "FMNIST-I", Files: BuiltIn, Labeled: 200, HeldOut: tenth},
		Encoder:  encoder.MLP{Hidden: []int{64}, Dim: 32},
		Pretrain: train.Config{Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}, Steps: 20},
		Batch:    datasets.BatchConfig{Size: 128, Share: 0.25}, Points: 2,
		Baseline: baseline.Config{Positives: 64, Unlabeled: 720}, Epochs: 2,
		Seeds: 2, SlowSeeds: 2,
	}
}

// laptopFashion returns the setting of the small CNN of the quick start and its recipe, on all of Fashion-MNIST.
func laptopFashion(benchmark string, labeled int, baselines []string) setting {
	return setting{
		Name: settingName(benchmark, labeled), Data: Data{Benchmark: benchmark, Files: Official, Labeled: labeled, HeldOut: tenth},
		Encoder:  encoder.SmallCNN{Mean: 0.286, Std: 0.353},
		Pretrain: train.Config{Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}, Steps: 2000},
		Batch:    datasets.BatchConfig{Size: 256, Share: 0.25}, Points: 5,
		// Baselines end within five minutes on an otherwise idle core.
		Baseline: baseline.Config{Positives: 64, Unlabeled: 192}, Epochs: 10, Fewer: 5,
		Seeds: 5, SlowSeeds: 3, Baselines: baselines, Rates: laptopRates(),
	}
}

// laptopCIFAR returns the setting of the same network, scaled to CIFAR-10's pixels, with the paper's recipe.
func laptopCIFAR(benchmark string, baselines []string) setting {
	return setting{
		Name: settingName(benchmark, 1000), Data: Data{Benchmark: benchmark, Files: JPEGCopies, Labeled: 1000, HeldOut: tenth},
		Encoder:  encoder.SmallCNN{Mean: 0.4734, Std: 0.2516},
		Pretrain: train.Config{Recipe: augment.CIFAR(32), Steps: 3000},
		Batch:    datasets.BatchConfig{Size: 256, Share: 0.25}, Points: 5,
		Baseline: baseline.Config{Positives: 64, Unlabeled: 192}, Epochs: 20,
		Seeds: 3, SlowSeeds: 3, Baselines: baselines, Rates: laptopCIFARRates(),
	}
}

// paper returns a setting as in the paper. From A.7 it has LARS, a cosine schedule with warm-up, unforced batches of
// 1,024 and projections of length 128; from A.7.3 the recipes; from the authors' public code the epochs and the encoder
// of Fashion-MNIST. The paper trains ResNet-18 on CIFAR-10 in its figures, and names no encoder for STL-10. STL-10 has
// 2,500 labeled images of each side. As in the code of VPU a tenth of them is held out, so 2,250 replace 3,000. On
// CIFAR-10 the LARS trust coefficient, which the paper does not state, and bfloat16 are those of the run on an H100 in
// docs/speed.md.
//
// Baselines train the same encoders for 200 epochs, vPU at the rates of its authors.
func paper(benchmark string, labeled int) setting {
	const batch = 1024
	half := encoder.Pixels{Mean: []float64{0.5}, Std: []float64{0.5}}
	s := setting{
		Data:     Data{Benchmark: benchmark, Files: Official, Labeled: labeled, HeldOut: tenth},
		Pretrain: train.Config{Tau: 0.5, Optimizer: optim.LARS{}, Schedule: optim.Cosine{}},
		Batch:    datasets.BatchConfig{Size: batch}, Points: 5,
		Baseline: baseline.Config{Positives: 256, Unlabeled: 768}, Epochs: 200,
		Seeds: 5, SlowSeeds: 3,
	}
	switch benchmark {
	case "FMNIST-I", "FMNIST-II":
		s.Encoder, s.Pretrain.Recipe = encoder.LeNet{Pixels: half}, augment.FMNIST()
		s.Pretrain.Steps, s.Rates = 300*54_000/batch, map[string]float64{"vPU": 3e-4}
	case "CIFAR-I", "CIFAR-II":
		s.Encoder, s.Pretrain.Recipe = encoder.ResNet{Depth: 18, CIFAR: true, Pixels: cifarPixels()}, augment.CIFAR(32)
		s.Pretrain.Steps, s.Rates = 300*45_000/batch, map[string]float64{"vPU": 3e-5}
		s.Pretrain.Optimizer, s.Pretrain.Compute = optim.LARS{Trust: 0.01}, train.Compute{BFloat16: true}
	case "STL-I", "STL-II":
		s.Data.Labeled = min(labeled, 2250)
		s.Encoder, s.Pretrain.Recipe = encoder.ResNet{Depth: 18, Pixels: half}, augment.STL()
		s.Pretrain.Steps, s.Rates = 400*94_500/batch, map[string]float64{"vPU": 1e-4}
	}
	s.Name = settingName(benchmark, s.Data.Labeled)
	return s
}

// woofAndNette returns the setting of figure 1 as far as the paper states it: ResNet-18, and LARS as in [paper]; 100
// epochs and batches of 512 are from its authors' public code. The paper does not state the image size; the recipe is
// the one for larger images.
func woofAndNette() setting {
	const batch = 512
	s := paper("STL-I", 0)
	s.Data = Data{Benchmark: "Woof-vs-Nette", Files: Official, HeldOut: tenth}
	s.Encoder = encoder.ResNet{Depth: 18, Pixels: encoder.Pixels{Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225}}}
	s.Pretrain.Steps, s.Batch.Size = 100*16_645/batch, batch
	return s
}

// paperDogsAndCats returns the setting of figure 9a: that of CIFAR-10 in [paper], for the images of two of its classes.
func paperDogsAndCats() setting {
	const batch = 1024
	s := paper("CIFAR-I", 0)
	s.Data.Benchmark = "CIFAR-0"
	s.Pretrain.Steps = 300 * 9_000 / batch
	return s
}

// cifarPixels scales the pixels of CIFAR-10 by mean and standard deviation of each channel of its training images.
func cifarPixels() encoder.Pixels {
	return encoder.Pixels{Mean: []float64{0.4914, 0.4822, 0.4465}, Std: []float64{0.2470, 0.2435, 0.2616}}
}
