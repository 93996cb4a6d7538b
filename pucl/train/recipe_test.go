package train

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
)

// colours are batches of images of 16×16 pixels in one colour, red where they are positive and blue elsewhere, with noise.
type colours struct{}

func (colours) ImageShape() (height, width, channels int) { return 16, 16, 3 }

func (colours) String() string { return "colours" }

func (colours) Batch(step int) (pixels []uint8, labeled []bool) {
	rng := rand.New(rand.NewPCG(8, uint64(step)))
	for i := range 8 {
		labeled = append(labeled, i < 2)
		for range 16 * 16 {
			colour := [3]uint8{40, 40, 180}
			if i%2 == 0 {
				colour = [3]uint8{180, 40, 40}
			}
			for _, c := range colour {
				pixels = append(pixels, c+uint8(rng.IntN(60)))
			}
		}
	}
	return pixels, labeled
}

// inColour trains a small ResNet on views as the paper makes them of CIFAR-10, by LARS.
func inColour(steps int) Config {
	return Config{
		Steps: steps, Encoder: encoder.ResNet{Depth: 10, CIFAR: true, Width: 4}, Projection: 4, Seed: 2,
		Recipe: augment.CIFAR(12), Optimizer: optim.LARS{}, LearningRate: 0.5,
	}
}

func TestRecipeAndOptimizerResumeExactly(t *testing.T) {
	eng := enginetest.Open(t)
	whole, err := Pretrain(context.Background(), eng, colours{}, inColour(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"LARS", "flip", "ResNet"} {
		if !strings.Contains(strings.ToLower(whole.Record.String()), strings.ToLower(word)) {
			t.Errorf("the record %q lacks %q", whole.Record.String(), word)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	config := inColour(5)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	config.Observer = OnStep(func(p Progress) {
		if p.Step == 2 {
			stop()
		}
	})
	if _, err := Pretrain(ctx, eng, colours{}, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed, err := Pretrain(context.Background(), eng, colours{}, config)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resumed.History.Losses, whole.History.Losses) {
		t.Errorf("losses of the resumed run %v, of the whole run %v", resumed.History.Losses, whole.History.Losses)
	}

	// The network comes back from a file by itself, and embeds as before.
	path := filepath.Join(t.TempDir(), "model")
	if err := whole.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadModel(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	pixels, _ := colours{}.Batch(9)
	a, err := whole.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	b, err := loaded.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.H.RawMatrix().Data, b.H.RawMatrix().Data) {
		t.Error("a loaded ResNet embeds differently")
	}

	// Its weights start another run. A step of no length leaves them as they are.
	weights, err := whole.Weights()
	if err != nil {
		t.Fatal(err)
	}
	again := inColour(1)
	again.Weights, again.LearningRate, again.Optimizer = weights, 1e-30, optim.SGD{}
	second, err := Pretrain(context.Background(), eng, colours{}, again)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := second.Weights()
	if err != nil {
		t.Fatal(err)
	}
	const kernel = "conv1.weight"
	want, err := weights[kernel].Float64s()
	if err != nil {
		t.Fatal(err)
	}
	got, err := kept[kernel].Float64s()
	if err != nil || len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("%s was not taken over (%v)", kernel, err)
	}
	again.Encoder = encoder.ResNet{Depth: 10, CIFAR: true, Width: 6}
	if _, err := Pretrain(context.Background(), eng, colours{}, again); err == nil || !strings.Contains(err.Error(), kernel) {
		t.Errorf("weights of another size gave %v", err)
	}
}

func TestRecipeRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for name, tt := range map[string]struct {
		bend func(*Config)
		want string
	}{
		"momentum": {func(c *Config) { c.Optimizer = optim.LARS{Momentum: 2} }, "omentum"},
		"recipe":   {func(c *Config) { c.Recipe = augment.Recipe{augment.Crop{MinArea: 3}} }, "area"},
		"colour": {func(c *Config) {
			c.Recipe = augment.Recipe{augment.Normalise{Mean: []float64{0.5, 0.5}, Std: []float64{1, 1}}, augment.Flip{}}
		}, "channel"},
	} {
		config := inColour(1)
		tt.bend(&config)
		if _, err := Pretrain(context.Background(), eng, colours{}, config); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v lacks %q", name, err, tt.want)
		}
	}
}
