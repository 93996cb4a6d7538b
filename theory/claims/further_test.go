package claims

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
)

// The measurements for the statements of all documents, compared with numbers computed independently.
func TestFurtherClaims(t *testing.T) {
	expect.Slow(t)
	for _, want := range []struct {
		claim   Claim
		verdict Verdict
		number  float64
		within  float64
	}{
		{SphereRadius(), Conditional, 2, 1e-15},                                // 1/τ² over 1/τ at τ = ½
		{InnerProductDistance(), Holds, 0, 0},                                  // no comparison in the wrong order
		{IdealSign(), Conditional, 0, 0},                                       // no pair pulled together
		{LossDirections(), Holds, 0, 0},                                        // no slope of the wrong sign
		{TemperatureLimits(), Holds, 1, 1e-9},                                  // equal rows: ℓ = log(2b−1)
		{SCLConsistent(), Fails, 1 + math.Log(math.Cosh(1)), 1e-9},             // E log[½e + ½/e] − log(1/e)
		{SCLVariance(), Conditional, signsGap(), 1e-12},                        // over all signs and classes
		{Equation24(), Conditional, 0.5, 0},                                    // p = ½: E of (z₁+z₂)²/4
		{SingleDatasetShare(), Holds, 0.7 - 0.7*0.1/(1-0.63), 1e-12},           // at most π − π(1−c)/(1−πc)
		{MAKBudget(), Conditional, 1 + 2 + 3 + 4 + 5, 0},                       // K = 1 … C − 1 for C = 2 … 6
		{PriorOne(), Conditional, 17, 0},                                       // counted by rulesWhere as well
		{AlignedUniform(), Conditional, 8*7 + 2, 0},                            // n(n−1) + 2 arcs of 8 points
		{PUPLAlmostSurely(), Fails, 25.0 / 49, 1e-15},                          // six hidden positives 2 away, a negative 5 away: 25/(25 + 6·4)
		{LabelVariance(), Conditional, unlabeledVariance(), 1e-12},             // Var ℓ(−t) over all data
		{PositivesTogether(), Conditional, 255 - 64, 0},                        // 8 grid points around the middle: 64 choices lie on a side
		{VarianceConvergence(), Conditional, 47, 0},                            // measured: 22 of 30 at the smaller step
		{RoundsDecrease(), Conditional, 38, 0},                                 // the starts that theorem-3 counts too
		{LossCode(), Conditional, 0, 0}, {NaiveBoundary(), Conditional, 77, 0}, // all populations at γ = 2π
	} {
		c := check(t, want.claim)
		expect.That(t, c.Verdict == want.verdict, "%s", c)
		near(t, c.ID, c.Number.Value, want.number, want.within)
	}
}

// signsGap returns Var(ssCL) − Var(SCL) of three examples of either class with ±1 in both views, τ = 1, by enumeration.
func signsGap() float64 {
	var mean, square [2]float64
	for x := range 64 {
		var losses [2]float64
		z := func(i int) float64 { return float64(2*(x>>(i%3)&1) - 1) }
		class := func(i int) int { return x >> (3 + i%3) & 1 }
		for i := range 6 {
			sum, same, count := 0.0, 0.0, 0.0
			for j := range 6 {
				if j != i {
					sum += math.Exp(z(i) * z(j))
					if class(i) == class(j) {
						same, count = same+z(i)*z(j), count+1
					}
				}
			}
			losses[0] += (math.Log(sum) - 1) / 6
			losses[1] += (math.Log(sum) - same/count) / 6
		}
		for k, l := range losses {
			mean[k] += l / 64
			square[k] += l * l / 64
		}
	}
	return square[0] - mean[0]*mean[0] - square[1] + mean[1]*mean[1]
}

// unlabeledVariance returns Var ℓ(−t) of the sigmoid loss over LemmaOneWorld at π = ½.
func unlabeledVariance() float64 {
	mean, square := 0.0, 0.0
	world := LemmaOneWorld(1, 1)
	for _, a := range slices.Concat(world.Positive, world.Negative) {
		loss := 1 / (1 + math.Exp(-a.Logit))
		mean += a.P / 2 * loss
		square += a.P / 2 * loss * loss
	}
	return square - mean*mean
}

