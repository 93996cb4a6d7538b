package rival

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/steptest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
)

// BenchmarkStep times whole training steps of a rival as Train takes them: 64 labeled positives and 192 unlabeled images of
// 28×28 as they are, small CNN, Adam. peers/step.py sets it beside PyTorch. What a method does after an epoch, and scoring, fall
// on too few steps to move the median.
func BenchmarkStep(b *testing.B) {
	b.Run("nnpu", func(b *testing.B) { benchmarkStep(b, NNPU{Prior: 0.4}) })
	b.Run("dist-pu", func(b *testing.B) { benchmarkStep(b, DistPU{Prior: 0.4, Warmup: -1}) }) // mixed examples from the start
}

func benchmarkStep(b *testing.B, m Method) {
	eng := enginetest.Found(b)
	const epochs, size = 40, 28
	images := Images{Pixels: make([]uint8, epochs*256*size*size), Shape: augment.Shape{Height: size, Width: size, Channels: 1}}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range images.Pixels {
		images.Pixels[i] = uint8(rng.Uint32())
	}
	data := Data{Examples: images, Labeled: firstAre(epochs*64, epochs*256)}
	config := Config{Method: m, Seed: 1, Settings: train.Settings{Steps: math.MaxInt32, Schedule: optim.Constant{}}}
	if path := os.Getenv(steptest.StartEnv); path != "" {
		expect.NoError(b, writeStart(eng, data, config, path))
		return
	}
	timer, ctx := steptest.NewTimer(b)
	config.Settings.Observer = train.OnStep(func(p train.Progress) { timer.Step(p.Step, p.Loss) })
	_, err := Train(ctx, eng, data, config)
	expect.Require(b, errors.Is(err, context.Canceled), "%v", err)
	timer.Report()
}

// writeStart writes the images, the weights with which a run of c begins, and the tensors of its first batches.
func writeStart(eng *engine.Engine, data Data, c Config, path string) error {
	images := data.Examples.(Images)
	r := &run{data: data, config: c.withDefaults(images), plan: c.Method.plan()}
	positive, unlabeled, err := data.pools()
	if err != nil {
		return err
	}
	if err := r.deal(positive, unlabeled); err != nil {
		return err
	}
	network := &Network{store: model.NewStore(), encoder: r.config.Encoder, like: images}
	encoder.SetSeed(network.store, c.Seed)
	if _, err := network.Score(eng, Images{Pixels: images.Pixels[:images.Shape.Height*images.Shape.Width], Shape: images.Shape}); err != nil {
		return err // scoring draws the weights
	}
	out, err := encoder.StateDict(network.store, "/"+networkScope)
	if err != nil {
		return err
	}
	out["images"] = safetensors.Tensor{DType: safetensors.U8, Shape: append([]int{len(data.Labeled)}, images.shape()...), Data: images.Pixels}
	for step := range steptest.Checked {
		batch, err := r.batch(step)
		if err != nil {
			return err
		}
		for i, part := range batch.Inputs {
			name := fmt.Sprintf("%d-%d", step+1, i)
			if out[name], err = steptest.FileTensor(part); err != nil {
				return err
			}
		}
	}
	return (&safetensors.File{Tensors: out}).WriteFile(path)
}
