package theory

import (
	"testing"

	"github.com/puclab/puclab/pucl"
)

// With true negatives the bias against the ideal loss fades as the batch grows, since only the logarithm bends; that of ssCL, which
// takes its own class for negative, stays.
func TestTrueNegativesAreUnbiasedInLargeBatches(t *testing.T) {
	eng := openEngine(t)
	world := Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0}, []float64{0, -1})}
	measure := func(o pucl.Objective, examples int) Result {
		m, err := NewMeter(eng, o, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		r, err := m.MonteCarlo(world, Design{Unlabeled: examples, Prior: 0.5}, Draws{Batches: 1500, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	small, large, plain := measure(pucl.TrueNegatives(0), 4), measure(pucl.TrueNegatives(0), 48), measure(pucl.SSCL(), 48)
	if !(large.Bias.High < 0.03 && large.Bias.Low > -0.03) {
		t.Errorf("bias %v in batches of 48 with true negatives, want about none", large.Bias)
	}
	if !(small.Bias.High < large.Bias.Low) {
		t.Errorf("bias %v in batches of 4 and %v in those of 48, want less in small ones, some of which have no true negative", small.Bias, large.Bias)
	}
	if plain.Bias.Low < 0.2 {
		t.Errorf("bias of ssCL %v, want it to stay", plain.Bias)
	}
}
