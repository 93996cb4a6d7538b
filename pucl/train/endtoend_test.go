package train_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// pseudoLabels clusters rows of x by PUPL and returns the share of unlabeled examples whose pseudo-label is the true
// class.
func pseudoLabels(t *testing.T, x *mat.Dense, split *datasets.Split) (*cluster.Clustering, float64) {
	t.Helper()
	examples := expect.Must(rows.Take(x, split.Index))(t)
	clusters := expect.Must(cluster.PUPL(examples, split.Labeled, cluster.Config{Seed: 1}))(t)
	n := split.NumLabeled()
	score := expect.Must(evaluate.Count(clusters.Positive[n:], split.Positive[n:]))(t)
	return clusters, score.Accuracy()
}

// From a CSV file to a classifier of new rows. Clusters of the raw features are the hospitals; clusters of PUCL's
// projections are the classes.
func TestFeaturesEndToEnd(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	table, split, batches, scale := train.TwoKinds(t, 1000, 250, 1, datasets.BatchConfig{Size: 128, Share: 0.5, Seed: 1})
	m := expect.Must(train.PretrainFeatures(context.Background(), eng, batches, train.Config{
		Steps: 150, Encoder: encoder.MLP{Hidden: []int{64}, Dim: 32}, Projection: 16, Seed: 1,
	}))(t)
	expect.Contains(t, m.Record.Settings, "PUCL", "views: from the batches", "MLP hidden [64], 32-d")
	want := "rows of 16 features, " + batches.String()
	expect.That(t, m.Record.Data == want, "the record names %q, want %q", m.Record.Data, want)
	e, err := m.EmbedFeatures(eng, table.Features) // 1000 rows, more than one call of the encoder
	expect.NoError(t, err)
	if _, raw := pseudoLabels(t, table.Features, split); raw > 0.65 {
		t.Errorf("clusters of the features alone are right in %.3f; the nuisance is too quiet for a test", raw)
	}
	clusters, accuracy := pseudoLabels(t, rows.Unit(e.Z), split)
	expect.That(t, accuracy >= 0.9, "pseudo-labels are right in %.3f, want 0.9", accuracy)
	h := expect.Must(rows.Take(rows.Unit(e.H), split.Index))(t)
	p, err := probe.FitPU(eng, h, clusters.Positive, risk.CrossEntropy, probe.Config{BatchSize: 250, Epochs: 30})
	expect.NoError(t, err)
	test := train.ReadTable(t, train.CSVOfTwoKinds(rand.New(rand.NewPCG(8, 99)), 700))
	test.Rescale(scale.Mean, scale.Deviation)
	path := filepath.Join(t.TempDir(), "deep", "saved.model")
	expect.NoError(t, m.Save(path))
	loaded := expect.Must(train.LoadModel(path, nil))(t)
	before, after := expect.Must(m.EmbedFeatures(eng, test.Features))(t), expect.Must(loaded.EmbedFeatures(eng, test.Features))(t)
	expect.That(t, mat.Equal(before.H, after.H) && slices.Equal(loaded.History.Losses, m.History.Losses),
		"the loaded model is another")
	truth := make([]bool, test.Len())
	for i := range truth {
		truth[i] = test.Labels[i] == 0
	}
	score := expect.Must(p.Score(rows.Unit(after.H), truth))(t)
	expect.That(t, score.Accuracy() >= 0.88, "new rows are told apart in %v, want 88%%", score)
}

// A model with a user-defined encoder can be fine-tuned, also after it was saved and loaded.
func TestFineTuneBringYourOwn(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	config := train.Quick(2)
	config.Encoder = train.OwnEncoder("mine")
	batches := traintest.NewStripes(8, 2)
	m := expect.Must(train.Pretrain(ctx, eng, batches, config))(t)
	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, m.Save(path))
	m = expect.Must(train.LoadModel(path, train.OwnEncoder("mine")))(t)
	pixels, _, _ := batches.Batch(9)
	data := classify.LabeledImages[int]{Pixels: pixels, Labels: []int{0, 1, 0, 1, 0, 1, 0, 1}}
	expect.NoError(t, expect.Err(classify.FineTune(ctx, eng, m, data, 2,
		classify.FineTuneConfig{Epochs: 2, BatchStatistics: true})))
}
