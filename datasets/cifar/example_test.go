package cifar_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/cifar"
)

// A test part in the true layout, and what happens to one that nobody vouches for.
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