// Another formula, sign or loop changes the verdict.
func TestFurtherVerdictsFollowTheNumbers(t *testing.T) {
	s := onBench(t)
	f := sphereFinding(s, func(tau *big.Rat) *big.Rat { return over(whole(1), tau) })
	expect.That(t, f.Verdict == Holds, "squared radius 1/τ: %s", f.Sentence)
	if f := innerProductFinding(s, func(inner *big.Rat) *big.Rat { return minus(whole(1), inner) }); f.Verdict != Undecided {
		t.Errorf("1 − u·v: %s", f.Sentence)
	}
	if f := idealSignFinding(s.eng, pucl.IdealCL(0), 1); f.Verdict != Holds {
		t.Errorf("(3) as a loss: %s", f.Sentence)
	}
	if f := makFinding(false, func(chosen, budget int) bool { return chosen < budget }); f.Verdict != Holds {
		t.Errorf("while < K: %s", f.Sentence)
	}
}

func TestGreedyCentersByHand(t *testing.T) {
	candidates, seeds := theory.RationalLine(9, 2, 7), theory.RationalLine(0)
	order, ended := greedyCenters(candidates, seeds, false, func(chosen int) bool { return chosen < 2 })
	if !ended || !slices.Equal(order, []int{0, 1}) { // 9 is farthest; then 2 and 7 lie 2 away, and 2 comes first
		t.Error(order, ended)
	}
	order, ended = greedyCenters(candidates, seeds, false, func(int) bool { return true })
	expect.That(t, !ended && len(order) == 3, "%v %v", order, ended)
}

// Points 0, 1 and 5 from centers 0 and 1: 16, then {0} and {1, 5} with 5, then {0, 1} and {5} with ½.
func TestStandardRoundsByHand(t *testing.T) {
	potentials := standardRounds(theory.RationalLine(0, 1, 5), [2][]*big.Rat{{whole(0)}, {whole(1)}}, false)
	want := []*big.Rat{whole(16), whole(5), big.NewRat(1, 2)} // 1 lies 1 from 0 and 2 from 3, so that 5 = 1 + 4
	expect.That(t, slices.EqualFunc(potentials[:3], want, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }) &&
		rises(potentials) == 0, "%v", potentials)
	expect.That(t, rises([]*big.Rat{whole(1), whole(2), whole(2)}) == 1, "a rise was not counted once")
}

func TestSeparableByHand(t *testing.T) {
	square := [][]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
	if separableInPlane(square, []bool{true, false, true, false}) || !separableInPlane(square, []bool{true, true, false, false}) {
		t.Error("a line parts neighbors of a square, and not its diagonals")
	}
	line := theory.RationalLine(0, 1, 2)
	expect.That(t, !separableOnLine(line, []bool{true, false, true}) &&
		separableOnLine(line, []bool{true, false, false}), "a threshold parts 0 from 1 and 2, and not 1 from 0 and 2")
}

// Two examples of one label, z = (1, 0), (0, 1), (1, 0), (0, 1) at τ = 1: P is e/(e+2) for the own view and 1/(e+2) for
// the others.
func TestLossCodeByHand(t *testing.T) {
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	whole := math.Log(math.E + 2)
	for i, got := range supConCode(z, []int{1, 1}, 1.0, 1) {
		near(t, "SupConLoss", got, whole-1.0/3, 1e-15)
		near(t, "SelfSupConLoss", selfSupConCode(z, 2, 1)[i], whole-1, 1e-15)
	}
}

// Positives at the first place, negatives half there and half at the third, π = ½: the second place is empty.
func TestLeastRulesByHand(t *testing.T) {
	w := placesWorld{[3]int64{4, 0, 0}, [3]int64{2, 0, 2}, big.NewRat(1, 2)}
	got := lists.Make(3, w.unlabeledAt)
	expect.That(t, slices.Equal(got, []int64{12, 0, 4}), "%v", got)
	least := leastRules(openEngine(t), []placesWorld{w}, 1, 40, func(placesWorld) risk.Risk { return risk.UPU(1, risk.SigmoidLoss) }, false)
	if !slices.Equal(least[0], []int{1, 3}) || !slices.Equal(w.bayesRules(), []int{1, 3}) {
		t.Error(least, w.bayesRules()) // + at the first place, − at the third, either at the empty one
	}
}

