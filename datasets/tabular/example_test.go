package tabular_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
)

// check ends the program if err is not nil.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleReadCSV() {
	const file = `patient,age,pressure,diagnosis
p1,61,140,ill
p2,35,120,well
p3,58,,ill
`
	cfg := tabular.CSV{Label: "diagnosis", Skip: []string{"patient"}}
	_, err := tabular.ReadCSV(strings.NewReader(file), cfg)
	fmt.Println(err)

	table, err := tabular.ReadCSV(strings.NewReader(strings.Replace(file, ",,", ",150,", 1)), cfg)
	check(err)
	fmt.Println(table)
	fmt.Println(table.Names, mat.Formatted(table.Features.RowView(2).T()), table.Classes[table.Labels[2]])
	// Output:
	// tabular: CSV file: line 4, column 3 (pressure): the value is missing (""): fill it in or remove the line
	// 3 examples of 2 features in 2 classes
	// [age pressure] [ 58  150] ill
}

// The six numbers 1 to 6 as NumPy saves np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8).
func ExampleReadNPY() {
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n" // 118 bytes, so that the numbers start at byte 128
	file := "\x93NUMPY\x01\x00\x76\x00" + header + "\x01\x02\x03\x04\x05\x06"

	array, err := tabular.ReadNPY(fstest.MapFS{"x.npy": {Data: []byte(file)}}, "x.npy")
	check(err)
	fmt.Println(array.Shape, array.Data)
	// Output:
	// [2 3] [1 2 3 4 5 6]
}

// Each feature is replaced with probability 1/2 by the same feature of a random row, possibly the row itself: ones by
// ones, tens by tens.
func ExampleCorruption_Views() {
	rows := mat.NewDense(3, 4, []float64{
		1, 10, 100, 1000,
		2, 20, 200, 2000,
		3, 30, 300, 3000,
	})
	corruption, err := tabular.NewCorruption(rows, 0.5)
	check(err)
	first, second, err := corruption.Views(rows, rand.New(rand.NewPCG(1, 0)))
	check(err)
	fmt.Println(mat.Formatted(first))
	fmt.Println()
	fmt.Println(mat.Formatted(second))
	// Output:
	// ⎡   1    10   100  1000⎤
	// ⎢   2    20   200  3000⎥
	// ⎣   3    30   300  3000⎦
	//
	// ⎡   1    10   300  1000⎤
	// ⎢   3    20   100  2000⎥
	// ⎣   3    20   200  1000⎦
}

// The first two of six patients are labeled as ill. A batch holds one of them and two others, and each of the three
// rows twice, with half of its features, here one of two, taken from other rows.
func ExampleNewBatches() {
	table := &tabular.Table{
		Features: mat.NewDense(6, 2, []float64{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}),
		Labels:   []int{1, 1, 1, 0, 0, 0},
		Classes:  []string{"well", "ill"},
	}
	split, err := datasets.NewSplit(table.Labels, table.Classes, datasets.SplitConfig{
		Positive: []int{1}, Labeled: 2, Setting: datasets.SingleDataset, Seed: 1,
	})
	check(err)
	half, err := tabular.NewCorruption(table.Features, 0.5)
	check(err)
	batches, err := tabular.NewBatches(table, split, half.Exactly(), datasets.BatchConfig{Size: 3, Share: 0.34, Seed: 1})
	check(err)
	views, labeled := batches.Batch(0)
	fmt.Println(labeled)
	for row := range 6 {
		fmt.Println(views[2*row : 2*row+2])
	}
	// Output:
	// [true false false]
	// [1 10]
	// [5 50]
	// [6 20]
	// [1 40]
	// [5 40]
	// [2 20]
}
