package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
)

// A world of which everything is known: positives with scores 1, 2, 3, 4 and negatives with scores 0, 2, −1, −1, −2, 3, all
// equally often, π = 0.4. Accuracy and AUC can be counted.
var (
	worldPositive = []float64{1, 2, 3, 4}
	worldNegative = []float64{0, 2, -1, -1, -2, 3}
)

func worldScores(positives, negatives int) (scores []float64, truth []bool) {
	for range positives {
		scores = append(scores, worldPositive...)
	}
	for range negatives {
		scores = append(scores, worldNegative...)
	}
	truth = make([]bool, len(scores))
	for i := range positives * len(worldPositive) {
		truth[i] = true
	}
	return scores, truth
}

// With labeled positives that have exactly the scores of all positives, the measures without negatives are no estimates any
// more but the true values.
func TestProxiesAreExactWithoutSampling(t *testing.T) {
	for _, threshold := range []float64{-5, -1, 0, 1.5, 2.5, 9} {
		all, truth := worldScores(1, 1)
		want := must[Binary](t)(ScoreBinary(all, truth, threshold))
		check := func(name string, s PU) {
			t.Helper()
			at := fmt.Sprintf("%s, threshold %g: ", name, threshold)
			near(t, at+"proxy accuracy", s.ProxyAccuracy(), want.Accuracy(), 1e-12)
			near(t, at+"AUC", s.AUC(), want.AUC, 1e-12)
			near(t, at+"recall", s.Recall, want.Recall(), 1e-12)
			near(t, at+"predicted positive", s.Predicted, want.Predicted(), 1e-12)
			if want.Predicted() > 0 {
				near(t, at+"Lee–Liu", s.LeeLiu(), want.Precision()*want.Recall()/0.4, 1e-12)
			}
		}
		// Case-control: the unlabeled are the world, the labeled a sample beside it.
		scores, labeled := append(append([]float64(nil), worldPositive...), all...), make([]bool, 14)
		for i := range 4 {
			labeled[i] = true
		}
		check("case-control", must[PU](t)(ScorePU(scores, labeled, threshold, ScoreConfig{Prior: 0.4})))

		// Single-dataset: three worlds in which one positive in three is labeled, so that both kinds keep their scores.
		scores, truth = worldScores(3, 3)
		labeled = make([]bool, len(truth))
		for i := range 4 {
			labeled[i] = true
		}
		check("single-dataset", must[PU](t)(ScorePU(scores, labeled, threshold, ScoreConfig{Prior: 0.4, SingleDataset: true})))
	}
}

func TestLeeLiuOfKnownClassifiers(t *testing.T) {
	labeled := []bool{true, true, false, false, false, false} // of the unlabeled, the first is positive: π = 1/4
	always := must[PU](t)(ScorePU([]float64{1, 2, 3, 4, 5, 6}, labeled, 0, ScoreConfig{}))
	near(t, "always positive", always.LeeLiu(), 1, 0)
	perfect := must[PU](t)(ScorePU([]float64{1, 1, 1, -1, -1, -1}, labeled, 0, ScoreConfig{Prior: 0.25}))
	near(t, "perfect", perfect.LeeLiu(), 4, 1e-15)
	near(t, "proxy accuracy of the perfect one", perfect.ProxyAccuracy(), 1, 1e-15)
	// Two labeled tie with one of four unlabeled and beat three: (0.5 + 3)/4.
	near(t, "proxy AUC of the perfect one", perfect.ProxyAUC, 0.875, 1e-15)
	near(t, "AUC of the perfect one", perfect.AUC(), 1, 1e-15)

	// Case-control: one of two labeled is predicted positive, of the population nothing is.
	silent := must[PU](t)(ScorePU([]float64{1, -1, -2, -3, -4, -5}, labeled, 0, ScoreConfig{}))
	if got := silent.LeeLiu(); silent.Recall != 0.5 || silent.Predicted != 0 || !math.IsNaN(got) {
		t.Errorf("recall %g, predicted positive %g: Lee–Liu %g, want NaN", silent.Recall, silent.Predicted, got)
	}
	if text := silent.String(); !strings.Contains(text, "Lee–Liu undefined") {
		t.Errorf("%q does not say that the score is undefined", text)
	}
}

