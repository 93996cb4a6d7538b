package pucl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Clustering is what pseudo-labeling returns: two centres and the labels that follow from them.
type Clustering struct {
	Positive, Negative []float64 // the centres μ_P and μ_N

	Labels     []bool // per unlabeled row: true where its pseudo-label is positive
	Labeled    []bool // per labeled row: true where the nearer centre is the positive one, whatever label it was given
	Seed       int    // unlabeled row that was drawn as the first μ_N; −1 where nothing was drawn
	Iterations int    // rounds of labeling and moving the centres
	Converged  bool   // the last round changed no label
	Swapped    bool   // Orient took the other cluster for the positive one

	SeedingPotential     float64 // Definition 6 with the centres before the first round
	Potential            float64 // Definition 6: squared distances to the nearer centre, labeled and unlabeled rows
	ConstrainedPotential float64 // the same with the labeled rows charged to the positive centre
}

// maxRounds bounds the rounds of two-means, which in practice end after a few dozen.
const maxRounds = 1000

// PUPL gives pseudo-labels to unlabeled embeddings, Algorithm 1B: the positive centre starts at the mean of the labeled
// rows [n_P, k], the negative one at an unlabeled row [n_U, k] drawn with probability proportional to its squared distance
// from the positive centre; then labeling by the nearer centre and moving the centres to the means take turns until no
// label changes. Labeled rows always count for the positive centre. A tie goes to the positive centre.
//
// It fails where all unlabeled rows lie on the positive centre: then nothing tells two clusters apart.
func PUPL(labeled, unlabeled *mat.Dense, rng *rand.Rand) (*Clustering, error) {
	if err := checkPointSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	weights := SeedingWeights(labeled, unlabeled)
	total := floats.Sum(weights)
	if total == 0 {
		return nil, errors.New("pucl: every unlabeled row equals the mean of the labeled ones, so there is nothing to cluster; the embedding has collapsed")
	}
	// The first row whose cumulated weight exceeds the draw; rounding at the very end falls back to the last row with weight.
	draw, seed := rng.Float64()*total, -1
	for i, w := range weights {
		if w > 0 {
			seed = i
		}
		if draw -= w; draw < 0 && w > 0 {
			break
		}
	}
	return PUPLFrom(labeled, unlabeled, seed)
}

// PUPLRestarts runs [PUPL] from several random starts, as k-means libraries do, and returns the result of lowest potential.
// It looks at no label beyond those of the labeled rows. A low potential does not promise good pseudo-labels: that the
// classes are the two clusters is what the embedding must bring.
func PUPLRestarts(labeled, unlabeled *mat.Dense, rng *rand.Rand, starts int) (*Clustering, error) {
	if starts < 1 {
		return nil, fmt.Errorf("pucl: clustering from %d starts; at least 1 is needed", starts)
	}
	var best *Clustering
	for range starts {
		c, err := PUPL(labeled, unlabeled, rng)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Potential < best.Potential {
			best = c
		}
	}
	return best, nil
}

// SeedingWeights returns the squared distance of every unlabeled row from the mean of the labeled rows, to which [PUPL]'s
// probability of starting the negative centre there is proportional.
func SeedingWeights(labeled, unlabeled *mat.Dense) []float64 {
	rows, _ := unlabeled.Dims()
	centre := meanRow(labeled)
	weights := make([]float64, rows)
	for i := range weights {
		weights[i] = squaredDistance(unlabeled.RawRowView(i), centre)
	}
	return weights
}

// PUPLFrom is [PUPL] with the negative centre started at the unlabeled row seed, for exact analysis of all starts.
func PUPLFrom(labeled, unlabeled *mat.Dense, seed int) (*Clustering, error) {
	if err := checkPointSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	if rows, _ := unlabeled.Dims(); seed < 0 || seed >= rows {
		return nil, fmt.Errorf("pucl: seed row %d is not one of the %d unlabeled rows", seed, rows)
	}
	c := &Clustering{
		Positive: meanRow(labeled),
		Negative: append([]float64(nil), unlabeled.RawRowView(seed)...),
		Seed:     seed,
	}
	c.run(labeled, unlabeled, true)
	return c, nil
}

// PUPLPseudoCode gives pseudo-labels as the paper's pseudo code (A.7.4) does, which is not Algorithm 1B: the negative
// centre starts at the mean of all unlabeled rows, nothing is random, and labeled rows go to whichever centre is nearer,
// so that they may leave the positive one. Clustering.Labeled tells where they ended.
func PUPLPseudoCode(labeled, unlabeled *mat.Dense) (*Clustering, error) {
	if err := checkPointSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	c := &Clustering{Positive: meanRow(labeled), Negative: meanRow(unlabeled), Seed: -1}
	c.run(labeled, unlabeled, false)
	return c, nil
}

