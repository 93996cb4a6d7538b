package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// One call gives, bit for bit, what its stages give by hand: for examples in another order than their images, in either space.
func TestRunEqualsStagesByHand(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := striped(30, 6)
	data.Index = []int{4, 2, 0, 29, 28, 3, 1, 7, 8, 9, 10, 2}
	data.Labeled = []bool{true, true, false, false, false, false, false, false, false, false, false, true}
	config := Config{
		Pretrain: quick(4), Cluster: cluster.Config{Restarts: 3, Seed: 1}, Probe: probe.Config{Epochs: 20, Seed: 2},
	}
	m := expect.Must(train.Pretrain(ctx, eng, data.Batches, config.Pretrain))(t)
	e := expect.Must(expect.Must(m.EmbedImages(eng, data.Images))(t).Take(data.Index))(t)
	var pixels []uint8
	for _, i := range data.Index {
		pixels = append(pixels, data.Images.(memory).pixels[i*imageBytes:(i+1)*imageBytes]...)
	}
	for _, space := range []Space{EncoderOutputs, Projections} {
		x := e.H
		if space == Projections {
			x = e.Z
		}
		clusters := expect.Must(cluster.PUPL(rows.Unit(x), data.Labeled, config.Cluster))(t)
		p := expect.Must(probe.FitPU(eng, rows.Unit(e.H), clusters.Positive, risk.CrossEntropy, config.Probe))(t)
		want := classify.Classifier{Model: m, Probe: p, Clusters: clusters}
		config.Space = space
		// With the model that is there, batches are not needed.
		checkResult(t, expect.Must(Fit(ctx, eng, m, Images{Images: data.Images, Index: data.Index, Labeled: data.Labeled},
			config))(t), e, p, want)
		if space == EncoderOutputs {
			continue
		}
		config.FineTune = &classify.FineTuneConfig{Epochs: 2, BatchSize: 4, Seed: 3}
		tune := *config.FineTune
		tune.Head = p
		tuned := expect.Must(classify.FineTunePU(ctx, eng, m,
			classify.LabeledImages[bool]{Pixels: pixels, Labels: clusters.Positive}, risk.CrossEntropy, tune))(t)
		tuned.Clusters = clusters
		got := expect.Must(Run(ctx, eng, data, config))(t)
		sameModels(t, got.Model, m)
		if checkResult(t, got, e, p, *tuned); config.FineTune.Head != nil {
			t.Error("the configuration was changed")
		}
	}
}

// checkResult compares a result with what the stages give by hand.
func checkResult(t *testing.T, got *Result, e *train.Embedding, p *probe.Probe, want classify.Classifier) {
	t.Helper()
	sameModels(t, got.Classifier.Model, want.Model)
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"h", got.Embedding.H, e.H}, {"z", got.Embedding.Z, e.Z}, {"clusters", got.Clusters, want.Clusters},
		{"labels", got.Labels, want.Clusters.Positive}, {"probe", got.Probe, p}, {"head", got.Classifier.Probe, want.Probe},
		{"the classifier's clusters", got.Classifier.Clusters, want.Clusters}, {"fine-tuned", got.Classifier.Tuning != nil, want.Tuning != nil},
	} {
		expect.That(t, reflect.DeepEqual(part.got, part.want), "%s: %v, want %v", part.name, part.got, part.want)
	}
	if want.Tuning != nil {
		expect.Equal(t, got.Classifier.Tuning.History, want.Tuning.History, "history")
	}
}

// With a risk of its own the probe learns from the labels as they are, and nothing is clustered; a head of one's own is kept.
func TestRiskInsteadOfPseudoLabels(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, _ := striped(30, 6)
	nnpu := risk.NNPU(0.4, risk.LogisticLoss)
	m := expect.Must(train.Pretrain(ctx, eng, data.Batches, quick(2)))(t)
	config := Config{Risk: nnpu, Probe: probe.Config{Epochs: 5}, Cluster: cluster.Config{Restarts: -1}} // is not looked at
	got := expect.Must(Fit(ctx, eng, m, data, config))(t)
	e := expect.Must(m.EmbedImages(eng, data.Images))(t)
	want := expect.Must(probe.FitPU(eng, rows.Unit(e.H), data.Labeled, nnpu, config.Probe))(t)
	expect.That(t, got.Clusters == nil && slices.Equal(got.Labels, data.Labeled) && reflect.DeepEqual(got.Probe, want),
		"%+v, want the probe %v", got, want)
	if got.Labels[0] = false; !data.Labeled[0] {
		t.Error("the labels of the result are those of the data, not a copy")
	}
	head := expect.Must(probe.New(1, 8))(t)
	config.FineTune = &classify.FineTuneConfig{Epochs: 1, BatchSize: 10, Head: head}
	got = expect.Must(Fit(ctx, eng, m, data, config))(t)
	tuned := expect.Must(classify.FineTunePU(ctx, eng, m,
		classify.LabeledImages[bool]{Pixels: data.Images.(memory).pixels, Labels: data.Labeled}, nnpu, *config.FineTune))(t)
	expect.That(t, reflect.DeepEqual(got.Classifier.Probe, tuned.Probe) && reflect.DeepEqual(got.Probe, want),
		"tuned to %v, want %v", got.Classifier.Probe, tuned.Probe)
}

