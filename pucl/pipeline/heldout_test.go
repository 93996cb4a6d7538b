package pipeline

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Both times are judged on what was held out, as their classifiers score it.
func TestCrossFitJudgesHeldOut(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	var hidden [][]bool
	data, _ := manyBlobs(&hidden)
	held := Features{X: mat.NewDense(9, 2, []float64{1, 0, 1.1, 0, -0.2, 0, 1, 0.2, 0.9, 0, -1, 0, -1.1, 0, -1, -0.1, 0.8, 0}), Labeled: make([]bool, 9)}
	for i := range 3 {
		held.Labeled[i] = true
	}
	config := CrossFitConfig{Folds: 2, Pretrain: quick(6), Probe: probe.Config{Epochs: 20}, HeldOut: &held,
		Again: func(prior float64, first train.Config) train.Config {
			first.Objective = pucl.PUDebiased(prior)
			return first
		}}
	twice := expect.Must(CrossFit(ctx, eng, data, config))(t)
	config.Again, config.Score = nil, evaluate.ScoreConfig{SingleDataset: true, Prior: 0.5}
	single := expect.Must(CrossFit(ctx, eng, data, config))(t)
	for name, c := range map[string]*CrossFitted{"first": twice.First, "second": twice, "single-dataset": single} {
		scores := expect.Must(c.Classifier.ScoresOfFeatures(eng, held.X))(t)
		recalled, called := 0., 0.
		for i, score := range scores {
			switch {
			case score > 0 && held.Labeled[i]:
				recalled++
			case score > 0:
				called++
			}
		}
		prior, population := 0.0, 6.0
		if c == single {
			prior, population, called = 0.5, 9, called+recalled
		}
		if got := c.HeldOut; got == nil || math.Abs(got.Recall-recalled/3) > 1e-12 || math.Abs(got.Predicted-called/population) > 1e-12 ||
			got.Prior != prior || c.singleDataset != (c == single) {
			t.Errorf("%s time: %+v, want %g of 3 recalled and %g of %g called positive", name, got, recalled, called, population)
		}
	}
}

// Images are held out by their index, as they are learned from: the loss is that of the mean logits of every second image.
func TestCrossFitJudgesHeldOutImages(t *testing.T) {
	eng := enginetest.Open(t)
	data, _ := striped(30, 6)
	data.HideLabels = func([]bool) (train.Batches, error) { return data.Batches, nil }
	held := Images{Images: data.Images}
	for i := 0; i < 30; i += 2 {
		held.Index, held.Labeled = append(held.Index, i), append(held.Labeled, i < 6)
	}
	fitted := expect.Must(CrossFit(context.Background(), eng, data,
		CrossFitConfig{Folds: 2, Pretrain: quick(4), Probe: probe.Config{Epochs: 5},
			Labels: pseudo.Config{Folds: 2, Prior: 0.5}, HeldOut: held}))(t)
	means := make([]float64, 30)
	for _, member := range fitted.Classifier {
		h := rows.Unit(expect.Must(member.Model.EmbedImages(eng, data.Images))(t).H)
		for i, score := range expect.Must(member.Probe.Scores(h))(t) {
			means[i] += score / 2
		}
	}
	loss := 0. // mean of 1/(1+e^t) over labeled images
	for _, i := range held.Index[:3] {
		loss += 1 / (1 + math.Exp(means[i])) / 3
	}
	if got := fitted.HeldOut; math.Abs(got.Losses.Positive-loss) > 1e-5 || got.Labeled != 3 || got.Unlabeled != 12 {
		t.Errorf("%+v, want a loss of %g on 3 labeled images", got, loss)
	}
}