// run takes turns from the centres that c starts with. fixed keeps the labeled rows with the positive centre.
func (c *Clustering) run(labeled, unlabeled *mat.Dense, fixed bool) {
	nP, _ := labeled.Dims()
	nU, _ := unlabeled.Dims()
	c.Labels, c.Labeled = make([]bool, nU), make([]bool, nP)
	kept := make([]bool, nP)
	for i := range kept {
		kept[i] = true
	}
	assign := func() (changed bool) {
		a, b := c.nearest(labeled, c.Labeled), c.nearest(unlabeled, c.Labels)
		return a && !fixed || b
	}
	assign()
	c.SeedingPotential, _ = c.potentials(labeled, unlabeled)
	for c.Iterations < maxRounds && !c.Converged {
		inP := c.Labeled
		if fixed {
			inP = kept
		}
		c.move(labeled, unlabeled, inP)
		c.Converged = !assign()
		c.Iterations++
	}
	c.Potential, c.ConstrainedPotential = c.potentials(labeled, unlabeled)
}

// nearest writes into positive whether each row of x is at least as near to the positive centre, and reports whether
// anything changed.
func (c *Clustering) nearest(x *mat.Dense, positive []bool) (changed bool) {
	changes := make([]bool, spans(len(positive)))
	overSpans(len(positive), func(span, first, end int) {
		for i := first; i < end; i++ {
			row := x.RawRowView(i)
			p := squaredDistance(row, c.Positive) <= squaredDistance(row, c.Negative)
			changes[span] = changes[span] || p != positive[i]
			positive[i] = p
		}
	})
	return slices.Contains(changes, true)
}

// move puts each centre at the mean of its rows; one without rows stays where it is.
func (c *Clustering) move(labeled, unlabeled *mat.Dense, labeledPositive []bool) {
	sums := [2][]float64{make([]float64, len(c.Positive)), make([]float64, len(c.Positive))}
	var counts [2]float64
	add := func(x *mat.Dense, positive []bool) {
		type part struct {
			sums   [2][]float64
			counts [2]float64
		}
		parts := make([]part, spans(len(positive)))
		overSpans(len(positive), func(span, first, end int) {
			p := &parts[span]
			p.sums = [2][]float64{make([]float64, len(c.Positive)), make([]float64, len(c.Positive))}
			for i := first; i < end; i++ {
				side := 1
				if positive[i] {
					side = 0
				}
				floats.Add(p.sums[side], x.RawRowView(i))
				p.counts[side]++
			}
		})
		for _, p := range parts {
			for side := range sums {
				floats.Add(sums[side], p.sums[side])
				counts[side] += p.counts[side]
			}
		}
	}
	add(labeled, labeledPositive)
	add(unlabeled, c.Labels)
	for side, centre := range [][]float64{c.Positive, c.Negative} {
		if counts[side] > 0 {
			floats.ScaleTo(centre, 1/counts[side], sums[side])
		}
	}
}

// potentials are the potential of Definition 6 and the one with labeled rows charged to the positive centre.
func (c *Clustering) potentials(labeled, unlabeled *mat.Dense) (free, constrained float64) {
	for _, x := range []*mat.Dense{labeled, unlabeled} {
		rows, _ := x.Dims()
		nearer, toPositive := make([]float64, spans(rows)), make([]float64, spans(rows))
		overSpans(rows, func(span, first, end int) {
			for i := first; i < end; i++ {
				row := x.RawRowView(i)
				toP := squaredDistance(row, c.Positive)
				nearer[span] += min(toP, squaredDistance(row, c.Negative))
				toPositive[span] += toP
			}
		})
		free += floats.Sum(nearer)
		if x == labeled {
			constrained += floats.Sum(toPositive)
		} else {
			constrained += floats.Sum(nearer)
		}
	}
	return free, constrained
}

// checkPointSets refuses empty sets and sets of different dimension.
func checkPointSets(labeled, unlabeled *mat.Dense) error {
	if labeled == nil || unlabeled == nil || labeled.IsEmpty() || unlabeled.IsEmpty() {
		return errors.New("pucl: pseudo-labeling needs at least one labeled and one unlabeled row")
	}
	_, kP := labeled.Dims()
	_, kU := unlabeled.Dims()
	if kP != kU {
		return fmt.Errorf("pucl: labeled rows have %d entries, unlabeled ones %d; embed both with the same model", kP, kU)
	}
	return nil
}

// meanRow is the mean of the rows of x.
func meanRow(x *mat.Dense) []float64 {
	rows, columns := x.Dims()
	out := make([]float64, columns)
	for i := range rows {
		floats.Add(out, x.RawRowView(i))
	}
	floats.Scale(1/float64(rows), out)
	return out
}
