package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// clouds are examples around points of the unit circle at these degrees, the first 50 of each of positive are labeled, with their clusters.
func clouds(t *testing.T, positive, negative []float64) (r *Result, truth []bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	var h []float64
	r = &Result{}
	for kind, centers := range [][]float64{positive, negative} {
		for _, center := range centers {
			for i := range 300 {
				sin, cos := math.Sincos((center + 8*rng.NormFloat64()) * math.Pi / 180)
				h = append(h, cos, sin)
				truth = append(truth, kind == 0)
				r.labeled = append(r.labeled, kind == 0 && i < 50)
			}
		}
	}
	r.Embedding = &train.Embedding{H: mat.NewDense(len(truth), 2, h)}
	r.Clusters = expect.Must(cluster.PUPL(r.Embedding.H, r.labeled, cluster.Config{Restarts: 5, Seed: 1}))(t)
	return r, truth
}

// Where the classes are two clusters there is nothing to doubt. Where positives are two clouds and negatives one between them, PUPL cuts one
// of the three off, is wrong on many, and a run says so.
func TestDoubt(t *testing.T) {
	for _, tt := range []struct {
		positive, negative []float64
		doubtful           bool
	}{
		{[]float64{0}, []float64{180}, false},
		{[]float64{0, 10}, []float64{170, 180}, false},
		{[]float64{0, 180}, []float64{90}, true},
	} {
		r, truth := clouds(t, tt.positive, tt.negative)
		wrong := 0.0
		for i, positive := range truth {
			if r.Clusters.Positive[i] != positive {
				wrong += 1 / float64(len(truth))
			}
		}
		expect.Require(t, (wrong > pseudo.MaxDisagreement) == tt.doubtful,
			"positives at %v: %.2f of the clusters are wrong, which shows nothing", tt.positive, wrong)
		doubt, err := r.Doubt(pseudo.Config{Seed: 1})
		expect.That(t, err == nil && (doubt != "") == tt.doubtful,
			"positives at %v, negatives at %v: %q, %v", tt.positive, tt.negative, doubt, err)
	}
	r, _ := clouds(t, []float64{0}, []float64{180})
	refusal.Check(t, refusal.Err(r.Doubt(pseudo.Config{Folds: -1})), "labeling without clusters: pseudo: -1 folds … there must be 1 fold or more")
	r.Clusters = nil
	refusal.Check(t, refusal.Err(r.Doubt(pseudo.Config{})), "there are no clusters to doubt … leave Config.Risk nil")
}

// A run whose clusters are not the classes is doubted by the labels that it was given, whatever becomes of them later, and told what it has not
// tried. Eight clouds around a circle are positive and negative in turn, so that no two clusters are the classes; a network of nearly nothing
// leaves them as they are.
func TestDoubtOfARun(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(6, 6))
	data := Features{Batches: twoBlobs{}, X: mat.NewDense(400, 2, nil)}
	for i := range 400 {
		sin, cos := math.Sincos((float64(i%8*45) + 4*rng.NormFloat64()) * math.Pi / 180)
		length := 1 + rng.Float64()
		data.X.SetRow(i, []float64{length * cos, length * sin})
		data.Labeled = append(data.Labeled, i%2 == 0 && i < 120)
	}
	given := slices.Clone(data.Labeled)
	config := Config{Pretrain: quick(1), Cluster: cluster.Config{Restarts: 5}, Probe: probe.Config{Epochs: 1}}
	config.Pretrain.LearningRate, config.Pretrain.Seed = 1e-6, 2
	config.Pretrain.Encoder = encoder.Func{Name: "nearly nothing", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		return Add(x, MulScalar(encoder.Dense(scope.In("dense"), x, 2, true), 0.01))
	}}
	for space, mend := range map[Space]string{EncoderOutputs: "; cluster the Projections, or take CrossFit", Projections: " a warning; take CrossFit"} {
		config.Space = space
		data.Labeled = slices.Clone(given)
		r := expect.Must(Run(context.Background(), eng, data, config))(t)
		unit := mat.DenseCopyOf(r.Embedding.H)
		for i := range 400 {
			row := unit.RawRowView(i)
			floats.Scale(1/floats.Norm(row, 2), row)
		}
		otherwise, labels := 0.0, expect.Must(pseudo.Label(unit, given, pseudo.Config{Seed: 1}))(t)
		for i, labeled := range given {
			if !labeled && labels.Positive[i] != r.Clusters.Positive[i] {
				otherwise++
			}
		}
		for i := range data.Labeled {
			data.Labeled[i], r.Labels[i] = false, false
		}
		want := fmt.Sprintf("labels %.0f%% of the unlabeled", 100*otherwise/340)
		if doubt, err := r.Doubt(pseudo.Config{Seed: 1}); !strings.Contains(doubt, want) || !strings.HasSuffix(doubt, mend) || err != nil {
			t.Errorf("%v: %q, %v; want %q and %q", space, doubt, err, want, mend)
		}
	}
}

// knowing are stripes of three classes whose second views are of the images of the next step; they count how often these are asked for.
type knowing struct {
	stripes
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

// Encoders of hidden labels learn from all that the batches know, classes and second views, as they would from the batches themselves. What they
// are told apart by stays as it is, for checkpoints of long ago.
func TestHiddenLabelsLeaveClassesAndPairs(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := striped(30, 6)
	batches := knowing{stripes{Stripes: stripesOf(8, 2)}, &atomic.Int32{}}
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

// Algorithm 1 and cross-fitting come on XLA to the pseudo-labels and the probe of the pure-Go engine.
func TestPipelinesOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	run := func(eng *engine.Engine) ([]bool, *probe.Probe) {
		r := expect.Must(Run(context.Background(), eng, blobRows(60), Config{
			Pretrain: quick(10), Cluster: cluster.Config{Restarts: 3, Seed: 1}, Probe: probe.Config{Epochs: 20, Seed: 2},
		}))(t)
		return r.Labels, r.Probe
	}
	crossFit := func(eng *engine.Engine) ([]bool, *probe.Probe) {
		data, _ := manyBlobs(new([][]bool))
		r := expect.Must(CrossFit(context.Background(), eng, data, CrossFitConfig{
			Folds: 2, Pretrain: quick(10), Labels: pseudo.Config{Seed: 1}, Probe: probe.Config{Epochs: 20}, Seed: 3,
		}))(t)
		return r.Labels.Positive, r.Classifier[0].Probe
	}
	for name, method := range map[string]func(*engine.Engine) ([]bool, *probe.Probe){"Algorithm 1": run, "CrossFit": crossFit} {
		labels, p := method(xla)
		wantLabels, want := method(pureGo)
		for i, positive := range wantLabels {
			expect.That(t, labels[i] == positive,
				"%s: example %d has pseudo-label %v, and %v in pure Go", name, i, labels[i], positive)
		}
		for i, w := range want.Weights.RawMatrix().Data {
			if got := p.Weights.RawMatrix().Data[i]; !(math.Abs(got-w) <= 1e-2*max(1, math.Abs(w))) {
				t.Errorf("%s: weight %d of the probe is %g, and %g in pure Go", name, i, got, w)
			}
		}
	}
}
