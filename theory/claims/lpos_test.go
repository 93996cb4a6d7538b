package claims

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

// value finds a measurement by its name.
func value(t *testing.T, f Finding, name string) float64 {
	t.Helper()
	for _, m := range f.Measured {
		if m.Name == name {
			return m.Value.Value
		}
	}
	t.Fatalf("nothing measured with the name %q", name)
	return math.NaN()
}

func TestLPosIdentityHolds(t *testing.T) {
	c, err := LPosIdentity().Check(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Holds || c.Number.Value != 0 || c.Counterexample != "" {
		t.Errorf("%s; %q", c, c.Counterexample)
	}
	if got := value(t, c.Finding, "cases that differ, τ⁺ that of the other class"); !(got > 1800) {
		t.Errorf("one τ⁺ for all anchors is wrong in %g cases only", got)
	}
	if got := value(t, c.Finding, "of these with balanced classes"); got != 0 {
		t.Errorf("one τ⁺ for all anchors is wrong in %g balanced cases", got)
	}
}

// By hand: E⁺ = 2, E⁻ = ½, τ⁺ = ¼, N = 3, so E = 7/8: (7/8 − 3/8)/(7/8 + 0) = 4/7 = 2/(2 + 3/2).
func TestPrintedLPosByHand(t *testing.T) {
	above, below := printedLPos(big.NewRat(7, 8), big.NewRat(1, 2), big.NewRat(1, 4), 3)
	if got := above.Quo(above, below); got.Cmp(big.NewRat(4, 7)) != 0 {
		t.Errorf("the fraction is %s, want 4/7", got.RatString())
	}
	if got := mixture(big.NewRat(2, 1), big.NewRat(1, 2), big.NewRat(1, 4)); got.Cmp(big.NewRat(7, 8)) != 0 {
		t.Errorf("the mixture is %s, want 7/8", got.RatString())
	}
}

func TestLPosIdentityFollowsTheNumbers(t *testing.T) {
	f := lposIdentityFinding(&subject{}, func(all, other, tauPlus *big.Rat, n int64) (above, below *big.Rat) {
		above, below = printedLPos(all, other, tauPlus, n)
		return above, below.Add(below, other) // (Nτ⁺ − τ⁻ + 1) in place of (Nτ⁺ − τ⁻)
	})
	if f.Verdict != Fails || f.Number.Value != lposCases || f.Counterexample == "" {
		t.Errorf("%s: %s; %q", f.Verdict, f.Sentence, f.Counterexample)
	}
}

// The identity is what pucl.DebiasedPos computes where a batch shows its classes: with τ⁺ the share of the anchor's class
// among the other rows, its loss is −log E⁺/(E⁺ + N·E⁻) with the means over the rows of the own and of the other class.
func TestLPosIdentityInABatch(t *testing.T) {
	const tau, weight = 0.5, 3.0
	rng := rand.New(rand.NewPCG(1, 1))
	z := make([][]float64, 8)
	for i := range z {
		z[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	class := []int32{1, 0, 1, 0} // of seven other rows three are of the anchor's class
	o := pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 3.0 / 7, Negatives: pucl.OtherClasses, Weight: weight})
	losses, err := theory.AnchorLosses(openEngine(t), o, [][][]float64{z}, make([]bool, 4), class, tau)
	if err != nil {
		t.Fatal(err)
	}
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
	c, err := LPosLimit().Check(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Fails || c.Counterexample == "" || c.Corrected == "" {
		t.Errorf("%s", c)
	}
	// Positives at ±1, negatives at +1, e^s one of 2 and ½, π = ½. In closed form the anchors at +1 and −1 of the positive class
	// have one value of the negatives' sum; those of the negative class have s(x, x⁺) = log 2, but negatives that vary.
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
	near(t, "limit", value(t, c.Finding, "E_x[log E e^s − E s] in the counterexample"), math.Log(1.25)/2, 1e-14)
	near(t, "Number", c.Number.Value, math.Log(1.25)/2, 1e-3)
	for _, r := range nPairReadings {
		if open := value(t, c.Finding, r.name+": worlds where the difference does not vanish"); open < 10 {
			t.Errorf("%s: the difference stays in %g worlds only", r.name, open)
		}
		if open := value(t, c.Finding, r.name+": worlds where the corrected difference does not vanish"); open != 0 {
			t.Errorf("%s: the corrected difference stays in %g worlds", r.name, open)
		}
	}
	if open := value(t, c.Finding,
		"negatives from p⁻: worlds where the difference does not tend to E_x[log E e^s − E s]"); open != 0 {
		t.Errorf("the difference tends to something else in %g worlds", open)
	}
}

// log cosh(1/τ) is what two opposite positives leave; one point leaves nothing.
func TestJensenGap(t *testing.T) {
	got, err := JensenGap(LPosCounterexample(), 1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "opposite points", got, math.Log(math.Cosh(2)), 1e-14)
	got, err = JensenGap(TwoPoints(), 0.5, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "one point a class", got, 0, 1e-14)
	_, err = JensenGap(LPosCounterexample(), 0.5, 0)
	wantError(t, "temperature", err, "τ = 0")
}

// The candidate with the expectation over positives outside the logarithm is the limit in the readings with negatives from
// p⁻, so that the verdict turns; for negatives from p it is not.
func TestLPosLimitFollowsTheNumbers(t *testing.T) {
	f := lposLimitFinding(&subject{}, perPositive)
	if f.Verdict != Conditional || !strings.Contains(f.Sentence, "2 of 3 readings") {
		t.Errorf("%s: %s", f.Verdict, f.Sentence)
	}
}

func TestLPosMutualInformationFails(t *testing.T) {
	c, err := LPosMutualInformation().Check(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Fails || value(t, c.Finding, "readings never broken") != 0 || value(t, c.Finding, "readings") != 12 {
		t.Errorf("%s", c)
	}
	near(t, "excess on one point", c.Number.Value, math.Log(1.5), 1e-14)
	if got := value(t, c.Finding, "cases that break the corrected bound"); got != 0 {
		t.Errorf("the corrected bound is broken in %g cases", got)
	}
}

// Classes at +1 and −1, π = ½, N = 1: all in closed form; the corrected bound is reached as τ → 0.
func TestLPosInformation(t *testing.T) {
	p := TwoPoints()
	got, err := LPosInformation(p, 0.5, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	loss := math.Log1p(math.Exp(-2))
	near(t, "information", got.Information, math.Ln2, 1e-15)
	near(t, "loss", got.Loss, loss, 1e-15)
	near(t, "printed", got.Printed, math.Log(3)+math.Ln2-loss, 1e-15)
	near(t, "corrected", got.Corrected, math.Ln2-loss, 1e-15)
	cold, err := LPosInformation(p, 0.5, 0.05, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "corrected, cold", cold.Corrected, math.Ln2, 1e-14)
	_, err = LPosInformation(p, 1, 1, 1)
	wantError(t, "prior", err, "both classes")
	_, err = LPosInformation(p, 0.5, 1, 0)
	wantError(t, "negatives", err, "at least one")
	_, err = LPosInformation(p, 0.5, -1, 1)
	wantError(t, "temperature", err, "τ = -1")
}

// The corrected bound is sharp where nothing tells the classes apart, I = 0 and N = 1; with a weight below 1 it is none.
func TestLPosCorrectedNeedsOneNegative(t *testing.T) {
	p := onePoint()
	got, err := LPosInformation(p.Population, 0.5, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "N = 1", got.Corrected, 0, 1e-14)
	anchors, err := theory.Anchors(p.Population, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "half a negative", math.Ln2-LPosPopulation(anchors[0], 0.5), math.Log(4.0/3), 1e-14)
}

func TestLPosMIFollowsTheNumbers(t *testing.T) {
	low := lposMIFinding(&subject{}, func(float64, int, float64) float64 { return 0 }) // minus the loss
	if low.Verdict != Holds {
		t.Errorf("%s: %s", low.Verdict, low.Sentence)
	}
	// The corrected bound holds for the class of x and true means, whatever the expectation, which it does without.
	corrected := lposMIFinding(&subject{}, func(_ float64, _ int, entropy float64) float64 { return entropy })
	if corrected.Verdict != Conditional {
		t.Errorf("%s: %s", corrected.Verdict, corrected.Sentence)
	}
	for _, expectation := range miExpectations {
		if got := value(t, corrected,
			"c the class, expectation over "+expectation+", true means: cases that break the bound"); got != 0 {
			t.Errorf("%s: broken in %g cases", expectation, got)
		}
	}
	some := lposMIFinding(&subject{}, func(term float64, n int, _ float64) float64 { return 8 + 30*term })
	if some.Verdict != Fails {
		t.Errorf("%s: %s", some.Verdict, some.Sentence)
	}
}
