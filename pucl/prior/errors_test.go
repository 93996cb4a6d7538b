package prior

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// The messages as a user meets them. Nothing is estimated from data that tell nothing.
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
