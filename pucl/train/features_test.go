package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/pucl/risk"
)

// csvOfTwoKinds is a CSV file of n examples, ill and well in turn. Eight features tell the two apart, each a little: normal
// with means 0.8 and −0.8. Eight more are a nuisance: they tell, and louder, in which of two hospitals the example was
// taken, which has nothing to do with the class.
func csvOfTwoKinds(rng *rand.Rand, n int) string {
	var b strings.Builder
	for j := range 8 {
		fmt.Fprintf(&b, "signal%d,nuisance%d,", j, j)
	}
	b.WriteString("diagnosis\n")
	for i := range n {
		class, hospital := 1-2*float64(i%2), 1-2*float64(rng.IntN(2))
		for range 8 {
			fmt.Fprintf(&b, "%.4f,%.4f,", 0.8*class+rng.NormFloat64(), 10+1.2*hospital+rng.NormFloat64())
		}
		b.WriteString([]string{"ill", "well"}[i%2] + "\n")
	}
	return b.String()
}

func readTable(t *testing.T, text string) *tabular.Table {
	t.Helper()
	table, err := tabular.ReadCSV(strings.NewReader(text), tabular.CSV{Label: "diagnosis"})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// scale is what brings other rows to the scale of a table.
type scale struct{ mean, deviation []float64 }

// twoKinds is training data from such a file, brought to one scale, and batches of it.
func twoKinds(t *testing.T, n, labeled int, seed uint64, cfg datasets.BatchConfig) (table *tabular.Table, split *datasets.Split,
	batches *tabular.Batches, scale scale) {
	t.Helper()
	table = readTable(t, csvOfTwoKinds(rand.New(rand.NewPCG(8, seed)), n))
	scale.mean, scale.deviation = table.Standardize()
	split, err := datasets.NewSplit(table.Labels, table.Classes, datasets.PUConfig{
		Positive: []int{0}, Labeled: labeled, Setting: datasets.SingleDataset, Seed: seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	batches, err = tabular.NewBatches(table, split, nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return table, split, batches, scale
}

// pseudoLabels clusters rows of x by PUPL and returns how many unlabeled examples get their true class.
func pseudoLabels(t *testing.T, x *mat.Dense, split *datasets.Split) (*Clustering, float64) {
	t.Helper()
	examples, err := Take(x, split.Index)
	if err != nil {
		t.Fatal(err)
	}
	labeled, unlabeled, err := Rows(examples, split.Labeled)
	if err != nil {
		t.Fatal(err)
	}
	clusters, err := PUPL(labeled, unlabeled, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	clusters.Orient()
	score, err := Evaluate(clusters.Labels, split.Positive[split.NumLabeled():])
	if err != nil {
		t.Fatal(err)
	}
	return clusters, score.Accuracy
}

// From a CSV file to a classifier of rows it has not seen. Clusters of the features themselves are the hospitals; those of
// projections that PUCL has learned are the classes.
func TestFeaturesEndToEnd(t *testing.T) {
	eng := enginetest.Open(t)
	table, split, batches, scale := twoKinds(t, 1000, 250, 1, datasets.BatchConfig{Size: 128, Share: 0.5, Seed: 1})
	m, err := PretrainFeatures(context.Background(), eng, batches, Config{
		Steps: 300, Encoder: encoder.MLP{Hidden: []int{64}, Dim: 32}, Projection: 16, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PUCL", "views: from the batches", "MLP hidden [64], 32-d"} {
		if !strings.Contains(m.Record.Settings, want) {
			t.Errorf("the record's settings %q lack %q", m.Record.Settings, want)
		}
	}
	if want := "rows of 16 features, " + batches.String(); m.Record.Data != want {
		t.Errorf("the record tells of %q, want %q", m.Record.Data, want)
	}
	e, err := m.EmbedFeatures(eng, table.Features) // 1000 rows, more than one call of the encoder
	if err != nil {
		t.Fatal(err)
	}
	if _, raw := pseudoLabels(t, table.Features, split); raw > 0.65 {
		t.Errorf("clusters of the features alone are right in %.3f; the nuisance is too quiet for a test", raw)
	}
	clusters, accuracy := pseudoLabels(t, UnitRows(e.Z), split)
	if accuracy < 0.9 {
		t.Errorf("pseudo-labels are right in %.3f, want 0.9", accuracy)
	}

	h, err := Take(UnitRows(e.H), split.Index)
	if err != nil {
		t.Fatal(err)
	}
	pseudo := append(slices.Clone(split.Labeled[:split.NumLabeled()]), clusters.Labels...)
	probe, err := FitProbe(eng, h, pseudo, risk.CrossEntropy, ProbeConfig{BatchSize: 250, Epochs: 30})
	if err != nil {
		t.Fatal(err)
	}
	c := &Classifier{Model: m, Probe: probe}
	path := filepath.Join(t.TempDir(), "ill.classifier")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadClassifier(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	test := readTable(t, csvOfTwoKinds(rand.New(rand.NewPCG(8, 99)), 700))
	test.Rescale(scale.mean, scale.deviation)
	before, err := c.ProbabilitiesOfFeatures(eng, test.Features)
	if err != nil {
		t.Fatal(err)
	}
	after, err := loaded.ProbabilitiesOfFeatures(eng, test.Features)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, after) || !slices.Equal(loaded.Model.History.Losses, m.History.Losses) {
		t.Error("the loaded classifier is another")
	}
	predicted, truth := make([]bool, test.Len()), make([]bool, test.Len())
	for i, p := range after {
		predicted[i], truth[i] = p > 0.5, test.Labels[i] == 0
	}
	score, err := Evaluate(predicted, truth)
	if err != nil {
		t.Fatal(err)
	}
	if score.Accuracy < 0.88 {
		t.Errorf("new rows are told apart in %s, want 88%%", score)
	}
}

// quickFeatures is a run that takes a moment.
func quickFeatures(steps int) Config {
	return Config{Steps: steps, Encoder: encoder.MLP{Hidden: []int{}, Dim: 8}, Projection: 4, LearningRate: 0.01, Seed: 5}
}

func TestResumeOnFeaturesIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25})
	whole, err := PretrainFeatures(context.Background(), eng, batches, quickFeatures(8))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	config := quickFeatures(8)
	config.Checkpoint = t.TempDir()
	config.Observer = OnStep(func(p Progress) {
		if p.Step == 3 {
			stop()
		}
	})
	if _, err := PretrainFeatures(ctx, eng, batches, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed, err := PretrainFeatures(context.Background(), eng, batches, config)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resumed.History.Losses, whole.History.Losses) {
		t.Errorf("losses of the resumed run %v, of the whole run %v", resumed.History.Losses, whole.History.Losses)
	}
	a, b := weightsOf(t, whole), weightsOf(t, resumed)
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%d and %d variables", len(a), len(b))
	}
	for path := range a {
		if !equalValues(a[path], b[path]) {
			t.Errorf("%s differs after resuming", path)
		}
	}
	_, _, other, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1})
	if _, err := PretrainFeatures(context.Background(), eng, other, config); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("the checkpoint of other batches was taken: %v", err)
	}
}

