package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// A fully known distribution: positives with scores 1, 2, 3, 4 and negatives with scores 0, 2, −1, −1, −2, 3, all
// equally likely, π = 0.4. Accuracy and AUC follow by counting.
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

// If the labeled positives have exactly the score distribution of all positives, the measures without negatives equal
// the true values.
func TestProxiesAreExactWithoutSampling(t *testing.T) {
	for _, threshold := range []float64{-5, -1, 0, 1.5, 2.5, 9} {
		all, truth := worldScores(1, 1)
		want := expect.Must(ScoreBinary(all, truth, threshold))(t)
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
		// Case-control: the unlabeled examples are the distribution; the labeled ones are a separate sample.
		scores, labeled := append(append([]float64(nil), worldPositive...), all...), make([]bool, 14)
		for i := range 4 {
			labeled[i] = true
		}
		check("case-control", expect.Must(ScorePU(scores, labeled, threshold, ScoreConfig{Prior: 0.4}))(t))

		// Single-dataset: three copies of the distribution, in which one positive in three is labeled, so that both
		// kinds keep their score distribution.
		scores, truth = worldScores(3, 3)
		labeled = make([]bool, len(truth))
		for i := range 4 {
			labeled[i] = true
		}
		check("single-dataset", expect.Must(ScorePU(scores, labeled, threshold, ScoreConfig{Prior: 0.4, SingleDataset: true}))(t))
	}
}

func TestLeeLiuOfKnownClassifiers(t *testing.T) {
	labeled := []bool{true, true, false, false, false, false} // of the unlabeled, the first is positive: π = 1/4
	always := expect.Must(ScorePU([]float64{1, 2, 3, 4, 5, 6}, labeled, 0, ScoreConfig{}))(t)
	near(t, "always positive", always.LeeLiu(), 1, 0)
	perfect := expect.Must(ScorePU([]float64{1, 1, 1, -1, -1, -1}, labeled, 0, ScoreConfig{Prior: 0.25}))(t)
	near(t, "perfect", perfect.LeeLiu(), 4, 1e-15)
	near(t, "proxy accuracy of the perfect one", perfect.ProxyAccuracy(), 1, 1e-15)
	// Two labeled positives tie with one of four unlabeled examples and rank above three: (0.5 + 3)/4.
	near(t, "proxy AUC of the perfect one", perfect.ProxyAUC, 0.875, 1e-15)
	near(t, "AUC of the perfect one", perfect.AUC(), 1, 1e-15)

	// Case-control: one of two labeled positives is predicted positive, and no example of the population.
	silent := expect.Must(ScorePU([]float64{1, -1, -2, -3, -4, -5}, labeled, 0, ScoreConfig{}))(t)
	if got := silent.LeeLiu(); silent.Recall != 0.5 || silent.Predicted != 0 || !math.IsNaN(got) {
		t.Errorf("recall %g, predicted positive %g: Lee–Liu %g, want NaN", silent.Recall, silent.Predicted, got)
	}
	expect.Contains(t, silent.String(), "Lee–Liu undefined")
}

// Labeled positives with scores 2 and 0, and unlabeled examples with scores 3, 0, −1 and −1: counts by hand, and the
// risk of logits by its formula, in both settings.
func TestOrderAndRisk(t *testing.T) {
	scores, labeled := []float64{0, 3, 0, -1, 2, -1}, []bool{true, false, false, false, true, false}
	sigmoid := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	s := expect.Must(ScorePU(scores, labeled, 0, ScoreConfig{Prior: 0.4}))(t)
	expect.That(t, slices.Equal(s.Below, Counts{2.5, 3}) && s.ProxyAUC == 5.5/8,
		"%v, proxy AUC %g", s.Below, s.ProxyAUC)
	asNegative := (sigmoid(2) + 0.5) / 2
	unlabeled := (sigmoid(3) + 0.5 + 2*sigmoid(-1)) / 4
	near(t, "risk", s.Risk(), 0.4*(1-asNegative)+unlabeled-0.4*asNegative, 1e-15)
	one := expect.Must(ScorePU(scores, labeled, 0, ScoreConfig{Prior: 0.4, SingleDataset: true}))(t)
	near(t, "risk of one sample", one.Risk(), 0.4*(1-asNegative)+(4*unlabeled+2*asNegative)/6-0.4*asNegative, 1e-15)
	moved := expect.Must(ScorePU([]float64{5, 8, 5, 4, 7, 4}, labeled, 5, ScoreConfig{Prior: 0.4}))(t)
	near(t, "risk about another threshold", moved.Risk(), s.Risk(), 1e-15)
	// The population has confidently negative scores, the labeled positives positive ones: the second term is clipped
	// at 0.
	overfit := expect.Must(ScorePU([]float64{9, -9, -9, -9, 9, -9}, labeled, 0, ScoreConfig{Prior: 0.4}))(t)
	near(t, "risk that would be negative", overfit.Risk(), 0.4*sigmoid(-9), 1e-15)
	r := expect.Must(ScorePU(scores, labeled, 0, ScoreConfig{}))(t).Risk()
	expect.That(t, math.IsNaN(r), "without a prior %g", r)
}

