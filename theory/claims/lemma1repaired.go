package claims

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory/internal/must"
)

// Lemma1Repaired returns the claim on the guarantee of the unbiased PU risk on either side of the threshold of Lemma 1,
// and on the ratio with the best guarantee.
func Lemma1Repaired() Claim {
	return Claim{
		ID: "lemma-1-repaired",
		Statement: "With π known and a loss between 0 and 1, uPU's mean squared error is at most π²/n_P + 1/(4n_U) at every " +
			"γ > 0, which a classifier of some population reaches at every π, n_P and n_U. Of n = n_P + n_U examples this is (1+γ)(π²/γ + " +
			"¼)/n: least at γ = 2π, where it is (π+½)²/n, and without a jump at γ = 2π − 1.",
		LaTeX: `\sup\, \mathbb{E}\,|\hat{R}_{pu} - R|^2 = \frac{\pi^2}{n_P} + \frac{1}{4 n_U} = \frac{1+\gamma}{n}\left(\frac{\pi^2}{\gamma} + ` +
			`\frac{1}{4}\right) \geq \frac{(\pi + \frac{1}{2})^2}{n} \quad\text{with equality at } \gamma = 2\pi`,
		Source: "repairs Lemma 1 of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"n_P labeled draws from p(x|y=1), n_U draws from p(x) = π p(x|y=1) + (1−π) p(x|y=0), all independent",
			"π = γξ_P/(1−ξ_P) is known, as the lemma gives ξ_P and γ = n_P/n_U",
			"the loss ℓ(t) lies between 0 and 1",
		},
		Proof: []string{
			"The risk is R = π E[ℓ(t)|y=1] + (1−π) E[ℓ(−t)|y=0], and E[ℓ(−t)] over p(x) is π E[ℓ(−t)|y=1] + (1−π) E[ℓ(−t)|y=0].",
			"So R = π E[ℓ(t) − ℓ(−t)|y=1] + E[ℓ(−t)]. uPU puts the means over the labeled and over the unlabeled data in " +
				"place of the two expectations: E R̂ = R, and its mean squared error is its variance.",
			"The two means are independent: the variance is π² Var(ℓ(t) − ℓ(−t)|y=1)/n_P + Var(ℓ(−t))/n_U.",
			"A number in [c, c+w] has variance w²/4 at most, reached by its two ends with probability ½ each. ℓ(t) − ℓ(−t) " +
				"lies in [−1, 1] and ℓ(−t) in [0, 1]: variances 1 and ¼ at most. That is the bound.",
			"Reached: let the classifier be certain of each example, and right about half of each class, and ℓ be 0 where it " +
				"is right and 1 where it is wrong. Then ℓ(t) − ℓ(−t) is ±1 and ℓ(−t) is 0 or 1, with probability ½ each.",
			"With n_P = nγ/(1+γ) and n_U = n/(1+γ) the bound is (1+γ)(π²/γ + ¼)/n = (π² + ¼ + π²/γ + γ/4)/n. Since π²/γ + " +
				"γ/4 = π + (π/√γ − √γ/2)², it is (π+½)²/n at γ = 2π and more elsewhere.",
			"As a function of γ > 0 it is smooth, at γ = 2π − 1 too, below which more than half of the labels are wrong in expectation.",
		},
		rests: grounds{
			constants:   []string{"labeled", "unlabeled", "best ratio"},
			assumptions: []string{"prior known"},
			mistakes:    []mistake{{"risk of PN", "unlabeled examples are taken for negatives, and nothing is put right"}},
		},
		check: lemma1RepairedFinding,
	}
}

