package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/prior"
)

// Logits whose classes are three deviations apart, positives high up being like no negative, and nobody tells the prior: with an estimate of
// it, curves without negatives lie within 0.02 of those by the true classes, beside what chance explains in each bin, for probabilities that
// are right and for some that are not. The estimate of one sample, from which labeled positives were taken out, is converted first.
func TestReliabilityWithAnEstimatedPrior(t *testing.T) {
	estimators := map[string]func([]float64, []bool, prior.Config) (prior.Estimate, error){"BBE": prior.BBE, "DEDPUL": prior.DEDPUL}
	for _, pi := range []float64{0.2, 0.5} {
		for _, single := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(3, 3))
			var logits []float64
			var labeled, truth []bool
			add := func(positive, label bool) {
				x := rng.NormFloat64() - 1.5
				if positive {
					x += 3
				}
				// log f_P/f_N is 3x for densities of variance 1 around ±1.5
				logits, labeled, truth = append(logits, 3*x+math.Log(pi/(1-pi))), append(labeled, label), append(truth, positive)
			}
			const unlabeled, labels = 10_000, 2000
			for range labels {
				add(true, true)
			}
			positives := int(pi * unlabeled)
			if single {
				positives = int(pi*(unlabeled+labels)) - labels
			}
			for i := range unlabeled {
				add(i < positives, false)
			}
			population := labels // its first row
			if single {
				population = 0
			}
			for name, estimate := range estimators {
				e := expect.Must(estimate(logits, labeled, prior.Config{Resamples: -1}))(t)
				if single {
					e = e.OneSample(labels, unlabeled)
				}
				for _, sure := range []float64{1, 0.3} {
					p := make([]float64, len(logits))
					for i, logit := range logits {
						p[i] = 1 / (1 + math.Exp(-sure*logit))
					}
					want := expect.Must(evaluate.MeasureReliability(p[population:], truth[population:], 0))(t)
					got, err := evaluate.MeasureReliabilityPU(p, labeled, evaluate.ScoreConfig{Prior: e.Prior, SingleDataset: single}, 0)
					expect.Require(t, err == nil && len(got) == len(want), "%v %v %v", len(got), len(want), err)
					for i := range want {
						if d := math.Abs(got[i].Positive - want[i].Positive); !(d <= 0.02+3*got[i].Error) {
							t.Errorf("%s, prior %g as %.4f, single dataset %v, bin %d: %.4f ± %.4f, truth %.4f", name, pi, e.Prior, single, i, got[i].Positive, got[i].Error, want[i].Positive)
						}
					}
					if g, w := got.CalibrationError(), want.CalibrationError(); !(math.Abs(g-w) <= 0.015) {
						t.Errorf("%s, prior %g as %.4f, single dataset %v: calibration error %.4f, truth %.4f", name, pi, e.Prior, single, g, w)
					}
				}
			}
		}
	}
}
