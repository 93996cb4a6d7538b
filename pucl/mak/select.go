package mak

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
)

// Rule selects the parts of MAK that are used.
type Rule int

// The rules: the rows of the source's tables.
const (
	MAK               Rule = iota // tailness and proximity select candidates, diversity selects among them
	TailnessProximity             // the largest q
	OnlyTailness                  // the largest ECLE: α = 1
	OnlyProximity                 // the smallest D: α = 0
	OnlyDiversity                 // k-center greedy on the whole pool
	Random                        // drawn uniformly
)

// Rules lists all rules, MAK first.
func Rules() []Rule {
	return []Rule{MAK, TailnessProximity, OnlyTailness, OnlyProximity, OnlyDiversity, Random}
}

var ruleNames = [...]string{"MAK", "tailness and proximity", "tailness", "proximity", "k-center", "random"}

// String returns "MAK", "tailness and proximity", "tailness", "proximity", "k-center" or "random".
func (r Rule) String() string {
	if r < MAK || r > Random {
		return fmt.Sprintf("Rule(%d)", int(r))
	}
	return ruleNames[r]
}

// Config configures [Select]. Budget must be set; the other zero values give MAK with the parameters of the source's
// code.
type Config struct {
	Budget     int     // K, images to choose
	Rule       Rule    // the zero value is MAK
	Alpha      float64 // weight α of tailness against proximity, between 0 and 1; 0 means ½; for 0 and 1 use rules
	Candidates int     // C; 0 means 1.5·K, rounded down, at most the whole pool
	Prototypes int     // number for the seed set; 0 means 10, at most one per image
	Seed       uint64  // seed of k-means and of Random

	Engine *engine.Engine // compares features for diversity; nil means the processor alone
}

// Pool holds the model outputs for the images to select from.
type Pool struct {
	Features *mat.Dense // encoder outputs [n, d] of the unaugmented images
	ECLE     []float64  // of each image, see [ECLE]; nil if the rule does not use it
}

// Select selects Budget images of the pool for a seed set with the given features by the same encoder.
//
// Of equal scores and of equal distances the image with the smaller index comes first. A score that is the same for all
// images counts as 0 in q, and Selection.Notes states it. If C equals K, diversity has no choice, and the images are in
// the order of q, as in the source's code.
//
// It is an error if the configuration is invalid, if the pool has fewer images than Budget, no features, or a missing
// score that the rule uses, or if features have no direction or are not finite.
func Select(seed *mat.Dense, pool Pool, config Config) (*Selection, error) {
	c, err := config.check(seed, pool)
	if err != nil {
		return nil, err
	}
	n, _ := pool.Features.Dims()
	s := &Selection{Rule: c.Rule, Pool: n, Seed: c.Seed, scores: newScores(n)}
	if pool.ECLE != nil {
		s.scores.ecle = pool.ECLE
	}
	if c.Rule != Random && c.Rule != OnlyDiversity && c.Rule != OnlyTailness {
		prototypes, err := Prototypes(seed, c.Prototypes, c.Seed)
		if err != nil {
			return nil, err
		}
		if s.scores.distance, err = Distances(pool.Features, prototypes); err != nil {
			return nil, err
		}
		s.Prototypes = c.Prototypes
	}
	switch c.Rule {
	case Random:
		s.add(rand.New(rand.NewPCG(c.Seed, randomStream)).Perm(n)[:c.Budget], nil)
	case OnlyDiversity:
		err = s.diverse(c, seed, pool.Features, upTo(n))
	default:
		s.score(c)
		candidates := s.ranked()
		if c.Rule != MAK {
			s.add(candidates[:c.Budget], nil)
			break
		}
		s.Candidates = c.Candidates
		if candidates = candidates[:c.Candidates]; c.Candidates == c.Budget {
			s.add(candidates, nil)
			break
		}
		slices.Sort(candidates) // so that of equally distant images the smaller index comes first
		err = s.diverse(c, seed, pool.Features, candidates)
	}
	return s, err
}

// randomStream separates the random stream of Random from other streams of the same seed.
const randomStream = 0x6d616b // "mak" in ASCII

