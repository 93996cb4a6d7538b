package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// csvOfTwoKinds returns a CSV file of n examples, ill and well in turn. Eight features tell the two apart, each a little: normal
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
	return expect.Must(tabular.ReadCSV(strings.NewReader(text), tabular.CSV{Label: "diagnosis"}))(t)
}

// scale is what brings other rows to the scale of a table.
type scale struct{ Mean, Deviation []float64 }

// twoKinds is training data from such a file, brought to one scale, and batches of it.
func twoKinds(t *testing.T, n, labeled int, seed uint64, cfg datasets.BatchConfig) (table *tabular.Table, split *datasets.Split,
	batches *tabular.Batches, scale scale) {
	t.Helper()
	table = readTable(t, csvOfTwoKinds(rand.New(rand.NewPCG(8, seed)), n))
	scale.Mean, scale.Deviation = table.Standardize()
	split = expect.Must(datasets.NewSplit(table.Labels, table.Classes, datasets.SplitConfig{
		Positive: []int{0}, Labeled: labeled, Setting: datasets.SingleDataset, Seed: seed,
	}))(t)
	batches = expect.Must(tabular.NewBatches(table, split, nil, cfg))(t)
	return table, split, batches, scale
}

// quickFeatures returns a run that takes a moment.
func quickFeatures(steps int) Config {
	return Config{Steps: steps, Encoder: encoder.MLP{Hidden: []int{}, Dim: 8}, Projection: 4, LearningRate: 0.01, Seed: 5}
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
		{"views of images", counted{2, 8, 2}, func(c *Config) { c.Recipe = grayViews(0.5) },
			"a Recipe makes views of images … leave it nil"},
		{"temperature", counted{2, 8, 2}, func(c *Config) { c.Tau = math.NaN() },
			"temperature τ = NaN … it divides the similarities"},
		{"no features", counted{0, 0, 2}, func(*Config) {}, "0 features … there must be at least one"},
		{"one view", counted{2, 4, 2}, func(*Config) {}, "2 labels and 4 numbers … two views of rows of 2 need 4 numbers for each"},
		{"one example", counted{2, 4, 1}, func(*Config) {}, "batch 0 is one of 1 … at least 2"},
		{"an encoder of images", counted{2, 8, 2}, func(c *Config) { c.Encoder = tiny },
			"a SmallCNN reads images [n, height, width … use an MLP"},
	} {
		config := quickFeatures(2)
		tt.bend(&config)
		t.Run(tt.name, func(t *testing.T) {
			refusal.Check(t, refusal.Err(PretrainFeatures(context.Background(), eng, tt.batches, config)), tt.want)
		})
	}
	// Without an encoder of one's own it is the MLP's zero value.
	m, err := PretrainFeatures(context.Background(), eng, counted{2, 8, 2}, Config{Steps: 1})
	expect.That(t, err == nil && strings.Contains(m.Record.Settings, encoder.MLP{}.String()), "%v, %v", m, err)
}

func TestEmbedFeaturesRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8})
	m := expect.Must(PretrainFeatures(context.Background(), eng, batches, quickFeatures(1)))(t)
	row := func(last float64) *mat.Dense {
		x := mat.NewDense(2, 16, nil)
		x.Set(1, 15, last)
		return x
	}
	expect.NoError(t, expect.Err(m.EmbedFeatures(eng, row(1))))
	images := expect.Must(Pretrain(context.Background(), eng, stripes{8, 2}, quick(1)))(t)
	for want, try := range map[string]func() error{
		"this model embeds rows of 16 features … use EmbedFeatures":                                    func() error { _, err := m.Embed(eng, make([]uint8, 16)); return err },
		"this model embeds images of 12×12×1 bytes … use Embed":                                        func() error { _, err := images.EmbedFeatures(eng, row(1)); return err },
		"no rows given to embed … give at least one":                                                   func() error { _, err := m.EmbedFeatures(eng, &mat.Dense{}); return err },
		"rows of 15 features given, but this model … give the columns of its training, in their order": func() error { _, err := m.EmbedFeatures(eng, mat.NewDense(2, 15, nil)); return err },
		"feature 15 of row 1 is NaN … it must be a finite number in the range":                         func() error { _, err := m.EmbedFeatures(eng, row(math.NaN())); return err },
		"feature 15 of row 1 is 1e+39 … it must be a finite number in the range":                       func() error { _, err := m.EmbedFeatures(eng, row(1e39)); return err },
	} {
		refusal.Check(t, try(), want)
	}
}
