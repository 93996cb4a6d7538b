package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// manyBlobs are 240 rows as those of twoBlobs, of which 24 positive ones are labeled, and hidden gets what HideLabels is asked.
func manyBlobs(hidden *[][]bool) (data Features, truth []bool) {
	rng := rand.New(rand.NewPCG(8, 8))
	data = Features{X: mat.NewDense(240, 2, nil), Labeled: make([]bool, 240)}
	for i := range 240 {
		truth = append(truth, i < 24 || i%2 == 0)
		sign := -1.0
		if truth[i] {
			sign = 1
		}
		data.X.SetRow(i, []float64{sign + 0.1*rng.NormFloat64(), 0.1 * rng.NormFloat64()})
		data.Labeled[i] = i < 24
	}
	data.HideLabels = func(labels []bool) (train.FeatureBatches, error) {
		*hidden = append(*hidden, labels)
		return twoBlobs{}, nil
	}
	return data, truth
}

// One call gives, bit for bit, what its stages give by hand, and finds the classes; every label is hidden once.
func TestCrossFitEqualsStagesByHand(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	var hidden [][]bool
	data, truth := manyBlobs(&hidden)
	config := CrossFitConfig{Folds: 2, Pretrain: quick(10), Labels: pseudo.Config{Seed: 1}, Probe: probe.Config{Epochs: 20}, Seed: 3}
	config.Pretrain.Checkpoint = filepath.Join(t.TempDir(), "run")
	got := expect.Must(CrossFit(ctx, eng, data, config))(t)

	times := make([]int, 240)
	for fold, labels := range hidden {
		for i, hide := range labels {
			expect.That(t, hide == (got.Fold[i] == fold),
				"example %d of fold %d: hidden from encoder %d: %v", i, got.Fold[i], fold, hide)
			if hide {
				times[i]++
			}
		}
	}
	for i, n := range times {
		want := map[bool]int{true: 1}[data.Labeled[i]]
		expect.That(t, n == want, "the label of example %d is hidden %d times, want %d", i, n, want)
	}

	var xs []*mat.Dense
	for fold := range 2 {
		own := config.Pretrain
		own.Seed, own.Checkpoint = rand.New(rand.NewPCG(config.Pretrain.Seed, uint64(fold))).Uint64(), ""
		m := expect.Must(train.PretrainFeatures(ctx, eng, twoBlobs{}, own))(t)
		sameModels(t, got.Models[fold], m)
		xs = append(xs, rows.Unit(expect.Must(m.EmbedFeatures(eng, data.X))(t).H))
	}
	labels := expect.Must(pseudo.Vote(xs, got.Fold, config.Labels))(t)
	expect.That(t, reflect.DeepEqual(got.Labels, labels),
		"labels by a prior of %g, want those by %g", got.Labels.Prior, labels.Prior)
	for fold, x := range xs {
		if p := expect.Must(probe.FitPU(eng, x, labels.Positive, risk.CrossEntropy,
			config.Probe))(t); !reflect.DeepEqual(got.Classifier[fold].Probe, p) {
			t.Errorf("probe %d: %v, want %v", fold, got.Classifier[fold].Probe, p)
		}
	}
	scores := expect.Must(got.Classifier.ScoresOfFeatures(eng, data.X))(t)
	wrong := 0
	for i, score := range scores {
		if (score > 0) != truth[i] {
			wrong++
		}
	}
	expect.That(t, wrong <= 0, "%d of 240 rows are wrong, of classes that do not touch", wrong)

	config.Pretrain.Steps = 12 // the checkpoints are of another run
	refusal.Check(t, refusal.Err(CrossFit(ctx, eng, data, config)),
		"pretraining encoder 0: train … name another folder in Checkpoint, ask")
}

