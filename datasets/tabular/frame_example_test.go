package tabular_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
)

// A matrix in which NaN marks a missing value.
func ExampleNewFrame() {
	frame, err := tabular.NewFrame(mat.NewDense(3, 2, []float64{61, 140, 35, math.NaN(), 58, 150}), []string{"age", "pressure"})
	check(err)
	fmt.Println(frame)
	fmt.Println(frame.Columns[1].Name, frame.Columns[1].Numbers)
	// Output:
	// 3 rows of 2 columns: 2 of numbers, 0 of words
	// pressure [140 NaN 150]
}

// The encoding is fitted on training rows. A new row without an age gets their median and a 1 for the gap.
func ExampleEncoding() {
	train := &tabular.Frame{Columns: []tabular.Column{
		{Name: "age", Numbers: []float64{40, 60, math.NaN(), 50}},
		{Name: "city", Words: []string{"Bern", "Zürich", "Bern", "Bern"}},
	}}
	encoding, err := tabular.NewEncoding(train)
	check(err)
	rows, err := encoding.Rows(&tabular.Frame{Columns: []tabular.Column{
		{Name: "age", Numbers: []float64{50, math.NaN()}},
		{Name: "city", Words: []string{"Zürich", "Basel"}},
	}})
	check(err)
	fmt.Printf("%q\n", encoding.Names())
	fmt.Println(mat.Formatted(rows))
	// Output:
	// ["age" "age missing" "city=Bern" "city=Zürich"]
	// ⎡0  0  0  1⎤
	// ⎣0  1  0  0⎦
}
