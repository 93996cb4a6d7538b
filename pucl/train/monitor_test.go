package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/safetensors"
	"gonum.org/v1/gonum/mat"
)

// Training is bit-identical with and without readings.
func TestMonitoringChangesNothing(t *testing.T) {
	eng := enginetest.Open(t)
	plain := expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), quick(7)))(t)
	config := quick(7)
	config.Monitor = Monitor{Every: 3, Examples: 40, Prior: 0.4}
	var told []int
	var last Progress
	config.Observer = OnStep(func(p Progress) {
		if last = p; p.Reading != nil {
			told = append(told, p.Reading.Step)
		}
	})
	watched := expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), config))(t)
	expect.That(t, slices.Equal(plain.History.GradientNorms, watched.History.GradientNorms),
		"losses %v without readings, %v with", plain.History.Losses, watched.History.Losses)
	sameRun(t, "with readings", watched, plain)
	expect.That(t, slices.Equal(told, []int{3, 6, 7}) && len(watched.History.Readings) == 3,
		"readings after steps %v", told)
	expect.That(t, last.Paused > 0 && last.Paused < last.Elapsed, "%v paused of %v", last.Paused, last.Elapsed)
	for _, r := range watched.History.Readings {
		expect.That(t, r.Truth == nil, "a reading saw true classes that nobody handed in")
		expect.That(t, r.Monitor != nil && r.Monitor.Labeled+r.Monitor.Unlabeled == 20 &&
			strings.Contains(r.Monitor.Bank, "labeled positives only"), "the monitor says %+v", r.Monitor)
		expect.That(t, r.Projections.Rows == 40 && r.Projections.Dimensions == 4 && r.Projections.Alignment > 0,
			"projections %+v", r.Projections)
	}
	h := watched.History
	expect.That(t, len(h.Rates) == 7 && h.Rates[3] == config.settings().WithDefaults().rate(3) && h.Examples[0] == 16 &&
		allFinite(h.ProjectionNorms...), "history %+v", h)
	near(t, "chance level", h.Chance, math.Log(31), 1e-12)
	want := "loss " + trim(watched.History.Losses[6]) + " (chance 3.434)"
	expect.That(t, last.String() == want, "progress says %q, want %q", last, want)
}

// trim returns x with three decimals.
func trim(x float64) string { return strings.TrimPrefix(Progress{Loss: x}.String(), "loss ") }

// striped returns n images as in stripes, every third labeled, with their true classes.
func striped(n int) (pixels []uint8, labeled, positive []bool) {
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range n {
		labeled, positive = append(labeled, i%6 == 0), append(positive, i%2 == 0)
		pixels = append(pixels, stripe(rng, i%2 == 0)...)
	}
	return pixels, labeled, positive
}

// If the views are the images themselves, the last reading equals Diagnose of Embed, for more images than one call of
// the network takes.
func TestReadingIsOfTheModel(t *testing.T) {
	eng := enginetest.Open(t)
	pixels, labeled, positive := striped(300)
	config := quick(3)
	config.Recipe = augment.Recipe{}
	config.Monitor = Monitor{Every: 3, Pixels: pixels, Labeled: labeled, Positive: positive}
	m := expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), config))(t)
	e := expect.Must(m.Embed(eng, pixels))(t)
	got := m.History.Readings[0]
	for _, tt := range []struct {
		name string
		got  evaluate.Collapse
		of   *mat.Dense
	}{{"projections", got.Projections, e.Z}, {"embeddings", got.Embeddings, e.H}} {
		want := expect.Must(evaluate.Diagnose(tt.of, tt.of))(t)
		near(t, tt.name+": uniformity", tt.got.Uniformity, want.Uniformity, 1e-5)
		near(t, tt.name+": rank", tt.got.EffectiveRank, want.EffectiveRank, 1e-4)
		near(t, tt.name+": alignment", tt.got.Alignment, 0, 1e-12)
	}
	expect.Require(t, got.Truth != nil && strings.Contains(got.Truth.String(), "judged by true classes"),
		"true classes that were handed in are not told of: %v", got.Truth)
	expect.That(t, got.Truth.Accuracy() >= 0.9 && got.Monitor.ProxyAUC >= 0.6,
		"stripes are told apart in %v and %v; this should be easy", got.Truth, got.Monitor)
	// The monitor does not use the true classes: other classes do not change its reading.
	config.Monitor.Positive = make([]bool, 300)
	config.Monitor.Positive[1], config.Monitor.Positive[2] = true, true
	other := expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), config))(t)
	expect.That(t, reflect.DeepEqual(other.History.Readings[0].Monitor, got.Monitor),
		"the monitor without true classes depends on them")
	expect.Contains(t, got.String(),
		"after 3 steps", "projections: alignment", "without negatives", "judged by true classes")
}

