package pucl

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// sample is a batch as plain numbers: row i shows example i mod b in view i div b.
type sample struct {
	z       [][]float64
	labeled []bool
	class   []int32
	views   int
	tau     float64
}

func (s sample) b() int                    { return len(s.labeled) }
func (s sample) own(i, j int) bool         { return i != j && i%s.b() == j%s.b() }
func (s sample) foreign(i, j int) bool     { return i%s.b() != j%s.b() }
func (s sample) labels(i int) bool         { return s.labeled[i%s.b()] }
func (s sample) sameClass(i, j int) bool   { return s.class[i%s.b()] == s.class[j%s.b()] }
func (s sample) otherView(i, j int) bool   { return i/s.b() != j/s.b() }
func (s sample) others(i, j int) bool      { return i != j }
func (s sample) bothLabeled(i, j int) bool { return i != j && s.labels(i) && s.labels(j) }

// sim returns cos(z_i, z_j)/τ, and 0 if a row is zero.
func (s sample) sim(i, j int) float64 {
	var dot, ni, nj float64
	for k := range s.z[i] {
		dot += s.z[i][k] * s.z[j][k]
		ni += s.z[i][k] * s.z[i][k]
		nj += s.z[j][k] * s.z[j][k]
	}
	if ni == 0 || nj == 0 {
		return 0
	}
	return dot / math.Sqrt(ni) / math.Sqrt(nj) / s.tau
}

// distance returns ‖u_i − u_j‖² of the unit rows.
func (s sample) distance(i, j int) float64 {
	unit := func(i int) []float64 {
		norm := 0.0
		for _, x := range s.z[i] {
			norm += x * x
		}
		u := make([]float64, len(s.z[i]))
		for k, x := range s.z[i] {
			if norm > 0 {
				u[k] = x / math.Sqrt(norm)
			}
		}
		return u
	}
	u, v := unit(i), unit(j)
	sum := 0.0
	for k := range u {
		sum += (u[k] - v[k]) * (u[k] - v[k])
	}
	return sum
}

// mean returns the mean of f(i, j) over the j that pick selects, 0 where it selects none.
func (s sample) mean(i int, pick func(i, j int) bool, f func(i, j int) float64) float64 {
	var sum, count float64
	for j := range s.z {
		if pick(i, j) {
			sum += f(i, j)
			count++
		}
	}
	if count == 0 {
		return 0
	}
	return sum / count
}

// mass returns Σ exp s_ij over the j that pick selects. Float64 holds e^±100.
func (s sample) mass(i int, pick func(i, j int) bool) (sum, count float64) {
	for j := range s.z {
		if pick(i, j) {
			sum += math.Exp(s.sim(i, j))
			count++
		}
	}
	return sum, count
}

func (s sample) logMass(i int, pick func(i, j int) bool) float64 {
	sum, _ := s.mass(i, pick)
	return math.Log(sum)
}

// average returns the mean of score over all rows.
func (s sample) average(score func(i int) float64) float64 {
	total := 0.0
	for i := range s.z {
		total += score(i)
	}
	return total / float64(len(s.z))
}

// attracted returns a loss whose anchors are attracted to the mean over the rows that pick selects and repelled by the
// partition.
func attracted(pick func(s sample) func(i, j int) bool) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 { return s.logMass(i, s.others) - s.mean(i, pick(s), s.sim) })
	}
}

func refSSCL(s sample) float64 {
	return attracted(func(s sample) func(i, j int) bool { return s.own })(s)
}

func refSCLPU(s sample) float64 {
	return attracted(func(s sample) func(i, j int) bool {
		return func(i, j int) bool { return i != j && s.labels(i) == s.labels(j) }
	})(s)
}

func refPUCL(s sample) float64 {
	return attracted(func(s sample) func(i, j int) bool {
		return func(i, j int) bool { return s.own(i, j) || s.bothLabeled(i, j) }
	})(s)
}

func refSCL(s sample) float64 {
	return attracted(func(s sample) func(i, j int) bool {
		return func(i, j int) bool { return i != j && s.sameClass(i, j) }
	})(s)
}

