package pu_test

import (
	"bytes"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/pu"
)

// A classifier becomes an ONNX model. In Python, onnxruntime runs it on any number of rows:
//
//	session = onnxruntime.InferenceSession("classifier.onnx")
//	(probability,) = session.run(["probability"], {"features": rows})  # rows: float32 [n, 1]
func Example_onnx() {
	x, labeled := mat.NewDense(60, 1, nil), make([]bool, 60)
	for i := range 60 {
		x.Set(i, 0, float64(i%3+i%5)) // larger where i%3 is 2
		labeled[i] = i%3 == 2 && i%2 == 0
	}
	data, err := pu.Features(x, labeled)
	if err != nil {
		fmt.Println(err)
		return
	}
	classifier, err := pu.Fit(context.Background(), data, pu.Config{Method: pu.Logistic{}, Prior: 0.2})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer // or a file, os.Create("classifier.onnx")
	if err := classifier.WriteONNX(&file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("less than a kilobyte:", file.Len() < 1024)
	// Output:
	// less than a kilobyte: true
}
