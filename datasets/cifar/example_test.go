package cifar_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/internal/benchtest"
	"github.com/puclab/puclab/internal/expect"
)

// A test part in the official layout, read with and without AnyContent.
func ExampleLoad10() {
	var file bytes.Buffer
	for i := range 10_000 {
		file.WriteByte(byte(i % 10))                         // the class
		file.Write(bytes.Repeat([]byte{byte(i / 40)}, 1024)) // red
		file.Write(bytes.Repeat([]byte{100}, 1024))          // green
		file.Write(bytes.Repeat([]byte{200}, 1024))          // blue
	}
	folder := fstest.MapFS{"test_batch.bin": {Data: file.Bytes()}}

	set, err := cifar.Load10(folder, cifar.Test, cifar.Options{AnyContent: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set)
	fmt.Println("Image 409 is of the class", set.Classes[set.Labels[409]], "and starts with", set.At(409)[:6])

	_, err = cifar.Load10(folder, cifar.Test, cifar.Options{})
	fmt.Println("Unchecked:", err != nil)
	_, err = cifar.Load10(folder, cifar.Train, cifar.Options{})
	fmt.Println(err, errors.Is(err, fs.ErrNotExist))
	// Output:
	// 10000 images of 32×32×3 (height×width×channels) in 10 classes
	// Image 409 is of the class truck and starts with [10 100 200 10 100 200]
	// Unchecked: true
	// cifar: no data_batch_1.bin, neither here nor in a folder cifar-10-batches-bin, and no cifar-10-binary.tar.gz true
}

func ExampleSuperclass100() {
	classes, super := cifar.Classes100(), cifar.Superclasses100()
	for class, s := range cifar.Superclass100() {
		if super[s] == "trees" {
			fmt.Print(classes[class], " ")
		}
	}
	fmt.Println()
	// Output:
	// maple_tree oak_tree palm_tree pine_tree willow_tree
}

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

// epoch iterates over one epoch of batches of CIFAR-I and returns the number of images.
func epoch(b *testing.B, images *datasets.Images) int {
	b.Helper()
	benchmark := expect.Must(datasets.FindBenchmark("CIFAR-I"))(b)
	return benchtest.Epoch(b, images, expect.Must(benchmark.Config(images.Classes))(b))
}

// BenchmarkReadAndBatch reads the .bin files and cuts one epoch into batches.
func BenchmarkReadAndBatch(b *testing.B) {
	benchtest.Throughput(b, func() int { return epoch(b, train10(b)) })
}

// BenchmarkBatch cuts epochs into batches, without reading the files.
func BenchmarkBatch(b *testing.B) {
	set := train10(b)
	benchtest.Throughput(b, func() int { return epoch(b, set) })
}
