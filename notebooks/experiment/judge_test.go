package experiment

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/evaluate"
)

// scored returns a point with that accuracy on 1,000 test examples, half of them positive.
func scored(head string, step int, accuracy float64) Point {
	right := int(math.Round(500 * accuracy))
	return Point{Head: head, Step: step, Test: &evaluate.Binary{AUC: math.NaN(), Confusion: evaluate.Confusion{
		TruePositive: right, FalseNegative: 500 - right, TrueNegative: right, FalsePositive: 500 - right,
	}}}
}

// pointOf returns a point with right of 10 test images correct, half of them positive, all errors on positives.
func pointOf(head string, step int, recall, predicted, proxyAUC float64, right int) Point {
	return Point{
		Head: head, Step: step,
		PU: &evaluate.PU{Recall: recall, Predicted: predicted, ProxyAUC: proxyAUC, Prior: 0.5, Labeled: 10, Unlabeled: 10},
		Test: &evaluate.Binary{
			Confusion: evaluate.Confusion{TruePositive: right - 5, FalseNegative: 10 - right, TrueNegative: 5}, AUC: float64(step) / 10,
		},
	}
}

// A point whose head failed is not chosen; a run whose last point failed has no last point.
func TestHeadsThatCouldNotBeHad(t *testing.T) {
	none := Point{Head: "a", Step: 2, Failure: "collapsed"}
	points := []Point{scored("a", 1, 0.8), none, scored("a", 3, 0.6)}
	for _, tt := range []struct {
		points []Point
		rule   Rule
		want   float64 // 0 for no judgement
	}{{points, Last, 0.6}, {points, Oracle, 0.8}, {points[:2], Last, 0}, {points[:2], Oracle, 0.8}, {points[1:2], Oracle, 0}} {
		if j, ok := judge(tt.points, "a", tt.rule); ok != (tt.want > 0) || j.Accuracy != tt.want {
			t.Errorf("%d points, %s: %+v, %v; want %g", len(tt.points), tt.rule, j, ok, tt.want)
		}
	}
	err := (&Outcome{Points: points}).check()
	expect.That(t, err == nil, "%v", err)
	var failure *Failure
	err = (&Outcome{Points: points[1:2]}).check()
	expect.That(t, errors.As(err, &failure) && strings.Contains(err.Error(), `"a": collapsed`), "%v", err)
}

// manyClasses returns a point with that accuracy on 100 test examples of three classes.
func manyClasses(head string, step int, accuracy float64) Point {
	return Point{Head: head, Step: step, Many: &evaluate.Classes{Accuracy: accuracy, Balanced: accuracy - 0.1, Recall: []float64{1, 0, 0.5},
		Predicted: []int{40, 30, 30}, N: 100}}
}

// Points of several classes are evaluated, chosen and paired like points of two classes.
func TestManyClasses(t *testing.T) {
	points := []Point{manyClasses("a", 1, 0.9), manyClasses("a", 2, 0.7)}
	for rule, want := range map[Rule]float64{Last: 0.7, Oracle: 0.9} {
		j, ok := judge(points, "a", rule)
		expect.That(t, ok && j.Accuracy == want && j.BalancedAccuracy == want-0.1 && math.IsNaN(j.AUC) && !j.Degenerate,
			"%s: %+v, %v; want %g", rule, j, ok, want)
	}
	_, ok := judge(points, "a", ProxyAUC)
	expect.That(t, !ok, "a point of several classes has no proxy of two")
	steps, ok := reach(points, "a", 0.8)
	expect.That(t, ok && steps == 1, "reached after %g steps, %v; want 1", steps, ok)
	expect.NoError(t, (&Outcome{Points: points}).check())
	both, empty := scored("a", 1, 0.5), manyClasses("a", 1, 0.5)
	both.Many, empty.Many.N = points[0].Many, 0
	for want, p := range map[string]Point{"set Test or Many": both, "0 test examples": empty} {
		expect.Error(t, (&Outcome{Points: []Point{p}}).check(), want)
	}
	_, ok = (Point{}).Accuracy()
	expect.That(t, !ok, "a point that was measured on nothing has an accuracy")
}

