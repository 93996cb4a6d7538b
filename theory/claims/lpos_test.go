package claims

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestLPosIdentityHolds(t *testing.T) {
	c := check(t, LPosIdentity())
	expect.That(t, c.Verdict == Holds && c.Number.Value == 0 && c.Counterexample == "", "%s; %q", c, c.Counterexample)
	got := value(t, c.Finding, "cases that differ, τ⁺ that of the other class")
	expect.That(t, got > 1800, "one τ⁺ for all anchors is wrong in %g cases only", got)
	expect.Equal(t, value(t, c.Finding, "of these with balanced classes"),
		0, "one τ⁺ for all anchors is wrong in some balanced cases")
}

// By hand: E⁺ = 2, E⁻ = ½, τ⁺ = ¼, N = 3, so E = 7/8: (7/8 − 3/8)/(7/8 + 0) = 4/7 = 2/(2 + 3/2).
func TestPrintedLPosByHand(t *testing.T) {
	above, below := printedLPos(big.NewRat(7, 8), big.NewRat(1, 2), big.NewRat(1, 4), 3)
	got := above.Quo(above, below)
	expect.That(t, got.Cmp(big.NewRat(4, 7)) == 0, "the fraction is %s, want 4/7", got.RatString())
	if got := mixture(big.NewRat(2, 1), big.NewRat(1, 2), big.NewRat(1, 4)); got.Cmp(big.NewRat(7, 8)) != 0 {
		t.Errorf("the mixture is %s, want 7/8", got.RatString())
	}
}

func TestLPosIdentityFollowsTheNumbers(t *testing.T) {
	f := lposIdentityFinding(onCounts(), func(all, other, tauPlus *big.Rat, n int64) (above, below *big.Rat) {
		above, below = printedLPos(all, other, tauPlus, n)
		return above, below.Add(below, other) // (Nτ⁺ − τ⁻ + 1) in place of (Nτ⁺ − τ⁻)
	})
	expect.That(t, f.Verdict == Fails && f.Number.Value == lposCases && f.Counterexample != "",
		"%s: %s; %q", f.Verdict, f.Sentence, f.Counterexample)
}

// The identity is the computation of pucl.DebiasedPos on a batch with known classes. With τ⁺ the fraction of the
// anchor's class among the other rows, its loss is −log E⁺/(E⁺ + N·E⁻) with the means over the rows of the own and of
// the other class.
func TestLPosIdentityInABatch(t *testing.T) {
	const tau, weight = 0.5, 3.0
	rng := rand.New(rand.NewPCG(1, 1))
	z := make([][]float64, 8)
	for i := range z {
		z[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	class := []int32{1, 0, 1, 0} // of seven other rows three are of the anchor's class
	o := pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 3.0 / 7, Negatives: pucl.OtherClasses, Weight: weight})
	losses := expect.Must(theory.AnchorLosses(openEngine(t), o, [][][]float64{z}, make([]bool, 4), class, tau))(t)
	for i := range z {
		var sum, count [2]float64
		for j := range z {
			if j == i {
				continue
			}
			var ab, aa, bb float64
			for k := range z[i] {
				ab, aa, bb = ab+z[i][k]*z[j][k], aa+z[i][k]*z[i][k], bb+z[j][k]*z[j][k]
			}
			same := 0
			if class[i%4] == class[j%4] {
				same = 1
			}
			sum[same] += math.Exp(ab / math.Sqrt(aa*bb) / tau)
			count[same]++
		}
		own, other := sum[1]/count[1], sum[0]/count[0]
		near(t, "loss of an anchor", losses[0][i], -math.Log(own/(own+weight*other)), 1e-12)
	}
}

func TestLPosLimitFails(t *testing.T) {
	c := check(t, LPosLimit())
	expect.That(t, c.Verdict == Fails && c.Counterexample != "" && c.Corrected != "", "%s", c)
	// Positives at ±1, negatives at +1, e^s = 2 or ½, π = ½. In closed form the anchors at +1 and −1 of the positive
	// class have one value of the negatives' sum; those of the negative class have s(x, x⁺) = log 2, but varying
	// negatives.
	difference := func(n float64) float64 {
		at := func(negative float64) float64 { // an anchor whose negatives all have e^s = negative
			return (math.Log1p(n*negative/2)+math.Log1p(2*n*negative))/2 - math.Log1p(n*negative/1.25)
		}
		binomial, p := 0.0, math.Pow(0.5, n)
		for k := 0.0; k <= n; k++ {
			binomial += p * math.Log1p((2*k+0.5*(n-k))/2)
			p *= (n - k) / (k + 1)
		}
		return 0.25*at(2) + 0.25*at(0.5) + 0.5*(binomial-math.Log1p(n*1.25/2))
	}
	for _, n := range []float64{1, 4, 16, 64, 256} {
		name := map[float64]string{1: "1", 4: "4", 16: "16", 64: "64", 256: "256"}[n]
		near(t, "difference at N = "+name, value(t, c.Finding, "difference in the counterexample, N = "+name), difference(n), 1e-12)
	}
	measured(t, c.Finding, "E_x[log E e^s − E s] in the counterexample", math.Log(1.25)/2, 1e-14)
	near(t, "Number", c.Number.Value, math.Log(1.25)/2, 1e-3)
	for _, r := range nPairReadings {
		open := value(t, c.Finding, r.name+": worlds where the difference does not vanish")
		expect.That(t, open >= 10, "%s: the difference stays in %g worlds only", r.name, open)
		expect.Equal(t, value(t, c.Finding, r.name+": worlds where the corrected difference does not vanish"),
			0, "%s: the corrected difference stays in some worlds", r.name)
	}
	expect.Equal(t, value(t, c.Finding,
		"negatives from p⁻: worlds where the difference does not tend to E_x[log E e^s − E s]"),
		0, "the difference tends to something else in some worlds")
}

