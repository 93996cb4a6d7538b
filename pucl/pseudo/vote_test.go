package pseudo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// learned returns embeddings by encoders that memorized all labels except the labels of one fold. Labeled rows lie near
// a cluster center, but rows of the fold lie like other positives. Each embedding has its own noise.
func (m mixture) learned(seed uint64, embeddings, nLabeled, nUnlabeled int) (xs []*mat.Dense, fold []int, truth []bool) {
	x, labeled, truth := m.draw(seed, nLabeled, nUnlabeled)
	for i := range labeled {
		fold = append(fold, -1)
		if labeled[i] {
			fold[i] = i % embeddings
		}
	}
	for e := range embeddings {
		rng := rand.New(rand.NewPCG(seed, uint64(e+1)))
		own := mat.DenseCopyOf(x)
		for i, of := range fold {
			row := own.RawRowView(i)
			if of >= 0 && of != e { // most of the way to the nearest center, as if memorized
				nearest := slices.MinFunc(m.positive, func(a, b [2]float64) int {
					return int(math.Copysign(1, math.Hypot(a[0]-row[0], a[1]-row[1])-math.Hypot(b[0]-row[0], b[1]-row[1])))
				})
				row[0], row[1] = (row[0]+4*nearest[0])/5, (row[1]+4*nearest[1])/5
			}
			row[0], row[1] = row[0]+rng.NormFloat64(), row[1]+rng.NormFloat64()
		}
		xs = append(xs, own)
	}
	return xs, fold, truth
}

// Every label is held out from some encoder, so the prior is correct even though memorized labels make it too low.
// Several embeddings with independent noise are better than one.
func TestVote(t *testing.T) {
	expect.Slow(t)
	m := mixture{positive: [][2]float64{{-6, 0}, {6, 0}}, negative: [][2]float64{{0, 0}, {0, 7}}}
	for _, prior := range []float64{0.3, 0.6} {
		m.prior = prior
		xs, fold, truth := m.learned(1, 3, 300, 3000)
		labeled := make([]bool, len(fold))
		for i, of := range fold {
			labeled[i] = of >= 0
		}
		vote := expect.Must(Vote(xs, fold, Config{Seed: 1}))(t)
		one := expect.Must(Label(xs[0], labeled, Config{Seed: 1}))(t)
		expect.That(t, math.Abs(vote.Prior-prior) <= 0.05 && one.Prior <= prior-0.04,
			"prior %.3f, and %.3f where labels are known by heart; true %.1f", vote.Prior, one.Prior, prior)
		single := expect.Must(Label(xs[0], labeled, Config{Seed: 1, Prior: prior}))(t)
		if got, alone := accuracy(vote.Positive, truth, labeled), accuracy(single.Positive, truth, labeled); got < alone+0.01 || got < 0.95 {
			t.Errorf("prior %.1f: %.3f right, and %.3f by one embedding that is told the prior", prior, got, alone)
		}
		for i, of := range fold {
			if of >= 0 && !vote.Positive[i] || (vote.Probability[i] > 0.5) != vote.Positive[i] && of < 0 || !(vote.Scores[i] >= 0 && vote.Scores[i] <= 1) {
				t.Fatalf("row %d of fold %d: %v, probability %g, place %g", i, of, vote.Positive[i], vote.Probability[i], vote.Scores[i])
			}
		}
		if prior > 0.5 {
			continue
		}
		again := expect.Must(Vote(xs, fold, Config{Seed: 1}))(t)
		expect.That(t, slices.Equal(again.Probability, vote.Probability), "the same arguments give other labels")
		told := expect.Must(Vote(xs, fold, Config{Seed: 1, Prior: 0.5}))(t)
		expect.That(t, told.Prior == 0.5, "told a prior of 0.5, it has %g", told.Prior)
	}
}

