package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/expect"
)

func draw(t *testing.T, m Mixture, cfg Config) *tabular.Table {
	t.Helper()
	table := expect.Must(m.Draw(cfg))(t)
	expect.NoError(t, table.Validate())
	return table
}

// moments returns mean, covariance and number of the points of a class.
func moments(table *tabular.Table, class int) (mean [2]float64, cov [2][2]float64, n float64) {
	for pass := range 2 {
		for i, label := range table.Labels {
			if label != class {
				continue
			}
			x := table.Features.RawRowView(i)
			if pass == 0 {
				n++
				mean[0] += x[0]
				mean[1] += x[1]
				continue
			}
			for a := range 2 {
				for b := range 2 {
					cov[a][b] += (x[a] - mean[a]) * (x[b] - mean[b]) / n
				}
			}
		}
		if pass == 0 {
			mean[0] /= n
			mean[1] /= n
		}
	}
	return mean, cov, n
}

// Means and covariances of many points match the distributions within five standard errors.
func TestMoments(t *testing.T) {
	for _, m := range []Mixture{Separable(), Overlapping(), {
		Negative: Normal{Mean: [2]float64{-5, 2}, Covariance: [2][2]float64{{4, 1.5}, {1.5, 1}}},
		Positive: Normal{Mean: [2]float64{0.5, 100}, Covariance: [2][2]float64{{0.01, -0.09}, {-0.09, 1}}},
	}} {
		table := draw(t, m, Config{Points: 40_000, Prior: 0.25, Seed: 11})
		for class, want := range []Normal{m.Negative, m.Positive} {
			mean, cov, n := moments(table, class)
			expect.Equal(t, n, []float64{30_000, 10_000}[class], "class %d", class)
			for a := range 2 {
				if se := math.Sqrt(want.Covariance[a][a] / n); !(math.Abs(mean[a]-want.Mean[a]) <= 5*se) {
					t.Errorf("class %d: mean %v, want %v", class, mean, want.Mean)
				}
				for b := range 2 {
					c := want.Covariance
					se := math.Sqrt((c[a][a]*c[b][b] + c[a][b]*c[a][b]) / n) // of a normal covariance
					expect.Near(t, cov[a][b], c[a][b], 5*se, "class %d: covariance %d, %d", class, a, b)
				}
			}
		}
	}
}

// NumPy's sampler decomposes a matrix A = U·S·Vᵀ and scales normal numbers by √S along V. The covariance of its points
// is C = V·S·Vᵀ, the positive matrix with C·C = Aᵀ·A, even if A is not a covariance.
func TestSeparableIsWhatNumPyDraws(t *testing.T) {
	m := Separable()
	for _, tt := range []struct {
		a [2][2]float64 // in the notebook
		n Normal
	}{{[2][2]float64{{0, 0.5}, {0.5, 0}}, m.Negative}, {[2][2]float64{{0, 0.5}, {1, 0}}, m.Positive}} {
		c := tt.n.Covariance
		for i := range 2 {
			for j := range 2 {
				got := c[i][0]*c[0][j] + c[i][1]*c[1][j]
				want := tt.a[0][i]*tt.a[0][j] + tt.a[1][i]*tt.a[1][j]
				expect.That(t, got == want, "of the matrix %v NumPy makes another covariance than %v", tt.a, c)
			}
		}
	}
	expect.That(t, m.Negative.Mean == [2]float64{0, 0} && m.Positive.Mean == [2]float64{3.5, 3.5},
		"means %v and %v, want (0, 0) and (3.5, 3.5)", m.Negative.Mean, m.Positive.Mean)
}

// Along the diagonal the overlapping classes are symmetric except for their covariances, ±0.2: at (1/2, 1/2) the
// squared distances are 0.25·2/1.2 and 0.25·2/0.8, and both determinants are 0.96.
func TestOverlapping(t *testing.T) {
	got := expect.Must(Overlapping().Posterior(0.5, 0.5, 0.5))(t)
	if want := 1 / (1 + math.Exp(0.5*(0.5/0.8-0.5/1.2))); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("at (1/2, 1/2) a point is positive with probability %g, want %g", got, want)
	}
	got = expect.Must(Overlapping().Posterior(0, 0, 0.5))(t)
	// At (0, 0) the distances are 0 and 2/0.8.
	want := 1 / (1 + math.Exp(0.5*2/0.8))
	expect.Near(t, got, want, 1e-12, "the probability that (0, 0) is positive")
}

