package train_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/rows"
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

// Training with a user-defined encoder and a user-defined augmentation, one function each. The encoder combines this
// library's layers with gomlx's; the augmentation darkens images by a random share.
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

// From a CSV file to pseudo-labels: 600 patients with six measurements each. Every second patient is ill, and a third
// of the ill are labeled. All measurements of the ill are higher by twice their spread.
func ExamplePretrainFeatures() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 0))
	var file strings.Builder
	file.WriteString("a,b,c,d,e,f,diagnosis\n")
	for i := range 600 {
		for range 6 {
			fmt.Fprintf(&file, "%.3f,", 2*float64(i%2)+rng.NormFloat64())
		}
		file.WriteString([]string{"well\n", "ill\n"}[i%2])
	}

	table, err := tabular.ReadCSV(strings.NewReader(file.String()), tabular.CSV{Label: "diagnosis"})
	if err != nil {
		fmt.Println(err)
		return
	}
	table.Standardize() // returns the parameters that bring new rows to the same scale
	split, err := datasets.NewSplit(table.Labels, table.Classes, datasets.SplitConfig{
		Positive: []int{0}, // "ill": classes are numbered in the order of their names
		Labeled:  100, Setting: datasets.SingleDataset, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	batches, err := tabular.NewBatches(table, split, nil, datasets.BatchConfig{Size: 64, Share: 0.25, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := train.PretrainFeatures(context.Background(), eng, batches, train.Config{
		Steps: 100, Encoder: encoder.MLP{Hidden: []int{32}, Dim: 16}, Projection: 8, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	embedding, err := model.EmbedFeatures(eng, table.Features)
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := rows.Take(rows.Unit(embedding.Z), split.Index)
	if err != nil {
		fmt.Println(err)
		return
	}
	clusters, err := cluster.PUPL(z, split.Labeled, cluster.Config{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	score, err := evaluate.Count(clusters.Positive[split.NumLabeled():], split.Positive[split.NumLabeled():])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(split)
	fmt.Println("more than 90% right:", score.Accuracy() > 0.9)
	// Output:
	// PU data (single-dataset): 100 labeled positives, 500 unlabeled, prior π = 0.4, γ = 0.2, seed 1, positive: ill
	// more than 90% right: true
}

// One weight w starts at 0 and has the loss (w − 3)². A step of gradient descent at the rate ¼ halves its distance to
// 3.
func ExampleRun() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	store := model.NewStore()
	history, err := train.Run(context.Background(), eng, train.Task{
		Name: "learning a number", Store: store,
		Batch: func(step int) (train.Batch, error) {
			return train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue([]float32{3})}, Examples: 1}, nil
		},
		Outputs: func(scope *model.Scope, in []*Node) *Node {
			w := scope.In("network").VariableWithValue("w", float32(0)).NodeValue(in[0].Graph())
			return Reshape(w, 1, 1)
		},
		Loss: func(outputs *Node, in []*Node) *Node { return ReduceAllMean(Square(Sub(Squeeze(outputs, -1), in[0]))) },
	}, train.Settings{
		Steps: 3, Schedule: optim.Constant{}, Optimizer: optim.SGD{LearningRate: 0.25, Momentum: -1, WeightDecay: -1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := store.GetVariable("/network/w").MustValue()
	fmt.Println(history.Losses, w.Value())
	// Output: [9 2.25 0.5625] 2.625
}

// A batch is split over four devices, each of which processes its share in eight parts, in half precision. As
// Config.Compute it changes nothing else of a run.
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
