package theory

import (
	"errors"
	"fmt"
	"math"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Ideal is the supervised loss L*_CL of equation (3), which uses the true classes, with the sign of a loss: log
// partition − attraction. (The paper prints it with the opposite sign, as a reward.)
//
// The class y of an anchor is positive with probability π. Given y, one other draw j of its class and N draws k of the
// other class are independent:
//
//	attraction    = E[s_ij]
//	log partition = E[log(exp s_ij + Σ_k exp s_ik)]
type Ideal struct {
	Negatives                      int // N
	Attraction, LogPartition, Loss Number
}

// maxIdealTerms is the largest number of logarithms in an exact ideal loss, some ten seconds.
const maxIdealTerms = 2e8

// errIdealSize marks an ideal loss too large to be enumerated.
var errIdealSize = errors.New("too many terms")

// IdealLoss returns the ideal loss (3) of a population with class prior and N = negatives at temperature tau, exactly:
// it enumerates the number of negatives at each point, not the sequences of negatives.
//
// It returns an error if there are too many such counts; [Meter.MonteCarlo] samples the negatives instead.
func IdealLoss(p Population, prior float64, negatives int, tau float64) (ideal Ideal, err error) {
	defer must.Catch(&err)
	must.Do(validateIdeal(p, prior, negatives, tau))
	var attraction, partition kahan
	idealTerms(p.support(false), prior, negatives, tau, func(t idealTerm) {
		attraction.add(t.p * t.sim[t.j])
		partition.add(t.p * t.logZ)
	})
	a, z := attraction.value(), partition.value()
	return Ideal{negatives, Exactly(a), Exactly(z), Exactly(z - a)}, nil
}

func validateIdeal(p Population, prior float64, negatives int, tau float64) error {
	if negatives < 0 {
		return fmt.Errorf("theory: %d negatives; their number cannot be below 0", negatives)
	}
	return errors.Join(checkShare("class prior π", prior), p.Validate(), checkTau(tau))
}

// idealTerm is one summand of the ideal loss: anchor i and its positive j, as point numbers, and the counts of
// negatives at each point of the other class.
type idealTerm struct {
	p        float64   // probability
	i, j     int       // points
	sim      []float64 // s_i· of all points
	negative []mass    // the other class
	counts   []int     // per point of negative; their sum is N
	logZ     float64   // log(exp s_ij + Σ_k n_k exp s_ik)
}

// idealTerms visits every term; it ends the computation if there are too many.
func idealTerms(s support, prior float64, negatives int, tau float64, visit func(idealTerm)) {
	terms := 0.0
	for _, side := range s.sides(prior) {
		terms += countDraws(len(side.other), negatives, false) * float64(len(side.own)*len(side.own))
	}
	if terms > maxIdealTerms {
		must.Fail("theory: the ideal loss with %d negatives on %d points takes %.3g terms, more than the %.3g that are summed (Meter.MonteCarlo samples it): %w",
			negatives, len(s.points), terms, float64(maxIdealTerms), errIdealSize)
	}
	sim := s.similarities(tau)
	for _, side := range s.sides(prior) {
		counts := make([]int, len(side.other))
		// For each anchor, the similarities of the other class.
		negative := lists.Map(side.own, func(i mass) []float64 { return scoresOf(sim[i.point], side.other) })
		for drawn, probability := range draws(massesOf(side.other), negatives, false) {
			if probability == 0 {
				continue
			}
			clear(counts)
			for _, k := range drawn {
				counts[k]++
			}
			for a, i := range side.own {
				row := sim[i.point]
				logNegative := logSum(negative[a], counts)
				for _, j := range side.own {
					visit(idealTerm{
						p: side.share * probability * i.p * j.p,
						i: i.point, j: j.point, sim: row, negative: side.other, counts: counts,
						logZ: logAdd(row[j.point], logNegative),
					})
				}
			}
		}
	}
}

// scoresOf selects the similarities of a class's points from those of all points.
func scoresOf(sim []float64, class []mass) []float64 {
	return lists.Map(class, func(m mass) float64 { return sim[m.point] })
}

// logAdd returns log(exp a + exp b), for a > −∞.
func logAdd(a, b float64) float64 {
	high, low := max(a, b), min(a, b)
	return high + math.Log1p(math.Exp(low-high))
}
