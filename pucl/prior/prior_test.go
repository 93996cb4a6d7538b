package prior

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// population draws scores of labeled positives and of unlabeled examples; a share prior of the latter is positive.
func population(seed uint64, labeled, unlabeled int, prior float64, positive, negative func(*rand.Rand) float64) ([]float64, []bool) {
	random := rand.New(rand.NewPCG(seed, 1))
	scores, marks := make([]float64, labeled+unlabeled), make([]bool, labeled+unlabeled)
	for i := range scores {
		marks[i] = i < labeled
		if i < labeled+int(prior*float64(unlabeled)) {
			scores[i] = positive(random)
		} else {
			scores[i] = negative(random)
		}
	}
	return scores, marks
}

// uniform draws from an interval of length 1.
func uniform(from float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return from + random.Float64() }
}

// gaussian draws from a normal distribution of variance 1.
func gaussian(mean float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return mean + random.NormFloat64() }
}

// noInterval is the Config for tests of the estimate alone.
var noInterval = Config{Resamples: -1}

// column returns scores as rows of one feature.
func column(scores []float64) *mat.Dense { return mat.NewDense(len(scores), 1, scores) }

// estimators lists the estimators that find the prior of separable classes, with their tolerances below and above. TIcE
// subtracts a standard deviation from c, so its estimate is too large by design.
var estimators = []struct {
	name         string
	of           func([]float64, []bool, Config) (Estimate, error)
	below, above float64
}{
	{"BBE", BBE, 0.04, 0.04},
	{"DEDPUL", DEDPUL, 0.04, 0.04},
	{"TIcE", func(s []float64, l []bool, c Config) (Estimate, error) { return TIcE(column(s), l, c) }, 0.01, 0.2},
	{"KM2", func(s []float64, l []bool, c Config) (Estimate, error) { return KM2(column(s), l, c) }, 0.1, 0.05},
}

// If some positives are like no negative, every estimator finds every prior.
func TestPriorsOfKnownPopulations(t *testing.T) {
	expect.Slow(t)
	for _, e := range estimators {
		for _, p := range []struct {
			name               string
			positive, negative func(*rand.Rand) float64
		}{
			{"disjoint", uniform(0), uniform(-2)},
			{"half anchored", uniform(0), uniform(-0.5)},
			{"far Gaussians", gaussian(0), gaussian(-5)},
		} {
			for _, prior := range []float64{0.1, 0.5, 0.8} {
				if e.name == "KM2" && p.name != "half anchored" && prior != 0.5 {
					continue // a second each
				}
				scores, labeled := population(3, 2000, 8000, prior, p.positive, p.negative)
				got := expect.Must(e.of(scores, labeled, noInterval))(t)
				expect.That(t, got.Prior >= prior-e.below && got.Prior <= prior+e.above,
					"%s, %s: %.3f, want %g", e.name, p.name, got.Prior, prior)
				expect.That(t, !got.Overlap,
					"%s, %s, prior %g: takes the supports for overlapping", e.name, p.name, prior)
				expect.That(t, math.IsNaN(got.Low) && math.IsNaN(got.High),
					"%s: an interval where none was asked for", e.name)
			}
		}
	}
}

