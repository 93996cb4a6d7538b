package safetensors_test

import (
	"bytes"
	"fmt"

	"github.com/puclab/puclab/pucl/safetensors"
)

func Example() {
	w, err := safetensors.New(safetensors.F16, []int{2, 2}, []float64{1, 2, 3, 0.1})
	check(err)
	var file bytes.Buffer
	check((&safetensors.File{Tensors: map[string]safetensors.Tensor{"fc.weight": w}}).Write(&file))

	back, err := safetensors.Decode(file.Bytes())
	check(err)
	values, err := back.Tensors["fc.weight"].Float64s()
	check(err)
	fmt.Println(back.Tensors["fc.weight"].Shape, values) // half precision has some three digits
	// Output:
	// [2 2] [1 2 3 0.0999755859375]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
