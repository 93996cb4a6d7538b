package classify

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/risk"
)

// A classifier of classes and one of positives against negatives are read back as they were: predictions, how they were tuned
// and recorded.
func TestClassifiersComeBack(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := patterns(14, 9)
	labeled, _ := pu(14, 9)
	held := &HeldOut{Images: labeled} // without test images, whose readings are NaN
	for name, c := range map[string]*Classifier{
		"three classes": expect.Must(FineTune(ctx, eng, m, data, 3, FineTuneConfig{Epochs: 2}))(t),
		"PU":            expect.Must(FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy, FineTuneConfig{Epochs: 2, HeldOut: held}))(t),
	} {
		path := filepath.Join(t.TempDir(), "new", "folder", "classifier")
		expect.NoError(t, c.Save(path))
		back := expect.Must(Load(path, nil))(t)
		want, got := expect.Must(c.Logits(eng, data.Pixels))(t), expect.Must(back.Logits(eng, data.Pixels))(t)
		if !mat.Equal(got, want) || back.Tuning.String() != c.Tuning.String() || !reflect.DeepEqual(back.Tuning.Record, c.Tuning.Record) ||
			!reflect.DeepEqual(back.Tuning.History, c.Tuning.History) || len(back.Tuning.Epochs) != len(c.Tuning.Epochs) {
			t.Errorf("%s: the classifier that was read is another one", name)
		}
	}
	refusal.Check(t, (&Classifier{Model: m}).Save(filepath.Join(t.TempDir(), "c")),
		"needs both a Model and a Probe … FineTune returns one with both, train.Pretrain")
}

// Of a clustering the centers come back, and the caller's own keeps the label of every row.
func TestClustersComeBack(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	labeled, _ := pu(14, 12)
	clusters := expect.Must(cluster.PUPL(unitEmbedding(t, eng, m, labeled.Pixels), labeled.Labels, cluster.Config{Seed: 1}))(t)
	c := &Classifier{Model: m, Probe: constant(1, 8, 0.5), Clusters: clusters}
	path := filepath.Join(t.TempDir(), "c")
	expect.NoError(t, c.Save(path))
	expect.That(t, len(clusters.Positive) == 12 && len(clusters.NearPositive) == 12,
		"saving took the labels from the clustering")
	want := *clusters
	want.Positive, want.NearPositive = nil, nil
	if back := expect.Must(Load(path, nil))(t); !reflect.DeepEqual(*back.Clusters, want) || back.Tuning != nil {
		t.Errorf("came back as %+v, want %+v", *back.Clusters, want)
	}
}

// Files of earlier programs, which had no checksum, are refused in a sentence that says why and what to do.
func TestEarlierClassifiersAreRefused(t *testing.T) {
	for _, name := range []string{"before-binary.classifier", "before-classes.classifier"} {
		c, err := Load(filepath.Join("testdata", name), nil)
		if err == nil {
			t.Errorf("%s: read as %v with %v, %+v", name, c.Probe.Weights, c.Probe.Bias, c.Tuning)
			continue
		}
		for _, want := range []string{"classify: testdata", name, "was written by an earlier version of this program", "fit the probe anew"} {
			expect.That(t, strings.Contains(err.Error(), want), "%s: %q lacks %q", name, err, want)
		}
	}
}
