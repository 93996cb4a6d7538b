package classify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/risk"
)

// patterns are 12×12 images of three classes in turn: horizontal stripes, vertical ones, and both, one over the other.
func patterns(seed uint64, n int) (pixels []uint8, classes []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	for i := range n {
		classes = append(classes, i%3)
		one := stripe(rng, i%3 == 0)
		if i%3 == 2 {
			for k, value := range stripe(rng, true) {
				one[k] = one[k]/2 + value/2
			}
		}
		pixels = append(pixels, one...)
	}
	return pixels, classes
}

// once keeps a model for all tests.
type once struct {
	sync.Once
	model *Model
	err   error
}

func (o *once) pretrain(t *testing.T, e encoder.Encoder) *Model {
	t.Helper()
	eng, config := enginetest.Open(t), quick(12)
	config.Encoder = e
	o.Do(func() { o.model, o.err = Pretrain(context.Background(), eng, stripes{16, 4}, config) })
	if o.err != nil {
		t.Fatal(o.err)
	}
	return o.model
}

var convolutional, perceptron once

// aModel is a model that knows a little of stripes, and quickModel one whose network is compiled in a moment.
func aModel(t *testing.T) *Model { return convolutional.pretrain(t, tiny) }

func quickModel(t *testing.T) *Model {
	return perceptron.pretrain(t, encoder.MLP{Hidden: []int{24}, Dim: 8})
}

func unitEmbedding(t *testing.T, eng *engine.Engine, m *Model, pixels []uint8) *mat.Dense {
	t.Helper()
	e, err := m.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	return UnitRows(e.H)
}

