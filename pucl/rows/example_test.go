package rows_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Takes the third and the first of three embeddings, scaled to length one.
func Example() {
	x := mat.NewDense(3, 2, []float64{
		3, 4,
		1, 1,
		0, 5,
	})
	examples, err := rows.Take(x, []int{2, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(rows.Unit(examples)))
	_, _, err = rows.Check(examples, 3, "labels")
	fmt.Println(err)
	// Output:
	// ⎡  0    1⎤
	// ⎣0.6  0.8⎦
	// rows: 2 rows and 3 labels; give one for each row, in the same order
}