// Two scores, which 4 in 5 and 1 in 5 of the positives have, and none and all of the negatives. The limits are known:
// for scores that are the logits log(f_P/f_N), c of e1 is .8·.8 + .2·.2, and the others give the prior ¼, except for
// TIcE's deviation.
func TestDiscretePopulation(t *testing.T) {
	var scores []float64
	var labeled []bool
	add := func(n int, score float64, mark bool) {
		scores = append(scores, slices.Repeat([]float64{score}, n)...)
		labeled = append(labeled, slices.Repeat([]bool{mark}, n)...)
	}
	add(800, math.Log(4), true)
	add(200, -math.Log(4), true)
	add(800, math.Log(4), false)
	add(3200, -math.Log(4), false)
	for _, tt := range []struct {
		name string
		of   func([]float64, []bool, Config) (Estimate, error)
		want float64
	}{{"e1", ElkanNoto, 0.32 / 0.68}, {"e3", ElkanNotoMax, 0.25}, {"BBE", BBE, 0.25}} {
		got, err := tt.of(scores, labeled, noInterval)
		expect.That(t, err == nil && math.Abs(got.Prior-tt.want) <= 1e-12,
			"%s: %v, %v, want %g", tt.name, got.Prior, err, tt.want)
	}
	got := expect.Must(TIcE(column(scores), labeled, noInterval))(t)
	// Half of the rows of the node are labeled, also in any four fifths of them, approximately. One standard deviation
	// makes c smaller and so the prior larger: T = 1280 rows and δ = 1/(1 + .004·4000).
	delta := 1.0 / 17
	c := 0.5 - math.Sqrt(0.25*(1-delta)/(delta*1280))
	expect.Near(t, got.Prior, (1-c)/c/4, 0.01, "TIcE")
}

// BBE depends only on the order of scores. DEDPUL, TIcE and KM2 are invariant to scale and location. The order of the
// examples does not matter for estimators without random draws.
func TestInvariances(t *testing.T) {
	scores, labeled := population(5, 300, 900, 0.4, gaussian(0), gaussian(-2))
	mapped := func(f func(float64) float64) []float64 {
		out := make([]float64, len(scores))
		for i, s := range scores {
			out[i] = f(s)
		}
		return out
	}
	prior := func(of func([]float64, []bool, Config) (Estimate, error), s []float64, l []bool) float64 {
		return expect.Must(of(s, l, noInterval))(t).Prior
	}
	for _, e := range estimators {
		of, tolerance := math.Exp, 0.0
		if e.name != "BBE" {
			of, tolerance = func(x float64) float64 { return 8*x + 3 }, 1e-6
		}
		a, b := prior(e.of, scores, labeled), prior(e.of, mapped(of), labeled)
		expect.That(t, math.Abs(a-b) <= tolerance, "%s: %v, and %v after a change that should not count", e.name, a, b)
		for _, moved := range []func(float64) float64{ // shifts that leave 20 bits of the scores
			func(x float64) float64 { return x*0x1p+60 - 0x1p+90 }, func(x float64) float64 { return x + 1e9 },
		} {
			expect.Near(t, prior(e.of, mapped(moved), labeled), a, 3e-3, e.name)
		}
	}
	backward, marks := slices.Clone(scores), slices.Clone(labeled)
	slices.Reverse(backward)
	slices.Reverse(marks)
	for _, e := range estimators[:2] {
		expect.Equal(t, prior(e.of, scores, labeled), prior(e.of, backward, marks), e.name)
	}
}

// If the classifier is certain of every positive the prior is 0, even if g is above 1 by rounding.
func TestElkanNotoOfSureScores(t *testing.T) {
	for _, n := range []int{11, 21} {
		labeled := slices.Concat(slices.Repeat([]bool{true}, n), make([]bool, 20))
		scores := slices.Concat(slices.Repeat([]float64{40}, n), slices.Repeat([]float64{-3}, 20))
		if e, err := ElkanNoto(scores, labeled, Config{}); err != nil || !(0 <= e.Low && e.Low <= e.High && e.High < 1e-12) || !(e.Prior >= 0 && e.Prior < 1e-12) {
			t.Errorf("%d sure of: %+v, %v", n, e, err)
		}
	}
}

