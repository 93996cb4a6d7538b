package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
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

// hashed turns a number into one from −1/2 to 1/2 that looks random.
func hashed(i int) float32 {
	x := math.Sin(float64(i)) * 43758.5453
	return float32(x - math.Floor(x) - 0.5)
}

// BenchmarkStep times whole training steps as Pretrain takes them: from bytes to new weights, two views of every image drawn
// and made on the way. peers/step.py sets it beside PyTorch and JAX.
func BenchmarkStep(b *testing.B) {
	b.Run("rest", func(b *testing.B) { // what the process takes before it does anything
		for b.Loop() {
			enginetest.Found(b)
		}
	})
	b.Run("small-cnn", func(b *testing.B) {
		benchmarkStep(b, newGratings(256, 28, 1), Config{Encoder: encoder.SmallCNN{}, Recipe: augment.Recipe{augment.CropJitter{}}})
	})
	b.Run("l-pos", func(b *testing.B) {
		benchmarkStep(b, newGratings(256, 28, 1), Config{
			Encoder: encoder.SmallCNN{}, Recipe: augment.Recipe{augment.CropJitter{}}, Objective: pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 0.1}),
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
	if path := os.Getenv(steptest.StartEnv); path != "" {
		expect.NoError(b, writeStart(eng, images, c, path))
		return
	}
	timer, ctx := steptest.NewTimer(b)
	c.Observer = OnStep(func(p Progress) { timer.Step(p.Step, p.Loss) })
	_, err := Pretrain(ctx, eng, images, c)
	expect.Require(b, errors.Is(err, context.Canceled), "%v", err)
	timer.Report()
}

// What peers start from can be written, whether or not anybody times them.
func TestStartOfPeers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "start")
	expect.NoError(t, writeStart(enginetest.Open(t), newGratings(2, 28, 1), Config{Encoder: encoder.SmallCNN{}, Recipe: augment.Recipe{augment.CropJitter{}}}, path))
	file := expect.Must(safetensors.ReadFile(path))(t)
	for _, name := range []string{"pixels", "labeled", "numbers-3", "encoder.conv1.weight", "encoder.dense.norm.bias", "projector.out.bias"} {
		_, ok := file.Tensors[name]
		expect.That(t, ok, "no %s", name)
	}
}

// writeStart writes the weights with which a run of c begins, its batch, and the numbers of the views of its first steps.
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
	for _, part := range []string{encoderScope, projectorScope} {
		weights, err := encoder.StateDict(m.store, "/"+part)
		if err != nil {
			return err
		}
		for name, t := range weights {
			out[part+"."+name] = t
		}
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
