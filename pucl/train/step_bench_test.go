package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/ahead"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/steptest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
)

// gratings are images of stripes, all different, the same in every step; one in eight is a labeled positive.
type gratings struct {
	count, size, channels int
	pixels                []uint8
	labeled               []bool
}

func newGratings(count, size, channels int) gratings {
	g := gratings{count: count, size: size, channels: channels, labeled: make([]bool, count)}
	for i := range count {
		g.labeled[i] = i%8 == 0
		for y := range size {
			for x := range size {
				for c := range channels {
					wave := float64(hashed(3*i+1))*float64(y) + float64(hashed(3*i+2))*float64(x) + float64(hashed(3*i+3))*float64(c+1)
					g.pixels = append(g.pixels, uint8(127.5+127*math.Sin(2*wave)))
				}
			}
		}
	}
	return g
}

// Batch implements Batches.
func (g gratings) Batch(int) (pixels []uint8, labeled []bool, err error) {
	return g.pixels, g.labeled, nil
}

// ImageShape implements Batches.
func (g gratings) ImageShape() (height, width, channels int) { return g.size, g.size, g.channels }

// hashed maps a number to a pseudo-random one from −1/2 to 1/2.
func hashed(i int) float32 {
	x := math.Sin(float64(i)) * 43758.5453
	return float32(x - math.Floor(x) - 0.5)
}

// BenchmarkStep times whole training steps as Pretrain takes them: from bytes to new weights, including drawing and
// making two views of every image. peers/step.py compares it with PyTorch and JAX.
func BenchmarkStep(b *testing.B) {
	b.Run("rest", func(b *testing.B) { // the baseline of the process
		for b.Loop() {
			enginetest.Found(b)
		}
	})
	b.Run("small-cnn", func(b *testing.B) {
		benchmarkStep(b, newGratings(256, 28, 1), Config{Encoder: encoder.SmallCNN{Mean: 0.286, Std: 0.353}, Recipe: augment.Recipe{augment.CropJitter{}}})
	})
	b.Run("l-pos", func(b *testing.B) {
		benchmarkStep(b, newGratings(256, 28, 1), Config{
			Encoder: encoder.SmallCNN{Mean: 0.286, Std: 0.353}, Recipe: augment.Recipe{augment.CropJitter{}}, Objective: pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 0.1}),
		})
	})
	b.Run("resnet-18", func(b *testing.B) {
		benchmarkStep(b, newGratings(32, 32, 3), Config{
			Encoder: encoder.ResNet{CIFAR: true}, Recipe: augment.Recipe{augment.Flip{}},
			Optimizer: optim.SGD{LearningRate: 0.01, WeightDecay: -1},
		})
	})
}

func benchmarkStep(b *testing.B, images gratings, c Config) {
	eng := enginetest.Found(b)
	c.Seed, c.Steps, c.Schedule = 1, math.MaxInt32, optim.Constant{}
	write := func(path string) error { return writeStart(eng, images, c, path) }
	steptest.Run(b, write, func(ctx context.Context, step func(int, float64)) error {
		c.Observer = OnStep(func(p Progress) { step(p.Step, p.Loss) })
		return expect.Err(Pretrain(ctx, eng, images, c))
	})
}