// Labeled positives with scores 2 and 0 beside unlabeled examples with scores 3, 0, −1 and −1: the counts by hand, the risk of logits
// by its formula, and both from labeled positives that belong to the population.
func TestOrderAndRisk(t *testing.T) {
	scores, labeled := []float64{0, 3, 0, -1, 2, -1}, []bool{true, false, false, false, true, false}
	sigmoid := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	s := must[PU](t)(ScorePU(scores, labeled, 0, ScoreConfig{Prior: 0.4}))
	if !slices.Equal(s.Below, Counts{2.5, 3}) || s.ProxyAUC != 5.5/8 {
		t.Errorf("%v, proxy AUC %g", s.Below, s.ProxyAUC)
	}
	asNegative := (sigmoid(2) + 0.5) / 2
	unlabeled := (sigmoid(3) + 0.5 + 2*sigmoid(-1)) / 4
	near(t, "risk", s.Risk(), 0.4*(1-asNegative)+unlabeled-0.4*asNegative, 1e-15)
	one := must[PU](t)(ScorePU(scores, labeled, 0, ScoreConfig{Prior: 0.4, SingleDataset: true}))
	near(t, "risk of one sample", one.Risk(), 0.4*(1-asNegative)+(4*unlabeled+2*asNegative)/6-0.4*asNegative, 1e-15)
	moved := must[PU](t)(ScorePU([]float64{5, 8, 5, 4, 7, 4}, labeled, 5, ScoreConfig{Prior: 0.4}))
	near(t, "risk about another threshold", moved.Risk(), s.Risk(), 1e-15)
	// All of the population sure to be negative, which labeled positives are not: the second part stops at 0.
	overfit := must[PU](t)(ScorePU([]float64{9, -9, -9, -9, 9, -9}, labeled, 0, ScoreConfig{Prior: 0.4}))
	near(t, "risk that would be negative", overfit.Risk(), 0.4*sigmoid(-9), 1e-15)
	if r := must[PU](t)(ScorePU(scores, labeled, 0, ScoreConfig{})).Risk(); !math.IsNaN(r) {
		t.Errorf("without a prior %g", r)
	}
}

// A score that lies on the threshold is as likely of either class, though both are infinite: ℓ(0) is ½, and the others' losses are 0 and 1.
func TestScoresAtAnInfiniteThreshold(t *testing.T) {
	scores, labeled := []float64{math.Inf(-1), 1, 2, 3}, []bool{true, false, true, false}
	threshold, err := Threshold(scores, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ScorePU(scores, labeled, threshold, ScoreConfig{Prior: 0.5})
	if want := (Losses{Positive: 0.25, PositiveAsNegative: 0.75, UnlabeledAsNegative: 1}); err != nil || s.Losses != want || s.Risk() != 0.5*0.25+1-0.5*0.75 {
		t.Errorf("losses %+v, want %+v; risk %g, %v", s.Losses, want, s.Risk(), err)
	}
}

// Scores of which many are the same, in any order: the counts are those of two loops.
func TestBelowByLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	scores, labeled := make([]float64, 200), make([]bool, 200)
	for i := range scores {
		scores[i], labeled[i] = math.Round(3*rng.NormFloat64()), rng.IntN(3) == 0
	}
	var want Counts
	for i, s := range scores {
		if labeled[i] {
			count := 0.0
			for j, other := range scores {
				switch {
				case labeled[j]:
				case other < s:
					count++
				case other == s:
					count += 0.5
				}
			}
			want = append(want, count)
		}
	}
	slices.Sort(want)
	if got := must[PU](t)(ScorePU(scores, labeled, 0, ScoreConfig{})).Below; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCountsAsText(t *testing.T) {
	for _, counts := range []Counts{nil, {0}, {2.5, 3, 59000.5}} {
		text, err := counts.MarshalText()
		var got Counts
		if err == nil {
			err = got.UnmarshalText(text)
		}
		if err != nil || !slices.Equal(got, counts) {
			t.Errorf("%q gives %v, want %v; %v", text, got, counts, err)
		}
	}
	refusal.Check(t, new(Counts).UnmarshalText([]byte("1 many")), `"many" is no number of examples … give a number such as 12`)
}
