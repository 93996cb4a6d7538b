package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// The bias of the loss that is corrected for what nobody knows of the classes fades as the batch grows, where that of PUCL grows; and it pays
// by variance. Told a wrong prior it is biased for good.
func TestThePUDebiasedLossIsUnbiasedInLargeBatches(t *testing.T) {
	expect.Slow(t)
	eng := openEngine(t)
	world := Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0}, []float64{0, -1})}
	const prior = 0.3
	measure := func(o pucl.Objective, half int) Result {
		m, err := NewMeter(eng, o, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		r, err := m.MonteCarlo(world, Design{Labeled: half, Unlabeled: half, Prior: prior}, Draws{Batches: 1500, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	small, large := measure(pucl.PUDebiased(prior), 2), measure(pucl.PUDebiased(prior), 24)
	plain, wrong := measure(pucl.PUCL(), 24), measure(pucl.PUDebiased(0.6), 24)
	if !(large.Bias.High < 0.03 && large.Bias.Low > -0.03) || math.Abs(large.Bias.Value) > math.Abs(small.Bias.Value) {
		t.Errorf("bias %v in batches of 4 and %v in batches of 48, want it to fade", small.Bias, large.Bias)
	}
	if plain.Bias.Low < 0.6 || wrong.Bias.High > -0.5 {
		t.Errorf("bias of PUCL %v, want above 0.6; with a prior of 0.6 %v, want below -0.5", plain.Bias, wrong.Bias)
	}
	if large.Loss.Variance.Low < 5*plain.Loss.Variance.High {
		t.Errorf("variance %v, and PUCL's is %v", large.Loss.Variance, plain.Loss.Variance)
	}
}