func refMCL(lambda float64) func(sample) float64 {
	return func(s sample) float64 { return lambda*refSCLPU(s) + (1-lambda)*refSSCL(s) }
}

func refPUNCE(prior float64) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			attract := s.mean(i, s.bothLabeled, s.sim)
			if !s.labels(i) {
				positive := func(i, j int) bool { return s.own(i, j) || s.labels(j) }
				attract = prior*s.mean(i, positive, s.sim) + (1-prior)*s.mean(i, s.own, s.sim)
			}
			return s.logMass(i, s.others) - attract
		})
	}
}

func refDCL(tauPlus, weight float64, positives int) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			m := s.views
			next := func(i, j int) bool {
				ahead := (j/s.b() - i/s.b() + m) % m
				return s.own(i, j) && ahead <= positives
			}
			negative, n := s.mass(i, s.foreign)
			positive, drawn := s.mass(i, next)
			own, _ := s.mass(i, s.own)
			g := max((negative/n-tauPlus*positive/drawn)/(1-tauPlus), math.Exp(-1/s.tau))
			q := weight
			if q == 0 {
				q = n
			}
			return math.Log1p(q*g/own) + math.Log(own) - s.mean(i, s.own, s.sim)
		})
	}
}

func refPUDebiased(prior float64) func(sample) float64 {
	return func(s sample) float64 {
		labeled := func(i, j int) bool { return s.foreign(i, j) && s.labels(j) }
		unlabeled := func(i, j int) bool { return s.foreign(i, j) && !s.labels(j) }
		meanExp := func(i int, first, second func(i, j int) bool) float64 {
			sum, n := s.mass(i, first)
			if n == 0 {
				sum, n = s.mass(i, second)
			}
			return sum / n
		}
		var kinds [2]float64 // rows that are labeled, and that are not
		for i := range s.z {
			if s.labels(i) {
				kinds[0]++
			} else {
				kinds[1]++
			}
		}
		total := 0.0
		for i := range s.z {
			own, _ := s.mass(i, s.own)
			_, negatives := s.mass(i, s.foreign)
			p, u := meanExp(i, labeled, unlabeled), meanExp(i, unlabeled, labeled)
			loss := func(other float64) float64 { return math.Log(own+negatives*other) - s.mean(i, s.own, s.sim) }
			asPositive, asNegative := loss(max((u-prior*p)/(1-prior), math.Exp(-1/s.tau))), loss(p)
			switch {
			case kinds[0] == 0 || kinds[1] == 0:
				total += asNegative / float64(len(s.z))
			case s.labels(i):
				total += prior / kinds[0] * (asPositive - asNegative)
			default:
				total += asNegative / kinds[1]
			}
		}
		return total
	}
}

func refNPair(s sample) float64 {
	return s.average(func(i int) float64 { return s.logMass(i, s.otherView) - s.mean(i, s.own, s.sim) })
}

func refDebiasedPos(tauPlus, weight float64, classes bool) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			all, count := s.mass(i, s.others)
			negative, drawn := s.mass(i, s.foreign)
			n := drawn
			if classes {
				negative, drawn = s.mass(i, func(i, j int) bool { return !s.sameClass(i, j) })
			}
			if drawn == 0 {
				return 0
			}
			if weight != 0 {
				n = weight
			}
			p, pMinus := all/count, negative/drawn
			tauMinus := 1 - tauPlus
			if floor := math.Exp(-1 / s.tau); (p-tauMinus*pMinus)/tauPlus < floor {
				return math.Log1p(n * pMinus / floor)
			}
			return -math.Log((p - tauMinus*pMinus) / (p + (n*tauPlus-tauMinus)*pMinus))
		})
	}
}

// refDebiasedPairs uses the observed positives as the mixture: the mean of m−1 other views is contaminated.
func refDebiasedPairs(tauPlus float64) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			own, views := s.mass(i, s.own)
			negative, n := s.mass(i, s.foreign)
			p, pMinus := own/views, negative/n
			positive := max((p-(1-tauPlus)*pMinus)/tauPlus, math.Exp(-1/s.tau))
			return math.Log1p(n * pMinus / positive)
		})
	}
}

