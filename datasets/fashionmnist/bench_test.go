package fashionmnist_test

import (
	"os"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/datasets/internal/benchtest"
	"github.com/puclab/puclab/internal/expect"
)

// train reads the 60,000 images, if they are there.
func train(b *testing.B) *datasets.Images {
	b.Helper()
	dir, err := fashionmnist.Find()
	if err != nil {
		b.Skipf("set %s to a folder with the files: %v", datasets.EnvDataDir, err)
	}
	return expect.Must(fashionmnist.Load(os.DirFS(dir), fashionmnist.Train))(b)
}

// epoch goes through one epoch of batches and returns the number of images.
func epoch(b *testing.B, images *datasets.Images) int {
	b.Helper()
	return benchtest.Epoch(b, images, datasets.SplitConfig{Positive: fashionmnist.FMNISTI()})
}

// BenchmarkReadAndBatch reads, checks and decompresses the files and cuts one epoch into batches.
func BenchmarkReadAndBatch(b *testing.B) {
	benchtest.Throughput(b, func() int { return epoch(b, train(b)) })
}

// BenchmarkBatch cuts epochs into batches, the files being read.
func BenchmarkBatch(b *testing.B) {
	set := train(b)
	benchtest.Throughput(b, func() int { return epoch(b, set) })
}
