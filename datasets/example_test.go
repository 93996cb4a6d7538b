package datasets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"

	"github.com/puclab/puclab/datasets"
)

// check ends the program if err is not nil.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Two images of 2×2 pixels in the format of MNIST.
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
	check(err)
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

// Two of four circles get a label. The unlabeled examples are all eight images, so half of them are circles.
func ExampleNewPU() {
	pu, err := datasets.NewPU(shapes(), datasets.SplitConfig{Positive: []int{1}, Labeled: 2})
	check(err)
	fmt.Println(pu)
	fmt.Println(pu.Len(), "examples are the images", pu.Index)
	// Output:
	// PU data (case-control): 2 labeled positives, 8 unlabeled, prior π = 0.5, γ = 0.25, seed 0, positive: circle
	// 10 examples are the images [1 3 0 1 2 3 4 5 6 7]
}

// The same two circles get a label, but they are not among the unlabeled images, of which 2 in 6 are circles.
func ExampleNewPU_singleDataset() {
	pu, err := datasets.NewPU(shapes(), datasets.SplitConfig{
		Positive: []int{1}, Labeled: 2, Setting: datasets.SingleDataset,
	})
	check(err)
	fmt.Println(pu)
	fmt.Println(pu.Len(), "examples are the images", pu.Index)
	// Output:
	// PU data (single-dataset): 2 labeled positives, 6 unlabeled, prior π = 0.3333, γ = 0.3333, seed 0, positive: circle
	// 8 examples are the images [1 3 0 2 4 5 6 7]
}

func ExamplePU_Summary() {
	pu, err := datasets.NewPU(shapes(), datasets.SplitConfig{Positive: []int{1}, Labeled: 2})
	check(err)
	text, err := json.Marshal(pu.Summary())
	check(err)
	fmt.Println(string(text))
	// Output:
	// {"setting":"case-control","positive":[1],"positive_names":["circle"],"labeled":2,"unlabeled":8,"prior":0.5,"gamma":0.25,"seed":0}
}

// Each batch has one labeled positive, example 0 or 1, and three of the eight unlabeled examples, 2 to 9.
func ExampleNewBatches() {
	pu, err := datasets.NewPU(shapes(), datasets.SplitConfig{Positive: []int{1}, Labeled: 2})
	check(err)
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: 4, Share: 0.25})
	check(err)
	fmt.Println(batches.StepsPerEpoch(), "steps for every unlabeled example")
	for step := range 3 {
		pixels, labeled, err := batches.Batch(step)
		check(err)
		fmt.Println(batches.Rows(step), pixels, labeled)
	}
	// Output:
	// 3 steps for every unlabeled example
	// [1 9 2 3] [30 70 0 10] [true false false false]
	// [0 8 4 7] [10 60 20 50] [true false false false]
	// [0 5 6 2] [10 30 40 0] [true false false false]
}

// Equally many squares and circles are labeled, and three in four unlabeled examples are positive.
func ExampleNewPU_balanced() {
	images := &datasets.Images{
		Height: 1, Width: 1, Channels: 1,
		Pixels:  make([]uint8, 12),
		Labels:  []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2},
		Classes: []string{"square", "circle", "star"},
	}
	pu, err := datasets.NewPU(images, datasets.SplitConfig{
		Positive: []int{0, 1}, Labeled: 4, Draw: datasets.Balanced,
		Unlabeled: 8, Prior: 0.75,
	})
	check(err)
	fmt.Println(pu)
	for _, row := range pu.Index[:4] {
		fmt.Print(images.Classes[images.Labels[row]], " ")
	}
	// Output:
	// PU data (case-control): 4 labeled positives (class-balanced), 8 unlabeled, prior π = 0.75, γ = 0.5, seed 0, positive: square, circle
	// square circle square circle
}

