package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Shared parts of the claims on PU-debiased: its expectation in batches too large to enumerate, and the approximations
// of the delta method.

// ofThisLibrary begins the source of claims that are not from a document.
const ofThisLibrary = "of this library: "

// debiased returns PU-debiased with the given prior, with the injected bug if there is one, under a name that includes
// the prior.
func (s *subject) debiased(prior float64) pucl.Objective {
	o := s.objective(pucl.PUDebiased(prior))
	o.Name = fmt.Sprintf("%s, π = %g", o.Name, prior)
	return o
}

// told returns the prior for PU-debiased: the true one, or a larger one if this assumption is dropped.
func (s *subject) told(prior float64) float64 {
	if s.assumes(trueClassPrior) {
		return prior
	}
	return 1.25 * prior
}

// trueClassPrior is the assumption that a loss receives the true class prior.
const trueClassPrior = "true prior"

// DebiasedMean returns the exact expected loss of [pucl.PUDebiased] with a prior from 0 to below 1. It counts the
// outcomes of rows instead of enumerating batches like [theory.Meter], and so supports batches of dozens of examples.
// The design must be case-control with independent views, at least two labeled examples and one unlabeled one.
func DebiasedMean(p theory.Population, d theory.Design, told, tau float64) (mean float64, err error) {
	defer must.Catch(&err)
	must.Do(d.Validate())
	drawn := d.Scheme == theory.CaseControl && d.SameView == theory.IndependentViews
	if !drawn || d.Labeled < 2 || d.Unlabeled < 1 || !(told >= 0 && told < 1) {
		must.Fail("claims: PU-debiased, told π = %g, under %+v; it is counted for a prior from 0 to below 1, case-control, "+
			"independent views, two labeled "+
			"examples or more and one unlabeled one or more", told, d)
	}
	n, floor := float64(d.Negatives()), math.Exp(-1/tau)
	unlabeled := world{p, d.Prior}.meanOver(tau, func(a theory.Anchor) float64 {
		positives := a.Other
		if a.Positive {
			positives = a.Own
		}
		return must.Get(theory.ExpectMeanExp(positives, 2*d.Labeled, func(p float64) float64 {
			return theory.Mean(a.Own, func(s float64) float64 { return math.Log(math.Exp(s)+n*p) - s })
		}))
	})
	labeled := world{p, 1}.meanOver(tau, func(a theory.Anchor) float64 { // all positive
		return must.Get(theory.ExpectMeanExp(a.Own, 2*d.Labeled-2, func(p float64) float64 {
			return must.Get(theory.ExpectMeanExp(exampleMeans(a, d.Prior), d.Unlabeled, func(u float64) float64 {
				g := max((u-told*p)/(1-told), floor)
				return theory.Mean(a.Own, func(s float64) float64 { return math.Log((math.Exp(s) + n*g) / (math.Exp(s) + n*p)) })
			}))
		}))
	})
	return unlabeled + told*labeled, nil
}

// exampleMeans returns the contribution of an unlabeled example at an anchor: the log of the mean of exp s over its two
// views. share is the probability that the example has the anchor's class.
func exampleMeans(a theory.Anchor, share float64) []theory.Encounter {
	var means []theory.Encounter
	for _, class := range []struct {
		share float64
		of    []theory.Encounter
	}{{share, a.Own}, {1 - share, a.Other}} {
		for _, first := range class.of {
			for _, second := range class.of {
				mean := (math.Exp(first.S) + math.Exp(second.S)) / 2
				means = append(means, theory.Encounter{S: math.Log(mean), P: class.share * first.P * second.P})
			}
		}
	}
	return means
}

// debiasedRates returns the delta-method approximation of the bias of PU-debiased with the true prior, in batches that
// grow with the proportions of the design. The bias is root/√b + O(1/b) if g lies on its floor at some anchor of the
// positive class. If it does so at none, it is rate/b + O(1/b²), and root is 0.
func debiasedRates(p theory.Population, d theory.Design, tau float64) (rate, root float64) {
	b, prior := float64(d.Examples()), d.Prior
	m, u := float64(d.Labeled)/b, float64(d.Unlabeled)/b
	world{p, prior}.meanOver(tau, func(a theory.Anchor) float64 {
		if !a.Positive {
			mean := theory.MeanExp(a.Other)
			rate += a.P * (1 - 1/m) * varianceOfExp(a.Other) / (4 * mean * mean)
			return 0
		}
		own, other := theory.MeanExp(a.Own), theory.MeanExp(a.Other)
		hidden := prior*varianceOfExp(a.Own) + (1-prior)*varianceOfExp(a.Other) + 2*prior*(1-prior)*(own-other)*(own-other)
		spread := (hidden/u + prior*prior*varianceOfExp(a.Own)/m) / (2 * (1 - prior) * (1 - prior)) // b times the variance of g
		rate += a.P * (varianceOfExp(a.Other)/2 - spread) / (2 * other * other)
		if !exceeds(other, math.Exp(-1/tau)+contrastTolerance) {
			root += a.P * math.Sqrt(spread/(2*math.Pi)) / other
		}
		return 0
	})
	return rate, root
}

