package engine_test

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/engine"
)

// A graph is built once, compiled and run by any available engine.
func ExampleOpen() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := ExecOnce(eng.Backend, func(x *Node) *Node { return ReduceAllSum(x) }, []float32{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Value())
	// Output: 6
}