// A split needs only classes: here the classes of ten rows of a table. The rows 6 to 9 are positive, and later rows are
// more likely labeled: selected at random, but not completely at random.
func ExampleNewSplit() {
	labels := []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}
	split, err := datasets.NewSplit(labels, []string{"healthy", "ill"}, datasets.SplitConfig{
		Positive: []int{1}, Setting: datasets.SingleDataset,
		Draw: datasets.Independent, Propensity: func(row int) float64 { return float64(row-5) / 4 },
		Seed: 1,
	})
	check(err)
	fmt.Println(split)
	fmt.Println("labeled:", split.Index[:split.NumLabeled()])
	// Output:
	// PU data (single-dataset): 2 labeled positives (independent), 8 unlabeled, prior π = 0.25, γ = 0.25, seed 1, positive: ill
	// labeled: [8 9]
}

// For an impossible amount the error gives the largest possible number.
func ExampleNewSplit_impossible() {
	_, err := datasets.NewSplit([]int{0, 0, 0, 1, 1}, []string{"healthy", "ill"}, datasets.SplitConfig{
		Positive: []int{1}, Labeled: 1, Unlabeled: 4, Prior: 0.75,
	})
	fmt.Println(err)
	// Output:
	// datasets: 4 examples with a prior π of 0.75 are 3 positives and 1 negatives, but there are 2 and 3 to draw from: with this π the largest possible number is 3, and with this number π can be from 0.25 to 0.5
}

func ExampleFindBenchmark() {
	b, err := datasets.FindBenchmark("cifar-hard")
	check(err)
	fmt.Println(b)
	// A reader may number the classes differently.
	cfg, err := b.Config([]string{"dog", "cat", "bird", "airplane"})
	check(err)
	fmt.Println(cfg.Name, cfg.Positive, cfg.Negative)
	// Output:
	// CIFAR-hard (CIFAR-10): airplane, cat against bird, dog, π = 0.5
	// CIFAR-hard [3 1] [2 0]
}

func ExampleFigureExperiments() {
	experiments, err := datasets.FigureExperiments("5")
	check(err)
	for _, e := range experiments {
		fmt.Println(e)
	}
	// Output:
	// Figure 5: CIFAR-0, case-control, n_U fixed to all examples, γ = 0.05, 0.1, 0.25, 0.5
	// Figure 5: Woof-vs-Nette, case-control, n_U fixed to all examples, γ = 0.05, 0.1, 0.2, 0.5
	// Figure 5: CIFAR-0, single-dataset, n_P + n_U fixed to all examples, γ = 0.05, 0.1, 0.25, 0.5
	// Figure 5: Woof-vs-Nette, single-dataset, n_P + n_U fixed to all examples, γ = 0.05, 0.1, 0.2, 0.5
}

// The numbers of CIFAR-10-LT.
func ExampleExponentialCounts() {
	counts, err := datasets.ExponentialCounts(10, 5000, 100)
	check(err)
	fmt.Println(counts)
	fmt.Println(datasets.ShotsByRank(counts))
	// Output:
	// [5000 2997 1796 1077 645 387 232 139 83 50]
	// [many many many many medium medium medium few few few]
}

func ExampleNewLongTail() {
	tail, err := datasets.NewLongTail([]int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2},
		datasets.LongTailConfig{Counts: []int{4, 2, 1}, Ranks: []int{2, 0, 1}})
	check(err)
	fmt.Println(tail)
	fmt.Println(tail.Counts, "of each class")
	// Output:
	// long tail: 7 examples in 3 classes, from 4 to 1 (imbalance 4), 5 left over, seed 0
	// [2 1 4] of each class
}

// Get fetches and unpacks an archive; its folder is ready for os.DirFS.
func ExampleFindArchive() {
	a, err := datasets.FindArchive("CIFAR-10")
	check(err)
	fmt.Printf("%s (%d MB) unpacks to %s\n", a.File.Name, a.File.Size/1e6, a.Folder)
	_, err = datasets.FindArchive("CIFAR-1000")
	fmt.Println(err)
	// Output:
	// cifar-10-binary.tar.gz (170 MB) unpacks to cifar-10-batches-bin
	// datasets: there is no archive of a data set "CIFAR-1000" (did you mean "cifar-100"?): use one of cifar-10, cifar-100, stl10, imagenette2-160, imagenette2-320, imagewoof2-160, imagewoof2-320
}
