package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// Twelve examples by hand in three bins of four. The two lowest examples of the second bin tie with the last of the
// first.
func TestReliabilityByHand(t *testing.T) {
	p := []float64{0.1, 0.2, 0.3, 0.3, 0.3, 0.5, 0.6, 0.6, 0.9, 1, 1, 1}
	truth := []bool{false, false, true, false, false, true, false, true, true, true, true, false}
	r := expect.Must(MeasureReliability(p, truth, 3))(t)
	want := Reliability{
		{Mean: 1.2 / 5, Positive: 0.2, Error: math.Sqrt(0.2 * 0.8 / 5), Share: 5. / 12},
		{Mean: 1.7 / 3, Positive: 2. / 3, Error: math.Sqrt(2. / 27), Share: 3. / 12},
		{Mean: 3.9 / 4, Positive: 0.75, Error: math.Sqrt(0.75 * 0.25 / 4), Share: 4. / 12},
	}
	for i, b := range r {
		near(t, "mean", b.Mean, want[i].Mean, 1e-15)
		near(t, "positive", b.Positive, want[i].Positive, 1e-15)
		near(t, "error", b.Error, want[i].Error, 1e-15)
		near(t, "share", b.Share, want[i].Share, 1e-15)
	}
	near(t, "calibration error", r.CalibrationError(), 5./12*0.04+0.25*0.1+0.225/3, 1e-15)
	same := expect.Must(MeasureReliability([]float64{0.5, 0.5}, []bool{true, false}, 0))(t)
	expect.That(t, len(same) == 1 && same[0].Share == 1, "%+v", same)
}

// A tie longer than a bin absorbs the bins it covers; none of a single example is left, and later bins are unchanged.
func TestReliabilityOfTies(t *testing.T) {
	for _, tt := range []struct {
		equal, bins int
		want        []float64 // examples in bins
	}{
		{800, 10, []float64{800, 100, 100}},
		{850, 10, []float64{850, 50, 100}},
		{990, 10, []float64{990, 10}},
		{50, 10, []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}},
		{1000, 10, []float64{1000}},
		{998, 1 << 30, []float64{998, 1, 1}},
	} {
		p, truth := make([]float64, 1000), make([]bool, 1000)
		for i := range p {
			p[i], truth[i] = float64(max(i-tt.equal+1, 0))/1000, i%3 == 0
		}
		population := len(p)
		for name, measure := range map[string]func() (Reliability, error){
			"true classes": func() (Reliability, error) { return MeasureReliability(p, truth, tt.bins) },
			"without negatives": func() (Reliability, error) { // beside one labeled positive
				return MeasureReliabilityPU(append(p[:population:population], 0.5), append(make([]bool, population), true), ScoreConfig{Prior: 0.3}, tt.bins)
			},
		} {
			var got []float64
			for _, b := range expect.Must(measure())(t) {
				got = append(got, math.Round(1000*b.Share))
			}
			expect.That(t, slices.Equal(got, tt.want),
				"%d equal probabilities, %s: bins of %v, want %v", tt.equal, name, got, tt.want)
		}
	}
}

// A bin with no positive, or with only positives, has a nonzero error: the effect of one example.
func TestReliabilityErrorOfSureBins(t *testing.T) {
	p := []float64{0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 1}
	truth := []bool{false, false, false, false, true, false, true, false, true, true}
	r := expect.Must(MeasureReliability(p, truth, 10))(t)
	for i, want := range []float64{1. / 4, math.Sqrt(0.6 * 0.4 / 5), 1} {
		near(t, "error", r[i].Error, want, 1e-15)
	}
}

// Points x on the line are positive with probability σ(x). Calibrated probabilities have a small calibration error,
// with and without negatives; probabilities from logits scaled by two have a large one. The estimate without negatives
// agrees with the truth within its errors.
func TestReliabilityOfKnownProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 40_000
	for _, single := range []bool{false, true} {
		var x []float64
		var truth, labeled []bool
		positives := 0
		add := func(u float64, positive, label bool) {
			x, truth, labeled = append(x, u), append(truth, positive), append(labeled, label)
		}
		for range n {
			u := 2 * rng.NormFloat64()
			positive := rng.Float64() < 1/(1+math.Exp(-u))
			if positive {
				positives++
			}
			add(u, positive, single && positive && rng.Float64() < 0.3)
		}
		config := ScoreConfig{Prior: float64(positives) / n, SingleDataset: single}
		population := len(x)
		for i := 0; !single && i < population; i++ { // labeled examples outside the population
			if truth[i] && rng.Float64() < 0.3 {
				add(x[i], true, true)
			}
		}
		for _, sure := range []float64{1, 2} {
			p := make([]float64, len(x))
			for i, u := range x {
				p[i] = 1 / (1 + math.Exp(-sure*u))
			}
			known := expect.Must(MeasureReliability(p[:population], truth[:population], 0))(t)
			found := expect.Must(MeasureReliabilityPU(p, labeled, config, 0))(t)
			for i := range known {
				if d := math.Abs(found[i].Positive - known[i].Positive); d > 4*found[i].Error || len(found) != len(known) {
					t.Errorf("bin %d: %.4f ± %.4f, truth %.4f", i, found[i].Positive, found[i].Error, known[i].Positive)
				}
			}
			// Some 6,000 labeled positives in ten bins leave an error of 4% in each.
			if e, f := known.CalibrationError(), found.CalibrationError(); sure == 1 && (e > 0.012 || f > 0.03) || sure == 2 && min(e, f) < 0.06 {
				t.Errorf("%g times too sure: calibration error %.4f, without negatives %.4f", sure, e, f)
			}
		}
	}
}

func TestReliabilityRefuses(t *testing.T) {
	p, labeled := []float64{0.5, 0.7}, []bool{true, false}
	all := func(p []float64, bins int) error { return refusal.Err(MeasureReliability(p, labeled, bins)) }
	pu := func(p []float64, labeled []bool, prior float64) error {
		return refusal.Err(MeasureReliabilityPU(p, labeled, ScoreConfig{Prior: prior}, 0))
	}
	nan := math.NaN()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{all([]float64{0, 1.5}, 0), "the probability of example 1 is 1.5; … give probabilities, 1/(1+e^−t) of a logit t"},
		{all([]float64{0, math.Inf(1)}, 0), "the probability of example 1 is +Inf; … give probabilities"},
		{all([]float64{nan, 1}, 0), "the probability of example 0 is NaN; … leave such examples out, or train again"},
		{all(nil, 0), "0 scores and 2 labels … give one for each"},
		{all(p, -3), "-3 bins; … give 1 or more, or 0 for 10"},
		{pu([]float64{0.5, -0.1}, labeled, 0.5), "the probability of example 1 is -0.1; … give probabilities"},
		{pu([]float64{0.5, nan}, labeled, 0.5), "the probability of example 1 is NaN; … leave such examples out, or train again"},
		{pu(p, labeled, 0), "class prior 0, from which follows … give it, or an estimate of it, above 0 and below 1"},
		{pu(p, labeled, 1), "class prior 1, from which follows … give it, or an estimate of it, above 0 and below 1"},
		{pu(p, labeled, nan), "class prior NaN, from which follows … give it, or an estimate of it, above 0 and below 1"},
		{pu(p, []bool{true, true}, 0.5), "2 labeled positives and 0 unlabeled … at least one of each must be held out"},
	} {
		refusal.Check(t, tt.err, tt.want)
	}
}
