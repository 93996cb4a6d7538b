package classify

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// constant returns a probe for rows of k entries with zero weights.
func constant(outputs, k int, bias ...float64) *probe.Probe {
	p := &probe.Probe{Weights: mat.NewDense(outputs, k, nil), Bias: make([]float64, outputs)}
	copy(p.Bias, bias)
	return p
}

// featureRows are batches of random rows of four features.
type featureRows struct{}

func (featureRows) Features() int { return 4 }

func (featureRows) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(1, uint64(step)))
	for range 2 * 4 * 4 {
		views = append(views, float32(rng.NormFloat64()))
	}
	return views, []bool{true, false, false, false}
}

// Invalid input and the required text of its error.
func TestFineTuneRefuses(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	ofRows := expect.Must(train.PretrainFeatures(ctx, eng, featureRows{}, train.Config{Steps: 1}))(t)
	data := patterns(16, 6)
	labeled, truth := pu(16, 6)
	short := LabeledImages[int]{data.Pixels[1:], data.Labels}
	second := func(_ any, err error) error { return err }
	fit := func(c FineTuneConfig) error { return second(FineTune(ctx, eng, m, data, 3, c)) }
	fitPU := func(c FineTuneConfig) error { return second(FineTunePU(ctx, eng, m, labeled, risk.CrossEntropy, c)) }
	holed := constant(1, 8)
	holed.Bias[0] = math.NaN()
	for says, err := range map[string]error{
		"no model to fine-tune; … train.Pretrain":                                                 second(FineTune(ctx, eng, nil, data, 3, FineTuneConfig{})),
		"rows of 4 features, not images … use EmbedFeatures and fit a probe on what":              second(FineTune(ctx, eng, ofRows, data, 3, FineTuneConfig{})),
		"fine-tuning takes images: train: this model … use EmbedFeatures and fit a probe on what": second(FineTuneFewShot(ctx, eng, ofRows, data, data, 3, FewShotConfig{})),
		"863 bytes are no whole number of images … each takes 144 bytes":                          second(FineTune(ctx, eng, m, short, 3, FineTuneConfig{})),
		"0 bytes are no whole number of images … each takes 144 bytes":                            second(FineTune(ctx, eng, m, LabeledImages[int]{}, 3, FineTuneConfig{})),
		"0 bytes are no whole number of images of … each takes 144 bytes":                         second(FineTunePU(ctx, eng, m, LabeledImages[bool]{}, risk.CrossEntropy, FineTuneConfig{})),
		"for 1 classes … it takes 2 or more":                                                      second(FineTune(ctx, eng, m, data, 1, FineTuneConfig{})),
		"image 2 has class 2 … 2 classes are numbered from 0 to 1":                                second(FineTune(ctx, eng, m, data, 2, FineTuneConfig{})),
		"no engine given … open one with engine.Open":                                             second(FineTune(ctx, nil, m, data, 3, FineTuneConfig{})),
		"0 labels are true and 6 are not; … a classifier learns from both":                        second(FineTunePU(ctx, eng, m, LabeledImages[bool]{data.Pixels, make([]bool, 6)}, risk.CrossEntropy, FineTuneConfig{})),
		"output 0 has NaN at place 8 of its 8 weights … start at finite numbers":                  fitPU(FineTuneConfig{Head: holed}),
		"no risk to minimize … CrossEntropy on pseudo-labels, or NNPU":                            second(FineTunePU(ctx, eng, m, labeled, nil, FineTuneConfig{})),
		"π = 2 is not between 0 and 1 … give the share of positives, known or estimated":          second(FineTunePU(ctx, eng, m, labeled, risk.NNPU(2, risk.SigmoidLoss), FineTuneConfig{})),
		"863 bytes are no whole number of test im … each takes 144 bytes":                         second(FineTuneFewShot(ctx, eng, m, data, short, 3, FewShotConfig{})),
		"no model to fine-tune … train.Pretrain makes one, train.LoadModel reads":                 second(FineTuneFewShot(ctx, eng, nil, data, data, 3, FewShotConfig{})),
		"-1 epochs of batches of 6 images … there must be 1 or more of both":                      fit(FineTuneConfig{Epochs: -1}),
		"batches of -2 images … there must be 1 or more of both":                                  fit(FineTuneConfig{BatchSize: -2}),
		"BatchStatistics moves the running averages … choose one of them":                         fit(FineTuneConfig{FreezeEncoder: true, BatchStatistics: true}),
		"a batch of one image has no statistics … leave BatchStatistics off, or take 2 images":    fit(FineTuneConfig{BatchSize: 1, BatchStatistics: true}),
		"learning rate NaN … it must be a positive number (0 means 0.001":                         fit(FineTuneConfig{LearningRate: math.NaN()}),
		"momentum 3 … it must be less than 1 (0.9 is usual)":                                      fit(FineTuneConfig{Optimizer: optim.SGD{Momentum: 3}}),
		"a warm-up of 99 steps does not fit into … shorten it, or train for longer":               fit(FineTuneConfig{Schedule: optim.Cosine{Warmup: 99}, Epochs: 1}),
		"CheckpointEvery -1 … none may be negative, and 0 means the default":                      fit(FineTuneConfig{CheckpointEvery: -1}),
		"step 1 (horizontal flip with probability 2) … give a share such as 0.5":                  fit(FineTuneConfig{Recipe: augment.Recipe{augment.Flip{Probability: 2}}}),
		"HeldOut is for PU data … with classes, score the result on images":                       fit(FineTuneConfig{HeldOut: &HeldOut{}}),
		"nothing to choose an epoch by … set HeldOut, or keep":                                    fit(FineTuneConfig{Keep: evaluate.WithoutNegatives}),
		`by the rule "oracle" … use evaluate.LastEpoch`:                                           fitPU(FineTuneConfig{Keep: evaluate.Oracle}),
		"head to start at has 2 classes, the data 3 … start at one of as many, or at none":        fit(FineTuneConfig{Head: constant(2, 8)}),
		"reads rows of 5 entries, the encoder's … fit one on embeddings of this model":            fit(FineTuneConfig{Head: constant(3, 5)}),
		"no weights … make one with New, Fit or FitPU":                                            fit(FineTuneConfig{Head: &probe.Probe{}}),
		"head to start at: probe: a probe of 1 out … this one has 3: fit one of that number":      fitPU(FineTuneConfig{Head: constant(3, 8)}),
		"head to start at: probe: the probe has no … make one with New, Fit or FitPU":             fitPU(FineTuneConfig{Head: &probe.Probe{}}),
		"no whole number of images in HeldOut … each takes 144 bytes":                             fitPU(FineTuneConfig{HeldOut: &HeldOut{}}),
		"evaluate: 0 labeled positives and 6 unlabeled … at least one of each must be held out":   fitPU(FineTuneConfig{HeldOut: &HeldOut{Images: LabeledImages[bool]{data.Pixels, make([]bool, 6)}}}),
		"HeldOut.Proxy is not a number even where … Give PU.Prior, or take evaluate.ByLeeLiu":     fitPU(FineTuneConfig{HeldOut: &HeldOut{Images: labeled, Proxy: evaluate.ByRisk}}),
		"0 bytes are no whole number of test images … each takes 144 bytes":                       fitPU(FineTuneConfig{HeldOut: &HeldOut{Images: labeled, Test: LabeledImages[bool]{nil, truth.Labels}}}),
	} {
		refusal.Check(t, err, says)
	}
}

