package pseudo

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/cluster"
)

// mixture is a population in the plane: positives and negatives are each a uniform mixture of Gaussians of deviation 1.
type mixture struct {
	positive, negative [][2]float64 // centers
	prior              float64
}

// draw draws labeled positives followed by unlabeled rows, and their true classes.
func (m mixture) draw(seed uint64, nLabeled, nUnlabeled int) (x *mat.Dense, labeled, truth []bool) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x = mat.NewDense(nLabeled+nUnlabeled, 2, nil)
	for i := range nLabeled + nUnlabeled {
		labeled = append(labeled, i < nLabeled)
		truth = append(truth, i < nLabeled || rng.Float64() < m.prior)
		centers := m.negative
		if truth[i] {
			centers = m.positive
		}
		center := centers[rng.IntN(len(centers))]
		x.SetRow(i, []float64{center[0] + rng.NormFloat64(), center[1] + rng.NormFloat64()})
	}
	return x, labeled, truth
}

// bayes returns the class of each row by the Bayes rule with the true densities.
func (m mixture) bayes(x *mat.Dense) []bool {
	density := func(row []float64, centers [][2]float64) (sum float64) {
		for _, c := range centers {
			sum += math.Exp(-(math.Pow(row[0]-c[0], 2)+math.Pow(row[1]-c[1], 2))/2) / float64(len(centers))
		}
		return sum
	}
	n, _ := x.Dims()
	out := make([]bool, n)
	for i := range out {
		row := x.RawRowView(i)
		out[i] = m.prior*density(row, m.positive) > (1-m.prior)*density(row, m.negative)
	}
	return out
}

// accuracy returns the share of unlabeled rows with their true class.
func accuracy(positive, truth, labeled []bool) float64 {
	right, all := 0, 0
	for i, p := range positive {
		if !labeled[i] {
			all++
			if p == truth[i] {
				right++
			}
		}
	}
	return float64(right) / float64(all)
}

var mixtures = map[string]struct {
	mixture
	clusters bool // the classes are two clusters
}{
	"a negative cluster between two positive ones": {mixture{[][2]float64{{-4, 0}, {4, 0}}, [][2]float64{{0, 0}}, 0.4}, false},
	"crosswise":              {mixture{[][2]float64{{-2.5, -2.5}, {2.5, 2.5}}, [][2]float64{{-2.5, 2.5}, {2.5, -2.5}}, 0.4}, false},
	"three of either":        {mixture{[][2]float64{{0, 0}, {6, 0}, {0, 6}}, [][2]float64{{3, 3}, {6, 6}, {-4, -4}}, 0.3}, false},
	"mostly positive":        {mixture{[][2]float64{{-4, 0}, {4, 0}}, [][2]float64{{0, 0}}, 0.7}, false},
	"two clusters":           {mixture{[][2]float64{{4, 0}}, [][2]float64{{-4, 0}}, 0.4}, true},
	"two that overlap":       {mixture{[][2]float64{{2, 0}}, [][2]float64{{-1, 0}}, 0.4}, true},
	"two, mostly negative":   {mixture{[][2]float64{{3, 3}}, [][2]float64{{0, 0}}, 0.2}, true},
	"two with few positives": {mixture{[][2]float64{{5, 0}}, [][2]float64{{0, 0}}, 0.05}, true},
}

// Label is close to the Bayes accuracy without the prior, for one or several clusters of positives. The rows left out
// near the threshold cost up to 0.05 if clusters touch. If the classes are two clusters it is no worse than PUPL;
// otherwise PUPL fails, and the two disagree.
func TestLabelOnMixtures(t *testing.T) {
	expect.Slow(t)
	for name, m := range mixtures {
		x, labeled, truth := m.draw(7, 300, 3000)
		l := expect.Must(Label(x, labeled, Config{Seed: 1, HeldOut: labeled}))(t)
		c := expect.Must(cluster.PUPL(x, labeled, cluster.Config{Restarts: 5, Seed: 1}))(t)
		ours, pupl := accuracy(l.Positive, truth, labeled), accuracy(c.Positive, truth, labeled)
		best := accuracy(m.bayes(x), truth, labeled)
		differ := expect.Must(l.Disagreement(c.Positive, labeled))(t)
		t.Logf("%s: accuracy %.3f, PUPL %.3f, best %.3f; prior %.3f of %g; disagreement %.3f",
			name, ours, pupl, best, l.Prior, m.prior, differ)
		expect.That(t, ours >= best-0.06, "%s: accuracy %.3f, the best is %.3f", name, ours, best)
		expect.That(t, math.Abs(l.Prior-m.prior) <= 0.06, "%s: prior %.3f, in truth %g", name, l.Prior, m.prior)
		expect.That(t, !m.clusters || ours >= pupl-0.01 && differ <= MaxDisagreement,
			"%s: accuracy %.3f, PUPL has %.3f; they disagree on %.3f", name, ours, pupl, differ)
		expect.That(t, m.clusters || ours >= pupl+0.2 && differ > MaxDisagreement,
			"%s: accuracy %.3f, PUPL has %.3f; they disagree on %.3f", name, ours, pupl, differ)
		for i, p := range l.Positive {
			if labeled[i] && !p || !labeled[i] && p != (l.Probability[i] > 0.5) || l.Clear[i] && labeled[i] {
				t.Fatalf("%s: row %d, labeled %v: positive %v, probability %g, clear %v",
					name, i, labeled[i], p, l.Probability[i], l.Clear[i])
			}
		}
	}
}