// A score equal to an infinite threshold has loss ℓ(0) = ½; the losses of the other scores are 0 and 1.
func TestScoresAtAnInfiniteThreshold(t *testing.T) {
	scores, labeled := []float64{math.Inf(-1), 1, 2, 3}, []bool{true, false, true, false}
	threshold := expect.Must(Threshold(scores, 1))(t)
	s, err := ScorePU(scores, labeled, threshold, ScoreConfig{Prior: 0.5})
	if want := (Losses{Positive: 0.25, PositiveAsNegative: 0.75, UnlabeledAsNegative: 1}); err != nil || s.Losses != want || s.Risk() != 0.5*0.25+1-0.5*0.75 {
		t.Errorf("losses %+v, want %+v; risk %g, %v", s.Losses, want, s.Risk(), err)
	}
}

// For scores with many ties, in any order, the counts equal those of two loops.
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
	expect.Equal(t, expect.Must(ScorePU(scores, labeled, 0, ScoreConfig{}))(t).Below, want)
}

func TestCountsAsText(t *testing.T) {
	for _, counts := range []Counts{nil, {0}, {2.5, 3, 59000.5}} {
		text, err := counts.MarshalText()
		var got Counts
		if err == nil {
			err = got.UnmarshalText(text)
		}
		expect.That(t, err == nil && slices.Equal(got, counts), "%q gives %v, want %v; %v", text, got, counts, err)
	}
	refusal.Check(t, new(Counts).UnmarshalText([]byte("1 many")), `"many" is no number of examples … give a number such as 12`)
}

// Two of four labeled positives and three of ten examples of the population are predicted positive; the parts of the
// risk sum to −0.1.
func TestProxies(t *testing.T) {
	s := PU{Recall: 0.5, Predicted: 0.3, ProxyAUC: 0.8, Prior: 0.4, Losses: Losses{Positive: 0.25, PositiveAsNegative: 0.75, UnlabeledAsNegative: 0.5}}
	unknown, silent := s, s
	unknown.Prior, silent.Predicted = 0, 0
	for _, tt := range []struct {
		name  string
		proxy Proxy
		of    PU
		want  float64
	}{
		{"accuracy", ByProxyAccuracy, s, 2*0.4*0.5 + 0.7 - 0.4},
		{"Lee–Liu", ByLeeLiu, s, 0.25 / 0.3},
		{"risk", ByRisk, s, -(0.4*0.25 + 0.5 - 0.4*0.75)},
		{"AUC", ByProxyAUC, s, 0.8},
		{"the default with a prior", nil, s, 0.7},
		{"the default without", nil, unknown, 0.25 / 0.3},
		{"accuracy without a prior", ByProxyAccuracy, unknown, math.NaN()},
		{"risk without a prior", ByRisk, unknown, math.NaN()},
		{"Lee–Liu of nothing", ByLeeLiu, silent, 0},
		{"a proxy of one's own", func(s PU) float64 { return s.Recall }, s, 0.5},
	} {
		if got := tt.proxy.Of(tt.of); !(math.Abs(got-tt.want) <= 1e-15) && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

// Without a prior, an epoch that predicts nothing positive is selected only if there is no other. The proxy AUC would
// select it.
func TestSilentEpochRanksLowest(t *testing.T) {
	labeled := []bool{true, true, false, false, false, false}
	measure := func(scores ...float64) PU { return expect.Must(ScorePU(scores, labeled, 0, ScoreConfig{}))(t) }
	silent := measure(-1, -2, -3, -4, -5, -6)
	coin := measure(1, -1, 1, -1, 1, -1)
	expect.Require(t, silent.ProxyAUC > coin.ProxyAUC && math.IsNaN(silent.LeeLiu()),
		"%v and %v do not tell the proxies apart", silent, coin)
	for _, tt := range []struct {
		runs []PU
		want int
	}{{[]PU{silent, coin}, 2}, {[]PU{coin, silent}, 1}, {[]PU{silent, silent}, 1}} {
		var epochs []Epoch
		for i, s := range tt.runs {
			epochs = append(epochs, Epoch{Epoch: i + 1, Proxy: Proxy(nil).Of(s)})
		}
		if s := expect.Must(Select(epochs))(t); s.WithoutNegatives.Epoch != tt.want {
			t.Errorf("epoch %d, want %d", s.WithoutNegatives.Epoch, tt.want)
		}
	}
}