// Best takes the first time where r²/P(called positive) is higher by more than a standard error, by hand, and the second where nothing tells.
func TestBest(t *testing.T) {
	of := func(recall, predicted float64, labeled int) *evaluate.PU {
		return &evaluate.PU{Recall: recall, Predicted: predicted, Labeled: labeled, Unlabeled: 5000}
	}
	for _, tt := range []struct {
		first, second *evaluate.PU
		wantFirst     bool
	}{
		{of(0.9, 0.3, 1000), of(0.8, 0.3, 1000), true},  // log 2.7 − log 2.13 = 0.236, ± √(4·0.11/1000 + 4·0.25/1000 + 2·2.33/5000) = 0.049
		{of(0.9, 0.3, 20), of(0.8, 0.3, 20), false},     // ± √(4·0.11/20 + 4·0.25/20 + 2·2.33/5000) = 0.270
		{of(0.9, 0.3, 30), of(0.8, 0.3, 30), true},      // ± 0.222
		{of(0.9, 0.5, 1000), of(0.8, 0.3, 1000), false}, // log 1.62, log 2.13
		{of(0.6, 0.3, 1000), of(0.6, 0.3, 1000), false},
		{of(0.6, 0.3, 10), of(0, 0, 10), true}, // calls nothing positive
		{of(0, 0, 10), of(0.6, 0.3, 10), false},
		{of(0, 0, 10), of(0, 0, 10), false},
		{nil, of(0.6, 0.3, 10), false},
		{of(0.6, 0.3, 10), nil, false},
	} {
		c := &CrossFitted{HeldOut: tt.second, First: &CrossFitted{HeldOut: tt.first}}
		expect.Equal(t, c.Best() == c.First, tt.wantFirst, "%+v and %+v: the first time ", tt.first, tt.second)
	}
	// log 2.7 − log 2.13 = 0.236; of 100 labeled and 50 unlabeled examples ± √(4·0.36/100 + 2·2.33/50) = 0.328, where both are the population 0.213.
	for _, single := range []bool{false, true} {
		first := &CrossFitted{HeldOut: &evaluate.PU{Recall: 0.9, Predicted: 0.3, Labeled: 100, Unlabeled: 50}, singleDataset: single}
		second := &CrossFitted{HeldOut: &evaluate.PU{Recall: 0.8, Predicted: 0.3, Labeled: 100, Unlabeled: 50}, singleDataset: single, First: first}
		got := second.Best() == first
		expect.That(t, got == single, "single-dataset %v: the first time %v", single, got)
	}
}

// What cannot be held out is known before anything is trained.
func TestHeldOutIsCheckedFirst(t *testing.T) {
	var hidden [][]bool
	data, _ := manyBlobs(&hidden)
	images, _ := striped(10, 3)
	blank := func(columns int, labeled ...bool) Features {
		x := mat.NewDense(len(labeled), columns, nil)
		x.Set(0, 0, 1)
		return Features{X: x, Labeled: labeled}
	}
	flatImages := images
	flatImages.Images, flatImages.Batches = flatMemory{}, nil
	for says, tt := range map[string]struct{ data, held Data }{
		"HeldOut: 0 labeled and 2 unlabeled examples; … mark in Labeled those":             {data, blank(2, false, false)},
		"HeldOut are rows of 3 features, and the data of 2; … both must have the same":     {data, blank(3, true, false)},
		"HeldOut are images, and the data are rows of features; … hold rows out":           {data, images},
		"HeldOut are rows of features, and the data are images; … hold images out":         {images, blank(2, true, false)},
		"HeldOut are images of 6×24×1 (height×width×channels), … both must be of one size": {images, flatImages},
		"24×1 (height×width×channels), … both must be of one size":                         {&images, &flatImages},
		"3 features, and the data of 2; … both must have the same":                         {&data, struct{ Features }{blank(3, true, false)}},
		"HeldOut: no data, as the pointer is nil; … give Images or Features":               {data, (*Features)(nil)},
	} {
		_, err := CrossFit(context.Background(), enginetest.Open(t), tt.data, CrossFitConfig{Folds: 2, HeldOut: tt.held})
		refusal.Check(t, err, says)
	}
	refusal.Check(t, refusal.Err(CrossFit(context.Background(), enginetest.Open(t), data, CrossFitConfig{HeldOut: blank(2, true, false),
		Score: evaluate.ScoreConfig{Prior: 1.5}})), "HeldOut: evaluate: class prior 1.5; … it must be above 0 and below 1")
	expect.That(t, len(hidden) == 0, "batches were asked for before HeldOut was checked")
}

// flatMemory are ten images of another shape.
type flatMemory struct{}

func (flatMemory) Len() int                             { return 10 }
func (flatMemory) Shape() (height, width, channels int) { return 6, 24, 1 }
func (flatMemory) ReadImage(i int, dst []uint8) error   { dst[0] = uint8(i); return nil }
