package train_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// snow are batches of images as large as Fashion-MNIST's.
type snow struct{}

func (snow) ImageShape() (height, width, channels int) { return 28, 28, 1 }

func (snow) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	pixels = make([]uint8, 8*28*28)
	rand.NewChaCha8([32]byte{byte(step)}).Read(pixels)
	return pixels, slices.Repeat([]bool{true, false}, 4), nil
}

// BenchmarkSaveLoad times the saving and the loading of a model as the quickstart has it: a SmallCNN, with a history of 500
// steps and 10 readings. The file lies in memory where the system has a folder for that, so that no disk is waited for.
func BenchmarkSaveLoad(b *testing.B) {
	eng := enginetest.Found(b)
	m, err := train.Pretrain(context.Background(), eng, snow{}, train.Config{Steps: 1, Monitor: train.Monitor{Every: 1, Examples: 8}})
	expect.NoError(b, err)
	h := &m.History
	for i := range 500 { // numbers with all their digits
		x := float64(float32(1) / float32(i+3))
		h.Losses, h.Rates = append(h.Losses, x), append(h.Rates, x)
		h.GradientNorms, h.ProjectionNorms = append(h.GradientNorms, x), append(h.ProjectionNorms, x)
		h.Examples = append(h.Examples, 256)
	}
	h.Losses, h.Rates, h.Examples = h.Losses[1:], h.Rates[1:], h.Examples[1:]
	h.GradientNorms, h.ProjectionNorms = h.GradientNorms[1:], h.ProjectionNorms[1:]
	h.Readings = slices.Repeat(h.Readings, 10)
	folder := b.TempDir()
	if memory, err := os.MkdirTemp("/dev/shm", "saveload"); err == nil {
		folder = memory
		b.Cleanup(func() { os.RemoveAll(memory) })
	}
	path := filepath.Join(folder, "model")
	b.Run("save", func(b *testing.B) {
		for range b.N {
			expect.NoError(b, m.Save(path))
		}
	})
	b.Run("load", func(b *testing.B) {
		for range b.N {
			expect.NoError(b, expect.Err(train.LoadModel(path, nil)))
		}
	})
}
