package classify

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/pucl/risk"
)

// fewLabels are features with a label too few.
type fewLabels struct{}

func (fewLabels) Features() int { return 2 }

func (fewLabels) Batch(int) (views []float32, labeled []bool) {
	return make([]float32, 16), make([]bool, 3)
}

// Wherever images or rows come with labels, another number of labels is refused before anything is computed: the message as a
// user meets it, whole, with what was given, what was expected and the mend.
func TestLabelsOfAnotherNumber(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	pixels, x := make([]uint8, 4*144), mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	probe, classProbe := &Probe{Weights: make([]float64, 2)}, &ClassProbe{Weights: mat.NewDense(3, 2, nil), Bias: make([]float64, 3)}
	binary, multi := &Classifier{Model: m, Probe: probe}, &MultiClassifier{Model: m, Probe: classProbe}
	supervised, err := evaluate.SupervisedBinary(x, four)
	if err != nil {
		t.Fatal(err)
	}
	of3, err := evaluate.Supervised(x, fourClasses, 3)
	if err != nil {
		t.Fatal(err)
	}
	labeled, err := evaluate.LabeledPositives(x, four)
	if err != nil {
		t.Fatal(err)
	}
	knn := evaluate.KNN{K: 1}
	watching := func(w Watch) error {
		w.Every = 1
		config := cheap(1)
		config.Watch = w
		_, err := Pretrain(ctx, eng, stripes{8, 2}, config)
		return err
	}
	heldOut := func(h HeldOut) error {
		_, err := FineTunePU(ctx, eng, m, pixels, four, risk.CrossEntropy, FineTuneConfig{HeldOut: &h})
		return err
	}
	const (
		rows        = "pucl: 4 rows and 3 labels; give one for each row, in the same order"
		trueRows    = "pucl: 4 rows and 3 true classes; give one for each row, in the same order"
		images      = "pucl: 4 images of 12×12×1 (height×width×channels) and 3 labels; give one for each image, in the same order"
		trueImages  = "pucl: 4 images of 12×12×1 (height×width×channels) and 3 true classes; give one for each image, in the same order"
		embeddings  = "evaluate: 4 embeddings and 3 labels; give one for each row, in the same order"
		trueClasses = "evaluate: 4 embeddings and 3 true classes; give one for each row, in the same order"
		predictions = "evaluate: 4 predictions and 3 true classes; give one for each, in the same order"
		scores      = "evaluate: 4 scores and 3 labels; give one label for each score, in the same order"
	)
	for _, tt := range []struct {
		name string
		err  func() error
		want string
	}{
		{"FitProbe", func() error { _, err := FitProbe(eng, x, three, risk.CrossEntropy, ProbeConfig{}); return err }, rows},
		{"FitClassProbe", func() error { _, err := FitClassProbe(eng, x, classes, 3, ProbeConfig{}); return err }, rows},
		{"ClassProbe.FineTune", func() error { _, err := classProbe.FineTune(eng, x, classes, ProbeConfig{}); return err }, rows},
		{"Probe.Score", func() error { _, err := probe.Score(x, three); return err }, trueRows},
		{"Probe.ScorePU", func() error { _, err := probe.ScorePU(x, three, evaluate.ScoreConfig{}); return err }, rows},
		{"ClassProbe.Score", func() error { _, err := classProbe.Score(x, classes); return err }, trueRows},
		{"Rows", func() error { _, _, err := Rows(x, three); return err }, "pucl: 4 rows and 3 marks; give one for each row, in the same order"},
		{"FitFewShot", func() error {
			_, err := FitFewShot(eng, x, classes, x, fourClasses, 3, FewShotConfig{PerClass: 1})
			return err
		}, rows},
		{"FitFewShot, test", func() error {
			_, err := FitFewShot(eng, x, fourClasses, x, classes, 3, FewShotConfig{PerClass: 1})
			return err
		}, trueRows},

		{"FineTune", func() error { _, err := FineTune(ctx, eng, m, pixels, classes, 3, FineTuneConfig{}); return err }, images},
		{"FineTunePU", func() error {
			_, err := FineTunePU(ctx, eng, m, pixels, three, risk.CrossEntropy, FineTuneConfig{})
			return err
		}, images},
		{"FineTuneFewShot", func() error {
			_, err := FineTuneFewShot(ctx, eng, m, pixels, classes, pixels, fourClasses, 3, FewShotConfig{PerClass: 1})
			return err
		}, images},
		{"FineTuneFewShot, test", func() error {
			_, err := FineTuneFewShot(ctx, eng, m, pixels, fourClasses, pixels, classes, 3, FewShotConfig{PerClass: 1})
			return err
		}, strings.Replace(trueImages, "images", "test images", 1)},
		{"HeldOut", func() error { return heldOut(HeldOut{Pixels: pixels, Labeled: three}) }, strings.Replace(images, "images", "images in HeldOut", 1)},
		{"HeldOut, test", func() error { return heldOut(HeldOut{Pixels: pixels, Labeled: four, TestPixels: pixels, Truth: three}) },
			strings.Replace(trueImages, "images", "test images in HeldOut", 1)},
		{"Classifier.Score", func() error { _, err := binary.Score(eng, pixels, three); return err }, trueImages},
		{"Classifier.ScorePU", func() error { _, err := binary.ScorePU(eng, pixels, three, evaluate.ScoreConfig{}); return err }, images},
		{"MultiClassifier.Score", func() error { _, err := multi.Score(eng, pixels, classes); return err }, trueImages},

		{"Pretrain", func() error { _, err := Pretrain(ctx, eng, mislabeled{stripes{8, 2}}, cheap(1)); return err },
			"pucl: batch 0 holds 9 labels and 1152 bytes of pixels, but images of 12×12×1 (height×width×channels) take 144 bytes for each label; " +
				"do ImageShape and Batch speak of the same images?"},
		{"PretrainFeatures", func() error { _, err := PretrainFeatures(ctx, eng, fewLabels{}, PretrainConfig{Steps: 1}); return err },
			"pucl: batch 0 holds 3 labels and 16 numbers; two views of rows of 2 need 4 numbers for each label"},
		{"Watch of images", func() error { return watching(Watch{Pixels: pixels, Labeled: three}) }, strings.Replace(images, "images", "images to watch", 1)},
		{"Watch, truth", func() error { return watching(Watch{Pixels: pixels, Labeled: four, Positive: three}) },
			"pucl: Watch has 4 entries in Labeled and 3 in Positive; there must be one of each for every example"},
		{"Watch of rows", func() error {
			_, err := PretrainFeatures(ctx, eng, fewLabels{}, PretrainConfig{Steps: 1, Watch: Watch{Every: 1, Features: x, Labeled: three}})
			return err
		}, "pucl: 4 rows of 2 features and 3 labels to watch; there must be at least 2 rows of 2 features, and a label for each"},

		{"Evaluate", func() error { _, err := Evaluate(four, three); return err }, predictions},
		{"Count", func() error { _, err := evaluate.Count(four, three); return err }, predictions},
		{"ScoreClasses", func() error { _, err := evaluate.ScoreClasses(fourClasses, classes, 3); return err }, predictions},
		{"ScoreBinary", func() error { _, err := evaluate.ScoreBinary(make([]float64, 4), three, 0); return err }, scores},
		{"ScorePU", func() error { _, err := evaluate.ScorePU(make([]float64, 4), three, 0, evaluate.ScoreConfig{}); return err }, scores},
		{"AUC", func() error { _, err := evaluate.AUC(make([]float64, 4), three); return err }, scores},
		{"TopK", func() error { _, err := evaluate.TopK(mat.NewDense(4, 3, nil), classes, 1); return err },
			"evaluate: scores of 4 examples and 3 true classes; give one for each, in the same order"},
		{"LabeledPositives", func() error { _, err := evaluate.LabeledPositives(x, three); return err }, embeddings},
		{"Supervised", func() error { _, err := evaluate.Supervised(x, classes, 3); return err }, trueClasses},
		{"SupervisedBinary", func() error { _, err := evaluate.SupervisedBinary(x, three); return err }, trueClasses},
		{"KNN.ReadPU", func() error { _, err := knn.ReadPU(labeled, x, three, evaluate.ScoreConfig{Prior: 0.5}); return err }, embeddings},
		{"KNN.ReadBinary", func() error { _, err := knn.ReadBinary(supervised, x, three, 0.5); return err }, trueClasses},
		{"KNN.ReadClasses", func() error { _, err := knn.ReadClasses(of3, x, classes); return err }, trueClasses},
	} {
		if err := tt.err(); err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// What is not there at all is said too, and classes of test examples that cannot be are known before anything is trained.
func TestNoRowsAndNoSuchClasses(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	pixels, x, classes := make([]uint8, 3*144), mat.NewDense(3, 2, nil), []int{0, 1, 2}
	_, none := FitProbe(eng, nil, nil, risk.CrossEntropy, ProbeConfig{})
	_, noEngine := FitProbe(nil, x, make([]bool, 3), risk.CrossEntropy, ProbeConfig{})
	_, unopened := m.Embed(nil, pixels)
	_, empty := evaluate.SupervisedBinary(nil, nil)
	_, other := FitFewShot(eng, x, classes, mat.NewDense(3, 5, nil), classes, 3, FewShotConfig{PerClass: 1})
	_, row := FitFewShot(eng, x, classes, x, []int{0, 1, 3}, 3, FewShotConfig{PerClass: 1})
	_, image := FineTuneFewShot(ctx, eng, m, pixels, classes, pixels, []int{0, -1, 1}, 3, FewShotConfig{PerClass: 1})
	for _, tt := range []struct {
		err  error
		want string
	}{
		{none, "pucl: no rows given; Model.Embed makes them of images"},
		{noEngine, "pucl: no engine; open one with engine.Open"},
		{unopened, "pucl: no engine; open one with engine.Open"},
		{empty, "evaluate: no embeddings; at least one row is needed"},
		{other, "pucl: rows of 2 entries to learn from, rows of 5 to test on; embed both with the same model"},
		{row, "pucl: test row 2 has class 3; 3 classes are numbered from 0 to 2"},
		{image, "pucl: test image 1 has class -1; 3 classes are numbered from 0 to 2"},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("got %v\nwant %s", tt.err, tt.want)
		}
	}
}