// Again the encoders are trained by an objective that is told the first prior, from nothing; the second ones make labels and classifier.
func TestCrossFitAgain(t *testing.T) {
	expect.Slow(t)
	eng, ctx := enginetest.Open(t), context.Background()
	var hidden [][]bool
	data, _ := manyBlobs(&hidden)
	var told []float64
	config := CrossFitConfig{Folds: 2, Pretrain: quick(6), Labels: pseudo.Config{Seed: 1}, Probe: probe.Config{Epochs: 5}}
	once := expect.Must(CrossFit(ctx, eng, data, config))(t)
	expect.That(t, once.HeldOut == nil && once.Best() == once, "judged without examples held out, or not the best of one")
	config.Again = func(prior float64, first train.Config) train.Config {
		told = append(told, prior)
		first.Objective, first.Steps = pucl.PUDebiased(prior), first.Steps+3
		return first
	}
	config.Pretrain.Checkpoint = filepath.Join(t.TempDir(), "run")
	twice := expect.Must(CrossFit(ctx, eng, data, config))(t)
	if len(told) != 2 || told[0] != 0.5 || told[1] != once.Labels.Prior || twice.First == nil || twice.First.Labels.Prior != told[1] || once.First != nil {
		t.Fatalf("told %g, First %v and %v; once the prior is %g", told, once.First, twice.First, once.Labels.Prior)
	}
	for fold, c := range twice.First.Classifier {
		expect.That(t, c.Model == twice.First.Models[fold] && reflect.DeepEqual(c.Probe, once.Classifier[fold].Probe),
			"classifier %d of the first time is another one than without a second", fold)
	}
	expect.That(t, len(hidden) == 6 && reflect.DeepEqual(hidden[2:4], hidden[4:6]) &&
		reflect.DeepEqual(twice.Fold, once.Fold), "%d times labels are hidden, not the same in both times", len(hidden))
	second := config.Pretrain
	second.Objective, second.Steps, second.Checkpoint = pucl.PUDebiased(once.Labels.Prior), second.Steps+3, ""
	var xs []*mat.Dense
	for fold := range 2 {
		own := second
		own.Seed = rand.New(rand.NewPCG(second.Seed, uint64(fold))).Uint64()
		m := expect.Must(train.PretrainFeatures(ctx, eng, twoBlobs{}, own))(t)
		sameModels(t, twice.Models[fold], m)
		expect.That(t, twice.Classifier[fold].Model == twice.Models[fold], "classifier %d is not on the second encoder", fold)
		xs = append(xs, rows.Unit(expect.Must(m.EmbedFeatures(eng, data.X))(t).H))
	}
	if labels := expect.Must(pseudo.Vote(xs, twice.Fold, config.Labels))(t); !reflect.DeepEqual(twice.Labels, labels) {
		t.Errorf("labels by a prior of %g, want those by %g", twice.Labels.Prior, labels.Prior)
	}
	resumed := expect.Must(CrossFit(ctx, eng, data, config))(t) // from the checkpoints of both times
	expect.That(t, reflect.DeepEqual(resumed.Labels, twice.Labels), "resumed it gives other labels")

	hidden, config.Pretrain.Checkpoint = nil, ""
	config.Again = func(_ float64, first train.Config) train.Config {
		first.Objective = pucl.Objective{Name: "half"}
		return first
	}
	if _, err := CrossFit(ctx, eng, data, config); err == nil || !strings.Contains(err.Error(), `again, if it were told a prior of 0.5: pucl: objective "half" lacks a term`) || hidden != nil {
		t.Errorf("%v, after hiding labels %d times", err, len(hidden))
	}
	config.Again = func(prior float64, first train.Config) train.Config {
		first.Objective = pucl.PUDebiased(prior + 1)
		return first
	}
	refusal.Check(t, refusal.Err(CrossFit(ctx, eng, data, config)),
		fmt.Sprintf("again, told the prior %.4g: pretraining … it must lie from 0 to below 1", once.Labels.Prior))
}

func TestCrossFitRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	var hidden [][]bool
	data, _ := manyBlobs(&hidden)
	none := data
	none.HideLabels = nil
	two := data
	two.Labeled = make([]bool, 240)
	two.Labeled[0], two.Labeled[1] = true, true
	nothing, wide := data, data
	nothing.HideLabels = func([]bool) (train.FeatureBatches, error) { return nil, nil }
	wide.X = mat.NewDense(240, 3, nil)
	wide.X.Set(0, 0, 1)
	images, _ := striped(30, 6)
	narrow := images
	narrow.HideLabels = func([]bool) (train.Batches, error) { return flat{}, nil }
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, tt := range []struct {
		ctx    context.Context
		data   Data
		config CrossFitConfig
		want   string
	}{
		{context.Background(), nil, CrossFitConfig{}, "no data … give Images or Features"},
		{context.Background(), none, CrossFitConfig{}, "encoder 0: data without HideLabels; … give a function"},
		{context.Background(), images, CrossFitConfig{}, "encoder 0: data without HideLabels; … give a function"},
		{context.Background(), data, CrossFitConfig{Folds: 1}, "1 folds of 24 labeled positives; … there must be 2 folds or more"},
		{context.Background(), two, CrossFitConfig{},
			"3 folds of 2 labeled positives … there must be 2 folds or more, and a labeled"},
		{context.Background(), nothing, CrossFitConfig{},
			"encoder 0: HideLabels returned no batches … let it return one of the two"},
		{context.Background(), wide, CrossFitConfig{},
			"encoder 0: rows of 3 features, but batches of rows of 2 … both must have the same columns"},
		{context.Background(), narrow, CrossFitConfig{},
			"encoder 0: images of 12×12×1 … but batches of images of 6×24×1; both must be of one size"},
		// What is wrong with the vote, or with the probes, is known before hours of training.
		{stopped, data, CrossFitConfig{Probe: probe.Config{Epochs: -1}},
			"training the probes: probe: -1 epochs, 1024 rows a batch … there must be 1"},
		{stopped, data, CrossFitConfig{Labels: pseudo.Config{Prior: 1}},
			"pseudo-labels: pseudo: a prior of 1; … it must be above 0 and below 1, or 0 to have it estimated"},
		{stopped, data, CrossFitConfig{Labels: pseudo.Config{HeldOut: data.Labeled}},
			"Vote has a fold of labels that an encoder never … leave HeldOut nil"},
		{stopped, data, CrossFitConfig{Labels: pseudo.Config{Folds: 25}},
			"24 labeled and 216 unlabeled rows … 25 folds take as many of either: give more"},
	} {
		refusal.Check(t, refusal.Err(CrossFit(tt.ctx, eng, tt.data, tt.config)), tt.want)
	}
	// A run that is stopped is no wrong use: it says which encoder, and how far that one was.
	_, err := CrossFit(stopped, eng, data, CrossFitConfig{Pretrain: quick(3)})
	var s *train.Stopped
	expect.That(t, errors.As(err, &s) && s.Step == 0 && s.Steps == 3 &&
		strings.Contains(err.Error(), "pretraining encoder 0"), "a stopped run: %v", err)
	// So does one that is stopped after the last encoder.
	between, stop := context.WithCancel(context.Background())
	defer stop()
	ended := 0
	config := CrossFitConfig{Folds: 2, Pretrain: quick(3)}
	config.Pretrain.Observer = stopAt{0, func() {
		if ended++; ended == 2 {
			stop()
		}
	}}
	if _, err := CrossFit(between, eng, data, config); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped before training probe 0") {
		t.Errorf("a run stopped after its encoders: %v", err)
	}
}

