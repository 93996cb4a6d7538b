package augment

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
)

// Bytes makes views of images of shape in, one for each image, as bytes again: [Recipe.Apply] for people who want to look
// at views. Numbers are those of [Recipe.Draw] for as many views as there are images. [Normalize] steps at the end are left
// out, since what comes out of them is no longer a picture. It returns the shape of the views, too.
func (r Recipe) Bytes(eng *engine.Engine, pixels []uint8, in Shape, numbers []float32) ([]uint8, Shape, error) {
	out, err := r.Check(in)
	if err != nil {
		return nil, Shape{}, err
	}
	each, size := r.Numbers(), in.Height*in.Width*in.Channels
	n := len(numbers) / each
	switch {
	case n == 0:
		return nil, Shape{}, fmt.Errorf("augment: %d numbers make no view, which takes %d; Draw draws those of any number of views",
			len(numbers), each)
	case len(numbers)%each != 0:
		return nil, Shape{}, fmt.Errorf("augment: %d numbers are no multiple of %d, which describe one view; "+
			"take what Draw gives for this recipe", len(numbers), each)
	case len(pixels) != n*size:
		return nil, Shape{}, fmt.Errorf("augment: %d numbers make %d views, one for each image, but %d bytes are not %d images of %s, "+
			"which take %d", len(numbers), n, len(pixels), n, in, n*size)
	}
	random, _ := r.Split()
	result, err := CallOnce(eng.Backend, func(pixels, numbers *Node) *Node {
		return random.Apply(MulScalar(ConvertDType(pixels, dtypes.Float32), 1.0/255), numbers)
	}, tensors.FromFlatDataAndDimensions(pixels, n, in.Height, in.Width, in.Channels),
		tensors.FromFlatDataAndDimensions(numbers, n, each))
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