// The gap is log cosh(1/τ) for two opposite positives, and 0 for one point.
func TestJensenGap(t *testing.T) {
	got := expect.Must(JensenGap(LPosCounterexample(), 1, 0.5))(t)
	near(t, "opposite points", got, math.Log(math.Cosh(2)), 1e-14)
	got = expect.Must(JensenGap(TwoPoints(), 0.5, 0.5))(t)
	near(t, "one point a class", got, 0, 1e-14)
	wantError(t, "temperature", expect.Err(JensenGap(LPosCounterexample(), 0.5, 0)), "τ = 0")
}

// The candidate with the expectation over positives outside the logarithm is the limit in the readings with negatives
// from p⁻, so that the verdict changes; for negatives from p it is not.
func TestLPosLimitFollowsTheNumbers(t *testing.T) {
	f := lposLimitFinding(onCounts(), perPositive)
	expect.That(t, f.Verdict == Conditional && strings.Contains(f.Sentence, "2 of 3 readings"),
		"%s: %s", f.Verdict, f.Sentence)
}

func TestLPosMutualInformationFails(t *testing.T) {
	c := check(t, LPosMutualInformation())
	expect.That(t, c.Verdict == Fails && value(t, c.Finding, "readings never broken") == 0 &&
		value(t, c.Finding, "readings") == 12, "%s", c)
	near(t, "excess on one point", c.Number.Value, math.Log(1.5), 1e-14)
	expect.Equal(t, value(t, c.Finding, "cases that break the corrected bound"),
		0, "the corrected bound is broken in some cases")
}

// Classes at +1 and −1, π = ½, N = 1: all in closed form; the corrected bound is reached as τ → 0.
func TestLPosInformation(t *testing.T) {
	p := TwoPoints()
	got := expect.Must(LPosInformation(p, 0.5, 1, 1))(t)
	loss := math.Log1p(math.Exp(-2))
	near(t, "information", got.Information, math.Ln2, 1e-15)
	near(t, "loss", got.Loss, loss, 1e-15)
	near(t, "printed", got.Printed, math.Log(3)+math.Ln2-loss, 1e-15)
	near(t, "corrected", got.Corrected, math.Ln2-loss, 1e-15)
	cold := expect.Must(LPosInformation(p, 0.5, 0.05, 1))(t)
	near(t, "corrected, cold", cold.Corrected, math.Ln2, 1e-14)
	wantError(t, "prior", expect.Err(LPosInformation(p, 1, 1, 1)), "both classes")
	wantError(t, "negatives", expect.Err(LPosInformation(p, 0.5, 1, 0)), "at least one")
	wantError(t, "temperature", expect.Err(LPosInformation(p, 0.5, -1, 1)), "τ = -1")
}

// The corrected bound is sharp for identical classes, I = 0 and N = 1; with a weight below 1 it is not a bound.
func TestLPosCorrectedNeedsOneNegative(t *testing.T) {
	p := onePoint()
	got := expect.Must(LPosInformation(p.Population, 0.5, 1, 1))(t)
	near(t, "N = 1", got.Corrected, 0, 1e-14)
	anchors := expect.Must(theory.Anchors(p.Population, 0.5, 1))(t)
	near(t, "half a negative", math.Ln2-LPosPopulation(anchors[0], 0.5), math.Log(4.0/3), 1e-14)
}

func TestLPosMIFollowsTheNumbers(t *testing.T) {
	low := lposMIFinding(onCounts(), func(float64, int, float64) float64 { return 0 }) // minus the loss
	expect.That(t, low.Verdict == Holds, "%s: %s", low.Verdict, low.Sentence)
	// The corrected bound holds for the class of x and true means, for every reading of the expectation, which it does
	// not contain.
	corrected := lposMIFinding(onCounts(), func(_ float64, _ int, entropy float64) float64 { return entropy })
	expect.That(t, corrected.Verdict == Conditional, "%s: %s", corrected.Verdict, corrected.Sentence)
	for _, expectation := range miExpectations {
		expect.Equal(t, value(t, corrected,
			"c the class, expectation over "+expectation+", true means: cases that break the bound"),
			0, "%s: broken in some cases", expectation)
	}
	some := lposMIFinding(onCounts(), func(term float64, n int, _ float64) float64 { return 8 + 30*term })
	expect.That(t, some.Verdict == Fails, "%s: %s", some.Verdict, some.Sentence)
}

func TestLPosLimitRepairedVerdict(t *testing.T) {
	c := checkAs(t, Holds, LPosLimitRepaired())
	near(t, "number", c.Number.Value, math.Log(1.25)/2, 1e-14)
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

func TestLPosMutualInformationRepairedVerdict(t *testing.T) {
	c := checkAs(t, Holds, LPosMutualInformationRepaired())
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

// Classes at ±1, balanced, e^(1/τ) = 2: q(c|x) of the own class is 2/(2 + ½) = 4/5 with N = 1, and 2/(2 + 2·½) = 2/3
// with N = 2. For the other class it is then ½/(½ + 4) = 1/9.
func TestLPosBoundByHand(t *testing.T) {
	for n, want := range map[float64]float64{1: math.Log(2 * 4.0 / 5), 2: math.Log(2 * (2.0 / 3) / (2.0/3 + 1.0/9))} {
		got := expect.Must(LPosBound(TwoPoints(), 0.5, halfTau, func(float64) float64 { return n }))(t)
		near(t, "bound", got, want, 1e-14)
	}
	wantError(t, "one class", expect.Err(LPosBound(TwoPoints(), 1, 1, func(float64) float64 { return 1 })), "π = 1")
}