// Unlabeled rows that are copies of labeled ones, memorized by the encoders, change neither the prior nor the labels of
// the others. Including their share, the prior is that of all unlabeled rows.
func TestVoteOnLabeledRowsAgain(t *testing.T) {
	m := mixture{positive: [][2]float64{{-6, 0}, {6, 0}}, negative: [][2]float64{{0, 0}, {0, 7}}, prior: 0.3}
	const nLabeled, nUnlabeled = 600, 3000
	xs, fold, truth := m.learned(1, 3, nLabeled, nUnlabeled)
	alone := expect.Must(Vote(xs, fold, Config{Seed: 1, Landmarks: -1, Folds: 1}))(t)
	for e, x := range xs {
		n, k := x.Dims()
		both := mat.NewDense(n+nLabeled, k, nil)
		both.Stack(x, x.Slice(0, nLabeled, 0, k)) // labeled rows come first
		xs[e] = both
	}
	for range nLabeled {
		fold, truth = append(fold, -1), append(truth, true)
	}
	got := expect.Must(Vote(xs, fold, Config{Seed: 1, Landmarks: -1, Folds: 1}))(t)
	rest := (got.Prior*(nUnlabeled+nLabeled) - nLabeled) / nUnlabeled
	expect.That(t, math.Abs(rest-alone.Prior) <= 0.01,
		"of the others a share %.4f is positive, %.4f without labeled rows again", rest, alone.Prior)
	differ := 0
	for i := range fold {
		switch {
		case i >= nLabeled+nUnlabeled && (!got.Positive[i] || got.Clear[i]):
			t.Fatalf("row %d is a labeled one again: positive %t, learned from %t", i, got.Positive[i], got.Clear[i])
		case i < nLabeled+nUnlabeled && got.Positive[i] != alone.Positive[i]:
			differ++
		}
	}
	expect.That(t, differ <= 30, "%d of %d other rows have another label", differ, nLabeled+nUnlabeled)
	told := expect.Must(Vote(xs, fold, Config{Seed: 1, Prior: 0.4, Landmarks: -1, Folds: 1}))(t)
	expect.That(t, told.Prior == 0.4, "told a prior of 0.4, it has %g", told.Prior)
	if others := count(told.Positive) - 2*nLabeled; math.Abs(float64(others)-840) > 60 { // 0.4 of 3,600 without 600
		t.Errorf("told a prior of 0.4, %d of the other rows are positive, want some 840", others)
	}
	if _, err := Vote([]*mat.Dense{mat.NewDense(8, 1, []float64{1, 2, 3, 4, 4, 3, 2, 1})}, []int{0, 0, 0, 0, -1, -1, -1, -1}, Config{}); err == nil ||
		err.Error() != "pseudo: all 4 unlabeled rows are labeled ones again; give others beside them, or Config.Distinct if rows equal labeled ones by chance" {
		t.Errorf("%v", err)
	}
}

// One binary feature is 1 for 0.8 of the positives and 0.2 of the negatives, and 0.3 of the unlabeled rows are
// positive. So 380 of 1,000 unlabeled and 800 of 1,000 labeled rows are 1. The prior need not exceed 0.38/0.8, although
// 580 rows equal labeled ones.
func TestVoteOnDistinctRows(t *testing.T) {
	x, fold := mat.NewDense(2000, 1, nil), make([]int, 2000)
	for i := range fold {
		if fold[i] = i % 2; i >= 1000 {
			fold[i] = -1
		}
		if i%1000 < 800 && i < 1000 || i >= 1000 && i < 1380 {
			x.Set(i, 0, 1)
		}
	}
	xs := []*mat.Dense{x, x}
	got := expect.Must(Vote(xs, fold, Config{Distinct: true, Seed: 1}))(t)
	expect.That(t, got.Prior > 0.2 && got.Prior <= 0.38/0.8, "prior %g, want one of at most %g", got.Prior, 0.38/0.8)
	for i := 1000; i < 2000; i++ {
		expect.Require(t, got.Positive[i] == (i < 1380),
			"row %d, feature %g, is positive: %t", i, x.At(i, 0), got.Positive[i])
	}
	refusal.Check(t, refusal.Err(Vote(xs, fold, Config{Seed: 1})), "of the 420 unlabeled rows … or Config.Distinct if rows equal labeled ones by chance")
	for _, told := range []float64{0.3, 0.58} {
		refusal.Check(t, refusal.Err(Vote(xs, fold, Config{Prior: told})),
			fmt.Sprintf("a prior of %g, where a share of 0.58 of the … give a higher Config.Prior, or Config.Distinct", told))
	}
	if told := expect.Must(Vote(xs, fold, Config{Prior: 0.3, Distinct: true}))(t); told.Prior != 0.3 {
		t.Errorf("told a prior of 0.3, it has %g", told.Prior)
	}
}