func TestReadingsOfFeatures(t *testing.T) {
	eng := enginetest.Open(t)
	config := quickFeatures(4)
	config.Monitor = Monitor{Every: 2, Examples: 30}
	m := expect.Must(PretrainFeatures(context.Background(), eng, randomRows{b: 16, d: 8}, config))(t)
	if r := m.History.Readings; len(r) != 2 || r[1].Projections.Rows != 30 || !(r[1].Projections.Alignment > 0) || r[1].Monitor == nil {
		t.Errorf("readings %v", r)
	}
	// Given rows have one view, and so no alignment.
	x := mat.NewDense(20, 8, nil)
	labeled := make([]bool, 20)
	for i := range 20 {
		labeled[i] = i < 8
		for j := range 8 {
			x.Set(i, j, math.Sin(float64(3*i+j)))
		}
	}
	config.Monitor = Monitor{Every: 2, Features: x, Labeled: labeled}
	m = expect.Must(PretrainFeatures(context.Background(), eng, randomRows{b: 16, d: 8}, config))(t)
	e := expect.Must(m.EmbedFeatures(eng, x))(t)
	want := expect.Must(evaluate.Diagnose(e.Z, nil))(t)
	last := m.History.Readings[1]
	near(t, "uniformity", last.Projections.Uniformity, want.Uniformity, 1e-5)
	expect.That(t, math.IsNaN(last.Projections.Alignment),
		"one view of each row has the alignment %g", last.Projections.Alignment)
}

// randomRows returns rows with small differences between two views of each; the first quarter is labeled.
type randomRows struct{ b, d int }

func (r randomRows) Features() int { return r.d }

func (r randomRows) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(6, uint64(step)))
	views, labeled = make([]float32, 2*r.b*r.d), make([]bool, r.b)
	for i := range r.b * r.d {
		x := rng.NormFloat64()
		views[i], views[r.b*r.d+i] = float32(x+0.1*rng.NormFloat64()), float32(x+0.1*rng.NormFloat64())
	}
	for i := range r.b / 4 {
		labeled[i] = true
	}
	return views, labeled
}

// A network that gives every image the same embedding is reported as collapsed.
func TestCollapseIsSaidInWords(t *testing.T) {
	eng := enginetest.Open(t)
	config := quick(2)
	config.Objective = pucl.AlignmentLoss() // no term repels the points
	config.Steps, config.LearningRate, config.Recipe = 30, 0.05, nil
	config.Monitor = Monitor{Every: 30, Examples: 16}
	m := expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), config))(t)
	r := m.History.Readings[0]
	if !r.Projections.Collapsed() || !strings.Contains(r.String(), "collapsed: the embeddings hardly differ") || !strings.HasPrefix(r.Brief(), "COLLAPSED") {
		t.Errorf("after training on alignment alone: %v", r)
	}
}

// Without weights NewModel returns the initial model of a training with the same seed.
func TestNewModelIsTheStartOfTraining(t *testing.T) {
	eng := enginetest.Open(t)
	config := light(2)
	config.Encoder = encoder.SmallCNN{Width: 2, Dim: 4}
	trained := expect.Must(Pretrain(context.Background(), eng, stripesOf(8, 2), config))(t)
	m := expect.Must(NewModel(eng, 12, 12, 1, config))(t)
	config.Weights = expect.Must(m.Weights())(t)
	again, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
	expect.That(t, err == nil && slices.Equal(again.History.Losses, trained.History.Losses),
		"losses %v from its weights, %v from the seed; %v", again.History.Losses, trained.History.Losses, err)
	pixels := make([]uint8, 5*144)
	if e, err := m.Embed(eng, pixels); err != nil || e.H.RawMatrix().Rows != 5 || e.H.RawMatrix().Cols != 4 || e.Z.RawMatrix().Cols != 4 {
		t.Errorf("embedding %+v, %v", e, err)
	}
	expect.That(t, len(m.History.Losses) == 0, "a history of %d steps", len(m.History.Losses))
}

func TestNewModelRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	m := expect.Must(NewModel(eng, 12, 12, 1, Config{Encoder: encoder.SmallCNN{Width: 2, Dim: 4}}))(t)
	weights := expect.Must(m.Weights())(t)
	for want, tt := range map[string]struct {
		height int
		config Config
	}{
		"0×12×1 … height, width and channels must be at least 1":                          {0, Config{}},
		"Projection -1 … it must not be negative, and 0 means 128":                        {12, Config{Projection: -1}},
		"these weights are not those of SmallCNN width … of another shape":                {12, Config{Encoder: encoder.SmallCNN{Width: 4, Dim: 4}, Weights: weights}},
		"these weights are not those of SmallCNN width … missing":                         {12, Config{Encoder: encoder.SmallCNN{Width: 2, Dim: 4}, Weights: map[string]safetensors.Tensor{}}},
		"images of at least 28×28, not 12×12 … give larger ones, or take another encoder": {12, Config{Encoder: encoder.LeNet{}}},
	} {
		refusal.Check(t, refusal.Err(NewModel(eng, tt.height, 12, 1, tt.config)), want)
	}
}

// randomImages returns n images of the given size with random pixels, all of one class.
func randomImages(n, height, width int) *datasets.Images {
	rng := rand.New(rand.NewPCG(3, 1))
	m := &datasets.Images{Height: height, Width: width, Channels: 1, Labels: make([]int, n), Classes: []string{"noise"}}
	for range n * height * width {
		m.Pixels = append(m.Pixels, uint8(rng.IntN(256)))
	}
	return m
}

// damagedImages cannot read one image.
type damagedImages struct {
	*datasets.Images
	bad int
}

var errDamaged = errors.New("the file is damaged")

func (d damagedImages) ReadImage(i int, dst []uint8) error {
	if i == d.bad {
		return errDamaged
	}
	return d.Images.ReadImage(i, dst)
}

// Images with a shape give the same embeddings as their bytes, for any number of calls.
func TestEmbedImages(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	images := randomImages(515, 12, 12)
	want := expect.Must(m.Embed(eng, images.Pixels))(t)
	got := expect.Must(m.EmbedImages(eng, images))(t)
	if n, _ := got.H.Dims(); n != 515 || !mat.Equal(got.H, want.H) || !mat.Equal(got.Z, want.Z) {
		t.Errorf("%d images embed in another way than their bytes", n)
	}
}

func TestEmbedImagesRefuses(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	short := randomImages(4, 12, 12)
	short.Labels = short.Labels[:3]
	for _, tt := range []struct {
		name   string
		model  *Model
		images Images
		want   string
	}{
		{"as many bytes of another shape", m, randomImages(4, 6, 24), "train: images of 6×24×1 (height×width×channels), but this model embeds " +
			"images of 12×12×1; … bring them to that size, or train a model on these"},
		{"a model of features", &Model{features: 3}, randomImages(4, 12, 12), "train: this model embeds rows of 3 features, not images; … use EmbedFeatures"},
		{"none", m, randomImages(0, 12, 12), "train: no images given to embed; … give at least one"},
		{"nil", m, nil, "train: no images given to embed; … give at least one"},
		{"a nil pointer", m, (*datasets.Images)(nil), "train: datasets: no images given (the pointer is nil); … give those of a loader"},
		{"a label too few", m, short, "train: datasets: 4 images of 12×12×1 (height×width×channels), but 3 labels: … give one for each image, in the same order"},
		{"a damaged file", m, damagedImages{randomImages(520, 12, 12), 516}, "train: reading image 516: … the file is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Whole(t, refusal.Err(tt.model.EmbedImages(eng, tt.images)), tt.want) })
	}
	_, err := m.EmbedImages(eng, damagedImages{randomImages(4, 12, 12), 2})
	expect.That(t, errors.Is(err, errDamaged), "the cause is gone from %v", err)
	for _, shape := range [][3]int{{13, 12, 1}, {12, 13, 1}, {12, 12, 3}} {
		refusal.Check(t, m.CheckShape(shape[0], shape[1], shape[2]),
			"this model embeds images of 12×12×1 … bring them to that size, or train a model")
	}
	expect.NoError(t, m.CheckShape(m.ImageShape()))
}
