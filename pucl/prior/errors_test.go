package prior

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// The error messages of the public functions. Data without information give no estimate.
func TestErrors(t *testing.T) {
	half := slices.Concat(slices.Repeat([]bool{true}, 10), make([]bool, 10))
	ramp := make([]float64, 20)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	scores := func(s []float64, l []bool, c Config) error {
		e, err := BBE(s, l, c)
		expect.That(t, err == nil || e.Prior == 0, "an error, and the number %g", e.Prior)
		for _, of := range []func([]float64, []bool, Config) (Estimate, error){DEDPUL, ElkanNoto, ElkanNotoMax} {
			if _, other := of(s, l, c); message(other) != message(err) {
				t.Errorf("%v, and BBE says %v", other, err)
			}
		}
		return err
	}
	rows := func(x *mat.Dense, l []bool, c Config) error {
		_, err := KM2(x, l, c)
		if _, other := TIcE(x, l, c); message(other) != message(err) {
			t.Errorf("TIcE: %v, and KM2 says %v", other, err)
		}
		return err
	}
	trees := func(c Trees) error { _, err := c.OfRows(column(ramp), half); return err }
	folds := func(f Folds, labeled []bool, fit Fit) error { _, err := OutOfFold(labeled, f, fit); return err }
	rare := make([]float64, 20_000) // one row differs, and KM2 does not draw it
	rare[10_500] = 1
	_, drawn := KM2(column(rare), slices.Concat(slices.Repeat([]bool{true}, 10_000), make([]bool, 10_000)), Config{})
	_, _, fit := TEDn(half, Folds{}, 0, nil, Config{})
	_, _, level := TEDn(half, Folds{}, 0, func([]int, []int, uint64) ([]float64, error) { panic("fit") }, Config{Level: 2})
	ofRows := expect.Must(Trees{}.OfRows(column(ramp), half))(t)
	infinite := func(_, held []int, _ uint64) ([]float64, error) {
		return slices.Repeat([]float64{math.Inf(1)}, len(held)), nil
	}
	_, _, rounds := TEDn(half, Folds{}, -1, nil, Config{})
	with := func(at int, v float64) []float64 { s := slices.Clone(ramp); s[at] = v; return s }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{scores(ramp, half, Config{}), ""},
		{level, "prior: an interval of level 2; … it must lie above 0 and below 1, or be 0 for the default"},
		{scores(ramp, half, Config{Level: math.Nextafter(1, 0)}), "prior: an interval of level 0.9999999999999999; … it must lie above 0 and below 1, or be 0 for the default"},
		{folds(Folds{}, slices.Concat(half, half), ofRows), "prior: example 20 of 20 rows; … make the classifier of the rows that are labeled"},
		{folds(Folds{}, half, infinite), "prior: a score of an example held out is +Inf; … did the classifier diverge?"},
		{scores(nil, nil, Config{}), "prior: no examples; … give scores or rows, and which of them are labeled positives"},
		{scores(ramp, half[1:], Config{}), "prior: 20 scores and 19 entries in labeled; … give one for each, in the same order"},
		{scores(ramp, make([]bool, 20), Config{}), "prior: none of 20 examples is a labeled positive; … mark in labeled those that are"},
		{scores(ramp, slices.Repeat([]bool{true}, 20), Config{}), "prior: all of 20 examples are labeled positives; … add the unlabeled ones " +
			"whose prior is asked for"},
		{scores(ramp[1:], half[1:], Config{}), "prior: 9 labeled positives and 10 unlabeled examples tell nothing; … give at least 10 of both"},
		{scores(with(3, math.NaN()), half, Config{}), "prior: score 3 is NaN; … scores must be finite: did the classifier diverge?"},
		{scores(with(4, math.Inf(1)), half, Config{}), "prior: score 4 is +Inf; … scores must be finite: did the classifier diverge?"},
		{scores(slices.Repeat([]float64{2}, 20), half, Config{}), "prior: all scores are 2, so that nothing tells labeled from unlabeled " +
			"examples; … train the classifier, or give it features that differ"},
		{scores(with(5, 1e160), half, Config{}), "prior: scores from 0 to 1e+160, which cannot be computed with; … give logits"},
		{scores(slices.Concat(make([]float64, 19), []float64{1e-320}), half, Config{}), "prior: scores from 0 to 1e-320, which cannot be " +
			"computed with; … give logits"},
		{scores(ramp, half, Config{Level: 1}), "prior: an interval of level 1; … it must lie above 0 and below 1, or be 0 for the default"},
		{scores(ramp, half, Config{Resamples: 3}), "prior: an interval from 3 resamples; … take at least 10, 0 for the default, or a negative " +
			"number for no interval"},
		{rows(nil, half, Config{}), "prior: rows: no rows given; … embed at least one example"},
		{rows(column(ramp), half[1:], Config{}), "prior: rows: 20 rows and 19 entries in labeled; … give one for each row, in the same order"},
		{rows(column(with(3, math.NaN())), half, Config{}), "prior: rows: row 3 holds NaN in column 0; … rows must be finite: did training " +
			"diverge? Lower its learning rate; in features of your own, fill in the value or drop the row"},
		{rows(column(ramp), make([]bool, 20), Config{}), "prior: none of 20 examples is a labeled positive; … mark in labeled those that are"},
		{rows(column(make([]float64, 20)), half, Config{}), "prior: rows: all 20 rows are the same, so that nothing tells them apart; … give features that differ, or, where they are an embedding, which has collapsed, train again with another loss or learning rate"},
		{drawn, "prior: the 2000 rows drawn are all the same; … take another seed, or features that differ in more rows"},
		{rows(column(ramp), half, Config{Level: -1}), "prior: an interval of level -1; … it must lie above 0 and below 1, or be 0 for the " +
			"default"},
		{trees(Trees{}), ""},
		{trees(Trees{Depth: -1}), "prior: 60 trees of depth -1, at least 20 rows a leaf and at most 4096 a tree; … all must be above 0, or 0 for " +
			"the defaults, and a tree needs 2 rows"},
		{trees(Trees{Rate: 2}), "prior: trees of rate 2 that see a share 0.5 of the features; … both must lie above 0 and be at most 1, or be 0 " +
			"for the defaults"},
		{folds(Folds{Folds: 1}, half, nil), "prior: 1 folds, 5 times; … there must be at least 2 folds, 1 time, or 0 for the defaults"},
		{folds(Folds{Folds: 11}, half, nil), "prior: 10 labeled positives and 10 unlabeled examples in 11 folds; … each fold needs one of both: " +
			"take fewer folds"},
		{folds(Folds{}, make([]bool, 20), nil), "prior: none of 20 examples is a labeled positive; … mark in labeled those that are"},
		{folds(Folds{}, half, func(_, held []int, _ uint64) ([]float64, error) { return make([]float64, 1), nil }),
			"prior: 1 scores of 4 examples held out; … the classifier must return one for each"},
		{folds(Folds{Folds: 10}, half, func(_, held []int, _ uint64) ([]float64, error) { return []float64{0, math.NaN()}, nil }),
			"prior: a score of an example held out is NaN; … did the classifier diverge?"},
		{rows(column(with(3, 1e160)), half, Config{}), "prior: rows: entries lie up to 1e+160 apart, and squares of that cannot be computed with; … " +
			"scale the features"},
		{folds(Folds{}, half, nil), "prior: no classifier to fit; … give a Fit, such as Trees.OfRows makes"},
		{fit, "prior: no classifier to fit; … give a Fit, such as Trees.OfRows makes"},
		{rounds, "prior: -1 rounds; … there must be at least 1, or 0 for the default"},
	} {
		if tt.want != "" {
			refusal.Whole(t, tt.err, tt.want)
		} else if tt.err != nil {
			t.Error(tt.err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// coverageDraws is the number of draws on which coverage is measured, and coverageLevel the nominal level.
const (
	coverageDraws = 60
	coverageLevel = 0.8
)

// betweenMeans returns a classifier whose scores increase from the mean of the unlabeled training rows to the mean of
// the labeled ones.
func betweenMeans(x *mat.Dense, labeled []bool) Fit {
	return func(learn, held []int, _ uint64) (scores []float64, err error) {
		_, d := x.Dims()
		means, counts := [2][]float64{make([]float64, d), make([]float64, d)}, [2]float64{}
		for _, i := range learn {
			kind := 0
			if labeled[i] {
				kind = 1
			}
			floats.Add(means[kind], x.RawRowView(i))
			counts[kind]++
		}
		floats.Scale(1/counts[1], means[1])
		floats.AddScaled(means[1], -1/counts[0], means[0])
		for _, i := range held {
			scores = append(scores, floats.Dot(means[1], x.RawRowView(i)))
		}
		return scores, nil
	}
}

// Intervals of TED^n, with classifiers trained anew in each draw, reach their nominal coverage, and are not so wide
// that they always contain the prior.
func TestCoverageOfTEDn(t *testing.T) {
	for _, prior := range []float64{0.1, 0.5} {
		contain, width := 0, 0.0
		for seed := range uint64(coverageDraws) {
			random := rand.New(rand.NewPCG(seed, 9))
			x, labeled := mat.NewDense(1200, 3, nil), make([]bool, 1200)
			for i := range labeled {
				labeled[i] = i < 300
				for j := range 3 {
					x.Set(i, j, random.NormFloat64())
				}
				if i >= 300+int(prior*900) {
					x.Set(i, 0, x.At(i, 0)-3)
				}
			}
			c := Config{Resamples: 20, Seed: seed, Level: coverageLevel}
			_, e := expect.Must2(TEDn(labeled, Folds{Repeats: 1, Seed: seed}, 0, betweenMeans(x, labeled), c))(t)
			if e.Low <= prior && prior <= e.High {
				contain++
			}
			width += (e.High - e.Low) / coverageDraws
		}
		expect.That(t, contain >= coverageLevel*coverageDraws && width <= 0.25,
			"prior %g: %d of %d intervals contain it, of mean width %.3f", prior, contain, coverageDraws, width)
	}
}

// Two scores log(f_P/f_U); 4 in 5 of the positives and no negative have the higher one, plus a little noise. Intervals
// of e1 contain its limit .32/.68, never the prior ¼, which is below it. One score that is too high decides e3, whose
// intervals always lie below the prior.
func TestIntervalsOfElkanNotoMissThePrior(t *testing.T) {
	contain := map[string]int{}
	for seed := range uint64(coverageDraws) {
		random := rand.New(rand.NewPCG(seed, 10))
		score := func(high float64) func(*rand.Rand) float64 {
			return func(*rand.Rand) float64 {
				sign := -1.0
				if random.Float64() < high {
					sign = 1
				}
				return sign*math.Log(4) + 0.1*random.NormFloat64()
			}
		}
		scores, labeled := population(seed, 300, 900, 0.25, score(0.8), score(0))
		c := Config{Resamples: 20, Seed: seed, Level: coverageLevel}
		e1 := expect.Must(ElkanNoto(scores, labeled, c))(t)
		e3 := expect.Must(ElkanNotoMax(scores, labeled, c))(t)
		for name, is := range map[string]bool{
			"e1 above the prior":    e1.Low > 0.25,
			"e1 contains its limit": e1.Low <= 0.32/0.68 && 0.32/0.68 <= e1.High && e1.High-e1.Low < 0.25,
			"e3 below the prior":    e3.High < 0.25 && e3.Low < e3.High,
		} {
			if is {
				contain[name]++
			}
		}
	}
	if contain["e1 above the prior"] != coverageDraws || contain["e3 below the prior"] != coverageDraws ||
		contain["e1 contains its limit"] < coverageLevel*coverageDraws {
		t.Errorf("of %d draws: %v", coverageDraws, contain)
	}
}

// TIcE agrees with testdata/make_tice.py, a version written in loops that uses the same folds.
func TestTIcEAgainstReference(t *testing.T) {
	var cases []struct {
		X       [][]float64
		Labeled int
		Fold    []int
		C       float64
	}
	data := expect.Must(os.ReadFile("testdata/tice.json"))(t)
	expect.NoError(t, json.Unmarshal(data, &cases))
	expect.Equal(t, len(cases), 6)
	for i, c := range cases {
		once := ticeOf(c.X, c.Labeled, c.Fold)
		expect.Near(t, once.labelFrequency(), c.C, 1e-12, "case %d", i)
		// A row of weight 2 counts as two rows.
		twice := ticeOf(slices.Concat(c.X[:c.Labeled], c.X), 2*c.Labeled, slices.Concat(c.Fold[:c.Labeled], c.Fold))
		for row := range c.Labeled {
			once.weights[row] = 2
		}
		expect.Near(t, once.labelFrequency(), twice.labelFrequency(), 1e-12, "case %d, labeled rows twice", i)
	}
}

// ticeOf returns the data of TIcE; the first rows are labeled.
func ticeOf(x [][]float64, labeled int, fold []int) tice {
	t := tice{labeled: make([]bool, len(x)), fold: fold, weights: slices.Repeat([]float64{1}, len(x))}
	for row := range labeled {
		t.labeled[row] = true
	}
	features := mat.NewDense(len(x), len(x[0]), slices.Concat(x...))
	for j := range x[0] {
		t.parts = append(t.parts, partsOf(mat.Col(nil, j, features), 0))
	}
	return t
}

// Parts have equal width, a border belongs to the part above it, and a constant feature has one part.
func TestPartsOfARange(t *testing.T) {
	expect.Equal(t, partsOf([]float64{-1, -0.01, 0, 1, 2.99, 3, 1.99, 0.99}, 0), []uint8{0, 0, 1, 2, 3, 3, 2, 1})
	expect.Equal(t, partsOf([]float64{7, 7}, 0), []uint8{0, 0})
	expect.Equal(t, partsOf([]float64{0, 1, 2, 3, 1e9, -1e9}, 0.1), []uint8{0, 1, 2, 3, 3, 0})
}

// With large nodes the estimate is an upper bound: for Gaussian classes 3 apart in one of two features it is above
// the prior, by at most 0.2.
func TestTIcEIsABoundWithManyRows(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 77))
		x, labeled := mat.NewDense(5000, 2, nil), make([]bool, 5000)
		for i := range labeled {
			labeled[i] = i < 1000
			for j := range 2 {
				x.Set(i, j, random.NormFloat64())
			}
			if i >= 1000+2000 {
				x.Set(i, 0, x.At(i, 0)+3)
			}
		}
		got := expect.Must(TIcE(x, labeled, Config{Resamples: -1, Seed: seed}))(t)
		expect.That(t, got.Prior > 0.5 && got.Prior < 0.7 && got.OverlapUnknown, "seed %d: %v, want 0.5 to 0.7", seed, got)
	}
}
