package sealed_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/sealed"
)

func Example() {
	path := filepath.Join(os.TempDir(), "sealed-example.json")
	defer os.Remove(path)
	type result struct {
		Loss     string
		Accuracy float64
	}
	fmt.Println(sealed.Write(path, result{"PUCL", 0.9}))
	data, err := os.ReadFile(path)
	fmt.Println(string(data), err)
	var back result
	fmt.Println(sealed.Read(path, &back), back)
	// Output:
	// <nil>
	// {
	//   "sha256": "6a89a12efec32a30162d2980711bbbac33d9552d5e2c42b911bf6f739ef3eb5e",
	//   "Loss": "PUCL",
	//   "Accuracy": 0.9
	// }
	//  <nil>
	// <nil> {PUCL 0.9}
}
