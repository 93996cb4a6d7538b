package pipeline

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/train"
)

const side, imageBytes = 12, 12 * 12

// stripe draws an image of stripes with noise.
func stripe(rng *rand.Rand, horizontal bool) []uint8 {
	pixels := make([]uint8, imageBytes)
	phase := rng.IntN(4)
	for y := range side {
		for x := range side {
			at := x
			if horizontal {
				at = y
			}
			value := 40 + rng.IntN(30)
			if (at+phase)/2%2 == 0 {
				value += 150
			}
			pixels[y*side+x] = uint8(value)
		}
	}
	return pixels
}

// stripes are batches of horizontal and vertical stripes; the first images of each are labeled positives (horizontal). The
// batch of step broken, if not 0, cannot be read.
type stripes struct{ size, labeled, broken int }

var errBroken = errors.New("the disk is gone")

func (s stripes) ImageShape() (height, width, channels int) { return side, side, 1 }

func (s stripes) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	if s.broken > 0 && step == s.broken {
		return nil, nil, errBroken
	}
	rng := rand.New(rand.NewPCG(3, uint64(step)))
	for i := range s.size {
		labeled = append(labeled, i < s.labeled)
		pixels = append(pixels, stripe(rng, i < s.labeled || i%2 == 0)...)
	}
	return pixels, labeled, nil
}

// memory are images in memory; reading image bad, if not 0, fails.
type memory struct {
	pixels []uint8
	bad    int
}

func (m memory) Len() int                             { return len(m.pixels) / imageBytes }
func (m memory) Shape() (height, width, channels int) { return side, side, 1 }

func (m memory) ReadImage(i int, dst []uint8) error {
	if m.bad > 0 && i == m.bad {
		return errBroken
	}
	copy(dst, m.pixels[i*imageBytes:(i+1)*imageBytes])
	return nil
}

// striped makes n images of which the first labeled are labeled positives and every other one of the rest is positive too.
func striped(n, labeled int) (data Images, truth []bool) {
	rng := rand.New(rand.NewPCG(77, 1))
	var pixels []uint8
	for i := range n {
		data.Labeled = append(data.Labeled, i < labeled)
		truth = append(truth, i < labeled || i%2 == 0)
		pixels = append(pixels, stripe(rng, truth[i])...)
	}
	data.Batches, data.Images = stripes{size: 8, labeled: 2}, memory{pixels: pixels}
	return data, truth
}

// twoBlobs are batches of rows around (±1, 0), those around (1, 0) being positive; a view is a row with other noise.
type twoBlobs struct{}

func (twoBlobs) Features() int { return 2 }

func (twoBlobs) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(5, uint64(step)))
	for i := range 32 {
		sign := float64(1 - 2*(i%16%2))
		views = append(views, float32(sign+0.1*rng.NormFloat64()), float32(0.1*rng.NormFloat64()))
	}
	for i := range 16 {
		labeled = append(labeled, i == 0 || i == 2)
	}
	return views, labeled
}

// blobRows are n rows as those of twoBlobs, the first two of which that are positive are labeled.
func blobRows(n int) Features {
	rng := rand.New(rand.NewPCG(6, 6))
	data := Features{Batches: twoBlobs{}, X: mat.NewDense(n, 2, nil), Labeled: make([]bool, n)}
	for i := range n {
		data.X.SetRow(i, []float64{float64(1-2*(i%2)) + 0.1*rng.NormFloat64(), 0.1 * rng.NormFloat64()})
		data.Labeled[i] = i == 0 || i == 2
	}
	return data
}

// quick returns a configuration of pretraining whose network is compiled in a moment.
func quick(steps int) train.Config {
	return train.Config{Steps: steps, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4, LearningRate: 0.01, Seed: 5}
}

// must returns a function that fails t on an error and otherwise returns the value.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		expect.NoError(t, err)
		return value
	}
}

// sameModels compares all variables of two models bit for bit.
func sameModels(t *testing.T, got, want *train.Model) {
	t.Helper()
	weights := func(m *train.Model) map[string]any {
		all := map[string]any{}
		for v := range m.Store().IterVariables() {
			all[v.Path()] = v.MustValue().Value()
		}
		return all
	}
	if a, b := weights(got), weights(want); len(a) == 0 || !reflect.DeepEqual(a, b) {
		t.Error("the models have other weights")
	}
}