// A rule without its criterion is distinct from a head that could not be fitted.
func TestHeadlessIsOfTheRule(t *testing.T) {
	none := Point{Head: "a", Step: 2, Failure: "collapsed"}
	for _, tt := range []struct {
		points []Point
		rule   Rule
		want   int
	}{
		{[]Point{scored("a", 1, 0.8), none}, Last, 1}, {[]Point{none, scored("a", 3, 0.8)}, Last, 0},
		{[]Point{scored("a", 1, 0.8), none}, ProxyAUC, 0}, {[]Point{none}, ProxyAUC, 1}, {[]Point{scored("a", 1, 0.8), none}, Oracle, 0},
		{[]Point{scored("b", 1, 0.8)}, Last, 0},
	} {
		cells := &Cells{Standings: []Standing{{Run: Run{Setting: "s", Method: "m"}, State: Done, Result: &Result{Points: tt.points}}}}
		expect.Equal(t, cells.At("s", "m", "a", tt.rule).Headless, tt.want,
			"%d points, %s: without the head", len(tt.points), tt.rule)
	}
}

// Each rule chooses its own point for each head.
func TestJudgements(t *testing.T) {
	points := []Point{
		pointOf("a", 1, 0.9, 0.4, 0.6, 7), pointOf("b", 1, 0.5, 0.5, 0.5, 5), // proxy accuracy 2·½·0.9 + 0.6 − ½ = 1
		pointOf("a", 2, 0.5, 0.4, 0.8, 6), pointOf("b", 2, 0.5, 0.5, 0.5, 8),
		pointOf("a", 3, 0.4, 0.4, 0.5, 9), pointOf("b", 3, 0.6, 0.5, 0.6, 6),
		pointOf("a", 4, 0.3, 0.4, 0.4, 8),
	}
	points[4].PU.Losses.Positive = -1 // a lower risk than at the other points
	for i, kappa := range []float64{0.1, 0, 0.9, 0, 0.2, 0, 0.3} {
		if points[i].Head == "a" {
			points[i].Values = map[string]float64{ViewsAgree: kappa}
		}
	}
	all := Judgements(points)
	want := []Judgement{
		{Head: "a", Rule: Last, Step: 4, Accuracy: 0.8, BalancedAccuracy: 0.8, AUC: 0.4},
		{Head: "a", Rule: ProxyAccuracy, Step: 1, Accuracy: 0.7, BalancedAccuracy: 0.7, AUC: 0.1},
		{Head: "a", Rule: PURisk, Step: 3, Accuracy: 0.9, BalancedAccuracy: 0.9, AUC: 0.3},
		{Head: "a", Rule: ProxyAUC, Step: 2, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.2},
		{Head: "a", Rule: LeeLiu, Step: 1, Accuracy: 0.7, BalancedAccuracy: 0.7, AUC: 0.1},
		{Head: "a", Rule: Agreement, Step: 2, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.2},
		{Head: "a", Rule: Oracle, Step: 3, Accuracy: 0.9, BalancedAccuracy: 0.9, AUC: 0.3},
		{Head: "b", Rule: Last, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: ProxyAccuracy, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: PURisk, Step: 1, Accuracy: 0.5, BalancedAccuracy: 0.5, AUC: 0.1, Degenerate: true},
		{Head: "b", Rule: ProxyAUC, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: LeeLiu, Step: 3, Accuracy: 0.6, BalancedAccuracy: 0.6, AUC: 0.3},
		{Head: "b", Rule: Oracle, Step: 2, Accuracy: 0.8, BalancedAccuracy: 0.8, AUC: 0.2},
	}
	expect.Require(t, len(all) == len(want), "%d judgements, want %d", len(all), len(want))
	for i := range want {
		expect.Equal(t, all[i], want[i])
	}
}