func TestFeaturesEqualStagesByHand(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	data, config := blobRows(20), Config{Pretrain: quick(10), Probe: probe.Config{Epochs: 20}}
	m := expect.Must(train.PretrainFeatures(ctx, eng, data.Batches, config.Pretrain))(t)
	e := expect.Must(m.EmbedFeatures(eng, data.X))(t)
	clusters := expect.Must(cluster.PUPL(rows.Unit(e.H), data.Labeled, cluster.Config{}))(t)
	p := expect.Must(probe.FitPU(eng, rows.Unit(e.H), clusters.Positive, risk.CrossEntropy, config.Probe))(t)
	got := expect.Must(Run(ctx, eng, data, config))(t)
	if sameModels(t, got.Model, m); !mat.Equal(got.Embedding.Z, e.Z) || !reflect.DeepEqual(got.Clusters, clusters) || !reflect.DeepEqual(got.Probe, p) {
		t.Errorf("%+v, want the probe %v", got, p)
	}
}

// Images to a classifier that tells stripes apart and comes back from its file, on more images than one call of the encoder
// takes.
func TestAlgorithm1EndToEnd(t *testing.T) {
	eng := enginetest.Open(t)
	data, truth := striped(600, 40)
	data.Batches = stripes{Stripes: stripesOf(32, 8)}
	config := Config{Pretrain: quick(60)}
	config.Pretrain.Encoder = encoder.SmallCNN{Width: 4, Dim: 16}
	c := expect.Must(Run(context.Background(), eng, data, config))(t).Classifier
	path := filepath.Join(t.TempDir(), "deep", "stripes.classifier")
	expect.NoError(t, c.Save(path))
	loaded := expect.Must(classify.Load(path, nil))(t)
	pixels := data.Images.(memory).pixels
	before, after := expect.Must(c.Probabilities(eng, pixels))(t), expect.Must(loaded.Probabilities(eng, pixels))(t)
	expect.That(t, slices.Equal(before, after), "the loaded classifier predicts something else")
	if loaded.Model.Record.Settings != c.Model.Record.Settings || !slices.Equal(loaded.Model.History.Losses, c.Model.History.Losses) ||
		!slices.Equal(loaded.Clusters.PositiveCenter, c.Clusters.PositiveCenter) || loaded.Clusters.Potential != c.Clusters.Potential {
		t.Error("record, losses or clusters did not come back")
	}
	score := expect.Must(loaded.Score(eng, classify.LabeledImages[bool]{Pixels: pixels, Labels: truth}))(t)
	expect.That(t, score.Accuracy() >= 0.95, "stripes are told apart in %s; this should be easy", score)
}

const side, imageBytes = traintest.Side, traintest.ImageBytes

var (
	errBroken = errors.New("the disk is gone")
	stripe    = traintest.Stripe
	stripesOf = traintest.NewStripes
)

// stripes are striped images; the batch of step broken, if not 0, cannot be read.
type stripes struct {
	traintest.Stripes
	broken int
}

func (s stripes) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	if s.broken > 0 && step == s.broken {
		return nil, nil, errBroken
	}
	return s.Stripes.Batch(step)
}

// memory are images in memory; reading image bad, if not 0, fails.
type memory struct {
	pixels []uint8
	bad    int
}

func (m memory) Len() int                             { return len(m.pixels) / imageBytes }
func (m memory) Shape() (height, width, channels int) { return side, side, 1 }

func (m memory) ReadImage(i int, dst []uint8) error {
	if m.bad > 0 && i == m.bad {
		return errBroken
	}
	copy(dst, m.pixels[i*imageBytes:(i+1)*imageBytes])
	return nil
}

// striped makes n images of which the first labeled are labeled positives and every other one of the rest is positive too.
func striped(n, labeled int) (data Images, truth []bool) {
	rng := rand.New(rand.NewPCG(77, 1))
	var pixels []uint8
	for i := range n {
		data.Labeled = append(data.Labeled, i < labeled)
		truth = append(truth, i < labeled || i%2 == 0)
		pixels = append(pixels, stripe(rng, truth[i])...)
	}
	data.Batches, data.Images = stripes{Stripes: stripesOf(8, 2)}, memory{pixels: pixels}
	return data, truth
}

// twoBlobs are batches of rows around (±1, 0), those around (1, 0) being positive; a view is a row with other noise.
type twoBlobs struct{}

func (twoBlobs) Features() int { return 2 }

func (twoBlobs) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(5, uint64(step)))
	for i := range 32 {
		sign := float64(1 - 2*(i%16%2))
		views = append(views, float32(sign+0.1*rng.NormFloat64()), float32(0.1*rng.NormFloat64()))
	}
	for i := range 16 {
		labeled = append(labeled, i == 0 || i == 2)
	}
	return views, labeled
}

// blobRows are n rows as those of twoBlobs, the first two of which that are positive are labeled.
func blobRows(n int) Features {
	rng := rand.New(rand.NewPCG(6, 6))
	data := Features{Batches: twoBlobs{}, X: mat.NewDense(n, 2, nil), Labeled: make([]bool, n)}
	for i := range n {
		data.X.SetRow(i, []float64{float64(1-2*(i%2)) + 0.1*rng.NormFloat64(), 0.1 * rng.NormFloat64()})
		data.Labeled[i] = i == 0 || i == 2
	}
	return data
}

// quick returns a configuration of pretraining whose network is compiled in a moment.
func quick(steps int) train.Config {
	return train.Config{Steps: steps, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4, LearningRate: 0.01, Seed: 5}
}

// sameModels compares all variables of two models bit for bit.
func sameModels(t *testing.T, got, want *train.Model) {
	t.Helper()
	traintest.Same(t, "models", got.Store(), want.Store())
}
