package evaluate

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

func TestIntervalByHand(t *testing.T) {
	// 1 to 5: mean 3, variance 10/4. The 97.5% point of t with 4 degrees of freedom is 2.776445105 in tables.
	s := expect.Must(Summarize([]float64{5, 3, 1, 2, 4}, 0))(t)
	near(t, "mean", s.Mean, 3, 1e-15)
	near(t, "standard deviation", s.StdDev, math.Sqrt(2.5), 1e-15)
	near(t, "half-width", s.HalfWidth, 2.776445105*math.Sqrt(2.5/5), 1e-8)
	expect.That(t, s.Confidence == 0.95 && s.Seeds == 5, "%+v", s)
	// Two values: t with one degree of freedom is Cauchy, tan(π(q − ½)).
	s = expect.Must(Summarize([]float64{0, 2}, 0.9))(t)
	near(t, "half-width of two", s.HalfWidth, math.Tan(math.Pi*0.45), 1e-9)
}

// The documented numbers for five seeds: 1.24 standard deviations, and 88% for 1.96/√n.
func TestWhatFiveSeedsCover(t *testing.T) {
	near(t, "half-width in standard deviations", distuv.StudentsT{Sigma: 1, Nu: 4}.Quantile(0.975)/math.Sqrt(5), 1.24, 0.005)
	near(t, "cover of 1.96", 1-2*distuv.StudentsT{Sigma: 1, Nu: 4}.CDF(-1.96), 0.88, 0.005)

	rng := rand.New(rand.NewPCG(3, 4))
	const trials = 4000
	hits := 0
	for range trials {
		values := make([]float64, 5)
		for i := range values {
			values[i] = 0.9 + 0.02*rng.NormFloat64()
		}
		if low, high := expect.Must(Summarize(values, 0.8))(t).Interval(); low <= 0.9 && 0.9 <= high {
			hits++
		}
	}
	near(t, "share of 80% intervals that hold the mean", float64(hits)/trials, 0.8, 4*math.Sqrt(0.8*0.2/trials))
}

func TestOneSeedSaysSo(t *testing.T) {
	s := expect.Must(Summarize([]float64{0.9}, 0.95))(t)
	if s.Mean != 0.9 || !math.IsNaN(s.HalfWidth) || s.String() != "0.9000 (one seed, no interval)" || s.Percent() != "90.00% (one seed, no interval)" {
		t.Errorf("%+v: %v, %v", s, s, s.Percent())
	}
}

func TestSelectReadsARunInThreeWays(t *testing.T) {
	epochs := []Epoch{
		{Epoch: 1, Proxy: 0.5, Test: 0.70, Degenerate: true},
		{Epoch: 2, Proxy: 0.9, Test: 0.85},
		{Epoch: 3, Proxy: 0.9, Test: 0.91}, // ties with epoch 2: the earlier epoch is selected
		{Epoch: 4, Proxy: 0.8, Test: 0.80},
	}
	s := expect.Must(Select(epochs))(t)
	for choice, want := range map[Choice]int{LastEpoch: 4, WithoutNegatives: 2, Oracle: 3} {
		e := expect.Must(s.By(choice))(t)
		expect.That(t, e.Epoch == want, "%v: epoch %d, want %d", choice, e.Epoch, want)
	}
	if text := s.String(); text != "last epoch 80.0% (epoch 4); chosen without negatives 85.0% (epoch 2); oracle 91.0% (epoch 3)" {
		t.Error(text)
	}
	alone := expect.Must(Select(epochs[:1]))(t)
	if text := alone.String(); strings.Count(text, "(epoch 1, degenerate)") != 3 {
		t.Error(text)
	}
	all := expect.Must(SummarizeSelections([]Selection{s, alone}, 0.9))(t)
	near(t, "last", all.Last.Mean, 0.75, 1e-15)
	near(t, "chosen", all.WithoutNegatives.Mean, 0.775, 1e-15)
	near(t, "oracle", all.Oracle.Mean, 0.805, 1e-15)
	near(t, "oracle's half-width", all.Oracle.HalfWidth, 0.105*math.Tan(math.Pi*0.45), 1e-9)
	if text := all.String(); strings.Count(text, "degenerate in 1 of 2 runs") != 3 || strings.Count(text, "\n") != 2 {
		t.Error(text)
	}
}

