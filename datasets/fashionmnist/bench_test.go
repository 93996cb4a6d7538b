package fashionmnist_test

import (
	"os"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
)

// batchSize is that of peers/torchvision_loader.py, which does the same with the same files.
const batchSize = 256

// fullFolder is where the 60,000 images are.
func fullFolder(b *testing.B) string {
	b.Helper()
	dir, err := fashionmnist.Find()
	if err != nil {
		b.Skipf("set %s to a folder with the files: %v", datasets.EnvDataDir, err)
	}
	return dir
}

func train(b *testing.B, dir string) *datasets.Images {
	b.Helper()
	images, err := fashionmnist.Load(os.DirFS(dir), fashionmnist.Train)
	if err != nil {
		b.Fatal(err)
	}
	return images
}

// epoch goes through one epoch of batches and returns the number of images.
func epoch(b *testing.B, images *datasets.Images) int {
	b.Helper()
	pu, err := datasets.NewPU(images, datasets.PUConfig{Positive: fashionmnist.FMNISTI(), Labeled: 1000})
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

// BenchmarkReadAndBatch reads, checks and decompresses the files and cuts one epoch into batches.
func BenchmarkReadAndBatch(b *testing.B) {
	dir := fullFolder(b)
	images := 0
	for b.Loop() {
		images += epoch(b, train(b, dir))
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkBatch cuts epochs into batches, the files being read.
func BenchmarkBatch(b *testing.B) {
	set := train(b, fullFolder(b))
	images := 0
	for b.Loop() {
		images += epoch(b, set)
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
}