// Random labels allow no prior estimate; a given prior needs none.
func TestVoteRefusesWhatTellsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, fold := mat.NewDense(400, 2, nil), make([]int, 400)
	for i := range fold {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		if fold[i] = i % 2; i >= 100 {
			fold[i] = -1
		}
	}
	xs := []*mat.Dense{x, x}
	refusal.Check(t, refusal.Err(Vote(xs, fold, Config{Seed: 1})), "do not tell the 100 labeled rows from unlabeled ones … or give Config.Prior")
	expect.Must(Vote(xs, fold, Config{Seed: 1, Prior: 0.3}))(t)
}

// Each labeled row has at most one copy.
func TestLabeledAgain(t *testing.T) {
	x := mat.NewDense(7, 1, []float64{1, 2, 2, 2, 1, 1, 3})
	again, others := labeledAgain(x, []bool{true, true, false, false, false, false, false})
	expect.That(t, slices.Equal(again, []int{2, 4}) && slices.Equal(others, []int{3, 5, 6}),
		"again %v, others %v", again, others)
}

// Of the scores 1, 2, 2 and 3, two are below 2, since equal ones count half.
func TestPlacesAmong(t *testing.T) {
	place := placesAmong([]float64{2, 3, 1, 2})
	for score, want := range map[float64]float64{0: 0, 1: 0.125, 2: 0.5, 2.5: 0.75, 9: 1} {
		expect.Equal(t, place(score), want, "place of %g", score)
	}
}

func TestVoteRefuses(t *testing.T) {
	x := mat.NewDense(12, 1, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	holed := mat.DenseCopyOf(x)
	holed.Set(3, 0, math.NaN())
	fold := func(first ...int) []int { return append(first, slices.Repeat([]int{-1}, 12-len(first))...) }
	for _, tt := range []struct {
		xs     []*mat.Dense
		fold   []int
		config Config
		want   string
	}{
		{nil, []int{0, 0, -1, -1}, Config{}, "no embedding votes … give one for each fold of labels"},
		{nil, []int{0, -1}, Config{}, "no embedding votes … give one"},
		{nil, nil, Config{}, "no embedding votes … give one for each fold of labels"},
		{[]*mat.Dense{x, x}, fold(0, 1, 2, 0), Config{},
			"row 2 is of fold 2, and there are 2 embeddings … folds are numbered from 0 to 1"},
		{[]*mat.Dense{x, x}, fold(0, 0, 0, 0), Config{}, "no labeled row is of fold 1, whose labels … give each embedding some"},
		{[]*mat.Dense{x, holed}, fold(0, 1, 0, 1), Config{},
			"embedding 1: rows: row 3 holds NaN … rows must be finite: did training diverge?"},
		{[]*mat.Dense{x, x}, fold(0, 1, 0, 1)[:9], Config{}, "12 rows and 9 labels … give one for each row, in the same order"},
		{[]*mat.Dense{x, x}, fold(0, 1), Config{}, "2 labeled and 10 unlabeled rows … 4 folds take as many of either: give more"},
		{[]*mat.Dense{x, x}, fold(0, 1, 0, 1), Config{HeldOut: make([]bool, 12)},
			"Vote has a fold of labels that an encoder never … leave HeldOut nil"},
		{[]*mat.Dense{x, x}, fold(0, 1, 0, 1), Config{Prior: 0.01, Folds: 2}, "leaves one class; … are there no rows of the other? If there are, give Config.Prior"},
		{[]*mat.Dense{x, mat.NewDense(12, 1, slices.Repeat([]float64{0.1}, 12))}, fold(0, 1, 0, 1), Config{},
			"pseudo: embedding 1: rows: all 12 rows are the same … an embedding, which has collapsed, train again"},
	} {
		refusal.Check(t, refusal.Err(Vote(tt.xs, tt.fold, tt.config)), tt.want)
	}
	for embeddings, says := range map[int]string{-1: "no embedding votes … give one for each fold of labels", 1 << 60: "no labeled row is of fold 2, whose labels … give each embedding some"} {
		refusal.Check(t, CheckVote(embeddings, fold(0, 1), Config{}), says)
	}
}
