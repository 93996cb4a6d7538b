package cluster

import (
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
)

// starts returns the initial centers of all starts.
func (p points) starts(config Config) ([]*Clustering, error) {
	n, _ := p.x.Dims()
	rng := rand.New(rand.NewPCG(config.Seed, 0))
	out := make([]*Clustering, max(config.Restarts, 1))
	switch config.Start {
	case OneDrawn:
		weights := rows.Pick(p.seedingWeights(), p.unlabeled)
		total := floats.Sum(weights)
		if total <= p.rounding*float64(len(weights)) {
			return nil, errors.New("cluster: every unlabeled row equals the mean of the labeled ones, " +
				"so there is nothing to cluster; the embedding has collapsed: train again, with another loss or learning rate")
		}
		for i := range out {
			out[i] = p.between(p.unlabeled[draw(weights, total, rng)])
		}
	case Means:
		c := &Clustering{PositiveCenter: p.mean(p.labeled), NegativeCenter: p.mean(p.unlabeled), StartRow: -1}
		return []*Clustering{c}, fault.If(
			squaredDistance(c.PositiveCenter, c.NegativeCenter) <= p.rounding,
			"cluster: the labeled and the unlabeled rows have the same mean, so that both centers start at one place and "+
				"nothing tells the clusters apart; start as OneDrawn does")
	case TwoDrawn:
		for i := range out {
			first := p.x.RawRowView(rng.IntN(n))
			weights := p.squaredDistances(rows.All(n), first)
			out[i] = p.at(first, draw(weights, floats.Sum(weights), rng))
		}
	case TwoRandom:
		for i := range out {
			for out[i] == nil || slices.Equal(out[i].PositiveCenter, out[i].NegativeCenter) { // ends: not all rows are equal
				first := rng.IntN(n)
				out[i] = p.at(p.x.RawRowView(first), (first+1+rng.IntN(n-1))%n)
			}
		}
	}
	return out, nil
}

// at returns a clustering with the given positive center and the negative center at a row.
func (p points) at(positive []float64, negative int) *Clustering {
	c := &Clustering{PositiveCenter: slices.Clone(positive), StartRow: negative}
	c.NegativeCenter = slices.Clone(p.x.RawRowView(negative))
	return c
}

// between returns a clustering with the positive center at the mean of the labeled rows and the negative one at a row.
func (p points) between(negative int) *Clustering { return p.at(p.mean(p.labeled), negative) }

// seedingWeights implements [SeedingWeights].
func (p points) seedingWeights() []float64 { return p.squaredDistances(p.unlabeled, p.mean(p.labeled)) }

// squaredDistances returns the squared distances of the rows at index from a center, and 0 for all other rows.
func (p points) squaredDistances(index []int, center []float64) []float64 {
	n, _ := p.x.Dims()
	out := make([]float64, n)
	for _, i := range index {
		out[i] = squaredDistance(p.x.RawRowView(i), center)
	}
	return out
}

// draw returns the first i at which the sum of the weights up to i exceeds a random share of the total. If rounding
// leaves none, it returns the last i with a positive weight.
func draw(weights []float64, total float64, rng *rand.Rand) int {
	left, drawn := rng.Float64()*total, -1
	for i, w := range weights {
		if w > 0 {
			drawn = i
		}
		if left -= w; left < 0 && w > 0 {
			break
		}
	}
	return drawn
}
