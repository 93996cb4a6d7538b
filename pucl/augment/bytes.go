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
	views, _, err := Config{}.Recipe().Bytes(eng, pixels, Shape{height, width, 1}, numbers)
	return views, err
}

// Bytes makes views of images of shape in, one for each image, as bytes again: [Recipe.Apply] for people who want to look
// at views. Numbers are those of [Recipe.Draw] for as many views as there are images. [Normalise] steps at the end are left
// out, since what comes out of them is no longer a picture. It returns the shape of the views, too.
func (r Recipe) Bytes(eng *engine.Engine, pixels []uint8, in Shape, numbers []float32) ([]uint8, Shape, error) {
	out, err := r.Check(in)
	if err != nil {
		return nil, Shape{}, err
	}
	n := len(numbers) / r.Numbers()
	if n == 0 || len(numbers)%r.Numbers() != 0 || len(pixels) != n*in.Height*in.Width*in.Channels {
		return nil, Shape{}, fmt.Errorf("augment: %d numbers make %d views of %d each, but %d bytes are not as many images of %s",
			len(numbers), n, r.Numbers(), len(pixels), in)
	}
	random, _ := r.Split()
	result, err := CallOnce(eng.Backend, func(pixels, numbers *Node) *Node {
		return random.Apply(MulScalar(ConvertDType(pixels, dtypes.Float32), 1.0/255), numbers)
	}, tensors.FromFlatDataAndDimensions(pixels, n, in.Height, in.Width, in.Channels),
		tensors.FromFlatDataAndDimensions(numbers, n, r.Numbers()))
	if err != nil {
		return nil, Shape{}, fmt.Errorf("augment: %w", err)
	}
	var views []uint8
	err = tensors.ConstFlatData(result, func(flat []float32) {
		for _, value := range flat {
			views = append(views, uint8(math.Round(255*min(max(float64(value), 0), 1))))
		}
	})
	return views, out, err
}
