package datasets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"

	"github.com/puclab/puclab/datasets"
)

// Two images of 2×2 pixels, as the files of MNIST and its relatives hold them.
func ExampleReadImages() {
	images := []byte{
		0, 0, 8, 3, // unsigned bytes, three dimensions
		0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, // 2 images of 2×2
		10, 11, 12, 13,
		20, 21, 22, 23,
	}
	labels := []byte{
		0, 0, 8, 1, // unsigned bytes, one dimension
		0, 0, 0, 2, // 2 labels
		1, 0,
	}
	set, err := datasets.ReadImages(bytes.NewReader(images), bytes.NewReader(labels), []string{"cat", "ship"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set)
	for i, class := range set.Labels {
		fmt.Println(set.Classes[class], set.At(i))
	}
	// Output:
	// 2 images of 2×2×1 (height×width×channels) in 2 classes
	// ship [10 11 12 13]
	// cat [20 21 22 23]
}

// shapes returns eight images of one pixel, four of each of two classes.
func shapes() *datasets.Images {
	return &datasets.Images{
		Height: 1, Width: 1, Channels: 1,
		Pixels:  []uint8{0, 10, 20, 30, 40, 50, 60, 70},
		Labels:  []int{0, 1, 0, 1, 0, 1, 0, 1},
		Classes: []string{"square", "circle"},
	}
}

// Of four circles two get a label. The unlabeled examples are all eight images, so half of them are circles.
func ExampleNewPU() {
	pu, err := datasets.NewPU(shapes(), datasets.PUConfig{Positive: []int{1}, Labeled: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pu)
	fmt.Println(pu.Len(), "examples are the images", pu.Index)
	// Output:
	// PU data (case-control): 2 labeled positives, 8 unlabeled, prior π = 0.5, γ = 0.25, seed 0, positive: circle
	// 10 examples are the images [1 3 0 1 2 3 4 5 6 7]
}

// The same two circles get a label, but now they are no longer among the unlabeled images, of which 2 in 6 are circles.
func ExampleNewPU_singleDataset() {
	pu, err := datasets.NewPU(shapes(), datasets.PUConfig{
		Positive: []int{1}, Labeled: 2, Setting: datasets.SingleDataset,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pu)
	fmt.Println(pu.Len(), "examples are the images", pu.Index)
	// Output:
	// PU data (single-dataset): 2 labeled positives, 6 unlabeled, prior π = 0.3333, γ = 0.3333, seed 0, positive: circle
	// 8 examples are the images [1 3 0 2 4 5 6 7]
}

func ExamplePU_Summary() {
	pu, err := datasets.NewPU(shapes(), datasets.PUConfig{Positive: []int{1}, Labeled: 2})
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(pu.Summary())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// {"setting":"case-control","positive":[1],"positive_names":["circle"],"labeled":2,"unlabeled":8,"prior":0.5,"gamma":0.25,"seed":0}
}

// Each batch has one labeled positive, example 0 or 1, and three of the eight unlabeled examples, 2 to 9.
func ExampleNewBatches() {
	pu, err := datasets.NewPU(shapes(), datasets.PUConfig{Positive: []int{1}, Labeled: 2})
	if err != nil {
		log.Fatal(err)
	}
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: 4, Share: 0.25})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(batches.StepsPerEpoch(), "steps for every unlabeled example")
	for step := range 3 {
		pixels, labeled := batches.Batch(step)
		fmt.Println(batches.Rows(step), pixels, labeled)
	}
	// Output:
	// 3 steps for every unlabeled example
	// [1 9 2 3] [30 70 0 10] [true false false false]
	// [0 8 4 7] [10 60 20 50] [true false false false]
	// [0 5 6 2] [10 30 40 0] [true false false false]
}
