package theory

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Result holds the measurements of an objective on a population: the moments, over all batches that the design can
// draw, of the batch means of its terms, and the bias of its loss.
type Result struct {
	Objective string

	Attraction   Moments // of the mean over the anchors of attract(i)
	LogPartition Moments // of the mean over the anchors of repel(i)
	Loss         Moments // of the objective's loss: log partition − attraction, plus its parts other than terms

	Ideal Ideal  // the ideal loss (3) with the same prior and N = 2b − 2
	Bias  Number // mean loss − ideal loss

	Batches    int      // number of scored batches
	Symmetry   Symmetry // Exact only: the symmetries that reduced the enumeration
	Confidence float64  // MonteCarlo only: of each interval
	Seed       uint64   // MonteCarlo only
}

// String returns one line: the objective, its mean loss, variance and bias, and the method.
func (r Result) String() string {
	how := "exact"
	if r.Confidence > 0 {
		how = fmt.Sprintf("%.3g%% intervals, seed %d", 100*r.Confidence, r.Seed)
	}
	return fmt.Sprintf("%s: loss %s, variance %s, bias %s (%s, %d batches)",
		r.Objective, r.Loss.Mean, r.Loss.Variance, r.Bias, how, r.Batches)
}

// AttractionBias returns the mean attraction minus that of the ideal loss.
func (r Result) AttractionBias() Number { return r.Attraction.Mean.Minus(r.Ideal.Attraction) }

// PartitionBias returns the mean log partition minus that of the ideal loss.
func (r Result) PartitionBias() Number { return r.LogPartition.Mean.Minus(r.Ideal.LogPartition) }

// Exact measures one objective exactly; see [Meter.Exact], and use a [Meter] to vary the design.
func Exact(eng *engine.Engine, o pucl.Objective, p Population, d Design, tau float64) (r Result, err error) {
	defer must.Catch(&err)
	m := must.Get(NewMeter(eng, o, tau))
	defer m.Close()
	return m.Exact(p, d)
}

// Exact measures the objective exactly, by scoring every batch that the design can draw with its probability.
//
// Symmetries reduce the enumeration. Labeled examples are exchangeable among themselves, and so are the unlabeled ones,
// so batches are multisets of their examples' outcomes. If the objective ignores the order of views, a pair of views
// counts like its reverse. If it ignores the true classes, a point of both classes counts as one point. All three are
// verified on trial batches, and only verified symmetries are used: see Result.Symmetry.
//
// It returns an error if more batches than MaxBatches allows would have to be scored, or if the objective is not finite
// on a batch.
func (m *Meter) Exact(p Population, d Design) (r Result, err error) {
	defer must.Catch(&err)
	must.Do(validate(p, d, m.tau))
	s := p.support(true)
	batches, symmetry, report := m.enumerate(d, s)
	ideal := must.Get(IdealLoss(p, d.Prior, d.Negatives(), m.tau))
	var sums [3]weighted
	scored := 0
	m.score(d, s.points, batches, true, func(weights []float64, values [][]float64) {
		scored += len(weights)
		for i := range sums {
			sums[i].add(weights, values[i])
		}
		report(len(weights))
	})
	r = m.result(sums[0].moments(), sums[1].moments(), sums[2].moments(), ideal)
	r.Batches, r.Symmetry = scored, symmetry
	return r, nil
}

// result combines the common parts of exact and sampled results.
func (m *Meter) result(attraction, partition, loss Moments, ideal Ideal) Result {
	return Result{
		Objective: m.objective.Name, Attraction: attraction, LogPartition: partition, Loss: loss,
		Ideal: ideal, Bias: loss.Mean.Minus(ideal.Loss),
	}
}

// CountBatches returns the number of batches that [Meter.Exact] has to score for the design on the population; batches
// that are equivalent by symmetry count once. It may be too large for an int, even +Inf.
func CountBatches(p Population, d Design, symmetry Symmetry) (count float64, err error) {
	defer must.Catch(&err)
	must.Do(validate(p, d, 1))
	return countBatches(d, p.support(true), symmetry), nil
}

func countBatches(d Design, s support, symmetry Symmetry) float64 {
	labeled, unlabeled := d.outcomes(s, symmetry)
	return countDraws(len(labeled), d.Labeled, !symmetry.Examples) * countDraws(len(unlabeled), d.Unlabeled, !symmetry.Examples)
}

// enumerate returns the list of all batches, as short as the objective's symmetry allows, and a function that reports
// completed batches; it ends the measurement if the list is too long.
func (m *Meter) enumerate(d Design, s support) (batches iter.Seq2[batch, float64], symmetry Symmetry, report func(batches int)) {
	b := float64(d.Examples())
	limit := float64(cmp.Or(m.MaxBatches, DefaultMaxBatches)) * min(1, 36/(b*b))
	// A list that is too long at best needs no trial, which takes a compilation.
	symmetry = everything
	count := countBatches(d, s, symmetry)
	if count <= limit {
		symmetry = m.symmetry(d, s.points)
		count = countBatches(d, s, symmetry)
	}
	if count > limit {
		must.Fail("theory: %d labeled and %d unlabeled examples on %d points make %.3g batches (%s exchangeable), more than "+
			"the %.3g that are enumerated; use MonteCarlo, a smaller case, or raise the meter's MaxBatches",
			d.Labeled, d.Unlabeled, len(s.points), count, symmetry, limit)
	}
	labeled, unlabeled := d.outcomes(s, symmetry)
	return allBatches(d, labeled, unlabeled, !symmetry.Examples), symmetry, m.reporter(count)
}

// allBatches yields every batch with its probability. The batch is reused between iterations.
func allBatches(d Design, labeled, unlabeled []outcome, ordered bool) iter.Seq2[batch, float64] {
	return func(yield func(batch, float64) bool) {
		next := newBatch(d)
		for l, pl := range draws(probabilities(labeled), d.Labeled, ordered) {
			for i, o := range l {
				next.set(i, labeled[o])
			}
			for u, pu := range draws(probabilities(unlabeled), d.Unlabeled, ordered) {
				for i, o := range u {
					next.set(d.Labeled+i, unlabeled[o])
				}
				if !yield(next, pl*pu) {
					return
				}
			}
		}
	}
}

func probabilities(outcomes []outcome) []float64 {
	return lists.Map(outcomes, func(o outcome) float64 { return o.p })
}