// counted are batches that count how often they are asked.
type counted struct {
	twoBlobs
	asked *int
}

func (c counted) Batch(step int) ([]float32, []bool) {
	*c.asked++
	return c.twoBlobs.Batch(step)
}

// A second call goes on where the first was. With other folds it would take an encoder that has seen the labels which it is not to see,
// and is refused, whatever the batches say of themselves.
func TestCrossFitResumesItsOwnFoldsAlone(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	var hidden [][]bool
	asked := 0
	data, _ := manyBlobs(&hidden)
	data.HideLabels = func([]bool) (train.FeatureBatches, error) { return counted{asked: &asked}, nil }
	config := CrossFitConfig{Folds: 2, Pretrain: quick(10), Probe: probe.Config{Epochs: 2}, Seed: 3}
	config.Pretrain.Checkpoint = filepath.Join(t.TempDir(), "run")
	first := expect.Must(CrossFit(ctx, eng, data, config))(t)
	expect.Require(t, asked >= 20, "%d batches for two trainings of 10 steps", asked)
	asked = 0
	second := expect.Must(CrossFit(ctx, eng, data, config))(t)
	expect.That(t, asked < 10, "%d batches are asked for where both encoders are there", asked)
	expect.That(t, reflect.DeepEqual(first.Labels, second.Labels), "the second call has other labels")
	for i, m := range first.Models {
		sameModels(t, second.Models[i], m)
	}
	for name, other := range map[string]func(c *CrossFitConfig){
		"another seed of the folds": func(c *CrossFitConfig) { c.Seed++ },
		"more folds":                func(c *CrossFitConfig) { c.Folds++ },
	} {
		changed := config
		other(&changed)
		t.Run(name, func(t *testing.T) {
			refusal.Check(t, refusal.Err(CrossFit(ctx, eng, data, changed)),
				"checkpoint of another run, and is left … name another folder in Checkpoint, ask")
		})
	}
}

// Members decide by the mean of their logits, on images too; none, or one that is missing, is an error.
func TestEnsemble(t *testing.T) {
	eng := enginetest.Open(t)
	data, truth := striped(30, 6)
	data.HideLabels = func([]bool) (train.Batches, error) { return data.Batches, nil }
	config := CrossFitConfig{Folds: 2, Pretrain: quick(4), Labels: pseudo.Config{Folds: 2, Prior: 0.5}, Probe: probe.Config{Epochs: 3}}
	got := expect.Must(CrossFit(context.Background(), eng, data, config))(t).Classifier
	pixels := data.Images.(memory).pixels
	scores := expect.Must(got.Scores(eng, pixels))(t)
	first, second := expect.Must(got[0].Logits(eng, pixels))(t), expect.Must(got[1].Logits(eng, pixels))(t)
	right := 0
	for i, score := range scores {
		want := (first.At(i, 0) + second.At(i, 0)) / 2
		expect.That(t, score-want <= 1e-12 && want-score <= 1e-12, "image %d: %g, want %g", i, score, want)
		if (score > 0) == truth[i] {
			right++
		}
	}
	b, err := got.Score(eng, classify.LabeledImages[bool]{Pixels: pixels, Labels: truth})
	expect.That(t, err == nil && b.Confusion.TruePositive+b.Confusion.TrueNegative == right,
		"%v, %v, want %d right", b, err, right)
	for want, e := range map[string]classify.Ensemble{"without members decides nothing … give it classifiers": {}, "member 1 of the ensemble is missing … give a classifier of FineTune or Load in each": {got[0], nil}} {
		refusal.Check(t, refusal.Err(e.Probabilities(eng, pixels)), want)
	}
}