func TestSummariesErrors(t *testing.T) {
	for says, call := range map[string]func() error{
		"no results to summarize … at least one seed is needed":                                                                                      func() error { _, err := Summarize(nil, 0); return err },
		"result of run 2 is NaN … a mean over seeds needs numbers":                                                                                   func() error { _, err := Summarize([]float64{1, math.NaN()}, 0); return err },
		"result of run 1 is +Inf … a mean over seeds needs numbers":                                                                                  func() error { _, err := Summarize([]float64{math.Inf(1)}, 0); return err },
		"confidence 95 … it must be between 0 and 1, such as 0.95":                                                                                   func() error { _, err := Summarize([]float64{1, 2}, 95); return err },
		"no epochs to choose from … at least one is needed":                                                                                          func() error { _, err := Select(nil); return err },
		"proxy of epoch 7 is not a number: proxy accuracy and PU risk need the class prior, PU.LeeLiu a positive … give the prior, or take ByLeeLiu": func() error { _, err := Select([]Epoch{{Epoch: 7, Proxy: math.NaN()}}); return err },
		"result of epoch 7 is not a number … leave such epochs out, or train again: did":                                                             func() error { _, err := Select([]Epoch{{Epoch: 7, Test: math.NaN()}}); return err },
		"there is no Choice(9) … use LastEpoch, WithoutNegatives or Oracle":                                                                          func() error { _, err := Selection{}.By(9); return err },
		"summarize; … at least one see":                                                                                                              func() error { _, err := SummarizeSelections(nil, 0); return err },
	} {
		refusal.Check(t, call(), says)
	}
}

func TestKappa(t *testing.T) {
	repeat := func(yes, first, second, no int) (a, b []bool) { // counts: both positive, only a, only b, neither
		for i, count := range []int{yes, first, second, no} {
			for range count {
				a, b = append(a, i < 2), append(b, i == 0 || i == 2)
			}
		}
		return a, b
	}
	for _, tt := range []struct {
		yes, first, second, no int
		want                   float64
	}{
		{20, 5, 10, 15, 0.4}, // two reviewers of 50 grant proposals: agreement 0.7, by chance 0.5
		{3, 0, 0, 4, 1}, {0, 2, 2, 0, -1}, {9, 3, 3, 1, 0}, {5, 0, 0, 0, 0}, {0, 0, 0, 5, 0}, {4, 4, 0, 0, 0},
	} {
		a, b := repeat(tt.yes, tt.first, tt.second, tt.no)
		near(t, "κ", expect.Must(Kappa(a, b))(t), tt.want, 1e-15)
	}
	expect.Error(t, expect.Err(Kappa([]bool{true}, nil)))
}

// The proportions at the ends of the Wilson interval lie z of their own standard errors from the observed share. For 0
// of n the interval is from 0 to z²/(n+z²).
func TestWilson(t *testing.T) {
	const z = 1.959963984540054 // the normal quantile of 0.975
	for share, n := range map[float64]int{0.5: 10, 0.07: 300, 1. / 3: 3, 0.999: 1000} {
		low, high := expect.Must2(Wilson(share, n, 0.95))(t)
		for _, p := range []float64{low, high} {
			if far := math.Abs(share-p) / math.Sqrt(p*(1-p)/float64(n)); !(math.Abs(far-z) < 1e-9) {
				t.Errorf("share %g of %d: %g lies %g standard errors away, want %g", share, n, p, far, z)
			}
		}
	}
	low, high, err := Wilson(0, 8, 0.95)
	expect.That(t, err == nil && low == 0 && math.Abs(high-z*z/(8+z*z)) <= 1e-12,
		"none of 8: %g to %g, %v", low, high, err)
	for n := range 100 { // exact despite rounding
		none, _, err := Wilson(0, n+1, 0.95)
		_, all, otherErr := Wilson(1, n+1, 0.95)
		expect.That(t, none == 0 && all == 1 && err == nil && otherErr == nil,
			"none and all of %d: from %g, to %g, %v, %v", n+1, none, all, err, otherErr)
	}
	if low, high, err = Wilson(1, 8, 0.95); err != nil || high != 1 || math.Abs(low-8/(8+z*z)) > 1e-12 {
		t.Errorf("all of 8: %g to %g, %v", low, high, err)
	}
}

func TestWilsonErrors(t *testing.T) {
	for _, tt := range []struct {
		share, confidence float64
		n                 int
		says              string
	}{
		{0.5, 0.95, 0, "a share of 0 examples … give 1 or more"},
		{-0.1, 0.95, 5, "a share of -0.1 … from 0 to 1"},
		{math.NaN(), 0.95, 5, "a share of NaN … from 0 to 1"},
		{0.5, 95, 5, "a confidence of 95 … such as 0.95"},
		{0.5, math.Nextafter(1, 0), 5, "a confidence of 0.9999999999999999 … such as 0.95"},
		{0.5, 1, 5, "a confidence of 1 … such as 0.95"},
	} {
		_, _, err := Wilson(tt.share, tt.n, tt.confidence)
		refusal.Check(t, err, tt.says)
	}
}

