package theory

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

func TestMutualInformationInClosedForm(t *testing.T) {
	near(t, "independent", Joint{{0.06, 0.14}, {0.24, 0.56}}.MutualInformation(), 0, 1e-15)
	near(t, "equal, three values", Joint{{0.2, 0, 0}, {0, 0.5, 0}, {0, 0, 0.3}}.MutualInformation(),
		-(0.2*math.Log(0.2) + 0.5*math.Log(0.5) + 0.3*math.Log(0.3)), 1e-15)
	// A fair bit through a channel that flips it with probability 0.1: log 2 minus the entropy of the noise.
	noise := -(0.1*math.Log(0.1) + 0.9*math.Log(0.9))
	channel := Joint{{0.45, 0.05}, {0.05, 0.45}}
	near(t, "binary channel", channel.MutualInformation(), math.Ln2-noise, 1e-15)
	near(t, "ratio", channel.LogRatio()[0][0], math.Log(0.45/0.25), 1e-15)
	ratio := (Joint{{0.5, 0}, {0, 0.5}}).LogRatio()
	expect.That(t, math.IsInf(ratio[0][1], -1), "ratio of what never occurs is %g, want −Inf", ratio[0][1])
	x, y := Joint{{0.1, 0.2, 0.3}, {0.05, 0.15, 0.2}}.Marginals()
	for i, want := range []float64{0.6, 0.4} {
		near(t, "p(x)", x[i], want, 1e-15)
	}
	for i, want := range []float64{0.15, 0.35, 0.5} {
		near(t, "p(y)", y[i], want, 1e-15)
	}
}

// The views of quartet's and sextet's examples, by loops over class, first view and second view. In sextet a point
// belongs to both classes and is listed once.
func TestJointsOfAPopulation(t *testing.T) {
	for name, p := range map[string]Population{"quartet": quartet(), "sextet": sextet()} {
		const prior, same = 0.3, 0.25
		views, points := expect.Must2(ViewsJoint(p, prior, same))(t)
		class, again := expect.Must2(ClassJoint(p, prior))(t)
		want := len(p.Positive) + len(p.Negative)
		if name == "sextet" {
			want--
		}
		if len(points) != want || len(again) != want || len(views) != want || len(class) != want {
			t.Fatalf("%s: %d and %d points, %d and %d rows; want %d", name, len(points), len(again), len(views), len(class), want)
		}
		equal := func(a, b []float64) float64 {
			for k := range a {
				if a[k] != b[k] {
					return 0
				}
			}
			return 1
		}
		for x, zx := range points {
			for c, atoms := range [][]Atom{p.Positive, p.Negative} {
				share, p := []float64{prior, 1 - prior}[c], 0.0
				for _, a := range atoms {
					p += share * a.P * equal(a.Z, zx)
				}
				near(t, name+": p(x, class)", class[x][c], p, 1e-15)
			}
			for y, zy := range points {
				p, sides := 0.0, [][]Atom{p.Positive, p.Negative}
				for c, share := range []float64{prior, 1 - prior} {
					for _, a := range sides[c] {
						p += share * same * a.P * equal(a.Z, zx) * equal(a.Z, zy)
						for _, b := range sides[c] {
							p += share * (1 - same) * a.P * b.P * equal(a.Z, zx) * equal(b.Z, zy)
						}
					}
				}
				near(t, name+": p(x, x⁺)", views[x][y], p, 1e-15)
			}
		}
		expect.NoError(t, views.Validate())
		// Views that are independent given the class have at most as much information about each other as about the
		// class.
		free, _ := expect.Must2(ViewsJoint(p, prior, IndependentViews))(t)
		of, most := free.MutualInformation(), class.MutualInformation()
		expect.That(t, of > 0 && of < most+1e-12, "%s: the views share %g, a view and its class %g", name, of, most)
	}
}

func TestJointRefusals(t *testing.T) {
	wantError(t, "empty", Joint{}.Validate(), "without entries")
	wantError(t, "ragged", Joint{{0.5, 0.5}, {0}}.Validate(), "row 1", "1 entries")
	wantError(t, "negative", Joint{{1.5, -0.5}}.Validate(), "y=1", "-0.5")
	wantError(t, "not a number", Joint{{math.NaN(), 1}}.Validate(), "NaN")
	wantError(t, "sum", Joint{{0.5, 0.4}}.Validate(), "0.9")
	_, _, err := ViewsJoint(quartet(), 1.5, 0)
	wantError(t, "prior", err, "π = 1.5")
	_, _, err = ViewsJoint(quartet(), 0.5, 2)
	wantError(t, "same view", err, "ρ", "2")
	_, _, err = ClassJoint(Population{}, 0.5)
	wantError(t, "no population", err, "at least one atom")
}