// The head that treats unlabeled images as negative is degenerate here and marked so.
func TestDegenerate(t *testing.T) {
	p := pointOf("", 1, 0, 0, 0.5, 5)
	p.Test.Confusion = evaluate.Confusion{FalseNegative: 3, TrueNegative: 7} // all predicted negative
	all := Judgements([]Point{p})
	expect.That(t, len(all) == len(Rules())-2 && all[0].Degenerate && all[0].Accuracy == 0.7 &&
		all[0].BalancedAccuracy == 0.5, "%+v", all)
}

// The smallest prior that the scores suggest, 0.3 at the second point, gives the first point the lower risk. The second
// point has the lower risk with 0.6 (from the first point), with 0.9 (given to the run) and with each point's own
// prior. The points stay unchanged. Without the order of scores the rule is not applicable.
func TestOwnPrior(t *testing.T) {
	points := []Point{pointOf("", 1, 0.9, 0.4, 0.6, 7), pointOf("", 2, 0.5, 0.4, 0.8, 6)}
	for i, losses := range []evaluate.Losses{
		{Positive: 0.5, PositiveAsNegative: 0.5, UnlabeledAsNegative: 0.1}, {Positive: 0.1, PositiveAsNegative: 0.9, UnlabeledAsNegative: 0.45},
	} {
		pu := points[i].PU
		pu.Prior, pu.Losses, pu.Labeled, pu.Unlabeled = 0.9, losses, 20, 100
		// All labeled positives above 40, or 70, of 100.
		pu.Below = slices.Repeat(evaluate.Counts{[]float64{40, 70}[i]}, 20)
	}
	for rule, want := range map[Rule]int{PURisk: 2, RiskOwnPrior: 1} {
		j, ok := judge(points, "", rule)
		expect.That(t, ok && j.Step == want && j.Rule == rule, "%s: %+v, %v; want step %d", rule, j, ok, want)
	}
	expect.That(t, points[0].PU.Prior == 0.9 && points[1].PU.Prior == 0.9, "the points have another prior now")
	points[0].PU.Below, points[1].PU.Below = nil, nil
	j, ok := judge(points, "", RiskOwnPrior)
	expect.That(t, !ok, "without the order of scores: %+v", j)
}

// A point that suggests a prior of 0 is skipped; the prior is the smallest of the others, or unknown.
func TestOwnPriorPassesOverZero(t *testing.T) {
	above := func(unlabeled float64) Point { // 20 labeled positives, all above this number of 100
		p := pointOf("", 1, 0.9, 0.4, 0.6, 7)
		p.PU.Below, p.PU.Unlabeled, p.PU.Labeled = slices.Repeat(evaluate.Counts{unlabeled}, 20), 100, 20
		return p
	}
	for name, tt := range map[string]struct {
		points []Point
		want   float64
	}{
		"first": {[]Point{above(100), above(40), above(70)}, 0.3},
		"last":  {[]Point{above(40), above(70), above(100)}, 0.3},
		"alone": {[]Point{above(100)}, 0},
	} {
		for i, p := range withOwnPrior(tt.points, "") {
			expect.That(t, math.Abs(p.PU.Prior-tt.want) < 0.02,
				"%s: point %d has the prior %g, want %g", name, i, p.PU.Prior, tt.want)
		}
	}
}

// Without a class prior, held-out data or a defined agreement at every point, the rule chooses nothing.
func TestRulesThatCannotBeFollowed(t *testing.T) {
	points := []Point{pointOf("", 1, 0.9, 0.4, 0.6, 7), pointOf("", 2, 0.5, 0.4, 0.8, 6), {Values: map[string]float64{"prior": 0.3}}}
	points[1].PU.Prior = 0
	all := Judgements(points)
	expect.That(t, len(all) == 4 && all[1].Rule == ProxyAUC && all[1].Step == 2 && all[2].Rule == LeeLiu, "%+v", all)
	points[0].PU = nil
	points[0].Values, points[1].Values = map[string]float64{ViewsAgree: math.NaN()}, map[string]float64{ViewsAgree: 0.5}
	all = Judgements(points)
	expect.That(t, len(all) == 2 && all[0].Rule == Last && all[1].Rule == Oracle, "%+v", all)
}
