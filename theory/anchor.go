package theory

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Anchor is one anchor of a population with the similarities of all its draws. Use it for objectives that are written
// with expectations instead of samples, and for calculations by hand.
type Anchor struct {
	Z        []float64 // its point
	Positive bool      // its class
	P        float64   // its probability among all anchors
	TauPlus  float64   // τ⁺, the probability of its class: π for a positive anchor, 1−π for a negative one

	Own, Other []Encounter // draws of its class, p⁺, and of the other class, p⁻
}

// Encounter is a possible similarity s = cos/τ of an anchor and a draw, with its probability.
type Encounter struct{ S, P float64 }

// Anchors lists the anchors of a population with class prior at temperature tau, without those of a class of
// probability 0.
func Anchors(p Population, prior, tau float64) ([]Anchor, error) {
	if err := errors.Join(checkShare("class prior π", prior), p.Validate(), checkTau(tau)); err != nil {
		return nil, err
	}
	s := p.support(false)
	sim := s.similarities(tau)
	meet := func(i mass, class []mass) []Encounter {
		return lists.Map(class, func(m mass) Encounter { return Encounter{S: sim[i.point][m.point], P: m.p} })
	}
	var anchors []Anchor
	for _, side := range s.sides(prior) {
		for _, i := range side.own {
			if side.share*i.p > 0 {
				anchors = append(anchors, Anchor{
					Z: s.points[i.point], Positive: i.point < len(s.positive), P: side.share * i.p, TauPlus: side.share,
					Own: meet(i, side.own), Other: meet(i, side.other),
				})
			}
		}
	}
	return anchors, nil
}

// All returns the similarities of a draw of all data, p = τ⁺p⁺ + τ⁻p⁻.
func (a Anchor) All() []Encounter {
	times := func(of []Encounter, share float64) []Encounter {
		return lists.Map(of, func(s Encounter) Encounter { return Encounter{s.S, share * s.P} })
	}
	return slices.Concat(times(a.Own, a.TauPlus), times(a.Other, 1-a.TauPlus))
}

// MeanExp returns E[exp s].
func MeanExp(of []Encounter) float64 { return Mean(of, math.Exp) }

// Mean returns E[f(s)].
func Mean(of []Encounter, f func(s float64) float64) float64 {
	var sum kahan
	for _, s := range of {
		sum.add(s.P * f(s.S))
	}
	return sum.value()
}

// ExpectMeanExp returns E[f(1/n Σ exp s_k)] over n independent draws s_k, exactly, with the limits of [ExpectCounts].
func ExpectMeanExp(of []Encounter, n int, f func(mean float64) float64) (float64, error) {
	if n < 1 {
		return 0, fmt.Errorf("theory: the mean of %d draws; it takes at least one", n)
	}
	merged := mergeEqual(of)
	p := lists.Map(merged, func(s Encounter) float64 { return s.P })
	e := lists.Map(merged, func(s Encounter) float64 { return math.Exp(s.S) })
	return ExpectCounts(p, n, func(counts []int) float64 {
		sum := 0.0
		for k, c := range counts {
			sum += float64(c) * e[k]
		}
		return f(sum / float64(n))
	})
}

// mergeEqual merges similarities that are equal up to rounding, so that fewer counts are enumerated.
func mergeEqual(of []Encounter) []Encounter {
	var merged []Encounter
	for _, s := range of {
		equal := func(m Encounter) bool { return math.Abs(m.S-s.S) <= 1e-15*max(1, math.Abs(s.S)) }
		if k := slices.IndexFunc(merged, equal); k >= 0 {
			merged[k].P += s.P
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}
