package cifar_test

import (
	"os"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
)

// batchSize is that of datasets/peers/torchvision_loader.py, which does the same with the same files.
const batchSize = 256

// train10 reads the 50,000 images of CIFAR-10, official or not, from the first folder that has them.
func train10(b *testing.B) *datasets.Images {
	b.Helper()
	var last error
	for _, folder := range datasets.Folders(cifar.Name10) {
		images, err := cifar.Load10(os.DirFS(folder), cifar.Train, cifar.Options{AnyContent: true})
		if err == nil {
			return images
		}
		last = err
	}
	b.Skipf("set %s to a folder with the files: %v", datasets.EnvDataDir, last)
	return nil
}

// epoch goes through one epoch of batches of CIFAR-I and returns the number of images.
func epoch(b *testing.B, images *datasets.Images) int {
	b.Helper()
	benchmark, err := datasets.FindBenchmark("CIFAR-I")
	if err != nil {
		b.Fatal(err)
	}
	cfg, err := benchmark.Config(images.Classes)
	if err != nil {
		b.Fatal(err)
	}
	cfg.Labeled = 1000
	pu, err := datasets.NewPU(images, cfg)
	if err != nil {
		b.Fatal(err)
	}
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: batchSize})
	if err != nil {
		b.Fatal(err)
	}
	seen := 0
	for step := range batches.StepsPerEpoch() {
		_, labeled, err := batches.Batch(step)
		if err != nil {
			b.Fatal(err)
		}
		seen += len(labeled)
	}
	return seen
}

// BenchmarkReadAndBatch reads the .bin files and cuts one epoch into batches.
func BenchmarkReadAndBatch(b *testing.B) {
	images := 0
	for b.Loop() {
		images += epoch(b, train10(b))
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkBatch cuts epochs into batches, the files being read.
func BenchmarkBatch(b *testing.B) {
	set := train10(b)
	images := 0
	for b.Loop() {
		images += epoch(b, set)
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
}
