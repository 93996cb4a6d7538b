package safetensors_test

import (
	"bytes"
	"fmt"

	"github.com/puclab/puclab/pucl/safetensors"
)

func Example() {
	w, err := safetensors.New(safetensors.F16, []int{2, 2}, []float64{1, 2, 3, 0.1})
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := (&safetensors.File{Tensors: map[string]safetensors.Tensor{"fc.weight": w}}).Write(&file); err != nil {
		panic(err)
	}

	back, err := safetensors.Decode(file.Bytes())
	if err != nil {
		panic(err)
	}
	values, err := back.Tensors["fc.weight"].Float64s()
	if err != nil {
		panic(err)
	}
	fmt.Println(back.Tensors["fc.weight"].Shape, values) // half precision has some three digits
	// Output:
	// [2 2] [1 2 3 0.0999755859375]
}
