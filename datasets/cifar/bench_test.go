package cifar_test

import (
	"os"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/internal/benchtest"
	"github.com/puclab/puclab/internal/expect"
)

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
	benchmark := expect.Must(datasets.FindBenchmark("CIFAR-I"))(b)
	return benchtest.Epoch(b, images, expect.Must(benchmark.Config(images.Classes))(b))
}

// BenchmarkReadAndBatch reads the .bin files and cuts one epoch into batches.
func BenchmarkReadAndBatch(b *testing.B) {
	benchtest.Throughput(b, func() int { return epoch(b, train10(b)) })
}

// BenchmarkBatch cuts epochs into batches, the files being read.
func BenchmarkBatch(b *testing.B) {
	set := train10(b)
	benchtest.Throughput(b, func() int { return epoch(b, set) })
}
