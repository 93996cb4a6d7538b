package train_test

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// ramps are 6×6 images that grow brighter to the right or, the labeled positives among them, downwards.
type ramps struct{}

func (ramps) ImageShape() (height, width, channels int) { return 6, 6, 1 }

func (ramps) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	for i := range 8 {
		for y := range 6 {
			for x := range 6 {
				at := x
				if i < 4 {
					at = y
				}
				pixels = append(pixels, uint8(30*at+step%50+i))
			}
		}
		labeled = append(labeled, i < 2)
	}
	return pixels, labeled, nil
}

// Training with an encoder and an augmentation of one's own, one function each. The encoder mixes this library's layers with
// gomlx's; the augmentation takes a random share of the light away.
func ExamplePretrain_bringYourOwn() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	network := encoder.Func{
		Name: "one convolution",
		Graph: func(scope *model.Scope, images *Node, training bool) *Node {
			x := encoder.Convolution(scope.In("convolution"), images, 4, 3, 2)
			x = encoder.ReLU(encoder.BatchNorm(scope.In("norm"), x, training))
			return layers.Dense(scope, ReduceMean(x, 1, 2), true, 8)
		},
	}
	dim := augment.Func{
		Name:     "dimmed by up to a half",
		Uniforms: 1,
		Graph: func(images, u *Node) *Node {
			return Mul(images, OneMinus(MulScalar(Reshape(u, -1, 1, 1, 1), 0.5)))
		},
	}
	m, err := train.Pretrain(context.Background(), eng, ramps{}, train.Config{
		Encoder: network, Recipe: augment.Recipe{augment.Crop{}, dim}, Projection: 4, Steps: 3,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels, _, _ := ramps{}.Batch(0)
	e, err := m.Embed(eng, pixels)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, k := e.H.Dims()
	fmt.Println(len(m.History.Losses), "steps;", n, "images to", k, "numbers each")
	// Output: 3 steps; 8 images to 8 numbers each
}

// From a pretrained encoder and eight labeled images to a classifier of images.
func Example_fineTune() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := train.Pretrain(context.Background(), eng, ramps{}, train.Config{
		Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4, Steps: 3,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels, _, _ := ramps{}.Batch(0)
	classes := []int{1, 1, 1, 1, 0, 0, 0, 0} // 1 grows brighter downwards
	tuned, err := classify.FineTune(context.Background(), eng, m, classify.LabeledImages[int]{Pixels: pixels, Labels: classes}, 2,
		classify.FineTuneConfig{LearningRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	others, _, _ := ramps{}.Batch(7)
	score, err := tuned.ScoreClasses(eng, classify.LabeledImages[int]{Pixels: others, Labels: classes})
	fmt.Println(score, err)
	// Output: accuracy 100.0% of 8, balanced 100.0% over 2 classes <nil>
}