// Outputs that do not match the requested evaluation are an error.
func TestClassifierRefuses(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	data := patterns(16, 6)
	three := &Tuned{Model: m, Probe: constant(3, 8)}
	second := func(_ any, err error) error { return err }
	for says, err := range map[string]error{
		"one score for each row takes 1 output, or 2 … the probe has 3":                                second(three.Scores(eng, data.Pixels)),
		"one score for each row takes 1 output, or 2 … the probe has 3: ask for its logits or classes": second(three.Score(eng, LabeledImages[bool]{data.Pixels, make([]bool, 6)})),
		"needs both a Model and a Probe … FineTune returns one with both":                              second((&Tuned{Probe: constant(1, 8)}).Predict(eng, data.Pixels)),
		"a Model and a Probe … FineTune returns one with both":                                         second((&Tuned{Model: m}).ScoreClasses(eng, data)),
		"the probe has no weights … make one with New, Fit or FitPU":                                   second((&Tuned{Model: m, Probe: &probe.Probe{}}).Logits(eng, data.Pixels)),
		"rows have 8 entries, the probe is for 5 … embed them with the model of its training":          second((&Tuned{Model: m, Probe: constant(1, 5)}).Logits(eng, data.Pixels)),
		"no engine given … open one with engine.Open":                                                  second(three.Predict(nil, data.Pixels)),
	} {
		refusal.Check(t, err, says)
	}
}

