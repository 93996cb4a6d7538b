package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// A 95 % interval must miss the exact value in about one of twenty studies: of 400, between 6 and 37. The 0.0001 and
// the 0.9999 quantile of the binomial distribution are 6 and 38.
func TestIntervalsCoverWhatTheyPromise(t *testing.T) {
	const studies = 400
	p := quartet()
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.35, SameView: 0.3}
	m := meterOf(t, pucl.PUCL(), 0.5)
	exact := expect.Must(m.Exact(p, d))(t)
	names := []string{"mean attraction", "mean log partition", "mean loss", "variance of the loss", "bias"}
	missed := make([]int, len(names))
	for seed := range uint64(studies) {
		r := expect.Must(m.MonteCarlo(p, d, Draws{Batches: 256, Seed: seed}))(t)
		for i, pair := range [][2]Number{
			{r.Attraction.Mean, exact.Attraction.Mean}, {r.LogPartition.Mean, exact.LogPartition.Mean},
			{r.Loss.Mean, exact.Loss.Mean}, {r.Loss.Variance, exact.Loss.Variance}, {r.Bias, exact.Bias},
		} {
			if !pair[0].Contains(pair[1].Value) {
				missed[i]++
			}
		}
	}
	for i, name := range names {
		expect.That(t, missed[i] >= 6 && missed[i] <= 37,
			"%s: %d of %d intervals miss the exact value; about 20 should", name, missed[i], studies)
	}
}

// The Student factor matters for few draws; here the sample is normal, so that coverage is exact.
func TestIntervalsOfSmallSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const studies = 4000
	missed := 0
	for range studies {
		x := make([]float64, 4)
		for i := range x {
			x[i] = 3 + 2*rng.NormFloat64()
		}
		if !sampledMoments(x, 0.9).Mean.Contains(3) {
			missed++
		}
	}
	// 400 expected, with a standard deviation of 19; the normal quantile would miss some 800 times.
	expect.That(t, missed >= 325 && missed <= 475, "%d of %d intervals miss, 400 should", missed, studies)
	m := sampledMoments([]float64{1, 2, 3, 6}, 0.95)
	near(t, "mean", m.Mean.Value, 3, 1e-15)
	near(t, "variance", m.Variance.Value, 14.0/3, 1e-15)
	// Student's 0.975 quantile with 3 degrees of freedom is 3.182446.
	near(t, "half width", m.Mean.High-m.Mean.Value, 3.182446305*math.Sqrt(14.0/12), 1e-8)
	// The fourth moment is (16 + 1 + 0 + 81)/4, and the normal quantile 1.959964.
	spread := 1.959963985 * math.Sqrt((24.5-14.0/3*14/3/3)/4)
	near(t, "half width for the variance", m.Variance.High-m.Variance.Value, spread, 1e-8)
	near(t, "the same below", m.Variance.Value-m.Variance.Low, spread, 1e-8)
	near(t, "the same on the other side", m.Mean.Value-m.Mean.Low, 3.182446305*math.Sqrt(14.0/12), 1e-8)
}

func TestMonteCarloFindsTheSchemes(t *testing.T) {
	p := quartet()
	for _, d := range []Design{
		{Labeled: 2, Unlabeled: 1, Prior: 0.8, SameView: IdenticalViews},
		{Labeled: 1, Unlabeled: 2, Prior: 0.8, Scheme: SingleDataset, LabelRate: 0.9},
	} {
		for _, o := range paperObjectives() {
			m := meterOf(t, o, 0.5)
			exact := expect.Must(m.Exact(p, d))(t)
			// Confidence 1 − 1e-6: an interval that misses is a bug, not chance.
			got := expect.Must(m.MonteCarlo(p, d, Draws{Batches: 4000, Confidence: 0.999999, Seed: 5}))(t)
			for i, pair := range [][2]Moments{{got.Attraction, exact.Attraction}, {got.LogPartition, exact.LogPartition}, {got.Loss, exact.Loss}} {
				if exact := pair[1].Variance.Value; exact < 1e-20 { // constant up to rounding
					near(t, "mean of a constant", pair[0].Mean.Value, pair[1].Mean.Value, 1e-13)
					near(t, "variance of a constant", pair[0].Variance.Value, 0, 1e-20)
					continue
				}
				if !pair[0].Mean.Contains(pair[1].Mean.Value) || !pair[0].Variance.Contains(pair[1].Variance.Value) {
					t.Errorf("%s, %s: sampled %v, exact %v", o.Name, quantities[i], pair[0], pair[1])
				}
				// Twice the quantile 4.89, with a margin for the sampled standard deviation.
				if pair[0].Mean.High-pair[0].Mean.Low > 11*math.Sqrt(pair[1].Variance.Value/4000) {
					t.Errorf("%s, %s: the interval %v is wider than its standard error says", o.Name, quantities[i], pair[0].Mean)
				}
			}
			expect.That(t, got.Batches == 4000 && got.Seed == 5 && got.Confidence == 0.999999,
				"%+v does not repeat the settings", got)
		}
	}
}