// moved tells which variables of a model differ from those of another.
func moved(t *testing.T, a, b *Model) (paths []string) {
	t.Helper()
	old, now := weightsOf(t, a), weightsOf(t, b)
	if len(old) != len(now) {
		t.Errorf("%d variables, and now %d", len(old), len(now))
	}
	for path := range old {
		if !equalValues(old[path], now[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// All weights of the encoder move, the model that was given does not, and new images are told apart better than by a head
// on the frozen encoder.
func TestFineTuneMovesTheEncoder(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	before, err := m.clone()
	if err != nil {
		t.Fatal(err)
	}
	pixels, classes := patterns(1, 60)
	test, truth := patterns(2, 120)
	ctx := context.Background()
	steps := 0
	config := FineTuneConfig{Epochs: 25, BatchSize: 20, LearningRate: 0.01, OnStep: func(p Progress) {
		if steps++; p.Step != steps || p.Steps != 75 || p.Views != 20*steps {
			t.Errorf("step %d says %+v", steps, p)
		}
	}}
	tuned, err := FineTune(ctx, eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	if steps != 75 || len(tuned.Tuning.Losses) != 75 {
		t.Errorf("%d steps, %d losses", steps, len(tuned.Tuning.Losses))
	}
	near(t, "first loss, of a head at zero", tuned.Tuning.Losses[0], math.Log(3), 1e-5)
	if paths := moved(t, before, m); paths != nil {
		t.Errorf("fine-tuning changed %v of the model it was given", paths)
	}
	kinds := map[string]int{}
	for _, path := range moved(t, m, tuned.Model) {
		kinds[filepath.Base(path)]++
		if !strings.HasPrefix(path, "/encoder/") {
			t.Errorf("%s moved", path)
		}
	}
	if fmt.Sprint(kinds) != "map[kernel:3 scale:4 shift:4 weights:1]" {
		t.Errorf("these weights moved: %v", kinds)
	}
	// Weight decay pulls at every weight that the optimizer can see.
	config.OnStep, config.FreezeEncoder, config.Optimizer = nil, true, optim.AdamW{WeightDecay: 0.01}
	frozen, err := FineTune(ctx, eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	if paths := moved(t, m, frozen.Model); paths != nil {
		t.Errorf("%v of a frozen encoder moved", paths)
	}
	good, err := tuned.Score(eng, test, truth)
	if err != nil {
		t.Fatal(err)
	}
	fair, err := frozen.Score(eng, test, truth)
	if err != nil {
		t.Fatal(err)
	}
	if good.Accuracy < 0.9 || good.Accuracy < fair.Accuracy || tuned.Tuning.Degenerate() {
		t.Errorf("tuned %v, frozen %v; %v", good, fair, tuned.Tuning)
	}
	config.FreezeEncoder, config.Optimizer, config.BatchStatistics, config.Epochs = false, nil, true, 1
	batch, err := FineTune(ctx, eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	clear(kinds)
	for _, path := range moved(t, m, batch.Model) {
		kinds[filepath.Base(path)]++
	}
	if kinds["mean"] != 4 || kinds["variance"] != 4 {
		t.Errorf("with batch statistics these moved: %v", kinds)
	}
	if batch.Tuning.Losses[1] == tuned.Tuning.Losses[1] {
		t.Error("batch statistics change no loss")
	}
}

// softmaxLess returns softmax(logits) − onehot(class).
func softmaxLess(logits []float64, class int) []float64 {
	out := make([]float64, len(logits))
	for i, l := range logits {
		out[i] = math.Exp(l - floats.LogSumExp(logits))
	}
	out[class]--
	return out
}

// One step of gradient descent on all images is worked out here by loops, from the embeddings: the gradient with respect to
// the head in shifted and scaled coordinates, and the way back from these.
func TestFineTunedHeadAgainstLoops(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(4, 21)
	x := unitEmbedding(t, eng, m, pixels)
	n, k := x.Dims()
	rng := rand.New(rand.NewPCG(5, 5))
	start := &ClassProbe{Weights: mat.NewDense(3, k, nil), Bias: []float64{0.3, -0.1, 0}}
	for i := range 3 {
		for j := range k {
			start.Weights.Set(i, j, rng.NormFloat64())
		}
	}
	const rate = 0.5
	config := FineTuneConfig{FreezeEncoder: true, Head: start, Epochs: 1, Schedule: optim.Constant{},
		Optimizer: optim.SGD{LearningRate: rate, Momentum: -1, WeightDecay: -1}}
	got, err := FineTune(context.Background(), eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}

	mean, total := make([]float64, k), 0.0
	for j := range k {
		for i := range n {
			mean[j] += x.At(i, j) / float64(n)
		}
		for i := range n {
			total += (x.At(i, j) - mean[j]) * (x.At(i, j) - mean[j]) / float64(n*k)
		}
	}
	scale, loss := math.Sqrt(total), 0.0
	weights, bias := mat.DenseCopyOf(start.Weights), make([]float64, 3)
	for class := range 3 {
		bias[class] = start.Bias[class] + floats.Dot(start.Weights.RawRowView(class), mean)
	}
	for i := range n {
		logits := make([]float64, 3)
		for class := range logits {
			logits[class] = start.Bias[class] + floats.Dot(start.Weights.RawRowView(class), x.RawRowView(i))
		}
		loss += (floats.LogSumExp(logits) - logits[classes[i]]) / float64(n)
		for class, slope := range softmaxLess(logits, classes[i]) {
			slope *= rate / float64(n)
			bias[class] -= slope
			for j := range k {
				weights.Set(class, j, weights.At(class, j)-slope*(x.At(i, j)-mean[j])/scale/scale)
			}
		}
	}
	near(t, "loss", got.Tuning.Losses[0], loss, 1e-5)
	for class := range 3 {
		for j := range k {
			near(t, fmt.Sprintf("weight %d, %d", class, j), got.Probe.Weights.At(class, j), weights.At(class, j), 1e-4)
		}
		near(t, fmt.Sprint("bias ", class), got.Probe.Bias[class], bias[class]-floats.Dot(weights.RawRowView(class), mean), 1e-4)
	}
}

// The gradient of the whole network, encoder and head, against central differences in float64, with running and with batch
// statistics.
func TestFineTuningGradientAgainstDifferences(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	noise := rand.New(rand.NewPCG(6, 6))
	classes, images := []int{0, 1, 2, 0, 1, 2}, make([]float64, 6*144)
	for i := range images {
		images[i] = noise.Float64()
	}
	for _, config := range []FineTuneConfig{{}, {BatchStatistics: true}} {
		tune := tuner{outputs: 3, model: &Model{encoder: m.encoder}, mean: make([]float64, 8), std: make([]float64, 8)}
		rng := rand.New(rand.NewPCG(7, 7))
		tune.start = &ClassProbe{Weights: mat.NewDense(3, 8, nil), Bias: []float64{0.1, 0, -0.2}}
		for j := range 8 {
			tune.mean[j], tune.std[j] = 0.1*rng.NormFloat64(), 0.4
			for class := range 3 {
				tune.start.Weights.Set(class, j, rng.NormFloat64())
			}
		}
		store := model.NewStore()
		var names []string
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, images *Node) []*Node {
			logits := tune.logits(scope, images, config, true)
			right := ReduceSum(Mul(LogSoftmax(logits, -1), OneHot(Const(images.Graph(), classes), 3, logits.DType())), -1)
			loss := Neg(ReduceAllMean(right))
			var wrt []*Node
			names = nil
			for v := range store.IterVariables() {
				if v.Trainable {
					wrt, names = append(wrt, v.NodeValue(images.Graph())), append(names, v.Path())
				}
			}
			return append([]*Node{loss}, Gradient(loss, wrt...)...)
		})
		defer exec.Finalize()
		call := func() []*tensors.Tensor {
			out, err := exec.Call(tensors.FromFlatDataAndDimensions(images, 6, 12, 12, 1))
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		out := call()
		if len(names) != 14 || !slices.Contains(names, "/head/weights") {
			t.Fatalf("trained are %v", names)
		}
		const h = 1e-6
		for i, name := range names {
			gradient := tensors.MustCopyFlatData[float64](out[1+i])
			direction := make([]float64, len(gradient))
			for k := range direction {
				direction[k] = rng.NormFloat64()
			}
			v := store.GetVariable(name)
			at := tensors.MustCopyFlatData[float64](v.MustValue())
			lossAt := func(by float64) float64 {
				x := slices.Clone(at)
				floats.AddScaled(x, by, direction)
				if err := v.SetValue(tensors.FromFlatDataAndDimensions(x, v.Shape().Dimensions...)); err != nil {
					t.Fatal(err)
				}
				return tensors.ToScalar[float64](call()[0])
			}
			difference := (lossAt(h) - lossAt(-h)) / (2 * h)
			lossAt(0)
			want := floats.Dot(gradient, direction)
			if !(math.Abs(want-difference) <= 1e-6*max(1, math.Abs(want))) || floats.Norm(gradient, 2) == 0 {
				t.Errorf("%s, batch statistics %t: gradient %g, difference %g", name, config.BatchStatistics, want, difference)
			}
		}
	}
}

// still is a configuration that takes next to no step.
var still = FineTuneConfig{Epochs: 1, LearningRate: 1e-12}

// Fine-tuning with next to no steps predicts what the head it starts at does, for classes and for PU data.
func TestFineTuneStartsAtTheHead(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(8, 30)
	x := unitEmbedding(t, eng, m, pixels)
	head, err := FitClassProbe(eng, x, classes, 3, ProbeConfig{Epochs: 60})
	if err != nil {
		t.Fatal(err)
	}
	want, err := head.Logits(x)
	if err != nil {
		t.Fatal(err)
	}
	config := still
	config.Head = head
	tuned, err := FineTune(context.Background(), eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tuned.Logits(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, want, 1e-3) {
		t.Error("the logits are not those of the head that training started at")
	}
	predicted, err := head.Predict(x)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 3)
	for _, class := range predicted {
		counts[class]++
	}
	if !slices.Equal(tuned.Tuning.Predicted, counts) {
		t.Errorf("predicted %v, want %v", tuned.Tuning.Predicted, counts)
	}

	positive := make([]bool, len(classes))
	for i, class := range classes {
		positive[i] = class == 0
	}
	probe, err := FitProbe(eng, x, positive, risk.CrossEntropy, ProbeConfig{Epochs: 60})
	if err != nil {
		t.Fatal(err)
	}
	if config.Head, err = probe.Classes(); err != nil {
		t.Fatal(err)
	}
	binary, err := FineTunePU(context.Background(), eng, m, pixels, positive, risk.CrossEntropy, config)
	if err != nil {
		t.Fatal(err)
	}
	for j, w := range probe.Weights {
		near(t, "weight", binary.Probe.Weights[j], w, 1e-4)
	}
	near(t, "bias", binary.Probe.Bias, probe.Bias, 1e-4)
	s, err := binary.Score(eng, pixels, positive)
	if err != nil {
		t.Fatal(err)
	}
	old, err := probe.Score(x, positive)
	if err != nil {
		t.Fatal(err)
	}
	if s.Accuracy() != old.Accuracy() {
		t.Errorf("accuracy %v, of the probe %v", s, old)
	}
	if want := []int{s.FalseNegative + s.TrueNegative, s.TruePositive + s.FalsePositive}; !slices.Equal(binary.Tuning.Predicted, want) {
		t.Errorf("predicted %v, want %v", binary.Tuning.Predicted, want)
	}
}

// Views come from the recipe: one that blackens every image leaves nothing to learn from a balanced batch.
func TestFineTuneLearnsFromViews(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(9, 12)
	run := func(c FineTuneConfig) []float64 {
		c.Epochs = 4
		tuned, err := FineTune(context.Background(), eng, m, pixels, classes, 3, c)
		if err != nil {
			t.Fatal(err)
		}
		return tuned.Tuning.Losses
	}
	black := augment.Recipe{augment.Func{Name: "black", Graph: func(x, _ *Node) *Node { return ZerosLike(x) }}}
	for _, loss := range run(FineTuneConfig{Recipe: black, Optimizer: optim.SGD{LearningRate: 0.1}}) {
		near(t, "loss of black images", loss, math.Log(3), 1e-5)
	}
	// With the same image twelve times in every batch and a network that hardly moves, only new views can change the loss.
	quiet := still
	quiet.Head = &ClassProbe{Weights: mat.NewDense(3, 8, nil), Bias: make([]float64, 3)}
	for i := range 3 {
		for j := range 8 {
			quiet.Head.Weights.Set(i, j, math.Sin(float64(1+8*i+j)))
		}
	}
	varied, kinds := pixels, classes
	pixels, classes = bytes.Repeat(pixels[:144], 12), make([]int, 12)
	same := run(quiet)
	near(t, "loss of a later step", same[3], same[0], 1e-5)
	quiet.Recipe = augment.Recipe{augment.Crop{}}
	views := run(quiet)
	for i := range views {
		if math.Abs(views[i]-same[0]) < 1e-4 || i > 0 && math.Abs(views[i]-views[i-1]) < 1e-4 {
			t.Errorf("views have the losses %v, the images themselves %v", views, same[0])
		}
	}
	pixels, classes = varied, kinds
	flipped := FineTuneConfig{Recipe: augment.Recipe{augment.Crop{}}, BatchSize: 5, Seed: 3}
	once, again := run(flipped), run(flipped)
	if len(once) != 8 || !slices.Equal(once, again) {
		t.Errorf("the same seed gave %v and %v; 8 steps were wanted", once, again)
	}
	plain := flipped
	plain.Recipe = nil
	other := flipped
	other.Seed = 4
	if slices.Equal(once, run(plain)) || slices.Equal(once, run(other)) {
		t.Error("neither views nor seed may leave the losses as they are")
	}
}

// pu makes PU data of patterns: class 0 is positive, and every other one of it is labeled.
func pu(seed uint64, n int) (pixels []uint8, labeled, truth []bool) {
	pixels, classes := patterns(seed, n)
	for i, class := range classes {
		truth = append(truth, class == 0)
		labeled = append(labeled, class == 0 && i%2 == 0)
	}
	return pixels, labeled, truth
}

// cliff is a schedule whose rate is a hundred times the peak in the second half.
type cliff struct{ optim.Constant }

func (cliff) Rate(peak float64, step, steps int) float64 {
	if step < steps/2 {
		return peak
	}
	return 100 * peak
}

// Fine-tuning by a PU risk learns, what is held out changes nothing, each epoch's readings are those of the network at that
// time, and the epoch chosen without negatives is the one whose weights are kept.
func TestFineTunePU(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	pixels, labeled, truth := pu(10, 96)
	held := &HeldOut{PU: evaluate.ScoreConfig{Prior: 0.2}}
	held.Pixels, held.Labeled, _ = pu(11, 60)
	held.TestPixels, _, held.Truth = pu(12, 90)
	config := FineTuneConfig{Epochs: 12, BatchSize: 24, LearningRate: 0.01, Seed: 2}
	risk := risk.NNPU(0.2, risk.SigmoidLoss)
	ctx := context.Background()
	alone, err := FineTunePU(ctx, eng, m, pixels, labeled, risk, config)
	if err != nil {
		t.Fatal(err)
	}
	s, err := alone.Score(eng, pixels, truth)
	if err != nil {
		t.Fatal(err)
	}
	if s.Accuracy() < 0.85 || s.Degenerate() {
		t.Error(s)
	}
	if _, err := alone.Tuning.Selection(); err == nil || !strings.Contains(err.Error(), "set FineTuneConfig.HeldOut") {
		t.Error(err)
	}
	config.HeldOut = held
	last, err := FineTunePU(ctx, eng, m, pixels, labeled, risk, config)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(last.Tuning.Losses, alone.Tuning.Losses) {
		t.Error("what is held out changes the losses")
	}
	if paths := moved(t, alone.Model, last.Model); paths != nil {
		t.Errorf("what is held out changes %v", paths)
	}
	reading := func(c *Classifier) (proxy, test float64) {
		p, err := c.ScorePU(eng, held.Pixels, held.Labeled, held.PU)
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Score(eng, held.TestPixels, held.Truth)
		if err != nil {
			t.Fatal(err)
		}
		return p.ProxyAccuracy(), b.Accuracy()
	}
	chosen, err := last.Tuning.Selection()
	if err != nil {
		t.Fatal(err)
	}
	proxy, test := reading(last)
	near(t, "proxy of the last epoch", chosen.Last.Proxy, proxy, 1e-9)
	near(t, "test of the last epoch", chosen.Last.Test, test, 1e-9)
	if len(last.Tuning.Epochs) != 12 || chosen.Last.Epoch != 12 {
		t.Errorf("epochs %+v", last.Tuning.Epochs)
	}
	// A rate that is much too high in the second half ruins the last epoch.
	config.Keep, config.Schedule = evaluate.WithoutNegatives, cliff{}
	best, err := FineTunePU(ctx, eng, m, pixels, labeled, risk, config)
	if err != nil {
		t.Fatal(err)
	}
	if chosen, err = best.Tuning.Selection(); err != nil {
		t.Fatal(err)
	}
	if best.Tuning.Degenerate() || chosen.WithoutNegatives.Epoch == 12 || chosen.WithoutNegatives.Proxy == chosen.Last.Proxy {
		t.Fatalf("this run does not tell the rules apart: %v", chosen)
	}
	proxy, test = reading(best)
	near(t, "proxy of the chosen epoch", proxy, chosen.WithoutNegatives.Proxy, 1e-9)
	near(t, "test of the chosen epoch", test, chosen.WithoutNegatives.Test, 1e-9)
	for _, want := range []string{"last epoch", "chosen without negatives", "oracle"} {
		if text := best.Tuning.String(); !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if !strings.Contains(best.Tuning.Record.Settings, "keeping: chosen without negatives; seed 2") {
		t.Error(best.Tuning.Record.Settings)
	}
}

// A network that gives every image the same answer is called degenerate by fine-tuning itself, and by its scores.
func TestDegenerateFineTuning(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(13, 12)
	config := still
	config.Head = &ClassProbe{Weights: mat.NewDense(3, 8, nil), Bias: []float64{0, 50, 0}}
	tuned, err := FineTune(context.Background(), eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tuned.Score(eng, pixels, classes)
	if err != nil {
		t.Fatal(err)
	}
	_, labeled, _ := pu(13, 12)
	config.Head = &ClassProbe{Weights: mat.NewDense(2, 8, nil), Bias: []float64{50, 0}}
	config.HeldOut = &HeldOut{Pixels: pixels, Labeled: labeled, TestPixels: pixels, Truth: labeled}
	binary, err := FineTunePU(context.Background(), eng, m, pixels, labeled, risk.CrossEntropy, config)
	if err != nil {
		t.Fatal(err)
	}
	b, err := binary.Score(eng, pixels, labeled)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []fmt.Stringer{tuned.Tuning, s, binary.Tuning, b} {
		if !strings.Contains(x.String(), "degenerate: every prediction is") {
			t.Errorf("%q does not say that it is degenerate", x)
		}
	}
	if !strings.Contains(binary.Tuning.String(), "(epoch 1, degenerate)") {
		t.Error(binary.Tuning)
	}
}

func TestMultiClassifierComesBack(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(14, 9)
	tuned, err := FineTune(context.Background(), eng, m, pixels, classes, 3, FineTuneConfig{Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "of", "three")
	if err := tuned.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := LoadMultiClassifier(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := tuned.Logits(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Logits(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got, want) || back.Tuning.String() != tuned.Tuning.String() || back.Tuning.Record.Settings != tuned.Tuning.Record.Settings {
		t.Error("the classifier that was read is another one")
	}
	if _, err := LoadClassifier(path, nil); err == nil {
		t.Error("a MultiClassifier was read as a Classifier")
	}
	_, labeled, _ := pu(14, 9)
	binary, err := FineTunePU(context.Background(), eng, m, pixels, labeled, risk.CrossEntropy, FineTuneConfig{Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := binary.Save(path); err != nil {
		t.Fatal(err)
	}
	if again, err := LoadClassifier(path, nil); err != nil || !slices.Equal(again.Tuning.Losses, binary.Tuning.Losses) {
		t.Errorf("%v", err)
	}
	if _, err := LoadMultiClassifier(path, nil); err == nil || !strings.Contains(err.Error(), "it is no MultiClassifier") {
		t.Error(err)
	}
	if err := (&MultiClassifier{Model: m}).Save(path); err == nil || !strings.Contains(err.Error(), "needs both") {
		t.Error(err)
	}
}

// An observer is told of fine-tuning as of pretraining: once before anything is computed, after every step, and at the end.
func TestFineTuneIsObserved(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(15, 12)
	var rates []float64
	watching := &witness{}
	config := FineTuneConfig{Epochs: 2, BatchSize: 5, Observer: watching, OnStep: func(p Progress) {
		rates = append(rates, p.Rate)
		if p.Step != len(rates) || p.Steps != 4 || p.Views != 5*p.Step || p.Examples != 5 || p.Example != "image" || p.Chance != 0 ||
			!(p.Loss > 0) || p.Waited < 0 || p.Elapsed < p.Waited || p.Reading != nil {
			t.Errorf("step %d says %+v", len(rates), p)
		}
	}}
	tuned, err := FineTune(context.Background(), eng, m, pixels, classes, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	if watching.starts != 1 || watching.steps != 4 || watching.ends != 1 || watching.err != nil {
		t.Errorf("the observer saw %+v", watching)
	}
	if last := watching.last; last.Step != 4 || last.Loss != tuned.Tuning.Losses[3] {
		t.Errorf("at the end it was told %+v", last)
	}
	// A half cosine from 0.001 down to 0: after 0, 1, 2 and 3 of the 4 steps.
	for step, rate := range rates {
		near(t, "rate", rate, 0.001*(1+math.Cos(math.Pi*float64(step)/4))/2, 1e-12)
	}
	// What is refused before there is anything to tell is not told.
	refused := &witness{}
	if _, err := FineTune(context.Background(), eng, m, pixels, classes[1:], 3, FineTuneConfig{Observer: refused}); err == nil || *refused != (witness{}) {
		t.Errorf("%v; the observer saw %+v", err, refused)
	}
	// The time in which images that are held out are measured is no training.
	_, labeled, _ := pu(15, 12)
	paused := &witness{}
	if _, err := FineTunePU(context.Background(), eng, m, pixels, labeled, risk.CrossEntropy,
		FineTuneConfig{Epochs: 2, BatchSize: 12, Observer: paused, HeldOut: &HeldOut{Pixels: pixels, Labeled: labeled}}); err != nil {
		t.Fatal(err)
	}
	if paused.last.Paused <= 0 || watching.last.Paused != 0 {
		t.Errorf("paused for %v with images held out, for %v without", paused.last.Paused, watching.last.Paused)
	}
}

// Fine-tuning that is asked to stop ends as pretraining does, and says that nothing is kept.
func TestFineTuneStops(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(15, 12)
	ctx, stop := context.WithCancelCause(context.Background())
	watching := &witness{}
	config := FineTuneConfig{BatchSize: 4, Observer: watching, OnStep: func(p Progress) {
		if p.Step == 2 {
			stop(errors.New("the user had enough"))
		}
	}}
	_, err := FineTune(ctx, eng, m, pixels, classes, 3, config)
	var why *Stopped
	if !errors.As(err, &why) || !errors.Is(err, context.Canceled) || why.Step != 2 || why.Steps != 150 || why.Checkpoint != "" ||
		err.Error() != "pucl: fine-tuning stopped after 2 of 150 steps (the user had enough); nothing of it is saved: run the same again, and it starts anew" {
		t.Error(err)
	}
	if watching.starts != 1 || watching.steps != 2 || watching.ends != 1 || watching.err != err {
		t.Errorf("the observer saw %+v", watching)
	}
}

// Numbers that are not finite are told, in the loss of a step and in what the last step made.
func TestFineTuneDiverges(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(15, 12)
	broken := func(logits, _ *Node) *Node { return Log(Neg(ReduceAllSum(Square(AddScalar(logits, 1))))) }
	watching := &witness{}
	_, err := FineTunePU(context.Background(), eng, m, pixels, make([]bool, 12), broken, FineTuneConfig{Seed: 7, Observer: watching})
	if err == nil || !strings.Contains(err.Error(), "is NaN at step 0 of 50 (seed 7)") || watching.ends != 1 || watching.err != err {
		t.Errorf("%v; the observer saw %+v", err, watching)
	}
	far := FineTuneConfig{Epochs: 1, BatchSize: 12, LearningRate: 1e39}
	_, err = FineTune(context.Background(), eng, m, pixels, classes, 3, far)
	if err == nil || !strings.Contains(err.Error(), "after 1 steps of fine-tuning the network gives") {
		t.Errorf("weights beyond float32 gave %v", err)
	}
}

func TestFineTuneRefuses(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(16, 6)
	ctx := context.Background()
	_, labeled, truth := pu(16, 6)
	fit := func(c FineTuneConfig) error {
		_, err := FineTune(ctx, eng, m, pixels, classes, 3, c)
		return err
	}
	fitPU := func(c FineTuneConfig) error {
		_, err := FineTunePU(ctx, eng, m, pixels, labeled, risk.CrossEntropy, c)
		return err
	}
	_, none := FineTune(ctx, eng, nil, pixels, classes, 3, FineTuneConfig{})
	_, rows := FineTune(ctx, eng, &Model{features: 4}, pixels, classes, 3, FineTuneConfig{})
	_, short := FineTune(ctx, eng, m, pixels[1:], classes, 3, FineTuneConfig{})
	_, empty := FineTune(ctx, eng, m, nil, nil, 3, FineTuneConfig{})
	_, one := FineTune(ctx, eng, m, pixels, classes, 1, FineTuneConfig{})
	_, class := FineTune(ctx, eng, m, pixels, classes, 2, FineTuneConfig{})
	_, noEngine := FineTune(ctx, nil, m, pixels, classes, 3, FineTuneConfig{})
	_, noRisk := FineTunePU(ctx, eng, m, pixels, labeled, nil, FineTuneConfig{})
	_, prior := FineTunePU(ctx, eng, m, pixels, labeled, risk.NNPU(2, risk.SigmoidLoss), FineTuneConfig{})
	_, shots := FineTuneFewShot(ctx, eng, m, pixels, classes, pixels[1:], classes, 3, FewShotConfig{})
	_, noModel := FineTuneFewShot(ctx, eng, nil, pixels, classes, pixels, classes, 3, FewShotConfig{})
	for says, err := range map[string]error{
		"no model to fine-tune":                              none,
		"rows of 4 features, and FineTune takes images":      rows,
		"863 bytes are no whole number of images":            short,
		"0 bytes are no whole number of images":              empty,
		"for 1 classes":                                      one,
		"image 2 has class 2":                                class,
		"no engine":                                          noEngine,
		"no risk to minimise":                                noRisk,
		"π = 2 is not between":                               prior,
		"863 bytes are no whole number of test images":       shots,
		"no model to fine-tune; Pretrain":                    noModel,
		"-1 epochs":                                          fit(FineTuneConfig{Epochs: -1}),
		"batches of -2 images":                               fit(FineTuneConfig{BatchSize: -2}),
		"choose one of them":                                 fit(FineTuneConfig{FreezeEncoder: true, BatchStatistics: true}),
		"a batch of one image has no statistics":             fit(FineTuneConfig{BatchSize: 1, BatchStatistics: true}),
		"learning rate NaN":                                  fit(FineTuneConfig{LearningRate: math.NaN()}),
		"momentum 3":                                         fit(FineTuneConfig{Optimizer: optim.SGD{Momentum: 3}}),
		"a warm-up of 99 steps":                              fit(FineTuneConfig{Schedule: optim.Cosine{Warmup: 99}, Epochs: 1}),
		"step 1 (horizontal flip":                            fit(FineTuneConfig{Recipe: augment.Recipe{augment.Flip{Probability: 2}}}),
		"HeldOut is for PU data":                             fit(FineTuneConfig{HeldOut: &HeldOut{}}),
		"set HeldOut, or keep":                               fit(FineTuneConfig{Keep: evaluate.WithoutNegatives}),
		`by the rule "oracle"`:                               fitPU(FineTuneConfig{Keep: evaluate.Oracle}),
		"head to start at has 2 classes, the data 3":         fit(FineTuneConfig{Head: &ClassProbe{Weights: mat.NewDense(2, 8, nil), Bias: make([]float64, 2)}}),
		"reads rows of 5 entries, the encoder's embeddings":  fit(FineTuneConfig{Head: &ClassProbe{Weights: mat.NewDense(3, 5, nil), Bias: make([]float64, 3)}}),
		"no weights; make one":                               fit(FineTuneConfig{Head: &ClassProbe{}}),
		"has 3 classes; FineTunePU takes the 2":              fitPU(FineTuneConfig{Head: &ClassProbe{Weights: mat.NewDense(3, 8, nil), Bias: make([]float64, 3)}}),
		"no whole number of images in HeldOut":               fitPU(FineTuneConfig{HeldOut: &HeldOut{}}),
		"at least one of each must be held out":              fitPU(FineTuneConfig{HeldOut: &HeldOut{Pixels: pixels, Labeled: make([]bool, 6)}}),
		"0 bytes are no whole number of test images in Held": fitPU(FineTuneConfig{HeldOut: &HeldOut{Pixels: pixels, Labeled: labeled, Truth: truth}}),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v does not say %q", err, says)
		}
	}
}

// Both ways of learning from few labels see the same examples, and where they start at the same probe and hardly move, they
// score the same.
func TestFineTuneFewShot(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	pixels, classes := patterns(17, 45)
	test, truth := patterns(18, 60)
	x, xTest := unitEmbedding(t, eng, m, pixels), unitEmbedding(t, eng, m, test)
	head, err := FitClassProbe(eng, x, classes, 3, ProbeConfig{Epochs: 5})
	if err != nil {
		t.Fatal(err)
	}
	config := FewShotConfig{PerClass: 2, Draws: 2, Start: head, Seed: 3, Tune: still, Probe: ProbeConfig{Epochs: 1, LearningRate: 1e-12}}
	probes, err := FitFewShot(eng, x, classes, xTest, truth, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	networks, err := FineTuneFewShot(ctx, eng, m, pixels, classes, test, truth, 3, config)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", networks.Accuracy.Mean, probes.Accuracy.Mean, 1e-12)
	if text := networks.String(); !strings.HasPrefix(text, "fine-tuning, 2 labels a class: accuracy ") {
		t.Error(text)
	}

	rows, err := DrawShots(classes, 3, 2, rand.New(rand.NewPCG(4, 0x5407)))
	if err != nil {
		t.Fatal(err)
	}
	var shots []uint8
	var of []int
	for _, row := range rows {
		shots, of = append(shots, pixels[row*144:(row+1)*144]...), append(of, classes[row])
	}
	few := FewShotConfig{PerClass: 2, Draws: 2, Seed: 3, Tune: FineTuneConfig{Epochs: 20, LearningRate: 0.01, BatchSize: 4}}
	if networks, err = FineTuneFewShot(ctx, eng, m, pixels, classes, test, truth, 3, few); err != nil {
		t.Fatal(err)
	}
	few.Tune.Seed = 4
	by, err := FineTune(ctx, eng, m, shots, of, 3, few.Tune)
	if err != nil {
		t.Fatal(err)
	}
	s, err := by.Score(eng, test, truth)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%+v", s) != fmt.Sprintf("%+v", networks.Draws[1]) {
		t.Errorf("by hand %v, as the second draw %v", s, networks.Draws[1])
	}
	few.Tune, few.Start = still, &ClassProbe{Weights: mat.NewDense(3, 8, nil), Bias: []float64{0, 50, 0}}
	if networks, err = FineTuneFewShot(ctx, eng, m, pixels, classes, test, truth, 3, few); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(networks.String(), "degenerate in 2 of 2 draws") {
		t.Error(networks)
	}
}