func lemma1RepairedFinding(s *subject) Finding {
	var f proven
	known := s.assumes("prior known")
	estimate := func(prior float64) risk.Risk {
		switch {
		case s.mistaken("risk of PN"):
			return risk.PN(risk.SigmoidLoss)
		case !known:
			return risk.UPU(prior*0.9, risk.SigmoidLoss)
		}
		return risk.UPU(prior, risk.SigmoidLoss)
	}
	labeled, unlabeled := s.constant("labeled", 1), s.constant("unlabeled", 0.25)
	bound := func(prior float64, nP, nU int) float64 {
		return labeled*prior*prior/float64(nP) + unlabeled/float64(nU)
	}
	rng := rand.New(rand.NewPCG(16, 0x9c1a))
	class := func() []LogitAtom {
		p := rng.Float64()
		return []LogitAtom{{4 * rng.NormFloat64(), p}, {4 * rng.NormFloat64(), 1 - p}}
	}
	half := []LogitAtom{{40, 0.5}, {-40, 0.5}} // at ±40 the sigmoid loss is 0 and 1 up to 4·10⁻¹⁸
	priors := []float64{0.1, 0.5, 0.75, 0.95}
	var cases [2]int // above the threshold, and at it or below
	bias, formula, above, short := 0.0, 0.0, 0, 0.0
	for _, size := range [][2]int{{1, 1}, {1, 4}} {
		for k := range 2 {
			w := RiskWorld{Positive: half, Negative: half, Labeled: size[0], Unlabeled: size[1]}
			if k > 0 {
				w.Positive, w.Negative = class(), class()
			}
			for _, m := range must.Get(w.Measure(s.eng, estimate, priors...)) {
				limit := bound(m.Prior, size[0], size[1])
				cases[oneIf(float64(size[0])/float64(size[1]) <= 2*m.Prior-1)]++
				bias = max(bias, math.Abs(m.Mean-m.Risk))
				formula = max(formula, math.Abs(m.Variance-m.Formula), math.Abs(m.Total-1))
				above += oneIf(exceeds(m.Variance, limit+1e-12))
				if k == 0 {
					short = max(short, math.Abs(m.Variance-limit))
				}
			}
		}
	}
	all := cases[0] + cases[1]
	measure(&f.Finding, cases[1], "γ ≤ 2π − 1: cases of a classifier, π, n_P and n_U")
	measure(&f.Finding, cases[0], "γ > 2π − 1: cases")
	f.expect(cases[0] > 0 && cases[1] > 0, "the cases lie on one side of the threshold: %d below it, %d above", cases[1], cases[0])
	f.zero(bias, 1e-12, "largest |bias| of uPU")
	f.zero(formula, 1e-12, "largest difference of the variance from π² Var(ℓ(t) − ℓ(−t)|y=1)/n_P + Var(ℓ(−t))/n_U")
	f.none(above, all, "cases above π²/n_P + 1/(4n_U)")
	f.zero(short, 1e-12, "largest distance from the bound of a certain classifier that is right about half of each class")
	wrong, tried := bestRatios(s.rational("best ratio", whole(2)))
	f.none(wrong, tried, "priors and sizes at which the bound is not least, (π+½)²/n, at γ = 2π, in rationals")

	nP, nU, prior := 1000, 2000, 0.9
	f.Number = exactly(math.Sqrt(bound(prior, nP, nU)))
	at := math.Sqrt(bound(prior, 1929, 1071)) // of as many examples, split at γ = 2π
	measure(&f.Finding, f.Number.Value, "π = 0.9, n_P = 1000, n_U = 2000: root of the bound")
	measure(&f.Finding, at, "π = 0.9, n_P = 1929, n_U = 1071: root of the bound")
	f.Why = "uPU corrects for wrong labels at known rates, and what is left is the chance of two independent means. Their " +
		"variances fall with n_P and with n_U; nothing in them knows of half of the labels being wrong."
	return f.finish("uPU is unbiased and keeps the bound in all %d cases, %d of them at γ ≤ 2π − 1, and a classifier reaches "+
		"it in each size. At π = 0.9, n_P = 1000, n_U = 2000, below the threshold, its root-mean-square "+
		"error is %.4f at most.", all, cases[1], f.Number.Value)
}

// bestRatios enumerates, for priors in tenths, all splits of n examples into labeled and unlabeled ones; n is such that
// γ = ratio·π is one of them for ratio = 2. It counts the cases in which π²/n_P + 1/(4n_U) is not smallest there or its
// smallest value is not (π+½)²/n.
func bestRatios(ratio *big.Rat) (wrong, tried int) {
	for tenths := int64(1); tenths <= 10; tenths++ {
		prior := big.NewRat(tenths, 10)
		for _, scale := range []int64{1, 3} {
			n := scale * (5 + tenths) // n_P : n_U = tenths : 5 at γ = 2π
			var best *big.Rat
			bestAt := int64(0)
			for nP := int64(1); nP < n; nP++ {
				bound := plus(times(times(prior, prior), big.NewRat(1, nP)), big.NewRat(1, 4*(n-nP)))
				if best == nil || bound.Cmp(best) < 0 {
					best, bestAt = bound, nP
				}
			}
			root := plus(prior, big.NewRat(1, 2))
			tried++
			wrong += oneIf(big.NewRat(bestAt, n-bestAt).Cmp(times(ratio, prior)) != 0 || best.Cmp(times(times(root, root), big.NewRat(1, n))) != 0)
		}
	}
	return wrong, tried
}