// The supports of close Gaussians overlap: the estimate is too large, and Overlap reports it.
func TestOverlapIsSeen(t *testing.T) {
	expect.Slow(t)
	scores, labeled := population(7, 3000, 12000, 0.3, gaussian(0), gaussian(-1))
	for _, e := range estimators[:2] {
		got := expect.Must(e.of(scores, labeled, noInterval))(t)
		expect.That(t, got.Overlap && !got.OverlapUnknown && got.Prior >= 0.33, "%s: %v", e.name, got)
	}
	for name, of := range map[string]func(*mat.Dense, []bool, Config) (Estimate, error){"KM2": KM2, "TIcE": TIcE} {
		if got, err := of(mat.NewDense(len(scores), 1, scores), labeled, noInterval); err != nil || got.Overlap || !got.OverlapUnknown || got.Prior < 0.33 ||
			!strings.HasSuffix(got.String(), "; whether the classes overlap is not looked at: ask DEDPUL or BBE, of scores of the same rows") {
			t.Errorf("%s: %v, %v; estimators of rows are too high too, and do not tell", name, got, err)
		}
	}
	// With half of the labeled positives at one score there is no ratio to compare.
	scores, labeled = population(7, 500, 500, 0.3, func(*rand.Rand) float64 { return 1 }, uniform(-1))
	if got, err := BBE(scores, labeled, noInterval); err != nil || got.Overlap || !(math.Abs(got.Prior-0.3) <= 1e-9) {
		t.Errorf("%v, %v", got, err)
	}
}

// Intervals reach their nominal coverage, and are not so wide that they always contain the prior.
func TestCoverage(t *testing.T) {
	expect.Slow(t)
	for _, e := range estimators[:2] {
		const draws = 60
		for _, prior := range []float64{0.1, 0.5} {
			contain, width := 0, 0.0
			for seed := range uint64(draws) {
				scores, labeled := population(seed+1, 300, 900, prior, gaussian(0), gaussian(-3))
				got := expect.Must(e.of(scores, labeled, Config{Resamples: 20, Seed: seed, Level: 0.8}))(t)
				if got.Low <= prior && prior <= got.High {
					contain++
				}
				expect.Require(t, got.Level == 0.8 && got.Low <= got.Prior && got.Prior <= got.High,
					"%s: %+v", e.name, got)
				width += (got.High - got.Low) / draws
			}
			expect.That(t, contain >= draws*8/10 && width <= 0.25,
				"%s, prior %g: %d of %d intervals contain it, of mean width %.3f", e.name, prior, contain, draws, width)
		}
	}
	// The intervals of row-based estimators come from resampled rows; the same seed gives the same interval.
	scores, labeled := population(9, 100, 300, 0.4, gaussian(0), gaussian(-5))
	for _, e := range estimators[2:] {
		c := Config{Resamples: 10}
		first := expect.Must(e.of(scores, labeled, c))(t)
		second, _ := e.of(scores, labeled, c)
		if !(first.Low < first.Prior && first.Prior < first.High && first.High-first.Low < 0.8) || first.Low != second.Low {
			t.Errorf("%s: %v and %v", e.name, first, second)
		}
	}
}

// A labeled fifth of a sample plus a quarter of the rest make two fifths of all.
func TestOneSample(t *testing.T) {
	e := Estimate{Prior: 0.25, Low: 0.2, High: 0.3, Level: 0.9}.OneSample(100, 400)
	for _, tt := range [][2]float64{{e.Prior, 0.4}, {e.Low, 0.36}, {e.High, 0.44}} {
		expect.That(t, math.Abs(tt[0]-tt[1]) <= 1e-12, "%v, want %v", tt[0], tt[1])
	}
	expect.Equal(t, e.String(), "0.400, 90% interval 0.360 to 0.440")
	e.Low, e.High = e.Prior, e.Prior
	got, want := e.String(), "0.400, 90% interval 0.400 to 0.400, as no resample differs"
	expect.That(t, strings.HasPrefix(got, want), "got %q, want %q", got, want)
	for _, counts := range [][2]int{{0, 0}, {-1, 10}, {10, 0}} {
		refusal.Check(t, refusal.Of(func() { e.OneSample(counts[0], counts[1]) }), "prior: one sample of … give the counts of both, each 1 or more")
	}
	e.Overlap, e.Low = true, math.NaN()
	expect.Equal(t, e.String(), "0.400; an upper bound alone: no region free of negatives is seen")
}
