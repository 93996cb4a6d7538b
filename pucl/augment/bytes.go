package augment

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
)

// Bytes makes views of gray images of height×width bytes each, one for each image, as bytes again: [Apply] for people who
// want to look at views. Numbers are those of [Config.Draw] for as many views as there are images.
func Bytes(eng *engine.Engine, pixels []uint8, height, width int, numbers []float32) ([]uint8, error) {
	n := len(numbers) / Numbers
	if n == 0 || len(numbers)%Numbers != 0 || len(pixels) != n*height*width {
		return nil, fmt.Errorf("augment: %d numbers make %d views of %d each, but %d bytes are not as many %d×%d images",
			len(numbers), n, Numbers, len(pixels), height, width)
	}
	out, err := CallOnce(eng.Backend, func(pixels, numbers *Node) *Node {
		return Apply(MulScalar(ConvertDType(pixels, dtypes.Float32), 1.0/255), numbers)
	}, tensors.FromFlatDataAndDimensions(pixels, n, height, width, 1), tensors.FromFlatDataAndDimensions(numbers, n, Numbers))
	if err != nil {
		return nil, fmt.Errorf("augment: %w", err)
	}
	views := make([]uint8, len(pixels))
	err = tensors.ConstFlatData(out, func(flat []float32) {
		for i, value := range flat {
			views[i] = uint8(math.Round(255 * float64(value)))
		}
	})
	return views, err
}