func TestIdealAgainstSequences(t *testing.T) {
	for _, p := range []Population{quartet(), sextet()} {
		for _, negatives := range []int{0, 1, 2, 5} {
			for _, prior := range []float64{0, 0.35, 1} {
				for _, tau := range []float64{0.05, 1} {
					attraction, partition := theorytest.Ideal(worldOf(p, Design{Prior: prior}), negatives, tau)
					got := expect.Must(IdealLoss(p, prior, negatives, tau))(t)
					near(t, "attraction", got.Attraction.Value, attraction, 1e-12)
					near(t, "log partition", got.LogPartition.Value, partition, 1e-12)
					near(t, "loss", got.Loss.Value, partition-attraction, 1e-12)
					expect.That(t, got.Negatives == negatives, "%d negatives, want %d", got.Negatives, negatives)
				}
			}
		}
	}
}

// One point per class, opposite: log(e^(1/τ) + N e^(−1/τ)) − 1/τ = log(1 + N e^(−2/τ)), here also at τ = 0.001, where
// e^(1/τ) overflows float64, and with many negatives.
func TestIdealClosedForm(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1, 0}), Negative: Uniform([]float64{-1, 0})}
	for _, tau := range []float64{0.001, 0.5, 2} {
		for _, negatives := range []int{0, 3, 1000} {
			got := expect.Must(IdealLoss(p, 0.3, negatives, tau))(t)
			near(t, "loss", got.Loss.Value, math.Log1p(float64(negatives)*math.Exp(-2/tau)), 1e-12)
		}
	}
}

// Two negative atoms at one place act as one: the binomial weights of 1000 draws add up.
func TestIdealWithManyNegatives(t *testing.T) {
	one := Population{Positive: Uniform([]float64{1, 0}), Negative: Uniform([]float64{0, 1})}
	two := Population{Positive: Uniform([]float64{1, 0}), Negative: []Atom{{[]float64{0, 1}, 0.01}, {[]float64{0, 1}, 0.99}}}
	for _, negatives := range []int{100, 1000} {
		a := expect.Must(IdealLoss(one, 0.5, negatives, 0.5))(t)
		b := expect.Must(IdealLoss(two, 0.5, negatives, 0.5))(t)
		near(t, "loss", b.Loss.Value, a.Loss.Value, 1e-12)
	}
}

func TestIdealRefuses(t *testing.T) {
	p := quartet()
	wantError(t, "prior", expect.Err(IdealLoss(p, 1.5, 2, 0.5)), "π = 1.5")
	wantError(t, "negatives", expect.Err(IdealLoss(p, 0.5, -1, 0.5)), "-1 negatives")
	wantError(t, "temperature", expect.Err(IdealLoss(p, 0.5, 2, math.NaN())), "τ = NaN")
	wantError(t, "population", expect.Err(IdealLoss(Population{}, 0.5, 2, 0.5)), "at least one atom")
	wantError(t, "too many", expect.Err(IdealLoss(manyOnOneSpot(8), 0.5, 500, 0.5)), "500 negatives", "too many terms")
	_, err := IdealGradient(manyOnOneSpot(8), 0.5, 500, 0.5)
	wantError(t, "too many for a gradient", err, "500 negatives", "too many terms")
}

// manyOnOneSpot returns a population whose negative class has k atoms at one place, which makes for many counts.
func manyOnOneSpot(k int) Population {
	points := make([][]float64, k)
	for i := range points {
		points[i] = []float64{0, 1}
	}
	return Population{Positive: Uniform([]float64{1, 0}, []float64{1, 1}), Negative: Uniform(points...)}
}

