package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// LPosLimit returns the claim that as the number of negatives grows the N-pair loss tends to the population form of
// DebiasedPos.
//
// Both losses grow like log N, so the claim is about the limit of their difference. The N-pair loss uses one positive
// at a time, the other loss the mean over positives inside the logarithm. By Jensen's inequality a gap remains, for any
// number of negatives. The check counts the negatives exactly, up to N = 1024, in three readings of the N-pair loss. It
// needs no engine.
func LPosLimit() Claim {
	return Claim{
		ID:        "lpos-limit",
		Statement: "As N → ∞, the N-pair loss with N negatives tends to L̃_Pos.",
		LaTeX:     `N \to \infty:\quad \mathcal{L}^{N}_{N\text{-}pair}(f) \rightarrow \tilde{\mathcal{L}}^{N}_{Pos}(f)`,
		Source:    "M. A. Nikitina, slides on distribution bias in contrastive learning, lemma",
		Assumptions: []string{
			"L_N-pair = E[−log e^s⁺/(e^s⁺ + Σ e^s_k)] over anchors x ~ p, x⁺ ~ p⁺ and N independent negatives",
			"L̃_Pos = E_x[−log (E − τ⁻E⁻)/(E + (Nτ⁺ − τ⁻)E⁻)] with the means E of e^s over p and E⁻ over p⁻, p = τ⁺p⁺ + τ⁻p⁻",
		},
		rests: grounds{constants: []string{"N", "log E - E", "N E-"}},
		check: func(s *subject) Finding {
			return lposLimitFinding(s, func(a theory.Anchor, n float64) float64 { return LPosPopulation(a, s.constant("N", n)) })
		},
	}
}

// LPosPopulation returns the printed L̃_Pos of one anchor: with expectations over all data and over the other class,
// and the weight n of the negatives.
func LPosPopulation(a theory.Anchor, n float64) float64 {
	all, other, tauMinus := theory.MeanExp(a.All()), theory.MeanExp(a.Other), 1-a.TauPlus
	return math.Log(all+(n*a.TauPlus-tauMinus)*other) - math.Log(all-tauMinus*other)
}

// perPositive returns the loss with the expectation over positives outside the logarithm, as in the N-pair loss.
func perPositive(a theory.Anchor, n float64) float64 {
	return contrastLoss(a, n*theory.MeanExp(a.Other))
}

// contrastLoss returns the mean over x⁺ of log(1 + negatives/e^s⁺): the loss of an anchor whose negatives have the
// given total weight.
func contrastLoss(a theory.Anchor, negatives float64) float64 {
	return theory.Mean(a.Own, func(s float64) float64 { return math.Log1p(negatives * math.Exp(-s)) })
}

// JensenGap returns E_x[log E e^s − E s] over draws of the anchor's own class: the limit of the N-pair loss minus
// L̃_Pos.
func JensenGap(p theory.Population, prior, tau float64) (gap float64, err error) {
	defer must.Catch(&err)
	return world{p, prior}.meanOver(tau, func(a theory.Anchor) float64 {
		return math.Log(theory.MeanExp(a.Own)) - theory.Mean(a.Own, func(s float64) float64 { return s })
	}), nil
}

// LPosCounterexample returns the smallest population in which [LPosLimit] fails: positives at +1 and −1 on the line,
// negatives at +1. With fewer atoms each class has one point only, so s(x, x⁺) is constant.
func LPosCounterexample() theory.Population {
	return theory.Population{Positive: onAxis(0.5), Negative: onAxis(1)}
}

// nPairReading is an interpretation of the N-pair loss: the loss of one population with n negatives, and the weight for
// N in L̃_Pos.
type nPairReading struct {
	name string
	loss func(w world, tau float64, n int) (loss, weight float64)

	limit func(a theory.Anchor, n float64) float64 // its actual limit
}