// debiasedPriorLimit returns the limit of the bias of PU-debiased in large batches if its class prior differs from the
// population's, and the slope of this limit at equal priors. The limit is 0 for the true prior.
func debiasedPriorLimit(p theory.Population, prior, told, tau float64) (limit, slope float64) {
	limit = world{p, prior}.meanOver(tau, func(a theory.Anchor) float64 {
		if !a.Positive {
			return 0
		}
		own, other := theory.MeanExp(a.Own), theory.MeanExp(a.Other)
		g := max(other+(prior-told)/(1-told)*(own-other), math.Exp(-1/tau))
		slope -= a.P / prior * (math.Log(own/other) + prior/(1-prior)*(own/other-1))
		return (told*math.Log(g/own) + prior*math.Log(own/other)) / prior
	})
	return limit, slope
}

// spread is the first-order contribution of one example to a loss in a large batch, by the atoms of its first and
// second view. For a labeled example it is divided by m, for an unlabeled one by u.
type spread struct {
	labeled, unlabeled func(first, second int) float64
}

// spreads returns the spreads of PU-debiased with the true prior, and of PUCL; atoms are numbered with the positive
// ones first.
func spreads(p theory.Population, d theory.Design, tau float64) (debiased, plain spread) {
	sims := cosineCritic(theory.Points(slices.Concat(p.Positive, p.Negative)), tau)
	prior, share := d.Prior, d.PositiveShare()
	labeled := float64(d.Labeled) / float64(d.Examples())
	meet := func(prior float64, f func(z int) float64) float64 { return expectAtom(p, prior, f) }
	exp := func(z, w int) float64 { return math.Exp(sims[z][w]) }
	mean := func(prior float64, w int) float64 { return meet(prior, func(z int) float64 { return exp(z, w) }) }
	estimate := func(w int) float64 { // contribution of a row in the unlabeled mean through g, over 1/(1−π)
		return prior / (1 - prior) * meet(1, func(z int) float64 { return exp(z, w) / mean(0, z) })
	}
	known := func(w int) float64 { // contribution of a labeled row
		ofNegatives := meet(0, func(z int) float64 { return exp(z, w) / mean(1, z) })
		return prior*math.Log(mean(0, w)/mean(1, w)) - prior*estimate(w) + (1-prior)*ofNegatives
	}
	hidden := func(w int) float64 { return math.Log(mean(1, w)) + estimate(w) }
	debiased = spread{
		labeled:   func(v, w int) float64 { return (known(v) + known(w)) / 2 },
		unlabeled: func(v, w int) float64 { return (hidden(v)+hidden(w))/2 - sims[v][w] },
	}
	partition := func(w int) float64 {
		return math.Log(mean(share, w)) + meet(share, func(z int) float64 { return exp(z, w) / mean(share, z) })
	}
	near := func(w int) float64 { return partition(w) - 2*meet(1, func(z int) float64 { return sims[z][w] }) }
	plain = spread{
		labeled:   func(v, w int) float64 { return labeled * (near(v) + near(w)) / 2 },
		unlabeled: func(v, w int) float64 { return (1 - labeled) * ((partition(v)+partition(w))/2 - sims[v][w]) },
	}
	return debiased, plain
}

// expectAtom returns the mean of f over the atoms, positive with probability share.
func expectAtom(p theory.Population, share float64, f func(atom int) float64) float64 {
	sum := 0.0
	for k, a := range p.Positive {
		sum += share * a.P * f(k)
	}
	for k, a := range p.Negative {
		sum += (1 - share) * a.P * f(len(p.Positive)+k)
	}
	return sum
}

// covarianceRate returns the limit of b times the covariance of two losses as the batch grows with the proportions of
// the design.
func covarianceRate(p theory.Population, d theory.Design, x, y spread) float64 {
	b := float64(d.Examples())
	return b/float64(d.Labeled)*exampleCovariance(p, 1, x.labeled, y.labeled) +
		b/float64(d.Unlabeled)*exampleCovariance(p, d.Prior, x.unlabeled, y.unlabeled)
}

// exampleCovariance returns the covariance of two functions of an example's views, independent draws of its class.
func exampleCovariance(p theory.Population, prior float64, x, y func(first, second int) float64) float64 {
	mean := func(f func(v, w int) float64) float64 {
		positive := expectAtom(p, 1, func(v int) float64 { return expectAtom(p, 1, func(w int) float64 { return f(v, w) }) })
		negative := expectAtom(p, 0, func(v int) float64 { return expectAtom(p, 0, func(w int) float64 { return f(v, w) }) })
		return prior*positive + (1-prior)*negative
	}
	atX, atY := mean(x), mean(y)
	return mean(func(v, w int) float64 { return (x(v, w) - atX) * (y(v, w) - atY) })
}