func TestSignificanceAgainstSciPy(t *testing.T) {
	data, err := os.ReadFile("testdata/significance.json")
	expect.NoError(t, err)
	var frozen struct {
		Tests []struct {
			Values        []float64
			Number, Above float64
			Detectable    []float64
		}
		Families []struct{ P, Q []float64 }
	}
	if err := json.Unmarshal(data, &frozen); err != nil {
		t.Fatal(err)
	}
	far := func(got, want, tolerance float64) bool { return !(math.Abs(got-want) <= tolerance*math.Abs(want)) }
	for _, tt := range frozen.Tests {
		s := expect.Must(Summarize(tt.Values, 0))(t)
		if got := s.PAbove(tt.Number); far(got, tt.Above, 1e-9) {
			t.Errorf("%v above %g: p %g, want %g", tt.Values, tt.Number, got, tt.Above)
		}
		for i, power := range []float64{0.5, 0.8, 0.95} {
			if got := s.Detectable(power); far(got, tt.Detectable[i], 1e-6) {
				t.Errorf("%d seeds, power %g: detectable %g, want %g", s.Seeds, power, got, tt.Detectable[i])
			}
		}
	}
	for _, tt := range frozen.Families {
		for i, got := range FalseDiscoveryRates(tt.P) {
			expect.That(t, !far(got, tt.Q[i], 1e-12), "p %g of %v: q %g, want %g", tt.P[i], tt.P, got, tt.Q[i])
		}
	}
}

func TestSignificanceAtTheEdges(t *testing.T) {
	one := Summary{Mean: 1, StdDev: math.NaN(), Seeds: 1}
	same := Summary{Mean: 1, Seeds: 3}
	for name, got := range map[string][2]float64{
		"one seed":                 {one.PAbove(0), math.NaN()},
		"one seed, detectable":     {one.Detectable(0.8), math.NaN()},
		"no spread, above":         {same.PAbove(0), 0},
		"no spread, below":         {same.PAbove(2), 1},
		"no spread, at the number": {same.PAbove(1), 0.5},
		"no spread, detectable":    {same.Detectable(0.8), 0},
	} {
		expect.That(t, got[0] == got[1] || math.IsNaN(got[0]) && math.IsNaN(got[1]),
			"%s: %g, want %g", name, got[0], got[1])
	}
	q := FalseDiscoveryRates([]float64{0.04, math.NaN(), 0.01})
	expect.That(t, math.IsNaN(q[1]) && slices.Equal([]float64{q[0], q[2]}, []float64{0.04, 0.02}),
		"q-values %v: a test without a p-value must not count", q)
}

// Every function that takes labels or classes rejects a wrong number of them; the error states both numbers and the
// remedy.
func TestLabelsOfAnotherNumber(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	supervised := expect.Must(SupervisedBinary(x, four))(t)
	of3 := expect.Must(Supervised(x, fourClasses, 3))(t)
	labeled := expect.Must(LabeledPositives(x, four))(t)
	knn := KNN{K: 1}
	const labels, truth = " 4 … and 3 labels; … give one", " 4 … and 3 true classes; … give one"
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"Count", expect.Err(Count(four, three)), truth},
		{"ScoreClasses", expect.Err(ScoreClasses(fourClasses, classes, 3)), truth},
		{"ScoreBinary", expect.Err(ScoreBinary(make([]float64, 4), three, 0)), labels},
		{"ScorePU", expect.Err(ScorePU(make([]float64, 4), three, 0, ScoreConfig{})), labels},
		{"AUC", expect.Err(AUC(make([]float64, 4), three)), labels},
		{"TopK", expect.Err(TopK(mat.NewDense(4, 3, nil), classes, 1)), truth},
		{"LabeledPositives", expect.Err(LabeledPositives(x, three)), labels},
		{"Supervised", expect.Err(Supervised(x, classes, 3)), truth},
		{"SupervisedBinary", expect.Err(SupervisedBinary(x, three)), truth},
		{"KNN.ReadPU", expect.Err(knn.ReadPU(labeled, x, three, ScoreConfig{Prior: 0.5})), labels},
		{"KNN.ReadBinary", expect.Err(knn.ReadBinary(supervised, x, three, 0.5)), truth},
		{"KNN.ReadClasses", expect.Err(knn.ReadClasses(of3, x, classes)), truth},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Check(t, tt.err, tt.want) })
	}
}

// Results are saved by gob between the cells of a notebook. NaN does not equal itself, so printed values are compared.
func TestResultsAreSavedByGob(t *testing.T) {
	binary := expect.Must(ScoreBinary([]float64{2, -1, 1}, []bool{true, true, true}, 0))(t)
	for _, tt := range []struct{ result, loaded any }{
		{&binary, new(Binary)},
		{&binary.Confusion, new(Confusion)},
		{&PUReading{PU: expect.Must(ScorePU([]float64{2, -1, 1}, []bool{true, false, false}, 0, ScoreConfig{}))(t), Bank: "b"}, new(PUReading)},
		{&ClassesReading{Classes: expect.Must(ScoreClasses([]int{0, 1}, []int{0, 0}, 3))(t), Bank: "b"}, new(ClassesReading)},
		{&Summary{Mean: 0.5, Seeds: 3}, new(Summary)},
		{&Selection{Last: Epoch{Epoch: 2, Test: 0.5}}, new(Selection)},
		{&Collapse{Rows: 3}, new(Collapse)},
	} {
		var file bytes.Buffer
		expect.NoError(t, gob.NewEncoder(&file).Encode(tt.result))
		expect.NoError(t, gob.NewDecoder(&file).Decode(tt.loaded))
		expect.Equal(t, fmt.Sprintf("%#v", tt.loaded), fmt.Sprintf("%#v", tt.result))
	}
}
