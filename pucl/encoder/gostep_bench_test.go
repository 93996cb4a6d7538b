package encoder_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// BenchmarkGoStep times a whole training step on the pure-Go engine: 2×256 views of 28×28, augmentation, SmallCNN,
// projector, PUCL and Adam. "naive" takes the engine's own convolution, "products" what this package makes of it, and
// tells how many times as fast that is. A naive step takes some seconds:
//
//	GOEXPERIMENT=simd go test ./pucl/encoder -run '^$' -bench GoStep -benchtime 1x
func BenchmarkGoStep(b *testing.B) {
	b.Setenv("GOMLX_BACKEND", "go")
	eng := expect.Must(engine.Open())(b)
	var naive float64
	b.Run("naive", func(b *testing.B) { naive = benchmarkSteps(b, eng, naiveCNN{}, 0, 1) })
	b.Run("products", func(b *testing.B) {
		products := benchmarkSteps(b, eng, encoder.SmallCNN{Mean: 0.286, Std: 0.353}, 1, 20)
		if naive > 0 {
			b.ReportMetric(products/naive, "times-naive")
		}
	})
}

// benchmarkSteps trains e for some steps that are not counted, in the first of which the graph is compiled, and then
// b.N times as many as given, and returns views per second.
func benchmarkSteps(b *testing.B, eng *engine.Engine, e encoder.Encoder, uncounted, counted int) float64 {
	var from, to train.Progress
	expect.Must(train.Pretrain(context.Background(), eng, noise{}, train.Config{
		Steps: uncounted + counted*b.N, Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}, Encoder: e, Seed: 1,
		Observer: train.OnStep(func(p train.Progress) {
			if p.Step == uncounted {
				from = p
			}
			to = p
		}),
	}))(b)
	rate := float64(to.Views-from.Views) / max(to.Elapsed-from.Elapsed, time.Nanosecond).Seconds()
	b.ReportMetric(rate, "views/s")
	b.ReportMetric(0, "ns/op")
	return rate
}

// noise is batches of 256 images of random pixels, every eighth labeled.
type noise struct{}

func (noise) ImageShape() (height, width, channels int) { return 28, 28, 1 }

func (noise) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rng := rand.New(rand.NewPCG(1, uint64(step)))
	pixels, labeled = make([]uint8, 256*28*28), make([]bool, 256)
	for i := range pixels {
		pixels[i] = uint8(rng.Uint32())
	}
	for i := range labeled {
		labeled[i] = i%8 == 0
	}
	return pixels, labeled, nil
}

// naiveCNN is SmallCNN with the engine's own convolution.
type naiveCNN struct{}

func (naiveCNN) Embed(scope *model.Scope, images *Node, training bool) *Node {
	x := MulScalar(AddScalar(images, -0.2860), 1/0.3530)
	for i, layer := range []struct{ kernel, channels int }{{5, 32}, {3, 64}, {3, 128}} {
		s := scope.In("conv%d", i+1)
		w := s.VariableWithShape("kernel", shapes.Make(x.DType(), layer.kernel, layer.kernel, x.Shape().Dim(-1), layer.channels)).NodeValue(x.Graph())
		side := [2]int{layer.kernel / 2, layer.kernel / 2}
		x = Convolve(x, w).Strides(2).PaddingPerDim([][2]int{side, side}).Done()
		x = encoder.ReLU(encoder.BatchNorm(s, x, training))
	}
	x = Reshape(x, x.Shape().Dim(0), -1)
	s := scope.In("dense")
	return encoder.ReLU(encoder.BatchNorm(s, encoder.Dense(s, x, 128, false), training))
}