func refPairwise(margin float64) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			return s.mean(i, s.own, s.distance) + s.mean(i, s.foreign, func(i, j int) float64 {
				missing := max(margin-math.Sqrt(s.distance(i, j)), 0)
				return missing * missing
			})
		})
	}
}

func refIdeal(negatives float64) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			negative, drawn := s.mass(i, func(i, j int) bool { return !s.sameClass(i, j) })
			if drawn == 0 {
				return 0
			}
			if negatives > 0 {
				negative *= negatives / drawn
			}
			return s.mean(i, func(i, j int) bool { return i != j && s.sameClass(i, j) }, func(i, j int) float64 {
				return math.Log1p(negative / math.Exp(s.sim(i, j)))
			})
		})
	}
}

func refTrueNegatives(negatives float64) func(sample) float64 {
	return func(s sample) float64 {
		return s.average(func(i int) float64 {
			negative, drawn := s.mass(i, func(i, j int) bool { return !s.sameClass(i, j) })
			if drawn == 0 {
				return 0
			}
			own, _ := s.mass(i, s.own)
			_, n := s.mass(i, s.foreign)
			if negatives > 0 {
				n = negatives
			}
			return math.Log1p(n*negative/drawn/own) + math.Log(own) - s.mean(i, s.own, s.sim)
		})
	}
}

func refAlignment(s sample) float64 {
	var sum, count float64
	for i := range s.z {
		for j := range i {
			if s.own(i, j) {
				sum += s.distance(i, j)
				count++
			}
		}
	}
	return sum / count
}

func refUniformity(s sample) float64 {
	total := 0.0
	for view := range s.views {
		var sum, count float64
		for i := range s.b() {
			for j := range i {
				sum += math.Exp(-2 * s.distance(view*s.b()+i, view*s.b()+j))
				count++
			}
		}
		total += math.Log(sum / count)
	}
	return total / float64(s.views)
}

// userDefined returns a user-defined objective: unlabeled anchors attract each other, labeled ones only themselves.
func userDefined() Objective {
	return Objective{Name: "user", Attract: ByLabel(OwnViews, UnlabeledMean), Repel: LogPartition}
}

func refUserDefined(s sample) float64 {
	return attracted(func(s sample) func(i, j int) bool {
		return func(i, j int) bool { return s.own(i, j) || i != j && !s.labels(i) && !s.labels(j) }
	})(s)
}

// userMasks returns an objective with its own masks. One of them selects the pairs of a row with itself, which must not
// count.
func userMasks() Objective {
	return Objective{
		Name:    "user masks",
		Attract: func(b *Block) *Node { return MeanSimilarity(b, Or(b.OwnView, And(b.ToLabeled, b.OtherView))) },
		Repel:   func(b *Block) *Node { return LogSumExp(b, Or(b.OwnView, Not(b.Unlabeled))) },
	}
}

func refUserMasks(s sample) float64 {
	return s.average(func(i int) float64 {
		attract := func(i, j int) bool { return s.own(i, j) || i != j && s.labels(j) && s.otherView(i, j) }
		repel := func(i, j int) bool { return s.own(i, j) || i != j && (s.labels(i) || s.labels(j)) }
		return s.logMass(i, repel) - s.mean(i, attract, s.sim)
	})
}

// userSharpened changes the similarities before it computes the partition: pairs of labeled rows count twice as
// sharply.
func userSharpened() Objective {
	return Objective{
		Name:    "user sharpened",
		Attract: OwnViews,
		Repel: func(b *Block) *Node {
			sharp := *b
			sharp.Sim = Where(b.Labeled, MulScalar(b.Sim, 2), b.Sim)
			return LogPartition(&sharp)
		},
	}
}

func refUserSharpened(s sample) float64 {
	return s.average(func(i int) float64 {
		sum := 0.0
		for j := range s.z {
			switch {
			case s.bothLabeled(i, j):
				sum += math.Exp(2 * s.sim(i, j))
			case i != j:
				sum += math.Exp(s.sim(i, j))
			}
		}
		return math.Log(sum) - s.mean(i, s.own, s.sim)
	})
}
