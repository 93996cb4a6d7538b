package train

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/ahead"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/steptest"
	"github.com/puclab/puclab/pucl/safetensors"
)

// BenchmarkViews times the way from images in memory to two augmented views of 256 of them: shuffled batches prepared ahead,
// the numbers of the views, and the views themselves. peers/step.py sets it beside torchvision's loader.
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