// Without landmarks no linear classifier separates a negative cluster between two positive ones.
func TestLandmarksCutClustersOut(t *testing.T) {
	m := mixtures["a negative cluster between two positive ones"]
	x, labeled, truth := m.draw(7, 300, 3000)
	l := expect.Must(Label(x, labeled, Config{Seed: 1, Landmarks: -1, Prior: m.prior}))(t)
	got := accuracy(l.Positive, truth, labeled)
	expect.That(t, got < 0.75, "accuracy %.3f without landmarks: the mixture does not need them", got)
}

// If three in four labeled rows lie deeper among the positives than others, the prior estimate is too low. The fourth,
// held out, corrects it; leaving out rows near the threshold corrects some pseudo-labels.
func TestHeldOutLabelsMendThePrior(t *testing.T) {
	expect.Slow(t)
	m := mixture{[][2]float64{{1.5, 0}}, [][2]float64{{-1.5, 0}}, 0.4}
	x, labeled, truth := m.draw(3, 800, 4000)
	held := make([]bool, len(labeled))
	for i := range 800 {
		if held[i] = i%4 == 0; !held[i] {
			x.Set(i, 0, x.At(i, 0)+1)
		}
	}
	estimate := func(c Config) (prior, right float64) {
		l := expect.Must(Label(x, labeled, c))(t)
		return l.Prior, accuracy(l.Positive, truth, labeled)
	}
	low, trimmed := estimate(Config{Seed: 1})
	_, whole := estimate(Config{Seed: 1, Trim: -1})
	mended, right := estimate(Config{Seed: 1, HeldOut: held})
	t.Logf("prior %.3f, with held-out labels %.3f; accuracy %.3f whole, %.3f trimmed, %.3f with held-out labels",
		low, mended, whole, trimmed, right)
	expect.That(t, low < 0.33 && math.Abs(mended-0.4) < 0.05,
		"prior %.3f from all labels, %.3f from those held out; want below 0.33, and 0.4", low, mended)
	expect.That(t, trimmed > whole+0.005 && right > whole+0.02,
		"accuracy %.3f without trim, %.3f with it, %.3f with held-out labels", whole, trimmed, right)
}

// The same seed gives bit-identical labels; a given prior is used unchanged.
func TestLabelIsAFunctionOfItsArguments(t *testing.T) {
	m := mixtures["crosswise"]
	x, labeled, _ := m.draw(5, 50, 400)
	before := mat.DenseCopyOf(x)
	config := Config{Seed: 3, Prior: 0.4, Landmarks: 30}
	a, b := expect.Must(Label(x, labeled, config))(t), expect.Must(Label(x, labeled, config))(t)
	if !slices.Equal(a.Probability, b.Probability) || !slices.Equal(a.Scores, b.Scores) || a.Prior != 0.4 || !mat.Equal(x, before) {
		t.Error("two runs of one seed differ, the prior is another, or the rows have changed")
	}
	config.Seed++
	c := expect.Must(Label(x, labeled, config))(t)
	expect.That(t, !slices.Equal(a.Scores, c.Scores), "another seed scores alike")
}

func TestDisagreement(t *testing.T) {
	l := &Labels{Positive: []bool{true, true, false, false, true}}
	labeled := []bool{true, false, false, false, false}
	expect.Equal(t, expect.Must(l.Disagreement([]bool{true, false, false, false, true}, labeled))(t), 0.25)
}