var nPairReadings = []nPairReading{
	{"negatives from p⁻", func(w world, tau float64, n int) (float64, float64) {
		return must.Get(theory.IdealLoss(w.Population, w.prior, n, tau)).Loss.Value, float64(n)
	}, perPositive},
	{"negatives from p", func(w world, tau float64, n int) (float64, float64) {
		joint, points := must.Get2(theory.ViewsJoint(w.Population, w.prior, theory.IndependentViews))
		return must.Get(theory.CriticLoss(joint, cosineCritic(points, tau), n, nil)), float64(n)
	}, func(a theory.Anchor, n float64) float64 { return contrastLoss(a, n*theory.MeanExp(a.All())) }},
	{"the mean over negatives from p⁻, weighted with 4 throughout", func(w world, tau float64, n int) (float64, float64) {
		const weight = 4.0
		return w.meanOver(tau, func(a theory.Anchor) float64 {
			return must.Get(theory.ExpectMeanExp(a.Other, n, func(mean float64) float64 { return contrastLoss(a, weight*mean) }))
		}), weight
	}, perPositive},
}

// lposGap returns the N-pair loss minus the mean over anchors of another loss.
func lposGap(r nPairReading, w world, tau float64, n int, limit func(theory.Anchor, float64) float64) (gap, size float64) {
	loss, weight := r.loss(w, tau, n)
	other := w.meanOver(tau, func(a theory.Anchor) float64 { return limit(a, weight) })
	return loss - other, other
}

