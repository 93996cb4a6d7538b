// Package cluster computes pseudo-labels of unlabeled embeddings by clustering that starts at the labeled positives:
// PUPL, Algorithm 1B of "Contrastive Positive Unlabeled Learning".
//
//	c, err := cluster.PUPL(rows.Unit(z), labeled, cluster.Config{Restarts: 5, Seed: 1})
//	// c.Positive: a pseudo-label for each row of z
//
// [KMeans] clusters rows without labels, for any number of rows and clusters:
//
//	p, err := cluster.KMeans{K: 100, Seed: 1}.Fit(cluster.Dense(z))
//	// p.Labels: a cluster for each row of z
//
// Distances are Euclidean; their squares sum to the potential of Definition 6. PUPL computes in float64, KMeans in
// float32, both on all processors. No sum depends on the number of processors.
package cluster

import (
	"cmp"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
)

// Config configures [PUPL]. The zero value makes one random start of Algorithm 1B. Config{Start: Means, Free: true} is
// the paper's pseudo code. Config{Start: TwoDrawn, Free: true} is two-means, where labels only name the clusters.
type Config struct {
	Start Start // of the centers
	Free  bool  // labeled rows join the nearer center, as all others, not always the positive one

	Restarts int    // random starts; 0 means 1
	Seed     uint64 // seed of the random starts

	// Unoriented keeps the cluster that started at the labeled rows positive, even if more labeled rows end in the
	// other one; see [Clustering.Orient].
	Unoriented bool
}

// Start is the initialization of the two centers of [PUPL].
type Start int

const (
	OneDrawn  Start = iota // positive: mean of the labeled rows; negative: a random unlabeled row (Algorithm 1B)
	Means                  // means of the labeled and of the unlabeled rows; not random
	TwoDrawn               // positive: any row at random; negative: drawn by squared distance from it (k-means++)
	TwoRandom              // two rows drawn uniformly
)

// Clustering holds two centers and the pseudo-labels that follow from them.
type Clustering struct {
	Positive     []bool // pseudo-label of each row; true for every labeled row
	NearPositive []bool // whether the nearer center of each row is the positive one, regardless of labels

	PositiveCenter, NegativeCenter []float64

	StartRow   int  // row at which the negative center started; −1 for a mean
	Iterations int  // rounds of assignment and update
	Converged  bool // the last round changed no label
	Swapped    bool // Orient swapped the clusters

	SeedingPotential     float64 // Definition 6 with the initial centers
	Potential            float64 // Definition 6: sum of squared distances of all rows to the nearer center
	ConstrainedPotential float64 // the same with labeled rows assigned to the center that started at them
}

// Check returns an error if c is invalid for every input.
func (c Config) Check() error {
	return cmp.Or(
		fault.If(c.Restarts < 0, "cluster: %d random starts; Restarts must be 1 or more, or 0 for 1", c.Restarts),
		fault.If(c.Start < OneDrawn || c.Start > TwoRandom,
			"cluster: there is no start %d; take OneDrawn, Means, TwoDrawn or TwoRandom", c.Start))
}

// PUPL computes pseudo-labels for the unlabeled rows of x [n, k] by Algorithm 1B; labeled [n] marks the labeled rows.
// The positive center starts at the mean of the labeled rows. The negative center starts at an unlabeled row, drawn
// with probability proportional to its squared distance from the positive center. Then two steps alternate until no
// label changes: label rows by the nearer center, and move the centers to the means. Labeled rows always belong to the
// positive center. A tie goes to the positive center.
//
// Of several starts PUPL returns the result of lowest potential, as k-means libraries do. The potential uses no label
// of an unlabeled row. Pseudo-labels are good only if the two classes form two clusters in the embedding.
//
// It is an error if there are no labeled or no unlabeled rows, if an entry is not finite, if all rows are equal, or if
// entries lie more than 1e100 apart. It is also an error if all unlabeled rows, or with [Means] their mean, lie on the
// positive center.
func PUPL(x *mat.Dense, labeled []bool, config Config) (*Clustering, error) {
	starts, err := Starts(x, labeled, config)
	if err != nil {
		return nil, err
	}
	best := starts[0]
	for _, c := range starts[1:] {
		if c.Potential < best.Potential {
			best = c
		}
	}
	return best, nil
}

// Starts returns the results of all random starts of [PUPL], in the order of drawing; for [Means] the only result.
func Starts(x *mat.Dense, labeled []bool, config Config) ([]*Clustering, error) {
	p, err := newPoints(x, labeled)
	if err = cmp.Or(err, config.Check()); err != nil {
		return nil, err
	}
	starts, err := p.starts(config)
	if err != nil {
		return nil, err
	}
	for _, c := range starts {
		p.run(c, !config.Free)
		if p.outside(c); !config.Unoriented {
			c.Orient(labeled)
		}
	}
	return starts, nil
}

// SeedingWeights returns for every row of x [n, k] the squared distance from the mean of the labeled rows. [PUPL]
// starts the negative center at a row with probability proportional to it. It is 0 for labeled rows.
func SeedingWeights(x *mat.Dense, labeled []bool) ([]float64, error) {
	p, err := newPoints(x, labeled)
	if err != nil {
		return nil, err
	}
	return p.seedingWeights(), nil
}

// From runs [PUPL] with the negative center at row start of x, which must be unlabeled, and without orientation. It
// serves the exact analysis of all starts. If the row lies on the positive center, all rows are ties and so positive;
// PUPL never draws such a row.
func From(x *mat.Dense, labeled []bool, start int) (*Clustering, error) {
	p, err := newPoints(x, labeled)
	err = cmp.Or(err, fault.If(start < 0 || start >= len(labeled) || labeled[start],
		"cluster: the negative center cannot start at row %d; take one of the %d of %d rows that are unlabeled",
		start, len(p.unlabeled), len(labeled)))
	if err != nil {
		return nil, err
	}
	c := p.between(start)
	p.run(c, true)
	return p.outside(c), nil
}

// PseudoCode computes pseudo-labels by the paper's pseudo code (A.7.4), which differs from Algorithm 1B. The negative
// center starts at the mean of all unlabeled rows, without randomness. Labeled rows join the nearer center, so they may
// leave the positive one; Clustering.NearPositive holds their final clusters. The result is not oriented.
func PseudoCode(x *mat.Dense, labeled []bool) (*Clustering, error) {
	return PUPL(x, labeled, Config{Start: Means, Free: true, Unoriented: true})
}

// Orient makes the cluster with more labeled rows positive, and reports whether it swapped the two. The argument
// labeled must be the mask of the clustering.
func (c *Clustering) Orient(labeled []bool) (swapped bool) {
	near, all := 0, 0
	for i, l := range labeled {
		if l {
			all++
			if c.NearPositive[i] {
				near++
			}
		}
	}
	if 2*near >= all {
		return false
	}
	c.PositiveCenter, c.NegativeCenter = c.NegativeCenter, c.PositiveCenter
	c.Swapped = !c.Swapped
	for i, wasNear := range c.NearPositive {
		c.NearPositive[i] = !wasNear
		c.Positive[i] = labeled[i] || !wasNear
	}
	return true
}
