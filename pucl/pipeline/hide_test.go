package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/train"
)

// knowing are stripes of three classes whose second views are of the images of the next step; they count how often these are asked for.
type knowing struct {
	stripes
	seconds *atomic.Int32
}

func (knowing) String() string { return "stripes" }

func (k knowing) Classes(int) (class []int32, err error) {
	for i := range k.size {
		class = append(class, int32(i%3))
	}
	return class, nil
}

func (k knowing) Seconds(step int) ([]uint8, error) {
	k.seconds.Add(1)
	pixels, _, err := k.Batch(step + 1)
	return pixels, err
}

// Encoders of hidden labels learn from all that the batches know, classes and second views, as they would from the batches themselves. What they
// are told apart by stays as it is, for checkpoints of long ago.
func TestHiddenLabelsLeaveClassesAndPairs(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := striped(30, 6)
	batches := knowing{stripes{size: 8, labeled: 2}, &atomic.Int32{}}
	data.HideLabels = func([]bool) (train.Batches, error) { return batches, nil }
	config := CrossFitConfig{Folds: 2, Pretrain: quick(3), Labels: pseudo.Config{Folds: 2, Prior: 0.5}, Probe: probe.Config{Epochs: 1}}
	config.Pretrain.Objective = pucl.TrueNegatives(0) // which cannot do without classes
	got := expect.Must(CrossFit(ctx, eng, data, config))(t)
	n := batches.seconds.Load()
	expect.That(t, n >= 6, "second views are asked for %d times in two trainings of 3 steps", n)
	for fold, digest := range []string{"aa763ae1", "1a614876"} { // of sha256sum, of a byte for each example that is 1 where its label is hidden
		own := config.Pretrain
		own.Seed = rand.New(rand.NewPCG(config.Pretrain.Seed, uint64(fold))).Uint64()
		sameModels(t, got.Models[fold], expect.Must(train.Pretrain(ctx, eng, batches, own))(t))
		if data, want := got.Models[fold].Record.Data, "images 12×12×1, stripes; labels of 3 examples hidden ("+digest+")"; data != want {
			t.Errorf("encoder %d learned from %q, want %q", fold, data, want)
		}
	}
	config.Pretrain.Views = 3
	refusal.Check(t, refusal.Err(CrossFit(ctx, eng, data, config)), "encoder 0: train: 3 views of every image … leave Views 0")
}

// What HideLabels cannot do is the error of CrossFit.
func TestHideLabelsFails(t *testing.T) {
	data, _ := striped(30, 6)
	data.HideLabels = func([]bool) (train.Batches, error) { return nil, errBroken }
	_, err := CrossFit(context.Background(), enginetest.Open(t), data, CrossFitConfig{})
	expect.That(t, errors.Is(err, errBroken) && strings.HasPrefix(err.Error(), "pipeline: pretraining encoder 0: "),
		"%v", err)
}