// counted hands out rows of what it is told: whatever is wrong with them.
type counted struct{ features, numbers, labels int }

func (c counted) Features() int { return c.features }

func (c counted) Batch(int) ([]float32, []bool) {
	return make([]float32, c.numbers), make([]bool, c.labels)
}

func TestPretrainFeaturesRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		name    string
		batches FeatureBatches
		bend    func(*Config)
		want    string
	}{
		{"views of images", counted{2, 8, 2}, func(c *Config) { c.Augment.MinArea = 0.5 }, "leave both zero"},
		{"temperature", counted{2, 8, 2}, func(c *Config) { c.Tau = math.NaN() }, "temperature"},
		{"no features", counted{0, 0, 2}, func(*Config) {}, "0 features"},
		{"one view", counted{2, 4, 2}, func(*Config) {}, "2 labels and 4 numbers"},
		{"one example", counted{2, 4, 1}, func(*Config) {}, "at least 2"},
		{"an encoder of images", counted{2, 8, 2}, func(c *Config) { c.Encoder = tiny }, "use an MLP"},
	} {
		config := quickFeatures(2)
		tt.bend(&config)
		if _, err := PretrainFeatures(context.Background(), eng, tt.batches, config); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v lacks %q", tt.name, err, tt.want)
		}
	}
	// Without an encoder of one's own it is the MLP's zero value.
	m, err := PretrainFeatures(context.Background(), eng, counted{2, 8, 2}, Config{Steps: 1})
	if err != nil || !strings.Contains(m.Record.Settings, encoder.MLP{}.String()) {
		t.Errorf("%v, %v", m, err)
	}
}

func TestEmbedFeaturesRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8})
	m, err := PretrainFeatures(context.Background(), eng, batches, quickFeatures(1))
	if err != nil {
		t.Fatal(err)
	}
	rows := func(last float64) *mat.Dense {
		x := mat.NewDense(2, 16, nil)
		x.Set(1, 15, last)
		return x
	}
	if _, err := m.EmbedFeatures(eng, rows(1)); err != nil {
		t.Error(err)
	}
	images, err := Pretrain(context.Background(), eng, stripes{8, 2}, quick(1))
	if err != nil {
		t.Fatal(err)
	}
	for want, try := range map[string]func() error{
		"use EmbedFeatures":             func() error { _, err := m.Embed(eng, make([]uint8, 16)); return err },
		"use Embed":                     func() error { _, err := images.EmbedFeatures(eng, rows(1)); return err },
		"no rows":                       func() error { _, err := m.EmbedFeatures(eng, &mat.Dense{}); return err },
		"rows of 15 features":           func() error { _, err := m.EmbedFeatures(eng, mat.NewDense(2, 15, nil)); return err },
		"feature 15 of row 1 is NaN":    func() error { _, err := m.EmbedFeatures(eng, rows(math.NaN())); return err },
		"feature 15 of row 1 is 1e+39":  func() error { _, err := m.EmbedFeatures(eng, rows(1e39)); return err },
		"needs both a Model and a Prob": func() error { _, err := (&Classifier{Model: m}).ProbabilitiesOfFeatures(eng, rows(1)); return err },
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

// An MLP trains on images too, and comes back from a file.
func TestMLPOnImages(t *testing.T) {
	eng := enginetest.Open(t)
	config := quick(3)
	config.Encoder = encoder.MLP{Hidden: []int{16}, Dim: 8}
	m, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadModel(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	pixels := stripe(rand.New(rand.NewPCG(1, 1)), true)
	before, err := m.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	after, err := loaded.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(before.Z, after.Z) {
		t.Error("the loaded model embeds differently")
	}
}

// The losses that training on images gave when this list was made, on XLA; other engines and processors round otherwise.
func TestPretrainOnImagesStaysTheSame(t *testing.T) {
	want := []float64{3.633472204208374, 3.6894688606262207, 3.6985981464385986, 3.7834413051605225, 3.5160808563232422,
		3.659182071685791}
	config := quick(12)
	m, err := Pretrain(context.Background(), enginetest.Open(t), stripes{16, 4}, config)
	if err != nil {
		t.Fatal(err)
	}
	for step, loss := range want {
		near(t, "loss", m.History.Losses[step], loss, 1e-4)
	}
	settings := "PUCL, τ 0.5, 12 steps, Adam at 0.01, warm-up 1; views: crops of 0.08–1 of the area, ratio up to 1.33, " +
		"brightness ±0.4, contrast ±0.4, jitter probability 0.8; encoder: SmallCNN width 2, 8-d (pixels − 0.286)/0.353; projection 4-d; seed 5"
	if m.Record.Settings != settings { // they are what a checkpoint is known by
		t.Errorf("settings %q, want %q", m.Record.Settings, settings)
	}
}
