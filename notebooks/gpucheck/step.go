package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/train"
)

// stepCase is a training step to be timed: PUCL on two views of every image, including augmentation and optimizer.
type stepCase struct {
	what    string
	images  int // of size×size pixels
	size    int
	color   int // channels
	config  train.Config
	onCards bool // too slow for a CPU
}

// stepCases returns the networks and batches of the benchmark: the quickstart's, ResNet-18 on few enough images for
// CPUs, and ResNet-18 at the paper's setting.
func stepCases() []stepCase {
	resnet := encoder.ResNet{CIFAR: true, Pixels: cifarPixels}
	return []stepCase{
		{"small CNN, 2×256 views 28×28, Adam", 256, 28, 1,
			train.Config{Encoder: encoder.SmallCNN{Mean: 0.286, Std: 0.353}, Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}}, false},
		{"ResNet-18, 2×32 views 32×32, SGD", 32, 32, 3,
			train.Config{Encoder: resnet, Recipe: augment.CIFAR(0), Optimizer: optim.SGD{}}, false},
		{"ResNet-18, 2×1024 views 32×32, LARS", 1024, 32, 3,
			train.Config{Encoder: resnet, Recipe: augment.CIFAR(0), Optimizer: optim.LARS{}}, true},
	}
}

// The duration of timing: at least this number of steps, then until the time is up or there are enough.
const (
	stepsBefore = 3 // the first of these compiles the graph
	stepsLeast  = 3
	stepsMost   = 200
	stepsTime   = 8 * time.Second
)

// time takes steps until the time is up, and reports the median one.
func (c stepCase) time(ctx context.Context, eng *engine.Engine, progress reporter) (*Row, error) {
	config := c.config
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var each []float64 // seconds of every step
	var loss float64
	var enough bool
	var begun time.Time
	last := time.Now()
	config.Steps, config.Seed = stepsBefore+stepsMost, 1
	config.Observer = train.OnStep(func(p train.Progress) {
		each = append(each, time.Since(last).Seconds())
		if loss = p.Loss; p.Step == stepsBefore {
			begun = time.Now()
		}
		progress("step %d, loss %.3f", p.Step, p.Loss)
		if enough = p.Step == config.Steps || p.Step >= stepsBefore+stepsLeast && time.Since(begun) >= stepsTime; enough {
			stop()
		}
		last = time.Now() // excludes the time of reporting
	})
	_, err := train.Pretrain(ctx, eng, newNoise(c.images, c.size, c.color), config)
	if err != nil && !enough {
		return nil, err
	}
	// A loss that is not finite ends training with an error, so there is one here.
	first, each := each[0], each[stepsBefore:]
	slices.Sort(each)
	step := each[len(each)/2]
	views := float64(2*c.images) / step
	compile := math.Max(first-step, 0)
	return &Row{Result: Pass,
		Detail: fmt.Sprintf("%.4g ms a step (median of %d), %s views/s, %.1f s to compile", 1000*step, len(each), grouped(views), compile),
		Values: map[string]float64{"step_ms": 1000 * step, "fastest_step_ms": 1000 * each[0], "slowest_step_ms": 1000 * each[len(each)-1],
			"views_per_second": views, "compile_seconds": compile, "steps": float64(len(each)), "loss_nats": loss},
	}, nil
}

// grouped formats a number without decimals, with commas between thousands.
func grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// noise returns the same batch of random pixels at every step, with every fourth image labeled. This is sufficient for
// timing a step.
type noise struct {
	size, channels int
	pixels         []uint8
	labeled        []bool
}

// newNoise draws a batch of b images of size×size pixels.
func newNoise(b, size, channels int) *noise {
	n := &noise{size, channels, make([]uint8, b*size*size*channels), slices.Repeat([]bool{true, false, false, false}, (b+3)/4)[:b]}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n.pixels {
		n.pixels[i] = uint8(rng.UintN(256))
	}
	return n
}

// Batch implements train.Batches.
func (n *noise) Batch(int) ([]uint8, []bool, error) { return n.pixels, n.labeled, nil }

// ImageShape implements train.Batches.
func (n *noise) ImageShape() (height, width, channels int) { return n.size, n.size, n.channels }

// String names the batches in the run's record.
func (n *noise) String() string { return "random pixels" }
