package evaluate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// pairAUC computes the AUC from all pairs of a positive and a negative.
func pairAUC(scores []float64, truth []bool) float64 {
	won, pairs := 0.0, 0.0
	for i := range scores {
		for j := range scores {
			if truth[i] && !truth[j] {
				pairs++
				if scores[i] > scores[j] {
					won++
				}
				if scores[i] == scores[j] {
					won += 0.5
				}
			}
		}
	}
	return won / pairs
}

// AUC equals the share of ordered pairs and the area under gonum's ROC curve, for scores with many ties.
func TestAUCAgainstPairsAndCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + rng.IntN(40)
		scores, truth := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], truth[i] = float64(rng.IntN(1+rng.IntN(30))), rng.Float64() < 0.4
		}
		truth[0], truth[1] = true, false
		got := expect.Must(AUC(scores, truth))(t)
		near(t, "AUC against pairs", got, pairAUC(scores, truth), 1e-12)

		sorted, classes := append([]float64(nil), scores...), append([]bool(nil), truth...)
		stat.SortWeightedLabeled(sorted, classes, nil)
		tpr, fpr, _ := stat.ROC(nil, sorted, classes, nil)
		near(t, "AUC against the curve", got, integrate.Trapezoidal(fpr, tpr), 1e-12)
	}
}

func TestAUCKnowsOrderOnly(t *testing.T) {
	scores, truth := []float64{-2, 0.5, 0.5, 3, 1}, []bool{false, true, false, true, false}
	want := expect.Must(AUC(scores, truth))(t)
	stretched, turned := make([]float64, len(scores)), make([]float64, len(scores))
	for i, s := range scores {
		stretched[i], turned[i] = math.Exp(3*s)-7, -s
	}
	near(t, "AUC of stretched scores", expect.Must(AUC(stretched, truth))(t), want, 0)
	near(t, "AUC of turned scores", expect.Must(AUC(turned, truth))(t), 1-want, 1e-15)
	near(t, "AUC of constant scores", expect.Must(AUC(make([]float64, 5), truth))(t), 0.5, 0)
	near(t, "AUC of infinite scores", expect.Must(AUC([]float64{math.Inf(1), math.Inf(-1), 0}, []bool{true, false, false}))(t), 1, 0)
}

func TestDegenerateClassifiers(t *testing.T) {
	truth := []bool{true, true, true, false}
	for _, tt := range []struct {
		name   string
		scores []float64
		want   Degeneracy
		says   string
	}{
		{"tells apart", []float64{1, 2, -1, -3}, NotDegenerate, ""},
		{"all positive", []float64{1, 2, 3, 4}, AllPositive, "degenerate: every prediction is positive"},
		{"all negative", []float64{-1, -2, -3, 0}, AllNegative, "degenerate: every prediction is negative"},
		{"constant", []float64{3, 3, 3, 3}, ConstantScore, "degenerate: every score is the same"},
		{"constant but for rounding", []float64{0.3, math.Nextafter(0.3, 1), 0.3, 0.3}, ConstantScore,
			"degenerate: every score is the same"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := expect.Must(ScoreBinary(tt.scores, truth, 0))(t)
			s := expect.Must(ScorePU(tt.scores, truth, 0, ScoreConfig{}))(t)
			for _, r := range []interface {
				Degeneracy() Degeneracy
				Degenerate() bool
				String() string
			}{b, s, PUReading{PU: s}, BinaryReading{Binary: b}} {
				expect.That(t, r.Degeneracy() == tt.want && r.Degenerate() == (tt.want != NotDegenerate),
					"%T: %v", r, r.Degeneracy())
				if text := r.String(); !strings.HasSuffix(text, tt.says) || strings.Contains(text, "degenerate") != (tt.says != "") {
					t.Errorf("%T says %q", r, text)
				}
			}
		})
	}
	c := expect.Must(ScoreClasses([]int{2, 2, 2}, []int{0, 1, 2}, 3))(t)
	if c.Degeneracy() != OneClass || !c.Degenerate() || !strings.Contains(c.String(), "every prediction is the same class") {
		t.Errorf("one class of three: %v", c)
	}
	c = expect.Must(ScoreClasses([]int{2, 2, 0}, []int{0, 1, 2}, 3))(t)
	expect.That(t, !c.Degenerate(), "two classes of three: %v", c)
}

func TestUndefinedMeasures(t *testing.T) {
	negatives := expect.Must(ScoreBinary([]float64{-1, 1, -2}, []bool{false, false, false}, 0))(t)
	near(t, "balanced accuracy of negatives alone", negatives.Balanced(), 2.0/3, 1e-15)
	if !math.IsNaN(negatives.AUC) || !math.IsNaN(negatives.Recall()) || !strings.Contains(negatives.String(), "AUC undefined") {
		t.Errorf("one class only: %v", negatives)
	}
	positives := expect.Must(Count([]bool{true, false}, []bool{true, true}))(t)
	near(t, "balanced accuracy of positives alone", positives.Balanced(), 0.5, 0)
	silent := expect.Must(Count([]bool{false, false}, []bool{true, false}))(t)
	if !math.IsNaN(silent.Precision()) || silent.F1() != 0 || !strings.Contains(silent.String(), "precision undefined") {
		t.Errorf("nothing predicted positive: %v", silent)
	}
	absent := expect.Must(ScoreClasses([]int{0, 1}, []int{0, 0}, 3))(t)
	near(t, "balanced accuracy over the one class that occurs", absent.Balanced, 0.5, 0)
	if text := absent.String(); text != "accuracy 50.0% of 2, balanced 50.0% over the 1 of 3 classes that occur" {
		t.Errorf("one class of three occurs: %q", text)
	}
	expect.That(t, math.IsNaN(absent.Recall[2]), "recall of a class that does not occur: %g", absent.Recall[2])
}

