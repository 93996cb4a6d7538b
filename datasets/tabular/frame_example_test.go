package tabular_test

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
)

// A matrix in which NaN marks a missing value.
func ExampleNewFrame() {
	x := mat.NewDense(3, 2, []float64{61, 140, 35, math.NaN(), 58, 150})
	frame, err := tabular.NewFrame(x, []string{"age", "pressure"})
	check(err)
	fmt.Println(frame)
	fmt.Println(frame.Columns[1].Name, frame.Columns[1].Numbers)
	// Output:
	// 3 rows of 2 columns: 2 of numbers, 0 of words
	// pressure [140 NaN 150]
}

// The encoding is fitted on training rows. A new row without an age gets the training median and a 1 for the gap.
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

// A typical file: an identifier, gaps, a city with a comma, a diagnosis for some rows, and a line with a missing value.
func ExampleReadFrame() {
	const file = `patient,age,city,diagnosis
p1,61,"Genève, VD",ill
p2,NA,Zürich,
p3,35
p4,58,Bern,
`
	cfg := tabular.FrameConfig{Label: "diagnosis", Skip: []string{"patient"}, SkipBad: true}
	frame, labels, bad, err := tabular.ReadFrame(strings.NewReader(file), cfg)
	check(err)
	fmt.Println(frame)
	fmt.Printf("%v %q %q\n", frame.Columns[0].Numbers, frame.Columns[1].Words, labels)
	fmt.Println(bad[0])
	// Output:
	// 3 rows of 2 columns: 1 of numbers, 1 of words
	// [61 NaN 58] ["Genève, VD" "Zürich" "Bern"] ["ill" "" ""]
	// line 4: 2 values instead of 4: fill in what is missing, or quote a value that contains ','
}
