// Package cluster gives pseudo-labels to unlabeled embeddings by clustering that starts at the labeled positives: PUPL,
// Algorithm 1B of "Contrastive Positive Unlabeled Learning".
//
//	c, err := cluster.PUPL(rows.Unit(z), labeled, cluster.Config{Restarts: 5, Seed: 1})
//	// c.Positive: a pseudo-label for each row of z
//
// [KMeans] clusters rows without regard to labels, any number of them into any number of clusters:
//
//	p, err := cluster.KMeans{K: 100, Seed: 1}.Fit(cluster.Dense(z))
//	// p.Labels: a cluster for each row of z
//
// Distances are Euclidean, their squares the potential of Definition 6. PUPL computes in float64, KMeans in float32, both on all
// processors; no sum depends on how many there are.
package cluster

import (
	"cmp"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
)

// Config says how [PUPL] clusters. The zero value makes one random start of Algorithm 1B; the paper's pseudo code is
// Config{Start: Means, Free: true}, two-means that looks at labels only for the name of a cluster Config{Start: TwoDrawn,
// Free: true}.
type Config struct {
	Start Start // of the centers
	Free  bool  // labeled rows go to the nearer center, as all others, and do not always count for the positive one

	Restarts int    // random starts; 0 means 1
	Seed     uint64 // of the random starts

	// Unoriented leaves the cluster positive that started at the labeled rows, even where more of these end in the other one;
	// see [Clustering.Orient].
	Unoriented bool
}

// Start is where the two centers of [PUPL] start.
type Start int

const (
	OneDrawn  Start = iota // the positive at the mean of the labeled rows, the negative at an unlabeled one, drawn: Algorithm 1B
	Means                  // at the means of the labeled and of the unlabeled rows; nothing is random
	TwoDrawn               // the positive at a row drawn among all, the negative at one drawn by squared distance from it: k-means++
	TwoRandom              // at two rows, drawn alike
)

// Clustering is two centers and the pseudo-labels that follow from them.
type Clustering struct {
	Positive     []bool // pseudo-label of each row; true for every labeled row
	NearPositive []bool // of each row, whether the nearer center is the positive one, whatever its label

	PositiveCenter, NegativeCenter []float64

	StartRow   int  // the row at which the negative center started; −1 where it started at a mean
	Iterations int  // rounds of labeling and moving the centers
	Converged  bool // the last round changed no label
	Swapped    bool // the positive cluster is not the one that started at the labeled rows, see Orient

	SeedingPotential     float64 // Definition 6 with the centers before the first round
	Potential            float64 // Definition 6: the squared distances of all rows to the nearer center
	ConstrainedPotential float64 // the same with the labeled rows charged to the center that started at them
}

// Check returns an error if c cannot be followed, whatever the rows.
func (c Config) Check() error {
	return cmp.Or(
		fault.If(c.Restarts < 0, "cluster: %d random starts; Restarts must be 1 or more, or 0 for 1", c.Restarts),
		fault.If(c.Start < OneDrawn || c.Start > TwoRandom,
			"cluster: there is no start %d; take OneDrawn, Means, TwoDrawn or TwoRandom", c.Start))
}

// PUPL gives pseudo-labels to the rows of x [n, k] that labeled [n] does not mark, Algorithm 1B: the positive center starts
// at the mean of the labeled rows, the negative one at an unlabeled row drawn with probability proportional to its squared
// distance from the positive center; then labeling by the nearer center and moving the centers to the means take turns until
// no label changes. Labeled rows always count for the positive center. A tie goes to the positive center.
//
// Of several starts the result of lowest potential is returned, as k-means libraries do. That looks at no label beyond those
// of the labeled rows, and does not promise good pseudo-labels: that the classes are the two clusters is what the embedding
// must bring.
//
// It is an error if there are no labeled or no unlabeled rows, if an entry is not finite, if all rows are the same, if entries lie
// more than 1e100 apart, or if all unlabeled rows lie on the positive center, or, of [Means], their mean does: then nothing tells two clusters
// apart.
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

// Starts returns the results of all random starts of [PUPL], in the order in which they are drawn; of [Means] the only one.
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

// SeedingWeights returns for every row of x [n, k] the squared distance from the mean of the labeled rows, to which the
// probability that [PUPL] starts the negative center there is proportional; 0 for labeled rows, where it never starts.
func SeedingWeights(x *mat.Dense, labeled []bool) ([]float64, error) {
	p, err := newPoints(x, labeled)
	if err != nil {
		return nil, err
	}
	return p.seedingWeights(), nil
}

// From is [PUPL] with the negative center started at row start of x, which must be unlabeled, and not oriented: for the exact
// analysis of all starts. A row that lies on the positive center, which is never drawn, makes all rows ties: all are positive.
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

// PseudoCode gives pseudo-labels as the paper's pseudo code (A.7.4) does, which is not Algorithm 1B: the negative center
// starts at the mean of all unlabeled rows, nothing is random, and labeled rows go to whichever center is nearer, so that
// they may leave the positive one; Clustering.NearPositive has where they ended. The result is not oriented.
func PseudoCode(x *mat.Dense, labeled []bool) (*Clustering, error) {
	return PUPL(x, labeled, Config{Start: Means, Free: true, Unoriented: true})
}

// Orient makes the cluster positive that holds more of the labeled rows, swapping the two where clustering ended the other
// way round, and reports whether it swapped them. Labeled must be what the clustering was made with.
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
