package contrast

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// byHand computes one round of cross-fitting by hand and compares it, bit for bit.
func byHand(t *testing.T, got *Fitted, data learn.Data, config train.Config, seed uint64, p probe.Config) {
	t.Helper()
	eng, ctx := enginetest.Open(t), context.Background()
	var xs []*mat.Dense
	for fold := range got.Networks {
		config.Seed = rand.New(rand.NewPCG(seed, uint64(fold))).Uint64()
		m := expect.Must(train.PretrainFeatures(ctx, eng, twoBlobs{}, config))(t)
		sameModels(t, got.Networks[fold], m)
		xs = append(xs, rows.Unit(expect.Must(m.EmbedFeatures(eng, data.X))(t).H))
	}
	expect.Equal(t, got.Pseudo, expect.Must(pseudo.Vote(xs, got.Fold, pseudo.Config{Seed: seed}))(t))
	p.Seed = seed
	for fold, x := range xs {
		head := expect.Must(probe.FitPU(eng, x, got.Pseudo.Positive, risk.CrossEntropy, p))(t)
		expect.Equal(t, got.Members[fold], learn.Member{Network: got.Networks[fold], Unit: true, Head: head})
	}
}

// One call is bit-identical to its stages run by hand, the second time with the prior of the first. Every label is
// hidden exactly once; a finished run is not trained again, and a folder of other folds is an error.
func TestCrossFitEqualsStagesByHand(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, truth := blobRows(240, 24)
	var hidden [][]bool
	var asked atomic.Int32
	m := CrossFit{Pretraining: onBlobs(10), Folds: 2, Probe: probe.Config{Epochs: 20}, Debiased: true, DebiasedSteps: 13}
	m.Pretraining.RowBatches = func(marks []bool) (train.FeatureBatches, error) {
		if marks != nil {
			hidden = append(hidden, marks)
		}
		return counted{asked: &asked}, nil
	}
	run := learn.Run{Seed: 3, Checkpoint: t.TempDir()}
	got := expect.Must(m.Fit(ctx, eng, data, run))(t)
	expect.Require(t, len(hidden) == 4 && got.First != nil, "labels are hidden %d times", len(hidden))
	for i, labels := range hidden {
		for example, hide := range labels {
			expect.That(t, hide == (got.Fold[example] == i%2), "example %d of fold %d: hidden from encoder %d: %v", example,
				got.Fold[example], i, hide)
		}
	}
	byHand(t, got.First, data, quick(10), 3, m.Probe)
	second := quick(13)
	second.Objective = pucl.PUDebiased(got.First.Pseudo.Prior)
	byHand(t, got, data, second, 3, m.Probe)
	scores := expect.Must(got.Trained().Scores(eng, data))(t)
	for i, score := range scores {
		expect.That(t, (score > 0) == truth[i], "row %d is wrong, of classes that do not touch", i)
	}
	expect.That(t, got.Best() == got && got.HeldOut == nil, "judged without examples held out")

	before := asked.Load()
	again := expect.Must(m.Fit(ctx, eng, data, run))(t)
	expect.That(t, asked.Load()-before < 10, "%d batches are asked for where all encoders are there", asked.Load()-before)
	expect.Equal(t, again.Pseudo, got.Pseudo)
	for _, change := range []func(m *CrossFit, run *learn.Run){
		func(_ *CrossFit, run *learn.Run) { run.Seed++ },
		func(m *CrossFit, _ *learn.Run) { m.Folds++ },
		func(m *CrossFit, _ *learn.Run) { m.Pretraining.Steps++ },
	} {
		m, run := m, run
		change(&m, &run)
		refusal.Check(t, refusal.Err(m.Fit(ctx, eng, data, run)), "pretraining encoder 0: train … name another folder in Checkpoint, ask")
	}
}

// counted are batches that count their calls.
type counted struct {
	twoBlobs
	asked *atomic.Int32
}

func (c counted) Batch(step int) ([]float32, []bool) {
	c.asked.Add(1)
	return c.twoBlobs.Batch(step)
}

// By default the batches hold the examples without the hidden labels: encoders of other folds differ.
func TestHiddenLabelsAreNotShown(t *testing.T) {
	data, _ := blobRows(40, 8)
	s := expect.Must(Pretraining{Corruption: 0.1}.source(data, learn.Run{Seed: 1}))(t)
	hidden := make([]bool, 40)
	hidden[1], hidden[5] = true, true
	row := func(i int) [2]float32 { return [2]float32{float32(data.X.At(i, 0)), float32(data.X.At(i, 1))} }
	shown := func(hidden []bool) map[[2]float32]bool { // the rows labeled in the batches
		batches := expect.Must(s.rows(hidden))(t)
		labeled := map[[2]float32]bool{}
		for step := range 24 {
			views, marks := batches.Batch(step)
			for i := range len(views) / 2 {
				if marks[i%len(marks)] {
					labeled[[2]float32(views[2*i:2*i+2])] = true
				}
			}
		}
		return labeled
	}
	all, some := shown(nil), shown(hidden)
	for i := range 8 {
		expect.That(t, all[row(i)] && some[row(i)] != hidden[i], "row %d: shown as labeled %v, and %v where %v is hidden", i,
			all[row(i)], some[row(i)], hidden[i])
	}
}

// knowing are stripes of three classes whose second views are of the images of the next step.
type knowing struct {
	traintest.Stripes
	seconds *atomic.Int32
}

func (knowing) String() string { return "stripes" }

func (k knowing) Classes(int) (class []int32, err error) {
	for i := range k.Size {
		class = append(class, int32(i%3))
	}
	return class, nil
}

