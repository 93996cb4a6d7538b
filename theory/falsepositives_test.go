package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// someFalsePositives returns a random distribution over the given number of places.
func someFalsePositives(rng *rand.Rand, places int, rate float64) FalsePositives {
	w := FalsePositives{Rate: rate}
	distribution := func() []float64 {
		p, sum := make([]float64, places), 0.0
		for k := range p {
			p[k] = 0.2 + rng.Float64()
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
		return p
	}
	w.Positive, w.Negative = distribution(), distribution()
	return w
}

// lossOf computes E[−log g/(g + N h̄⁻)] independently.
func (w FalsePositives) lossOf(mass PositiveMass, h []float64, n float64) (loss float64) {
	mean := 0.0
	for k := range h {
		mean += w.Negative[k] * h[k]
	}
	for k := range h {
		observed := (1-w.Rate)*w.Positive[k] + w.Rate*w.Negative[k]
		g := h[k]
		if mass == Subtracted {
			g = (h[k] - w.Rate*mean) / (1 - w.Rate)
		} else if mass == Mixed {
			g = (1-w.Rate)*h[k] + w.Rate*mean
		}
		loss -= observed * math.Log(g/(g+n*mean))
	}
	return loss
}

// No scores near the recovered ones have a smaller loss.
func TestRecoveredMinimizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 30 {
		w := someFalsePositives(rng, 2+rng.IntN(4), 0.6*rng.Float64())
		for _, mass := range []PositiveMass{AsObserved, Subtracted, Mixed} {
			for _, n := range []float64{1, 30} {
				q := expect.Must(w.Recovered(mass, n))(t)
				h := make([]float64, len(q))
				for k := range h {
					h[k] = q[k] / w.Negative[k]
				}
				least := w.lossOf(mass, h, n)
				for k := range h {
					for _, factor := range []float64{0.999, 1.001} {
						moved := append([]float64{}, h...)
						moved[k] *= factor
						if loss := w.lossOf(mass, moved, n); loss < least-1e-12 {
							t.Errorf("mass %d, N = %g: place %d times %g lowers the loss by %g", mass, n, k, factor, least-loss)
						}
					}
				}
			}
		}
	}
}

// With many negatives the recovered distribution has a closed form.
func TestRecoveredInTheLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		w := someFalsePositives(rng, 5, 0.7*rng.Float64())
		for mass, clean := range map[PositiveMass]float64{AsObserved: 1 - w.Rate, Subtracted: (1 - w.Rate) * (1 - w.Rate), Mixed: 1} {
			q := expect.Must(w.Recovered(mass, 1e9))(t)
			for k := range q {
				near(t, "recovered", q[k], clean*w.Positive[k]+(1-clean)*w.Negative[k], 1e-7)
			}
		}
		for k, p := range w.Without(w.Observed()) {
			near(t, "without the false ones", p, w.Positive[k], 1e-14)
		}
	}
}

// Enumeration finds the best bounded scores with the mean inside the logarithm.
func TestThresholdRule(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 30 {
		w := someFalsePositives(rng, 6, 0.3)
		q := expect.Must(w.ThresholdRule(4))(t)
		best := 0.0
		ratio := func(h func(k int) float64) float64 {
			above, below := 0.0, 0.0
			for k := range w.Positive {
				above, below = above+w.Positive[k]*h(k), below+w.Negative[k]*h(k)
			}
			return above / below
		}
		for rule := range 1 << 6 {
			best = max(best, ratio(func(k int) float64 { return 1 + 3*float64(rule>>k&1) }))
		}
		near(t, "ratio", ratio(func(k int) float64 { return q[k] / w.Negative[k] }), best, 1e-12)
	}
}

func TestFalsePositivesRefuses(t *testing.T) {
	half := []float64{0.5, 0.5}
	for _, tt := range []struct {
		w    FalsePositives
		says string
	}{
		{FalsePositives{}, "p⁺ of 0 places … at least one"},
		{FalsePositives{half, []float64{0, 1}, 0}, "place 0 has p⁺ = 0.5 and p⁻ = 0 … the second be positive"},
		{FalsePositives{[]float64{0.5, 0.4}, half, 0}, "p⁺ sum to 0.9 … must sum to 1"},
		{FalsePositives{half, half, 1}, "a share of 1 false positives … below 1"},
	} {
		refusal.Check(t, tt.w.Validate(), tt.says)
	}
	w := FalsePositives{half, half, 0.1}
	refusal.Check(t, refusal.Err(w.Recovered(Mixed, 0)), "N = 0 negatives … must be some")
	refusal.Check(t, refusal.Err(w.Recovered(7, 1)), "no mass 7 … AsObserved, Subtracted or Mixed")
	refusal.Check(t, refusal.Err(w.ThresholdRule(1)), "from 1 to 1 … above the smallest")
	refusal.Check(t, refusal.Err(TotalVariation(half, nil)), "total variation … two distributions over the same places")
}