// writeStart writes the initial weights of a run of c, its batch, and the random numbers of the views of its first
// steps.
func writeStart(eng *engine.Engine, images gratings, c Config, path string) error {
	c = c.withDefaults()
	shape := augment.Shape{Height: images.size, Width: images.size, Channels: images.channels}
	pixels, labeled, _ := images.Batch(0)
	m := newModel(c.Encoder, c.Projection, shape, 0)
	encoder.SetSeed(m.store, c.Seed)
	exec, err := model.NewExec(eng.Backend, m.store, func(scope *model.Scope, x *Node) *Node { // draws the weights
		_, z := m.graph(scope, ScalePixels(x), false)
		return z
	})
	if err != nil {
		return err
	}
	defer exec.Finalize()
	if _, err := exec.Call(tensors.FromFlatDataAndDimensions(pixels, images.count, images.size, images.size, images.channels)); err != nil {
		return err
	}
	out := map[string]safetensors.Tensor{
		"pixels": {DType: safetensors.U8, Shape: []int{images.count, images.size, images.size, images.channels}, Data: pixels},
	}
	if err := steptest.AddWeights(out, m.store, encoderScope, projectorScope); err != nil {
		return err
	}
	flags := safetensors.Tensor{DType: safetensors.U8, Shape: []int{len(labeled)}, Data: make([]byte, len(labeled))}
	for i, l := range labeled {
		if l {
			flags.Data[i] = 1
		}
	}
	out["labeled"] = flags
	for step := range steptest.Checked {
		numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed, uint64(step))), shape, 2*images.count)
		if err != nil {
			return err
		}
		wide := make([]float64, len(numbers))
		for i, x := range numbers {
			wide[i] = float64(x)
		}
		name := fmt.Sprintf("numbers-%d", step+1)
		if out[name], err = safetensors.New(safetensors.F32, []int{2 * images.count, c.Recipe.Numbers()}, wide); err != nil {
			return err
		}
	}
	return (&safetensors.File{Tensors: out}).WriteFile(path)
}

// BenchmarkViews times the way from images in memory to two augmented views of 256 of them: shuffled batches prepared
// ahead, the random numbers of the views, and the views themselves. peers/step.py compares it with torchvision's
// loader.
func BenchmarkViews(b *testing.B) {
	const count, size, batch = 4096, 28, 256
	eng := enginetest.Found(b)
	pixels, labeled, _ := newGratings(count, size, 1).Batch(0)
	if path := os.Getenv(steptest.StartEnv); path != "" {
		t := safetensors.Tensor{DType: safetensors.U8, Shape: []int{count, size, size, 1}, Data: pixels}
		expect.NoError(b, (&safetensors.File{Tensors: map[string]safetensors.Tensor{"pixels": t}}).WriteFile(path))
		return
	}
	images := &datasets.Images{Height: size, Width: size, Channels: 1, Pixels: pixels, Labels: make([]int, count), Classes: []string{"0", "1"}}
	for i, l := range labeled {
		if l {
			images.Labels[i] = 1
		}
	}
	pu := expect.Must(datasets.NewPU(images, datasets.SplitConfig{Positive: []int{1}, Labeled: count / 16}))(b)
	batches := expect.Must(datasets.NewBatches(pu, datasets.BatchConfig{Size: batch}))(b)
	from := batches
	ready := ahead.Start(0, math.MaxInt32, 2, func(step int) ([]uint8, error) {
		pixels, _, err := from.Batch(step)
		return pixels, err
	})
	defer ready.Close()
	recipe := augment.Recipe{augment.CropJitter{}}
	exec := expect.Must(NewExec(eng.Backend, func(pixels, numbers *Node) (views, mean *Node) {
		images := ScalePixels(pixels)
		views = recipe.Apply(Concatenate([]*Node{images, images}, 0), numbers)
		return views, ReduceAllMean(views)
	}))(b)
	defer exec.Finalize()
	step := 0
	views := func() (mean float64) {
		pixels := expect.Must(ready.Next())(b)
		numbers, err := recipe.Draw(rand.New(rand.NewPCG(1, uint64(step))), augment.Shape{Height: size, Width: size, Channels: 1}, 2*batch)
		expect.NoError(b, err)
		views, of := expect.Must2(exec.Call2(tensors.FromFlatDataAndDimensions(pixels, batch, size, size, 1),
			tensors.FromFlatDataAndDimensions(numbers, 2*batch, recipe.Numbers())))(b)
		step++
		mean = float64(tensors.ToScalar[float32](of)) // waits until all is done
		views.MustFinalizeAll()
		of.MustFinalizeAll()
		return mean
	}
	mean := 0.0
	for range count / batch {
		mean += views() / (count / batch)
	}
	var times []float64
	for b.Loop() {
		start := time.Now()
		views()
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(1e6*mean, "mean-millionths")
	b.ReportMetric(times[len(times)/2], "median-ms")
}