func (k knowing) Seconds(step int) ([]uint8, error) {
	k.seconds.Add(1)
	pixels, _, err := k.Batch(step + 1)
	return pixels, err
}

// Encoders with hidden labels use the classes and second views of the batches as encoders without hidden labels do, and
// their records name the hidden labels by a digest.
func TestHiddenLabelsLeaveClassesAndPairs(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := striped(30, 6)
	batches := knowing{traintest.NewStripes(8, 2), &atomic.Int32{}}
	m := CrossFit{Pretraining: onStripes(3), Folds: 2, Labels: pseudo.Config{Folds: 2}, Probe: probe.Config{Epochs: 1}}
	m.Pretraining.ImageBatches = func([]bool) (train.Batches, error) { return batches, nil }
	m.Pretraining.Objective = pucl.TrueNegatives(0) // which requires classes
	got := expect.Must(m.Fit(ctx, eng, data, learn.Run{Prior: 0.5}))(t)
	expect.That(t, batches.seconds.Load() >= 6, "second views are asked for %d times", batches.seconds.Load())
	for fold, digest := range []string{"aa763ae1", "1a614876"} { // of sha256sum, of a byte for each example, 1 if its label is hidden
		own := m.Pretraining.Config
		own.Seed = rand.New(rand.NewPCG(0, uint64(fold))).Uint64()
		sameModels(t, got.Networks[fold], expect.Must(train.Pretrain(ctx, eng, batches, own))(t))
		expect.Equal(t, got.Networks[fold].Record.Data, "images 12×12×1, stripes; labels of 3 examples hidden ("+digest+")")
	}
	broken := errors.New("the disk is gone")
	m.Pretraining.ImageBatches = func([]bool) (train.Batches, error) { return nil, broken }
	expect.Is(t, expect.Err(m.Fit(ctx, eng, data, learn.Run{})), broken)
}

// Both times are evaluated on the held-out examples by the scores of their classifiers.
func TestCrossFitJudgesHeldOut(t *testing.T) {
	eng := enginetest.Open(t)
	data, _ := blobRows(240, 24)
	held := learn.Data{X: mat.NewDense(9, 2, []float64{1, 0, 1.1, 0, -0.2, 0, 1, 0.2, 0.9, 0, -1, 0, -1.1, 0, -1, -0.1, 0.8, 0}),
		Labeled: []bool{0: true, 1: true, 2: true, 8: false}}
	for _, caseControl := range []bool{true, false} {
		held.CaseControl = caseControl
		m := CrossFit{Pretraining: onBlobs(6), Folds: 2, Probe: probe.Config{Epochs: 20}, HeldOut: &held, Debiased: caseControl}
		fitted := expect.Must(m.Fit(context.Background(), eng, data, learn.Run{}))(t)
		expect.Equal(t, len(fitted.Networks[0].History.Losses), map[bool]int{true: 12, false: 6}[m.Debiased], "steps")
		for _, f := range []*Fitted{fitted, fitted.First} {
			if f == nil {
				continue
			}
			scores := expect.Must(f.Trained().Scores(eng, held))(t)
			recalled, called, population := 0., 0., 6.
			for i, score := range scores {
				switch {
				case score > 0 && held.Labeled[i]:
					recalled++
				case score > 0:
					called++
				}
			}
			if !caseControl {
				called, population = called+recalled, 9
			}
			expect.Near(t, f.HeldOut.Recall, recalled/3, 1e-12)
			expect.Near(t, f.HeldOut.Predicted, called/population, 1e-12)
		}
	}
}

// Best returns the first time if r²/P(called positive) is higher by more than a standard error, computed by hand, and
// the second if there is no evidence.
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
		{of(0.6, 0.3, 10), of(0, 0, 10), true}, // classifies nothing as positive
		{of(0, 0, 10), of(0.6, 0.3, 10), false},
		{of(0, 0, 10), of(0, 0, 10), false},
		{nil, of(0.6, 0.3, 10), false},
		{of(0.6, 0.3, 10), nil, false},
	} {
		f := &Fitted{HeldOut: tt.second, First: &Fitted{HeldOut: tt.first}}
		expect.Equal(t, f.Best() == f.First, tt.wantFirst, "%+v and %+v: the first time ", tt.first, tt.second)
	}
	// log 2.7 − log 2.13 = 0.236; of 100 labeled and 50 unlabeled examples ± √(4·0.36/100 + 2·2.33/50) = 0.328, where
	// both are the population 0.213.
	for _, single := range []bool{false, true} {
		first := &Fitted{HeldOut: &evaluate.PU{Recall: 0.9, Predicted: 0.3, Labeled: 100, Unlabeled: 50}, singleDataset: single}
		second := &Fitted{HeldOut: &evaluate.PU{Recall: 0.8, Predicted: 0.3, Labeled: 100, Unlabeled: 50}, singleDataset: single, First: first}
		expect.Equal(t, second.Best() == first, single, "the first time")
	}
}

// Folds differ by one example at most, and hold labeled positives alone.
func TestFolds(t *testing.T) {
	labeled := slices.Concat(make([]bool, 5), slices.Repeat([]bool{true}, 11))
	fold := foldsOf(labeled, 3, 7)
	var count [3]float64
	for i, of := range fold {
		expect.That(t, (of >= 0) == labeled[i], "example %d has fold %d", i, of)
		if of >= 0 {
			count[of]++
		}
	}
	for _, n := range count {
		expect.That(t, math.Abs(n-11./3) < 1, "folds of %v", count)
	}
	expect.That(t, !slices.Equal(fold, foldsOf(labeled, 3, 8)), "the seed changes nothing")
}
