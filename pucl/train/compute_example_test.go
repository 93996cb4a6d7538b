package train_test

import (
	"fmt"

	"github.com/puclab/puclab/pucl/train"
)

// A batch over four devices, each of which sees its share in eight parts, in half precision. As Config.Compute it
// changes nothing else of a run.
func ExampleCompute() {
	c := train.Compute{Devices: 4, MicroBatches: 8, BFloat16: true}
	fmt.Println(c)
	fmt.Println(c.Check())
	c.MicroBatches = -8
	fmt.Println(c.Check())
	// Output:
	// 4 devices, bfloat16 with float32 weights, 8 micro-batches
	// <nil>
	// train: Compute has MicroBatches -8; it must be at least 1, or 0 for the whole batch at once
}
