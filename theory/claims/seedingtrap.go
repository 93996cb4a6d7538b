package claims

import (
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// SeedingTrap is a set of labeled and unlabeled points for testing Algorithm 1(B). Points are rows of equal length.
type SeedingTrap struct {
	Labeled, Unlabeled [][]float64
}

// SeedingOutcome holds the exact results of seeding on a trap.
type SeedingOutcome struct {
	Seeded   theory.RationalPotentials // expected, right after Algorithm 1(B) has drawn its negative center
	Settled  theory.RationalPotentials // expected, after the rounds have converged
	PlusPlus *big.Rat                  // expected, right after k-means++ with two centers on all the points
	Optimal  *big.Rat                  // the best potential of two centers
}

// LabelsApart has labeled points at −m and m and an unlabeled one at m+1: μ_P falls between two groups and stays there.
// For m ≥ 1 the expected potential of Definition 6 is m²+1, the best ½, so their ratio 2(m²+1) is unbounded.
func LabelsApart(m float64) SeedingTrap {
	return SeedingTrap{[][]float64{{-m}, {m}}, [][]float64{{m + 1}}}
}

// LoneLabel has one labeled point at 0, crowd unlabeled ones at 1 and one more at far. The best clusters are {0, 1, …}
// and {far}, so the label lies in one of them, but not at its middle. The potential after seeding is about 2·crowd for
// a large far; if far² is about crowd, the rounds do not reduce it either. The best potential is crowd/(crowd+1).
func LoneLabel(crowd int, far float64) SeedingTrap {
	return SeedingTrap{[][]float64{{0}}, append(copies(crowd, 1), []float64{far})}
}

// TightSeeding has a labeled point at 0, rest unlabeled ones at 0, crowd unlabeled ones at 1 and one at 2. The best
// clusters are the points at 0 and the others. The expected potential after seeding is 5·crowd/(crowd+4), against the
// best, crowd/(crowd+1). Their ratio tends to 5; the ratio of k-means++ does too if rest is far larger than crowd.
func TightSeeding(rest, crowd int) SeedingTrap {
	return SeedingTrap{[][]float64{{0}}, append(append(copies(rest, 0), copies(crowd, 1)...), []float64{2})}
}

func copies(n int, x float64) [][]float64 { return slices.Repeat([][]float64{{x}}, max(n, 0)) }

// Outcome runs every start of Algorithm 1(B) on the trap, in exact arithmetic; points may lie at up to 20 places.
func (t SeedingTrap) Outcome() (out SeedingOutcome, err error) {
	defer must.Catch(&err)
	labeled, unlabeled := t.rationals()
	s := must.Get(t.Seeding())
	out.Optimal = s.Optimal
	out.Seeded, out.Settled = s.Expected()
	out.PlusPlus = must.Get(theory.RationalKMeansPlusPlus(union(labeled, unlabeled)))
	return out, nil
}

// Seeding lists every start of Algorithm 1(B) on the trap with its result, in exact arithmetic and with the limits of
// [theory.EnumerateRationalSeeding].
func (t SeedingTrap) Seeding() (s theory.RationalSeeding, err error) {
	defer must.Catch(&err)
	return theory.EnumerateRationalSeeding(t.rationals())
}

// rationals returns the points as fractions.
func (t SeedingTrap) rationals() (labeled, unlabeled theory.RationalPoints) {
	points := func(rows [][]float64, kind string) theory.RationalPoints {
		p, err := theory.Rationals(rows)
		must.Wrap(err, "claims: %s points", kind)
		return p
	}
	return points(t.Labeled, "labeled"), points(t.Unlabeled, "unlabeled")
}

// Ratio returns the expected potential of Definition 6 after seeding, divided by the best; infinite if the best is 0.
func (o SeedingOutcome) Ratio() float64 { return o.over(o.Seeded.Free) }

// SettledRatio returns the same ratio after the rounds have converged.
func (o SeedingOutcome) SettledRatio() float64 { return o.over(o.Settled.Free) }

// PlusPlusRatio returns the same ratio right after k-means++ with two centers.
func (o SeedingOutcome) PlusPlusRatio() float64 { return o.over(o.PlusPlus) }

func (o SeedingOutcome) over(x *big.Rat) float64 { return decimal(x) / decimal(o.Optimal) }