func TestErrors(t *testing.T) {
	x := mat.NewDense(12, 1, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	first := func(n int) []bool { return append(slices.Repeat([]bool{true}, n), make([]bool, 12-n)...) }
	holed := mat.DenseCopyOf(x)
	holed.Set(3, 0, math.NaN())
	for _, tt := range []struct {
		x       *mat.Dense
		labeled []bool
		config  Config
		want    string
	}{
		{x, first(4)[:3], Config{}, "rows: 12 rows and 3 labels; … give one for each row, in the same order"},
		{&mat.Dense{}, nil, Config{}, "rows: no rows given; … embed at least one example"},
		{holed, first(4), Config{}, "rows: row 3 holds NaN in column 0; … rows must be finite: did training diverge? " +
			"Lower its learning rate; in features of your own, fill in the value or drop the row"},
		{x, first(0), Config{},
			"pseudo: 0 labeled and 12 unlabeled rows; … 4 folds take as many of either: give more, or set Folds lower"},
		{x, first(12), Config{},
			"pseudo: 12 labeled and 0 unlabeled rows; … 4 folds take as many of either: give more, or set Folds lower"},
		{mat.NewDense(12, 1, slices.Repeat([]float64{3}, 12)), first(4), Config{},
			"rows: all 12 rows are the same, so that nothing tells them apart; … give features that differ, or, where they are an embedding, which has collapsed, train again with another loss or learning rate"},
		{x, first(4), Config{Folds: -2}, "pseudo: -2 folds; … there must be 1 fold or more, or 0 for the default"},
		{x, first(4), Config{Trim: 1}, "pseudo: a trim of 1; … it must be below 1, 0 for the default, or negative for none"},
		{x, first(4), Config{Trim: math.NaN()}, "pseudo: a trim of NaN; … it must be below 1, 0 for the default, or negative for none"},
		{x, first(4), Config{Prior: 1}, "pseudo: a prior of 1; … it must be above 0 and below 1, or 0 to have it estimated"},
		{x, first(4), Config{Prior: -0.2}, "pseudo: a prior of -0.2; … it must be above 0 and below 1, or 0 to have it estimated"},
		{x, first(4), Config{Prior: math.NaN()}, "pseudo: a prior of NaN; … it must be above 0 and below 1, or 0 to have it estimated"},
		{x, first(4), Config{HeldOut: make([]bool, 12)}, "pseudo: HeldOut has 12 entries, 0 of them true; … it must have one for each of " +
			"12 rows, and mark labeled rows only, at least one"},
		{x, first(4), Config{HeldOut: first(5)}, "pseudo: HeldOut has 12 entries, 5 of them true; … it must have one for each of " +
			"12 rows, and mark labeled rows only, at least one"},
		{x, first(4), Config{HeldOut: first(3)[:5]}, "pseudo: HeldOut has 5 entries, 3 of them true; … it must have one for each of " +
			"12 rows, and mark labeled rows only, at least one"},
		{x, first(4), Config{Prior: 0.01}, "pseudo: a share of 0.01 of the 8 unlabeled rows is positive, by the estimate or by " +
			"Config.Prior, which leaves one class; … are there no rows of the other, or did the encoder learn its labels by heart? " +
			"Config.HeldOut may mend that"},
		{x, first(4), Config{Prior: 0.15, Trim: 0.5}, "pseudo: the prior makes 1 of 8 unlabeled rows positive, and a trim of 0.5 leaves none of one " +
			"class; … set Trim lower, or give more rows"},
		{x, first(4), Config{Prior: 0.85, Trim: 0.5}, "pseudo: the prior makes 7 of 8 unlabeled rows positive, and a trim of 0.5 leaves none of one " +
			"class; … set Trim lower, or give more rows"},
		{x, first(4), Config{Prior: 0.99}, "pseudo: a share of 0.99 of the 8 unlabeled rows is positive, by the estimate or by " +
			"Config.Prior, which leaves one class; … are there no rows of the other, or did the encoder learn its labels by heart? " +
			"Config.HeldOut may mend that"},
	} {
		refusal.Whole(t, refusal.Err(Label(tt.x, tt.labeled, tt.config)), tt.want)
	}
	for _, other := range [][]bool{{true}, {true, true}} {
		_, err := (&Labels{Positive: []bool{true, true}}).Disagreement(other, []bool{true, true})
		expect.That(t, err != nil && strings.HasPrefix(err.Error(), "pseudo: "), "%d other labels: %v", len(other), err)
	}
}

// The positive ones of equal unlabeled rows do not depend on their order. 200 unlabeled rows equal the labeled ones;
// the prior makes half of them positive, and half of these 100 are clear.
func TestOrderTellsNothing(t *testing.T) {
	x, labeled := mat.NewDense(450, 1, nil), make([]bool, 450)
	for i := range 250 {
		x.Set(i, 0, 1)
		labeled[i] = i < 50
	}
	l := expect.Must(Label(x, labeled, Config{Folds: 1, Prior: 0.25, Trim: 0.5, Seed: 1}))(t)
	positive := func(from, to int) (n int) {
		for i := from; i < to; i++ {
			if l.Clear[i] {
				n++
			}
		}
		return n
	}
	if first, second := positive(50, 150), positive(150, 250); first+second != 50 || first < 10 || second < 10 {
		t.Errorf("%d and %d rows are clear, want 50 in all and about half of them in either", first, second)
	}
}