// check returns the configuration with its defaults, or an error if it is invalid.
func (c Config) check(seed *mat.Dense, pool Pool) (Config, error) {
	if err := cmp.Or(
		fault.If(c.Rule < MAK || c.Rule > Random, "mak: there is no rule %d; take one of Rules, such as MAK", int(c.Rule)),
		fault.If(c.Budget < 1, "mak: a budget of %d images; Budget must be 1 or more", c.Budget),
		checkFeatures(pool.Features, "the pool"), checkFeatures(seed, "the seed set")); err != nil {
		return c, err
	}
	n, d := pool.Features.Dims()
	m, e := seed.Dims()
	c.Alpha, c.Prototypes = cmp.Or(c.Alpha, 0.5), cmp.Or(c.Prototypes, min(10, m))
	asked := c.Candidates
	c.Candidates = cmp.Or(c.Candidates, max(c.Budget, min(n, c.Budget+c.Budget/2)))
	tail := c.Rule == MAK || c.Rule == TailnessProximity || c.Rule == OnlyTailness
	err := cmp.Or(
		fault.If(d != e, "mak: features of %d numbers in the pool and of %d in the seed set; embed both by one model", d, e),
		fault.If(c.Budget > n, "mak: a budget of %d images and a pool of %d; take at most %[2]d, or a larger pool", c.Budget, n),
		fault.If(!(c.Alpha > 0 && c.Alpha < 1), "mak: α = %g; Alpha must lie between 0 and 1, or be 0 for ½; for the ends take OnlyTailness or "+
			"OnlyProximity", c.Alpha),
		fault.If(asked != 0 && asked < c.Budget, "mak: %d candidates for a budget of %d; Candidates must be at least the budget, or 0 for 1.5 times it",
			asked, c.Budget),
		fault.If(c.Candidates > n, "mak: %d candidates in a pool of %d images; take at most %[2]d, or 0 for the usual", c.Candidates, n),
		fault.If(c.Prototypes < 1 || c.Prototypes > m, "mak: %d prototypes of a seed set of %d images; take 1 or more, and at most one for each image, or 0 for the usual",
			c.Prototypes, m),
		fault.If(tail && pool.ECLE == nil, "mak: a pool without ECLE, which %s looks at; give what ECLE returns as Mean, or take another rule", c.Rule),
		fault.If(pool.ECLE != nil && len(pool.ECLE) != n, "mak: %d ECLEs for a pool of %d images; give one for each, in the same order", len(pool.ECLE), n))
	if err != nil {
		return c, err
	}
	for i, v := range pool.ECLE {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return c, fmt.Errorf("mak: image %d has ECLE %g; it must be finite: leave the image out, or look where it came from", i, v)
		}
	}
	return c, nil
}

// scores holds the scores of all images of a pool; NaN if the rule does not use them.
type scores struct{ ecle, distance, q []float64 }

func newScores(n int) scores {
	nothing := slices.Repeat([]float64{math.NaN()}, n)
	return scores{nothing, nothing, nothing}
}

// score computes q.
func (s *Selection) score(c Config) {
	weights := map[Rule]float64{MAK: c.Alpha, TailnessProximity: c.Alpha, OnlyTailness: 1, OnlyProximity: 0}
	s.Alpha = weights[c.Rule]
	q := make([]float64, s.Pool)
	add := func(weight float64, v []float64, what string) {
		if weight == 0 {
			return
		}
		normal, constant := normalized(v)
		if constant {
			s.Notes = append(s.Notes, fmt.Sprintf("%s is %g for all images, so it tells none from another and is left out of q", what, v[0]))
		}
		for i := range q {
			q[i] += weight * normal[i]
		}
	}
	add(s.Alpha, s.scores.ecle, "ECLE")
	add(s.Alpha-1, s.scores.distance, "D")
	s.scores.q = q
}

// normalized returns N(v), zeros for a constant v.
func normalized(v []float64) (out []float64, constant bool) {
	mean, std := stat.PopMeanStdDev(v, nil)
	out = make([]float64, len(v))
	if std == 0 || rows.Constant(v) {
		return out, true
	}
	for i := range v {
		out[i] = (v[i] - mean) / std
	}
	return out, false
}

// ranked returns all images, the largest q first, and stores their ranks.
func (s *Selection) ranked() []int {
	order := upTo(s.Pool)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.scores.q[b], s.scores.q[a]) })
	s.ranks = make([]int, s.Pool)
	for rank, image := range order {
		s.ranks[image] = rank + 1
	}
	return order
}

// diverse adds the candidates that k-center greedy selects.
func (s *Selection) diverse(c Config, seed, features *mat.Dense, candidates []int) error {
	found, err := cluster.KCenter{K: c.Budget, Engine: c.Engine}.Choose(some{features, candidates}, cluster.Dense(seed))
	if err != nil {
		return fmt.Errorf("mak: diversity: %w", err)
	}
	images := make([]int, c.Budget)
	for i, row := range found.Rows {
		images[i] = candidates[row]
	}
	s.add(images, found.Distances)
	return nil
}

// some is a Source of some rows of a matrix.
type some struct {
	x     *mat.Dense
	index []int
}

// Dims implements cluster.Source.
func (s some) Dims() (n, d int) {
	_, d = s.x.Dims()
	return len(s.index), d
}

// Read implements cluster.Source.
func (s some) Read(first int, to []float32) error {
	_, d := s.x.Dims()
	for i := range len(to) / d {
		for j, value := range s.x.RawRowView(s.index[first+i]) {
			to[i*d+j] = float32(value)
		}
	}
	return nil
}

// upTo returns 0 to n−1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