// The diagonal holds squared bias plus variance, as the meters of the objectives measure them; the other entries
// determine the error of the sum.
func TestSquaredErrors(t *testing.T) {
	eng := openEngine(t)
	world := Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0.5})}
	d := Design{Labeled: 2, Unlabeled: 1, Prior: 0.4}
	parts := []pucl.Part{{Weight: 0.3, Objective: pucl.PUDebiased(0.4)}, {Weight: 0.7, Objective: pucl.SCL()}}
	m := expect.Must(NewErrorMeter(eng, []pucl.Objective{parts[0].Objective, parts[1].Objective}, 0.5))(t)
	defer m.Close()
	loss, gradient := expect.Must2(m.SquaredErrors(world, d))(t)
	mixed := func(m *mat.SymDense) float64 { return 0.09*m.At(0, 0) + 0.49*m.At(1, 1) + 0.42*m.At(0, 1) }
	for _, tt := range []struct {
		o              pucl.Objective
		loss, gradient float64
	}{
		{parts[0].Objective, loss.At(0, 0), gradient.At(0, 0)},
		{parts[1].Objective, loss.At(1, 1), gradient.At(1, 1)},
		{pucl.WeightedSum("mixed", parts...), mixed(loss), mixed(gradient)},
	} {
		one := expect.Must(NewMeter(eng, tt.o, 0.5))(t)
		defer one.Close()
		r := expect.Must(one.Exact(world, d))(t)
		near(t, tt.o.Name+", loss", tt.loss, r.Loss.Variance.Value+r.Bias.Value*r.Bias.Value, 1e-12)
		covariance := expect.Must(one.GradientCovariance(world, d))(t)
		bias := expect.Must(one.GradientBias(world, d))(t)
		near(t, tt.o.Name+", gradient", tt.gradient, mat.Trace(covariance)+bias*bias, 1e-12)
	}
}

// No other weights that add up to 1 have a smaller error than the best ones.
func TestBestMixture(t *testing.T) {
	m := mat.NewSymDense(3, []float64{2, 1, 0.5, 1, 3, -0.5, 0.5, -0.5, 1})
	weights, least := expect.Must2(BestMixture(m))(t)
	of := func(w []float64) float64 { v := mat.NewVecDense(3, w); return mat.Inner(v, m, v) }
	near(t, "sum", weights[0]+weights[1]+weights[2], 1, 1e-15)
	near(t, "error", of(weights), least, 1e-15)
	for k := range 12 {
		angle := 2 * math.Pi * float64(k) / 12
		x, y := 0.01*math.Cos(angle), 0.01*math.Sin(angle)
		other := of([]float64{weights[0] + x, weights[1] + y, weights[2] - x - y})
		expect.That(t, other > least, "moved by %g and %g the error is %g, not above %g", x, y, other, least)
	}
	_, _, err := BestMixture(mat.NewSymDense(2, []float64{1, 1, 1, 1}))
	wantError(t, "the same objective twice", err, "no one best mixture", "leave out")
	_, _, err = BestMixture(mat.NewSymDense(2, []float64{1, 1, 1, 1 + 1e-14}))
	wantError(t, "the same objective but for rounding", err, "no one best mixture")
	_, _, err = BestMixture(mat.NewSymDense(2, []float64{0, 0, 0, 1}))
	wantError(t, "one without errors", err, "without any error")
	_, _, err = BestMixture(&mat.SymDense{})
	wantError(t, "nothing", err, "no one best mixture")
}

func TestErrorMeterRefuses(t *testing.T) {
	wantError(t, "no objectives", expect.Err(NewErrorMeter(openEngine(t), nil, 1)), "no objectives")
	wantError(t, "no engine", expect.Err(NewErrorMeter(nil, []pucl.Objective{pucl.SSCL()}, 1)), "engine.Open")
	wantError(t, "τ", expect.Err(NewErrorMeter(openEngine(t), []pucl.Objective{pucl.SSCL()}, 0)), "τ = 0")
	broken := pucl.SSCL()
	broken.Attract = pucl.Scale(math.Inf(1), broken.Attract)
	m := expect.Must(NewErrorMeter(openEngine(t), []pucl.Objective{broken}, 1))(t)
	defer m.Close()
	world := Population{Positive: Uniform([]float64{1}), Negative: Uniform([]float64{-1})}
	_, _, err := m.SquaredErrors(world, Design{Unlabeled: 2, Prior: 0.5})
	wantError(t, "infinite", err, `"ssCL"`, "not finite")
	m.MaxBatches = 1
	_, _, err = m.SquaredErrors(world, Design{Unlabeled: 2, Prior: 0.5})
	wantError(t, "too many batches", err, "more than the 1 ", "MaxBatches")
	_, _, err = m.SquaredErrors(world, Design{})
	wantError(t, "no batch", err, "neither may be negative")
	expect.That(t, !strings.Contains(err.Error(), "panic"), "%v", err)
}