// The batches of the small populations have total probability one, and those with an unlabeled negative one half.
func TestSmallBatches(t *testing.T) {
	for _, independent := range []bool{true, false} {
		total, negative := 0.0, 0.0
		for _, b := range smallBatches(independent) {
			total += b.p
			if b.atoms[2] == 2 {
				negative += b.p
			}
		}
		near(t, "total", total, 1, 1e-15)
		near(t, "negative", negative, 0.5, 1e-15)
	}
}

// With three places the best scores are 4 at some and 1 at the others: 8 rules, by E⁺f/E⁻f in plain numbers. A pair
// counts if its best rule is also that of another p⁺ with the same p⁻; there are always at least two.
func TestLPosRecoversByRules(t *testing.T) {
	c := checkAs(t, Conditional, LPosRecovers())
	all, shared := distributionsInSixths(), 0
	for _, negative := range all {
		sharing := map[int]int{} // distributions p⁺ by their best rule
		for _, positive := range all {
			best, most := 0, 0.0
			for rule := range 8 {
				var means [2]float64
				for k := range 3 {
					score := float64(1 + 3*(rule>>k&1))
					means[0] += score * decimal(positive[k])
					means[1] += score * decimal(negative[k])
				}
				if ratio := means[0] / means[1]; ratio > most+1e-9 {
					best, most = rule, ratio
				}
			}
			if most > 1+1e-9 { // for p⁺ = p⁻ all rules are equal
				sharing[best]++
			}
		}
		for _, n := range sharing {
			shared += n * oneIf(n > 1)
		}
	}
	near(t, "pairs that share their best scores", c.Number.Value, float64(shared), 0)
}

// nnPU of one labeled and two unlabeled examples in plain numbers, over all outcomes.
func TestPriorErrorOfNNPU(t *testing.T) {
	loss := func(margin float64) float64 { return 1 / (1 + math.Exp(margin)) }
	mean := func(prior, told float64) (sum float64) {
		w := LemmaOneWorld(1, 2)
		var unlabeled []LogitAtom
		for _, a := range w.Positive {
			unlabeled = append(unlabeled, LogitAtom{a.Logit, prior * a.P})
		}
		for _, a := range w.Negative {
			unlabeled = append(unlabeled, LogitAtom{a.Logit, (1 - prior) * a.P})
		}
		for _, x := range w.Positive {
			for _, u := range unlabeled {
				for _, v := range unlabeled {
					negative := (loss(-u.Logit)+loss(-v.Logit))/2 - told*loss(-x.Logit)
					sum += x.P * u.P * v.P * (told*loss(x.Logit) + max(0, negative))
				}
			}
		}
		return sum
	}
	want := 0.0
	for _, prior := range []float64{0.3, 0.5, 0.7} {
		for _, e := range []float64{-0.2, 0.1} {
			want = max(want, math.Abs(mean(prior, prior+e)-mean(prior, prior))/math.Abs(e))
		}
	}
	c := checkAs(t, Conditional, PriorError())
	measured(t, c.Finding, "most that ε adds to the bias of nnPU, over |ε|", want, 1e-12)
}

// One labeled point at 0, a hidden one at −2 and a negative at 5 attain the bound: 25/(25 + 4). Sets in the plane have
// negatives that are nearer than D to the labeled mean.
func TestAlmostSurelyBound(t *testing.T) {
	labeled, hidden, others := onLine([]int{0}), onLine([]int{-2}), onLine([]int{5})
	p := rightLabels(labeled, union(hidden, others), []bool{true, false})
	expect.Equal(t, p.RatString(), "25/29", "probability")
	for factor, want := range map[string]sureBound{"1": {sets: 1, reached: 1}, "6/5": {sets: 1, below: 1}, "9/10": {sets: 1}} {
		var b sureBound
		scale, ok := new(big.Rat).SetString(factor)
		expect.That(t, ok, "%s is no fraction", factor)
		b.visit(labeled, hidden, others, p, scale)
		expect.Equal(t, b, want, "D² times %s", factor)
	}
	c := check(t, PUPLAlmostSurely())
	expect.That(t, value(t, c.Finding, "of these with a negative nearer than D to the labeled mean") > 0,
		"no set has a negative nearer than D to the labeled mean")
}
