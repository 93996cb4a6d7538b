package fashionmnist_test

import (
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/datasets/internal/benchtest"
	"github.com/puclab/puclab/internal/expect"
)

func ExampleEmbedded() {
	images, err := fashionmnist.Embedded()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(images)
	fmt.Println("The first one is of the class", images.Classes[images.Labels[0]])
	// Output:
	// 10000 images of 28×28×1 (height×width×channels) in 10 classes
	// The first one is of the class Ankle boot
}

// The benchmark FMNIST-I on the built-in images: trousers, coats and sneakers are positive, and 300 of the 3,000 are
// labeled.
func ExampleFMNISTI() {
	images, err := fashionmnist.Embedded()
	if err != nil {
		log.Fatal(err)
	}
	pu, err := datasets.NewPU(images, datasets.SplitConfig{Positive: fashionmnist.FMNISTI(), Labeled: 300})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pu)
	// Output:
	// PU data (case-control): 300 labeled positives, 10000 unlabeled, prior π = 0.3, γ = 0.03, seed 0, positive: Trouser, Coat, Sneaker
}

// Open returns all 70,000 images if it finds them, and otherwise the 10,000 built-in ones.
func ExampleOpen() {
	train, test, source, err := fashionmnist.Open()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(source)
	fmt.Println(train.Len(), "to learn from,", test.Len(), "held out")
}

// train reads the 60,000 images if they are available.
func train(b *testing.B) *datasets.Images {
	b.Helper()
	dir, err := fashionmnist.Find()
	if err != nil {
		b.Skipf("set %s to a folder with the files: %v", datasets.EnvDataDir, err)
	}
	return expect.Must(fashionmnist.Load(os.DirFS(dir), fashionmnist.Train))(b)
}

// epoch iterates over one epoch of batches and returns the number of images.
func epoch(b *testing.B, images *datasets.Images) int {
	b.Helper()
	return benchtest.Epoch(b, images, datasets.SplitConfig{Positive: fashionmnist.FMNISTI()})
}

// BenchmarkReadAndBatch reads, checks and decompresses the files and cuts one epoch into batches.
func BenchmarkReadAndBatch(b *testing.B) {
	benchtest.Throughput(b, func() int { return epoch(b, train(b)) })
}

// BenchmarkBatch cuts epochs into batches, without reading the files.
func BenchmarkBatch(b *testing.B) {
	set := train(b)
	benchtest.Throughput(b, func() int { return epoch(b, set) })
}