func TestCount(t *testing.T) {
	c := expect.Must(Count([]bool{true, true, false, true}, []bool{true, false, false, true}))(t)
	if c.Accuracy() != 0.75 || c.Balanced() != 0.75 || c.Predicted() != 0.75 || c.N() != 4 || c.Degenerate() {
		t.Errorf("%+v: %v", c, c)
	}
	c = expect.Must(Count([]bool{false, false, false}, []bool{true, false, false}))(t)
	expect.That(t, c.Degenerate() && c.Balanced() == 0.5 && strings.Contains(c.String(), "degenerate"), "%+v: %v", c, c)
}

func TestTopKSharesTies(t *testing.T) {
	for k := 1; k <= 4; k++ {
		constant := expect.Must(TopK(mat.NewDense(3, 4, nil), []int{0, 1, 3}, k))(t)
		near(t, "constant scores", constant, float64(k)/4, 1e-15)
	}
	// Class 0 leads; classes 1 and 2 share second and third place.
	scores := mat.NewDense(1, 4, []float64{9, 5, 5, 1})
	near(t, "half of second place", expect.Must(TopK(scores, []int{2}, 2))(t), 0.5, 0)
	near(t, "third place", expect.Must(TopK(scores, []int{2}, 3))(t), 1, 0)
	near(t, "last place", expect.Must(TopK(scores, []int{3}, 3))(t), 0, 0)
}

func TestThresholdLeavesThePriorAbove(t *testing.T) {
	scores := []float64{5, 1, 4, 2, 3}
	for prior, want := range map[float64]float64{0: 5, 0.2: 4, 0.4: 3, 0.8: 1, 1: math.Inf(-1)} {
		expect.Equal(t, expect.Must(Threshold(scores, prior))(t), want, "threshold at prior %g", prior)
	}
	// The prior asks for two of four above the threshold; the tie at the boundary leaves one.
	expect.Equal(t, expect.Must(Threshold([]float64{2, 1, 1, 0}, 0.5))(t), 1, "threshold at a tie")
}

func TestScoresErrors(t *testing.T) {
	nan := math.NaN()
	for says, call := range map[string]func() error{
		"2 predictions and 1 true classes … give one for each, in the same order":              func() error { _, err := Count(make([]bool, 2), make([]bool, 1)); return err },
		"no examples to evaluate on … at least one is needed":                                  func() error { _, err := Count(nil, nil); return err },
		"0 positives and 2 negatives … the AUC compares the two, so give at least":             func() error { _, err := AUC([]float64{1, 2}, make([]bool, 2)); return err },
		"example 1 is not a number … did training diverge?":                                    func() error { _, err := AUC([]float64{1, nan}, make([]bool, 2)); return err },
		"1 scores and 2 labels … give one for each, in the same order":                         func() error { _, err := ScoreBinary([]float64{1}, make([]bool, 2), 0); return err },
		"threshold is not a number … use 0 for logits and 0.5 for probabilities":               func() error { _, err := ScoreBinary([]float64{1}, make([]bool, 1), nan); return err },
		"prior 1.5 is not between 0 and 1 … give the share of positives, known or estimated":   func() error { _, err := Threshold([]float64{1}, 1.5); return err },
		"class 3 … 3 classes are numbered from 0 to 2":                                         func() error { _, err := ScoreClasses([]int{3}, []int{0}, 3); return err },
		"class -1 … 3 classes are numbered from 0 to 2":                                        func() error { _, err := ScoreClasses([]int{1}, []int{-1}, 3); return err },
		"1 predictions and 0 true classes … give one for each, in the same order":              func() error { _, err := ScoreClasses([]int{1}, nil, 3); return err },
		"top 4 of 3 classes … k must be from 1 to the number of classes":                       func() error { _, err := TopK(mat.NewDense(1, 3, nil), []int{0}, 4); return err },
		"top 0 of 3 classes … k must be from 1 to the number of classes":                       func() error { _, err := TopK(mat.NewDense(1, 3, nil), []int{0}, 0); return err },
		"scores of 1 examples and 0 true classes … give one for each, in the same order":       func() error { _, err := TopK(mat.NewDense(1, 3, nil), nil, 1); return err },
		"a score of example 0 is not a number … did training diverge?":                         func() error { _, err := TopK(mat.NewDense(1, 2, []float64{1, nan}), []int{0}, 1); return err },
		"no scores to evaluate … at least one example is needed":                               func() error { _, err := TopK(nil, nil, 1); return err },
		"0 labeled positives and 2 unlabeled examples … at least one of each must be held out": func() error { _, err := ScorePU([]float64{1, 2}, make([]bool, 2), 0, ScoreConfig{}); return err },
		"class prior 1 … it must be above 0 and below 1, or 0 where":                           func() error { _, err := ScorePU([]float64{1}, make([]bool, 1), 0, ScoreConfig{Prior: 1}); return err },
		"more than the class prior 0.2 allows … is it the prior of all examples": func() error {
			_, err := ScorePU([]float64{1, 2}, []bool{true, false}, 0, ScoreConfig{Prior: 0.2, SingleDataset: true})
			return err
		},
	} {
		refusal.Check(t, call(), says)
	}
}
