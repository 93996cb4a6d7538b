package train

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

// colors are batches of images of 16×16 pixels in one color, red where they are positive and blue elsewhere, with noise.
type colors struct{}

func (colors) ImageShape() (height, width, channels int) { return 16, 16, 3 }

func (colors) String() string { return "colors" }

func (colors) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rng := rand.New(rand.NewPCG(8, uint64(step)))
	for i := range 8 {
		labeled = append(labeled, i < 2)
		for range 16 * 16 {
			color := [3]uint8{40, 40, 180}
			if i%2 == 0 {
				color = [3]uint8{180, 40, 40}
			}
			for _, c := range color {
				pixels = append(pixels, c+uint8(rng.IntN(60)))
			}
		}
	}
	return pixels, labeled, nil
}

// inColor trains a small ResNet on views as the paper makes them of CIFAR-10, by LARS.
func inColor(steps int) Config {
	return Config{
		Steps: steps, Encoder: encoder.ResNet{Depth: 10, CIFAR: true, Width: 4}, Projection: 4, Seed: 2,
		Recipe: augment.CIFAR(12), Optimizer: optim.LARS{}, LearningRate: 0.5,
	}
}

func TestRecipeRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		bend func(*Config)
		want string
	}{
		{func(c *Config) { c.Optimizer = optim.LARS{Momentum: 2} }, "omentum 2 … it must be less than 1 (0.9 is usual)"},
		{func(c *Config) { c.Recipe = augment.Recipe{augment.Crop{MinArea: 3}} },
			"area, ratio 0.75–1.33, to the images' size … the shares must be positive, in order"},
		{func(c *Config) {
			c.Recipe = augment.Recipe{augment.Normalize{Mean: []float64{0.5, 0.5}, Std: []float64{1, 1}}, augment.Flip{}}
		}, "Mean holds 2 numbers … channel"},
	} {
		config := inColor(1)
		tt.bend(&config)
		refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, colors{}, config)), tt.want)
	}
}