func TestDefaultsAndSeeds(t *testing.T) {
	table := draw(t, Separable(), Config{})
	_, _, n := moments(table, 1)
	expect.That(t, n == 1500 && table.Len() == 3000, "%g of %d points are positive, want 1500 of 3000", n, table.Len())
	// Classes come in random order: of the first 1,000, 500 with a standard deviation below 16.
	first := 0
	for _, class := range table.Labels[:1000] {
		first += class
	}
	expect.That(t, first >= 420 && first <= 580, "%d of the first 1000 points are positive", first)
	expect.That(t, mat.Equal(table.Features, draw(t, Separable(), Config{}).Features),
		"one seed gave two sets of points")
	expect.That(t, !mat.Equal(table.Features, draw(t, Separable(), Config{Seed: 1}).Features),
		"seeds 0 and 1 gave the same points")
	// The classes are independent: with another distribution of negatives the positives stay.
	other := Separable()
	other.Negative.Mean[0] = 50
	moved := draw(t, other, Config{})
	for i, class := range table.Labels {
		same := slices.Equal(table.Features.RawRowView(i), moved.Features.RawRowView(i))
		expect.Require(t, same == (class == 1), "point %d of class %d: the same is %v", i, class, same)
	}
}

func TestRandomClasses(t *testing.T) {
	var counts []float64
	for seed := range 200 {
		table := draw(t, Overlapping(), Config{Points: 1000, Prior: 0.3, Random: true, Seed: uint64(seed)})
		_, _, n := moments(table, 1)
		counts = append(counts, n)
	}
	mean, variance := 0.0, 0.0
	for _, n := range counts {
		mean += n / 200
	}
	for _, n := range counts {
		variance += (n - mean) * (n - mean) / 199
	}
	// Binomial: mean 300, variance 210; the mean of 200 has a standard error of 1.02, their variance one of 21.
	expect.Near(t, mean, 300, 5.2, "mean of the number of positives")
	expect.Near(t, variance, 210, 105, "variance of the number of positives")
}

func TestNormalDraw(t *testing.T) {
	points := expect.Must(Separable().Positive.Draw(20_000, 5))(t)
	var x, y float64
	for i := range 20_000 {
		x += points.At(i, 0) / 20_000
		y += points.At(i, 1) / 20_000
	}
	expect.Near(t, x, 3.5, 5/math.Sqrt(20_000), "mean of x")
	expect.Near(t, y, 3.5, 5*math.Sqrt(0.5/20_000), "mean of y")
	expect.Error(t, expect.Err(Separable().Positive.Draw(0, 1)), "0 points")
}

// Independent points: with the seed of a mixture they share no random number with it.
func TestNormalDrawIsApartFromTheMixture(t *testing.T) {
	standard := Normal{Covariance: [2][2]float64{{1, 0}, {0, 1}}}
	points := expect.Must(standard.Draw(100, 9))(t)
	for _, stream := range []uint64{classStream, negativeStream, positiveStream} {
		rng := rand.New(rand.NewPCG(9, stream))
		if x, y := rng.NormFloat64(), rng.NormFloat64(); x == points.At(0, 0) || y == points.At(0, 1) {
			t.Errorf("the points begin with the stream %#x of the mixture", stream)
		}
	}
	again, err := standard.Draw(100, 9)
	expect.That(t, err == nil && mat.Equal(points, again), "one seed gave two sets of points, error %v", err)
	// As documented: with one seed a shift of the mean shifts the points, so that samples to be combined need different
	// seeds.
	shifted := Normal{Mean: [2]float64{10, 0}, Covariance: standard.Covariance}
	moved, err := shifted.Draw(100, 9)
	expect.That(t, err == nil && math.Abs(moved.At(7, 0)-points.At(7, 0)-10) <= 1e-12,
		"a shifted distribution: %v, error %v", moved.RawRowView(7), err)
}

// For distant points, where squares of distances lose precision or overflow, the highest power that does not cancel
// decides.
func TestPosteriorFarOut(t *testing.T) {
	equal := Mixture{
		Negative: Normal{Covariance: [2][2]float64{{1, 0}, {0, 1}}},
		Positive: Normal{Mean: [2]float64{1, 0}, Covariance: [2][2]float64{{1, 0}, {0, 1}}},
	}
	for _, tt := range []struct {
		name       string
		m          Mixture
		x, y, want float64
	}{
		// The log odds are −0.2·(x·y)/0.48 plus smaller terms: the covariances have opposite signs.
		{"opposite covariances, along the diagonal", Overlapping(), 1e200, 1e200, 0},
		{"opposite covariances, across it", Overlapping(), 1e200, -1e200, 1},
		{"opposite covariances, on an axis", Overlapping(), 1e200, 0, 1}, // here only the term in x grows
		{"opposite covariances, at its other end", Overlapping(), -1e200, 0, 0},
		// The positives are wider in x and equally wide in y.
		{"a wider class", Separable(), 1e200, 1e200, 1},
		{"a wider class, at the other end", Separable(), -1.7e308, 1, 1},
		{"equal covariances", equal, 1e300, 1e300, 1},
		{"equal covariances, at the other side", equal, -1e300, 1e300, 0},
		// On the line x = 0 the log odds are constant: −1/2.
		{"equal covariances, along the boundary", equal, 0, 1e300, 1 / (1 + math.Exp(0.5))},
		{"equal covariances, less far along it", equal, 0, 1e10, 1 / (1 + math.Exp(0.5))},
		{"equal covariances, a step from it", equal, 2, 1e10, 1 / (1 + math.Exp(-1.5))},
	} {
		got := expect.Must(tt.m.Posterior(tt.x, tt.y, 0.5))(t)
		expect.That(t, math.Abs(got-tt.want) < 1e-12, "%s: %v, want %v", tt.name, got, tt.want)
	}
	// The result does not depend on the unit of length, even if a variance is near the limits of float64.
	for _, unit := range []float64{1e-150, 1e-3, 1e150} {
		scaled := Overlapping()
		for _, n := range []*Normal{&scaled.Negative, &scaled.Positive} {
			for i := range 2 {
				n.Mean[i] *= unit
				for j := range 2 {
					n.Covariance[i][j] *= unit * unit
				}
			}
		}
		// The squared distances of (2, 0) are 4/0.96 from (0, 0) and, since it is (1, -1) from (1, 1), (1 + 1 - 2·0.2)/0.96.
		want := 1 / (1 + math.Exp(0.5*(1.6/0.96-4/0.96)))
		got := expect.Must(scaled.Posterior(2*unit, 0, 0.5))(t)
		expect.That(t, math.Abs(got-want) <= 1e-12, "unit %g: %v, error; want %v", unit, got, want)
	}
	vast := Mixture{
		Negative: Normal{Mean: [2]float64{-1e308, 0}, Covariance: equal.Negative.Covariance},
		Positive: Normal{Mean: [2]float64{1e308, 0}, Covariance: equal.Negative.Covariance},
	}
	expect.Error(t, expect.Err(vast.Posterior(0, 0, 0.5)), "cannot be compared", "nearer to 1")
	same := Mixture{Negative: equal.Negative, Positive: equal.Negative}
	got := expect.Must(same.Posterior(1e250, -1e250, 0.25))(t)
	expect.That(t, math.Abs(got-0.25) <= 1e-12, "one distribution twice: %v, error; want the prior", got)
}

