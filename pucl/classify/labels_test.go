package classify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/mat"
)

// Wherever images or rows come with labels, another number of labels is refused before anything is computed: the message as a
// user meets it, whole, with what was given, what was expected and the mend. Package train tests its own.
func TestLabelsOfAnotherNumber(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	pixels, x := make([]uint8, 4*imageBytes), mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	good, bad := LabeledImages[bool]{pixels, four}, LabeledImages[bool]{pixels, three}
	goodClasses, badClasses := LabeledImages[int]{pixels, fourClasses}, LabeledImages[int]{pixels, classes}
	goodRows, badRows := LabeledRows{x, fourClasses}, LabeledRows{x, classes}
	c := &Tuned{Model: m, Probe: constant(1, 8)}
	one := FewShotConfig{PerClass: 1}
	second := func(_ any, err error) error { return err }
	heldOut := func(h HeldOut) error {
		return second(FineTunePU(ctx, eng, m, good, risk.CrossEntropy, FineTuneConfig{HeldOut: &h}))
	}
	const (
		labels     = "rows: 4 rows and 3 labels; … give one for each row, in the same order"
		truth      = "rows: 4 rows and 3 true classes; … give one for each row, in the same order"
		images     = "classify: 4 images of 12×12×1 (height×width×channels) and 3 labels; … give one for each image, in the same order"
		trueImages = "train: 4 images of 12×12×1 (height×width×channels) and 3 true classes; … give one for each image, in the same order"
	)
	of := func(sentence string, old, new string) string { return strings.Replace(sentence, old, new, 1) }
	ofTrain := of(images, "classify", "train")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"FitFewShot", second(FitFewShot(eng, badRows, goodRows, 3, one)), labels},
		{"FitFewShot, test", second(FitFewShot(eng, goodRows, badRows, 3, one)), truth},
		{"FineTune", second(FineTune(ctx, eng, m, badClasses, 3, FineTuneConfig{})), images},
		{"FineTunePU", second(FineTunePU(ctx, eng, m, bad, risk.CrossEntropy, FineTuneConfig{})), images},
		{"FineTuneFewShot", second(FineTuneFewShot(ctx, eng, m, badClasses, goodClasses, 3, one)), images},
		{"FineTuneFewShot, test", second(FineTuneFewShot(ctx, eng, m, goodClasses, badClasses, 3, one)),
			of(of(trueImages, "train", "classify"), "images", "test images")},
		{"HeldOut", heldOut(HeldOut{Images: bad}), of(images, "images", "images in HeldOut")},
		{"HeldOut, test", heldOut(HeldOut{Images: good, Test: bad}), of(of(trueImages, "train", "classify"), "images", "test images in HeldOut")},
		{"Tuned.Score", second(c.Score(eng, bad)), trueImages},
		{"Tuned.ScorePU", second(c.ScorePU(eng, bad, evaluate.ScoreConfig{})), ofTrain},
		{"Tuned.ScoreClasses", second(c.ScoreClasses(eng, badClasses)), trueImages},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Whole(t, tt.err, tt.want) })
	}
}

// What is not there at all is said too, and classes of test examples that cannot be are known before anything is trained.
func TestNoRowsAndNoSuchClasses(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := LabeledImages[int]{make([]uint8, 3*imageBytes), []int{0, 1, 2}}
	x, one := LabeledRows{mat.NewDense(3, 2, nil), data.Labels}, FewShotConfig{PerClass: 1}
	second := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(FitFewShot(eng, LabeledRows{}, x, 3, one)), "rows: no rows given; … embed at least one example"},
		{second(FitFewShot(nil, x, x, 3, one)), "engine: no engine given; … open one with engine.Open"},
		{second(m.Embed(nil, data.Pixels)), "engine: no engine given; … open one with engine.Open"},
		{second(FitFewShot(eng, x, LabeledRows{mat.NewDense(3, 5, nil), data.Labels}, 3, one)),
			"classify: rows of 2 entries to learn from, rows of 5 to test on; … embed both with the same model"},
		{second(FitFewShot(eng, x, LabeledRows{x.X, []int{0, 1, 3}}, 3, one)),
			"rows: test row 2 has class 3; … 3 classes are numbered from 0 to 2"},
		{second(FineTuneFewShot(ctx, eng, m, data, LabeledImages[int]{data.Pixels, []int{0, -1, 1}}, 3, one)),
			"rows: test image 1 has class -1; … 3 classes are numbered from 0 to 2"},
	} {
		refusal.Whole(t, tt.err, tt.want)
	}
}

// Fine-tuning by classes, by a PU risk and few shots have on XLA the losses and accuracies that they have on the pure-Go engine.
func TestFineTuningOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	model := t.TempDir() + "/model"
	expect.NoError(t, quickModel(t).Save(model))
	for name, tune := range map[string]func(*engine.Engine, *train.Model) (*Tuned, error){
		"classes": func(eng *engine.Engine, m *train.Model) (*Tuned, error) {
			return FineTune(context.Background(), eng, m, patterns(9, 12), 3, FineTuneConfig{Epochs: 3, BatchSize: 5, Seed: 4,
				Recipe: augment.Recipe{augment.Crop{}}, Optimizer: optim.SGD{LearningRate: 0.1}})
		},
		"PU risk, best epoch": func(eng *engine.Engine, m *train.Model) (*Tuned, error) {
			return tuneKept(context.Background(), eng, m, FineTuneConfig{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			on := func(eng *engine.Engine) *Tuned { // weights stay with the engine that used them first
				return expect.Must(tune(eng, expect.Must(train.LoadModel(model, nil))(t)))(t)
			}
			got, want := on(xla), on(pureGo)
			for i, loss := range want.Tuning.History.Losses {
				near(t, fmt.Sprintf("loss of step %d", i), got.Tuning.History.Losses[i], loss, 1e-3)
			}
		})
	}
	rng := rand.New(rand.NewPCG(9, 9))
	data, test := blobs(rng, 60, 2.5), blobs(rng, 100, 2.5)
	config := FewShotConfig{PerClass: 5, Draws: 2, Seed: 4, Probe: probe.Config{Epochs: 40}}
	got := expect.Must(FitFewShot(xla, data, test, 3, config))(t)
	want := expect.Must(FitFewShot(pureGo, data, test, 3, config))(t)
	near(t, "accuracy of few shots", got.Accuracy.Mean, want.Accuracy.Mean, 0.005) // two of 300 rows on the boundary, at most
}