// lposLimitFinding compares a candidate for the limit with the N-pair loss.
func lposLimitFinding(s *subject, limit func(theory.Anchor, float64) float64) Finding {
	var f Finding
	worlds := []world{{LPosCounterexample(), 0.5}}
	rng := rand.New(rand.NewPCG(2, 0x1905))
	for range 12 {
		worlds = append(worlds, randomWorld(rng, 1+rng.IntN(2), 1+rng.IntN(2)))
	}
	const last = 1024                             // negatives in the counterexample
	mostOn := map[int]int{2: last, 3: 256, 4: 64} // by the number of points, since more take longer to count

	holds, jensenOpen, allOpen := 0, 0, 0
	for reading, r := range nPairReadings {
		open, correctedOpen, largest := 0, 0, 0.0
		for i, w := range worlds {
			tau, n := 1.0, mostOn[len(w.Positive)+len(w.Negative)]
			if i == 0 {
				tau, n = halfTau, last
			}
			var gaps, corrected [2]float64
			for k, count := range []int{n / 4, n} {
				gaps[k], _ = lposGap(r, w, tau, count, limit)
				corrected[k], _ = lposGap(r, w, tau, count, func(a theory.Anchor, n float64) float64 { return r.limit(a, s.constant("N E-", n)) })
			}
			open += oneIf(!vanishes(gaps[0], gaps[1]))
			correctedOpen += oneIf(!vanishes(corrected[0], corrected[1]))
			if reading == 0 {
				jensen := s.constant("log E - E", must.Get(JensenGap(w.Population, w.prior, tau)))
				jensenOpen += oneIf(!vanishes(gaps[0]-jensen, gaps[1]-jensen))
			}
			largest = farther(largest, gaps[1])
		}
		holds += oneIf(open == 0)
		allOpen += correctedOpen
		measure(&f, open, "%s: worlds where the difference does not vanish", r.name)
		measure(&f, largest, "%s: largest difference that is left", r.name)
		measure(&f, correctedOpen, "%s: worlds where the corrected difference does not vanish", r.name)
		f.detail("%s: the difference goes to 0 in %d of %d worlds, that of the corrected statement in %d", r.name,
			len(worlds)-open, len(worlds), len(worlds)-correctedOpen)
	}

	// The counterexample for each N, and how the ratio hides the difference.
	first := worlds[0]
	var left, ratio float64
	series := ""
	for n := 1; n <= last; n *= 4 {
		gap, size := lposGap(nPairReadings[0], first, halfTau, n, limit)
		left, ratio = gap, (gap+size)/size
		measure(&f, gap, "difference in the counterexample, N = %d", n)
		series += fmt.Sprintf(" %.4f for N = %d,", gap, n)
	}
	jensen := must.Get(JensenGap(first.Population, first.prior, halfTau))
	onePointEach := 0.0
	for range 50 {
		gap := must.Get(JensenGap(randomWorld(rng, 1, 1).Population, 0.5, 1))
		onePointEach = max(onePointEach, math.Abs(gap))
	}
	f.Number = exactly(left)
	measure(&f, jensenOpen, "negatives from p⁻: worlds where the difference does not tend to E_x[log E e^s − E s]")
	measure(&f, jensen, "E_x[log E e^s − E s] in the counterexample")
	measure(&f, onePointEach, "one point a class: largest E_x[log E e^s − E s] of 50 worlds")
	measure(&f, ratio, "ratio of the losses in the counterexample, N = %d", last)
	f.detail("that the ratio of the two losses tends to 1 says nothing: both grow like log N, and so does any other loss of this kind")
	f.detail("if each class shows one point only, s(x, x⁺) is constant and nothing stays (%.1g at most in 50 worlds) "+
		"with negatives from p⁻; so three atoms are the fewest", onePointEach)
	f.Why = "The negatives enter through their mean, and log(e^s⁺ + N·m) − s⁺ − log(N·m) → −s⁺ as N → ∞. So the N-pair " +
		"loss less log N tends to E_x[log E⁻ − E s⁺], while L̃_Pos less log N tends to E_x[log E⁻ − log E⁺]. The " +
		"difference E_x[log E⁺ − E s⁺] is positive by Jensen's inequality unless s(x, ·) is constant on p⁺. Negatives " +
		"from p add E_x[log E − log E⁻]. With the expectation over x⁺ left outside the logarithm nothing stays."
	switch {
	case holds == len(nPairReadings):
		f.conclude(Holds, "The difference goes to 0 in all %d worlds and all readings; in the example it is %.2g at N = "+
			"%d.", len(worlds), left, last)
		return f
	case holds > 0:
		f.conclude(Conditional, "The difference goes to 0 in %d of %d readings of the N-pair loss; in the example it is "+
			"%.2g at N = %d.", holds, len(nPairReadings), left, last)
	default:
		f.conclude(Fails, "The losses do not meet: their difference tends to E_x[log E e^s⁺ − E s⁺], in the "+
			"counterexample %.4f nats at N = %d.", left, last)
		f.Counterexample = fmt.Sprintf("positives at +1 and −1 with probability ½ each, negatives at +1, π = ½, e^(1/τ) "+
			"= 2: the difference is%s and tends to ½ log(5/4) = %.4f", series, jensen)
	}
	f.Corrected = "L_N-pair − L̃_Pos → E_x[log E e^s⁺ − E s⁺] ≥ 0 with negatives from p⁻; with x⁺ outside the logarithm, " +
		"L_N-pair − E[−log e^s⁺/(e^s⁺ + N·E e^s⁻)] → 0"
	f.CorrectedLaTeX = `\mathcal{L}^{N}_{N\text{-}pair} - \tilde{\mathcal{L}}^{N}_{Pos} \rightarrow ` +
		`\mathbb{E}_x\left[\log \mathbb{E}_{x^+} e^{s(x,x^+)} - \mathbb{E}_{x^+} s(x,x^+)\right] \ge 0`
	if holds == 0 { // otherwise another candidate for the limit is tested, to which this does not apply
		f.restOn(float64(jensenOpen), "In %d of %d worlds the difference does not tend to E_x[log E e^s⁺ − E s⁺], as is proved.",
			jensenOpen, len(worlds))
	}
	f.restOn(float64(allOpen), "In %d cases of a world and a reading the corrected statement does not hold either.", allOpen)
	return f
}

// cosineCritic returns cos/τ of all pairs of points.
func cosineCritic(points [][]float64, tau float64) [][]float64 {
	return lists.Table(len(points), len(points), func(i, k int) float64 { return cosine(points[i], points[k]) / tau })
}