func TestSeedsDecide(t *testing.T) {
	m := meterOf(t, pucl.PUCL(), 0.5)
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.35}
	var values [3]float64
	for i, seed := range []uint64{1, 1, 2} {
		r := expect.Must(m.MonteCarlo(quartet(), d, Draws{Batches: 100, Seed: seed}))(t)
		values[i] = r.Loss.Mean.Value
	}
	expect.That(t, values[0] == values[1] && values[0] != values[2], "seeds 1, 1, 2 gave %v", values)
}

// An ideal loss that cannot be summed is sampled. These negatives lie at one place, so that its value is known
// nevertheless.
func TestSampledIdeal(t *testing.T) {
	const negatives, tau, studies = 40, 0.5, 300
	known, err := IdealLoss(manyOnOneSpot(1), 0.3, negatives, tau)
	expect.NoError(t, err)
	missed := 0
	for seed := range uint64(studies) {
		got, err := sampleIdeal(manyOnOneSpot(8), 0.3, negatives, tau, Draws{Batches: 200, Confidence: 0.95, Seed: seed})
		expect.NoError(t, err)
		near(t, "attraction", got.Attraction.Value, known.Attraction.Value, 1e-14)
		if !got.Loss.Contains(known.Loss.Value) {
			missed++
		}
	}
	if missed < 3 || missed > 31 { // 15 expected; binomial quantiles of 0.0001 and 0.9999
		t.Errorf("%d of %d intervals miss the ideal loss", missed, studies)
	}

	// With the exported function: 24 examples make 46 negatives, on eight atoms too many counts to sum.
	d := Design{Labeled: 4, Unlabeled: 20, Prior: 0.3}
	r, err := meterOf(t, pucl.PUCL(), tau).MonteCarlo(manyOnOneSpot(8), d, Draws{Batches: 300, Confidence: 0.999999, Seed: 1})
	expect.NoError(t, err)
	known = expect.Must(IdealLoss(manyOnOneSpot(1), 0.3, d.Negatives(), tau))(t)
	expect.That(t, r.Ideal.Loss.Contains(known.Loss.Value) && r.Ideal.Loss.Low != r.Ideal.Loss.High,
		"sampled ideal loss %s, exactly %s", r.Ideal.Loss, known.Loss)
	if width := r.Bias.High - r.Bias.Low; !(width > r.Loss.Mean.High-r.Loss.Mean.Low) {
		t.Errorf("the bias %s does not hold the uncertainty of the ideal loss", r.Bias)
	}
}

func TestMonteCarloRefuses(t *testing.T) {
	m := meterOf(t, pucl.PUCL(), 0.5)
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	wantError(t, "few", expect.Err(m.MonteCarlo(quartet(), d, Draws{Batches: 29})), "29 batches", "at least 30")
	wantError(t, "confidence", expect.Err(m.MonteCarlo(quartet(), d, Draws{Confidence: 95})), "confidence 95", "0.95")
	wantError(t, "population", expect.Err(m.MonteCarlo(Population{}, d, Draws{})), "at least one atom")
	c, err := Draws{}.withDefaults()
	expect.That(t, err == nil && c == (Draws{Batches: 10_000, Confidence: 0.95}), "defaults %+v, %v", c, err)
}