// density is the density of a normal distribution by its formula.
func density(n Normal, x, y float64) float64 {
	a, b, d := n.Covariance[0][0], n.Covariance[0][1], n.Covariance[1][1]
	det := a*d - b*b
	u, v := x-n.Mean[0], y-n.Mean[1]
	return math.Exp(-(d*u*u-2*b*u*v+a*v*v)/(2*det)) / (2 * math.Pi * math.Sqrt(det))
}

func TestPosterior(t *testing.T) {
	m := Overlapping()
	for _, p := range [][3]float64{{0, 0, 0.5}, {1, 1, 0.5}, {0.5, 0.5, 0.5}, {-2, 3, 0.1}, {4, 1, 0.9}} {
		got := expect.Must(m.Posterior(p[0], p[1], p[2]))(t)
		positive, negative := p[2]*density(m.Positive, p[0], p[1]), (1-p[2])*density(m.Negative, p[0], p[1])
		want := positive / (positive + negative)
		expect.Near(t, got, want, 1e-12, "at %v", p)
	}
	// Far away the densities underflow; the posterior does not.
	got := expect.Must(Separable().Posterior(1000, 1000, 0.5))(t)
	expect.That(t, got == 0 || got == 1, "far away: %g", got)
	expect.Error(t, expect.Err(m.Posterior(0, 0, 1)), "prior of 1")
	expect.Error(t, expect.Err(m.Posterior(math.NaN(), 0, 0.5)), "not finite")
}

func TestErrors(t *testing.T) {
	with := func(c [2][2]float64) Mixture {
		m := Separable()
		m.Positive.Covariance = c
		return m
	}
	for _, tt := range []struct {
		m    Mixture
		cfg  Config
		want []string
	}{
		{with([2][2]float64{{0, 0.5}, {0.5, 0}}), Config{}, []string{"positives", "not positive definite"}},
		{with([2][2]float64{{0, 0.5}, {1, 0}}), Config{}, []string{"positives", "not symmetric"}},
		{with([2][2]float64{{1, 1}, {1, 1}}), Config{}, []string{"not positive definite"}},
		{with([2][2]float64{{1, 2}, {2, 1}}), Config{}, []string{"not positive definite"}},
		{with([2][2]float64{{-1, 0}, {0, 1}}), Config{}, []string{"not positive definite"}},
		{with([2][2]float64{{math.NaN(), 0}, {0, 1}}), Config{}, []string{"finite"}},
		{Mixture{}, Config{}, []string{"negatives", "not positive definite"}},
		{Separable(), Config{Points: 1}, []string{"1 points", "2 to"}},
		{Separable(), Config{Points: -5}, []string{"-5 points"}},
		{Separable(), Config{Prior: 1}, []string{"prior of 1"}},
		{Separable(), Config{Prior: -0.5}, []string{"prior of -0.5"}},
		{Separable(), Config{Prior: math.NaN()}, []string{"prior of NaN"}},
		{Separable(), Config{Points: 10, Prior: 0.01}, []string{"0 of 10", "draw more"}},
		{Separable(), Config{Points: 10, Prior: 0.99}, []string{"10 of 10"}},
	} {
		expect.Error(t, expect.Err(tt.m.Draw(tt.cfg)), append(tt.want, "gaussian: ")...)
	}
}
