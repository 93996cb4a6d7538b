package train

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Training is the same to the last bit with readings and without.
func TestMonitoringChangesNothing(t *testing.T) {
	eng := enginetest.Open(t)
	plain := expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, quick(7)))(t)
	config := quick(7)
	config.Monitor = Monitor{Every: 3, Examples: 40, Prior: 0.4}
	var told []int
	var last Progress
	config.Observer = OnStep(func(p Progress) {
		if last = p; p.Reading != nil {
			told = append(told, p.Reading.Step)
		}
	})
	watched := expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, config))(t)
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

// trim is x with three decimals.
func trim(x float64) string { return strings.TrimPrefix(Progress{Loss: x}.String(), "loss ") }

// striped are n images as in stripes, every third labeled, with their true classes.
func striped(n int) (pixels []uint8, labeled, positive []bool) {
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range n {
		labeled, positive = append(labeled, i%6 == 0), append(positive, i%2 == 0)
		pixels = append(pixels, stripe(rng, i%2 == 0)...)
	}
	return pixels, labeled, positive
}

// With views that are the images themselves, the last reading is what Diagnose says of Embed, of more images than go through
// the network at once.
func TestReadingIsOfTheModel(t *testing.T) {
	eng := enginetest.Open(t)
	pixels, labeled, positive := striped(300)
	config := quick(3)
	config.Recipe = augment.Recipe{}
	config.Monitor = Monitor{Every: 3, Pixels: pixels, Labeled: labeled, Positive: positive}
	m := expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, config))(t)
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
	// The monitor knows nothing of them: other true classes change nothing in what it says.
	config.Monitor.Positive = make([]bool, 300)
	config.Monitor.Positive[1], config.Monitor.Positive[2] = true, true
	other := expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, config))(t)
	expect.That(t, reflect.DeepEqual(other.History.Readings[0].Monitor, got.Monitor),
		"the monitor without true classes depends on them")
	for _, want := range []string{"after 3 steps", "projections: alignment", "without negatives", "judged by true classes"} {
		expect.That(t, strings.Contains(got.String(), want), "%q lacks %q", got, want)
	}
}

func TestReadingsOfFeatures(t *testing.T) {
	eng := enginetest.Open(t)
	config := quickFeatures(4)
	config.Monitor = Monitor{Every: 2, Examples: 30}
	m := expect.Must(PretrainFeatures(context.Background(), eng, randomRows{b: 16, d: 8}, config))(t)
	if r := m.History.Readings; len(r) != 2 || r[1].Projections.Rows != 30 || !(r[1].Projections.Alignment > 0) || r[1].Monitor == nil {
		t.Errorf("readings %v", r)
	}
	// Rows that are given have one view, and so no alignment.
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

// randomRows are rows with small differences between two views of each; the first quarter is labeled.
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

// A network that gives every image the same embedding is called collapsed.
func TestCollapseIsSaidInWords(t *testing.T) {
	eng := enginetest.Open(t)
	config := quick(2)
	config.Objective = pucl.AlignmentLoss() // nothing holds the points apart
	config.Steps, config.LearningRate, config.Recipe = 30, 0.05, nil
	config.Monitor = Monitor{Every: 30, Examples: 16}
	m := expect.Must(Pretrain(context.Background(), eng, stripes{16, 4}, config))(t)
	r := m.History.Readings[0]
	if !r.Projections.Collapsed() || !strings.Contains(r.String(), "collapsed: the embeddings hardly differ") || !strings.HasPrefix(r.Brief(), "COLLAPSED") {
		t.Errorf("after training on alignment alone: %v", r)
	}
}