// A NaN network or head gives an error or NaN, never a plausible number.
func TestNaNIsNeverANumber(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	broken := expect.Must(m.Clone())(t)
	for v := range broken.Store().IterVariables() {
		if strings.HasPrefix(v.Path(), "/encoder/") && v.Trainable {
			value := tensors.MustCopyFlatData[float32](v.MustValue())
			for i := range value {
				value[i] = float32(math.NaN())
			}
			expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(value, v.Shape().Dimensions...)))
		}
	}
	one, three := constant(1, 8, 1), constant(3, 8, 1)
	one.Weights.Set(0, 3, math.NaN())
	three.Weights.Set(1, 3, math.NaN())
	data := patterns(16, 6)
	labeled, truth := pu(16, 6)
	for name, c := range map[string]*Tuned{
		"a head of one output":  {Model: m, Probe: one},
		"a head of three":       {Model: m, Probe: three},
		"a bias":                {Model: m, Probe: constant(1, 8, math.NaN())},
		"an encoder":            {Model: broken, Probe: constant(1, 8, 1)},
		"an encoder of classes": {Model: broken, Probe: constant(3, 8, 1)},
	} {
		outputs, _ := c.Probe.Weights.Dims()
		logits := expect.Must(c.Logits(eng, data.Pixels))(t)
		for i := range 6 {
			if !slices.ContainsFunc(logits.RawRowView(i), math.IsNaN) {
				t.Errorf("%s: image %d has the logits %g", name, i, logits.RawRowView(i))
			}
		}
		classes, err := c.Predict(eng, data.Pixels)
		expect.That(t, err != nil, "%s: predicts %v", name, classes)
		if s, err := c.ScoreClasses(eng, data); err == nil {
			t.Errorf("%s: scores %v", name, s)
		}
		if s, err := c.Score(eng, truth); err == nil {
			t.Errorf("%s: scores %v", name, s)
		}
		if s, err := c.ScorePU(eng, labeled, evaluate.ScoreConfig{Prior: 0.3}); err == nil {
			t.Errorf("%s: scores %v", name, s)
		}
		if p, err := c.Scores(eng, data.Pixels); outputs == 1 && err != nil || slices.ContainsFunc(p, func(p float64) bool { return !math.IsNaN(p) }) {
			t.Errorf("%s: scores %v, %v", name, p, err)
		}
	}
}

// Every method of a nil classifier returns an error; nothing panics.
func TestNothingGiven(t *testing.T) {
	eng, data := enginetest.Open(t), patterns(16, 6)
	labeled, _ := pu(16, 6)
	var none *Tuned
	for _, err := range []error{
		refusal.Err(none.Predict(eng, data.Pixels)), refusal.Err(none.Logits(eng, data.Pixels)),
		refusal.Err(none.Scores(eng, data.Pixels)), refusal.Err(none.Score(eng, labeled)),
		refusal.Err(none.ScorePU(eng, labeled, evaluate.ScoreConfig{})), refusal.Err(none.ScoreClasses(eng, data)),
	} {
		refusal.Check(t, err, "a Tuned needs both a Model and a Probe … FineTune returns one with both")
	}
	refusal.Check(t, refusal.Err(DrawShots([]int{0, 0}, 1, 1, nil)), "no generator of random numbers … give rand.New(")
	var never context.Context
	refusal.Check(t, refusal.Err(FineTune(never, eng, quickModel(t), data, 3, FineTuneConfig{Epochs: 1})), "no context … give context.Background()")
}

// Two of two labeled images and one of two others score above 0: accuracy 2·0.4 + 0.5 − 0.4 with a prior of 0.4,
// Lee–Liu 1/0.5 without one, and the minimum if no image scores above 0.
func TestProxyOfHeldOut(t *testing.T) {
	some, none := []float64{1, 2, 3, -1}, []float64{-1, -2, -3, -4}
	for _, tt := range []struct {
		name   string
		prior  float64
		proxy  evaluate.Proxy
		scores []float64
		want   float64
	}{
		{"accuracy", 0.4, nil, some, 0.9},
		{"Lee–Liu", 0, nil, some, 2},
		{"Lee–Liu of none", 0, nil, none, 0},
		{"AUC", 0.4, evaluate.ByProxyAUC, some, 0.5},
	} {
		h := &HeldOut{PU: evaluate.ScoreConfig{Prior: tt.prior}, Proxy: tt.proxy}
		h.Images.Labels = []bool{true, true, false, false}
		e := expect.Must(h.measure(3, func([]uint8) ([]float64, error) { return tt.scores, nil }))(t)
		near(t, tt.name, e.Proxy, tt.want, 1e-15)
		expect.That(t, e.Epoch == 3 && math.IsNaN(e.Test), "%s: %+v", tt.name, e)
	}
}

// An epoch whose proxy is NaN ranks below all others, whether it comes first or later.
func TestUndefinedProxyIsNotKept(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	labeled, _ := pu(10, 24)
	tune := func(proxies ...float64) *mat.Dense {
		t.Helper()
		next := 0
		proxy := func(s evaluate.PU) float64 {
			if s.Constant { // the check before training
				return 0
			}
			next++
			return proxies[next-1]
		}
		c := FineTuneConfig{Epochs: len(proxies), BatchSize: 12, LearningRate: 0.02, Seed: 2, Keep: evaluate.WithoutNegatives,
			HeldOut: &HeldOut{Images: labeled, Proxy: proxy}}
		return expect.Must(FineTunePU(context.Background(), eng, m, labeled, risk.CrossEntropy, c))(t).Probe.Weights
	}
	nan := math.NaN()
	want, first := tune(0, 1, 0.5), tune(1, 0, 0.5)
	if got := tune(nan, 1, nan); !mat.Equal(got, want) || mat.Equal(got, first) {
		t.Errorf("the weights are %v, those of the second epoch %v", got, want)
	}
}
