package classify

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// fewLabels are features with a label too few.
type fewLabels struct{}

func (fewLabels) Features() int { return 2 }

func (fewLabels) Batch(int) (views []float32, labeled []bool) {
	return make([]float32, 16), make([]bool, 3)
}

// manyLabels are stripes with a label too many.
type manyLabels struct{ stripes }

func (m manyLabels) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	pixels, labeled, err = m.stripes.Batch(step)
	return pixels, append(labeled, false), err
}

// Wherever images or rows come with labels, another number of labels is refused before anything is computed: the message as a
// user meets it, whole, with what was given, what was expected and the mend.
func TestLabelsOfAnotherNumber(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	pixels, x := make([]uint8, 4*imageBytes), mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	good, bad := LabeledImages[bool]{pixels, four}, LabeledImages[bool]{pixels, three}
	goodClasses, badClasses := LabeledImages[int]{pixels, fourClasses}, LabeledImages[int]{pixels, classes}
	goodRows, badRows := LabeledRows{x, fourClasses}, LabeledRows{x, classes}
	c := &Classifier{Model: m, Probe: constant(1, 8)}
	one := FewShotConfig{PerClass: 1}
	monitor := func(monitor train.Monitor) error {
		monitor.Every = 1
		_, err := train.Pretrain(ctx, eng, stripes{8, 2}, train.Config{Steps: 1, Monitor: monitor})
		return err
	}
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
		{"Classifier.Score", second(c.Score(eng, bad)), trueImages},
		{"Classifier.ScorePU", second(c.ScorePU(eng, bad, evaluate.ScoreConfig{})), ofTrain},
		{"Classifier.ScoreClasses", second(c.ScoreClasses(eng, badClasses)), trueImages},

		{"Pretrain", second(train.Pretrain(ctx, eng, manyLabels{stripes{8, 2}}, train.Config{Steps: 1})),
			"train: batch 0 holds 9 labels and 1152 bytes of pixels, but images of 12×12×1 (height×width×channels) take 144 bytes for each label; … " +
				"do ImageShape and Batch speak of the same images?"},
		{"PretrainFeatures", second(train.PretrainFeatures(ctx, eng, fewLabels{}, train.Config{Steps: 1})),
			"train: batch 0 holds 3 labels and 16 numbers; … two views of rows of 2 need 4 numbers for each label"},
		{"Monitor of images", monitor(train.Monitor{Pixels: pixels, Labeled: three}), of(ofTrain, "images", "images to monitor")},
		{"Monitor, truth", monitor(train.Monitor{Pixels: pixels, Labeled: four, Positive: three}),
			"train: Monitor has 4 entries in Labeled and 3 in Positive; … there must be one of each for every example"},
		{"Monitor of rows", second(train.PretrainFeatures(ctx, eng, fewLabels{},
			train.Config{Steps: 1, Monitor: train.Monitor{Every: 1, Features: x, Labeled: three}})),
			"train: 4 rows of 2 features and 3 labels to monitor; … there must be at least 2 rows of 2 features, and a label for each"},
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
