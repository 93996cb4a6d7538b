package theory

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// A variance of ¼ beside a mean of 10⁹: the textbook formula E[x²] − E[x]² keeps no digit of it.
func TestWeightedVarianceKeepsItsDigits(t *testing.T) {
	var w weighted
	for range 500 {
		w.add([]float64{0.001, 0.001}, []float64{1e9, 1e9 + 1, 77}) // the third value is padding
	}
	w.add([]float64{0, 0}, []float64{5, 6})
	m := w.moments()
	near(t, "weight", w.weight, 1, 1e-12)
	near(t, "mean", m.Mean.Value-1e9, 0.5, 1e-6)
	near(t, "variance", m.Variance.Value, 0.25, 1e-9)
}

// Blocks of unequal weight and mean must give the same result as one block.
func TestWeightedJoinsBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	weights, values := make([]float64, 1000), make([]float64, 1000)
	var total, mean, variance float64
	for i := range values {
		weights[i], values[i] = rng.Float64()*float64(i), rng.NormFloat64()+float64(i/100)
		total += weights[i]
		mean += weights[i] * values[i]
	}
	mean /= total
	for i, x := range values {
		variance += weights[i] * (x - mean) * (x - mean) / total
	}
	var w weighted
	for first := 0; first < len(values); {
		last := min(first+1+rng.IntN(300), len(values))
		w.add(weights[first:last], values[first:last])
		first = last
	}
	near(t, "mean", w.mean, mean, 1e-13)
	near(t, "variance", w.squares/w.weight, variance, 1e-12)
}

func TestKahanKeepsSmallTerms(t *testing.T) {
	var k kahan
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		k.add(x)
	}
	expect.That(t, k.value() == 2, "1 + 1e100 + 1 − 1e100 = %g", k.value())
}

// Multisets must cover the sequences: every sorted sequence once, with the total probability of its orders.
func TestDrawsCoverAllSequences(t *testing.T) {
	p := []float64{0.5, 0.2, 0, 0.3}
	for size := range 5 {
		want := map[[4]int]float64{}
		sequences := 0
		for drawn, probability := range draws(p, size, true) {
			sequences++
			product := 1.0
			var counts [4]int
			for _, o := range drawn {
				product *= p[o]
				counts[o]++
			}
			near(t, "probability of a sequence", probability, product, 1e-15)
			want[counts] += product
		}
		if got := countDraws(len(p), size, true); got != float64(sequences) || got != math.Pow(4, float64(size)) {
			t.Errorf("size %d: %d sequences, counted %g", size, sequences, got)
		}
		multisets, total := 0, 0.0
		for drawn, probability := range draws(p, size, false) {
			multisets++
			total += probability
			expect.That(t, slices.IsSorted(drawn), "%v is not ascending", drawn)
			var counts [4]int
			for _, o := range drawn {
				counts[o]++
			}
			near(t, "probability of a multiset", probability, want[counts], 1e-15)
			delete(want, counts)
		}
		expect.That(t, len(want) == 0 && countDraws(len(p), size, false) == float64(multisets),
			"size %d: %d multisets, counted %g; missing %v", size, multisets, countDraws(len(p), size, false), want)
		near(t, "total probability", total, 1, 1e-14)
	}
}

func TestDrawsCanBeLeftEarly(t *testing.T) {
	seen := 0
	for range draws([]float64{0.5, 0.5}, 10, true) {
		if seen++; seen == 3 {
			break
		}
	}
	expect.That(t, seen == 3, "%d draws seen", seen)
	n := countDraws(6, 500, false)
	expect.That(t, n > 2e11 && n < 4e11, "%g multisets of 500 draws from 6", n) // C(505, 5)
	if n := countDraws(1000, 1000, true); !math.IsInf(n, 1) {
		t.Errorf("1000^1000 = %g", n)
	}
}

func TestNumbers(t *testing.T) {
	a := Number{5, 2, 9}
	b := Number{1, 0, 5}
	d := a.Minus(b) // 4, from 4 − √(3² + 4²) to 4 + √(4² + 1²)
	near(t, "value", d.Value, 4, 0)
	near(t, "low", d.Low, -1, 1e-15)
	near(t, "high", d.High, 4+math.Sqrt(17), 1e-15)
	expect.Equal(t, a.Minus(Exactly(1)), (Number{4, 1, 8}))
	s := Exactly(1.0 / 3).String()
	expect.That(t, s == "0.333333", "%v", s)
	if s := a.String(); s != "5 [2, 9]" {
		t.Error(s)
	}
	expect.That(t, a.Contains(2) && a.Contains(9) && !a.Contains(9.1) && !a.Contains(1.9) && !a.Contains(math.NaN()),
		"Contains is wrong at an end")
}

func TestAnchorLossesAgainstLoops(t *testing.T) {
	const tau = 0.7
	batches := [][][]float64{
		{{1, 0}, {0, 2}, {-1, 1}, {3, 1}, {0.5, 1}, {-2, -1}},
		{{1, 1}, {1, 2}, {1, 3}, {-1, 0}, {0, 1}, {2, -1}},
	}
	labeled, class := []bool{true, false, true}, []int32{1, 0, 1}
	for _, o := range []pucl.Objective{pucl.SSCL(), pucl.PUCL(), pucl.SCLPU(), pucl.SCL()} {
		losses := expect.Must(AnchorLosses(openEngine(t), o, batches, labeled, class, tau))(t)
		for k, z := range batches {
			for i := range z {
				similarities := make([]float64, len(z))
				for j := range z {
					similarities[j] = cosine(z[i], z[j]) / tau
				}
				near(t, o.Name, losses[k][i], theorytest.Rules[o.Name].AnchorLoss(i, similarities, func(row int) bool { return labeled[row%3] },
					func(row int) bool { return class[row%3] == 1 }), 1e-12)
			}
		}
	}
}

// A row of zeros has similarity 0 to all: log 3 for itself, in a batch of four rows.
func TestAnchorLossesOfARowOfZeros(t *testing.T) {
	losses, err := AnchorLosses(openEngine(t), pucl.SSCL(), [][][]float64{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, make([]bool, 2),
		nil, 0.5)
	expect.NoError(t, err)
	near(t, "loss", losses[0][0], math.Log(3), 1e-14)
}

func TestAnchorLossesRefusals(t *testing.T) {
	eng, good, none := openEngine(t), [][][]float64{{{1}, {1}}}, make([]bool, 1)
	for _, c := range []struct {
		name    string
		batches [][][]float64
		labeled []bool
		class   []int32
		tau     float64
		words   []string
	}{
		{"no batches", nil, none, nil, 1, []string{"0 batches"}},
		{"no examples", good, nil, nil, 1, []string{"0 examples"}},
		{"rows", [][][]float64{{{1}, {1}}, {{1}}}, none, nil, 1, []string{"batch 1", "1 rows"}},
		{"coordinates", [][][]float64{{{1}, {1, 2}}}, none, nil, 1, []string{"row 1 of batch 0", "2 coordinates"}},
		{"no coordinates", [][][]float64{{{}, {}}}, none, nil, 1, []string{"0 coordinates"}},
		{"classes", good, none, []int32{1, 2}, 1, []string{"2 classes"}},
		{"temperature", good, none, nil, -1, []string{"τ = -1"}},
	} {
		_, err := AnchorLosses(eng, pucl.SSCL(), c.batches, c.labeled, c.class, c.tau)
		wantError(t, c.name, err, c.words...)
	}
	wantError(t, "engine", expect.Err(AnchorLosses(nil, pucl.SSCL(), good, none, nil, 1)), "no engine")
	wantError(t, "objective", expect.Err(AnchorLosses(eng, pucl.Objective{Name: "half"}, good, none, nil, 1)), "half")
	expect.NoError(t, expect.Err(AnchorLosses(eng, pucl.NPair(), good, none, nil, 1))) // one example
	_, err := AnchorLosses(eng, pucl.DCL(pucl.DCLConfig{}), good, none, nil, 1)
	wantError(t, "a batch of one", err, "2 examples or more")
}

var (
	openEngine = enginetest.Open
	near       = theorytest.Near
	wantError  = theorytest.WantError
	cosine     = theorytest.Cosine
)

// worldOf returns a population and a design in the form of the loops in theorytest.
func worldOf(p Population, d Design) theorytest.World {
	w := theorytest.World{Positive: theorytest.Atoms(p.Positive), Negative: theorytest.Atoms(p.Negative), Labeled: d.Labeled,
		Unlabeled: d.Unlabeled, Prior: d.Prior, SameView: d.SameView}
	if d.Scheme == SingleDataset {
		w.LabelRate = d.LabelRate
	}
	return w
}

// paperObjectives returns the objectives of the paper that the conformance files and the references contain.
func paperObjectives() []pucl.Objective {
	return []pucl.Objective{pucl.SSCL(), pucl.PUCL(), pucl.SCLPU()}
}

type meterKey struct {
	name string
	tau  float64
}

var meters = map[meterKey]*Meter{}

// meterOf returns the one meter for an objective and a temperature that all tests share, so that graphs compile once.
func meterOf(t testing.TB, o pucl.Objective, tau float64) *Meter {
	t.Helper()
	key := meterKey{o.Name, tau}
	if m := meters[key]; m != nil {
		return m
	}
	m := expect.Must(NewMeter(openEngine(t), o, tau))(t)
	meters[key] = m
	return m
}

// quartet returns a population of two atoms a class in the plane, of various lengths.
func quartet() Population {
	return Population{
		Positive: []Atom{{[]float64{2, 0}, 0.6}, {[]float64{0.5, math.Sqrt(0.75)}, 0.4}},
		Negative: []Atom{{[]float64{-0.1, 0.02}, 0.7}, {[]float64{-3, 5}, 0.3}},
	}
}

// sextet returns a population of four positive and two negative atoms in space; one point belongs to both classes.
func sextet() Population {
	return Population{
		Positive: []Atom{{[]float64{1, 0, 0.2}, 0.1}, {[]float64{0, 1, 1}, 0.2}, {[]float64{-1, 1, 0.3}, 0.3}, {[]float64{0, 0, -2}, 0.4}},
		Negative: []Atom{{[]float64{1, -1, 1}, 0.55}, {[]float64{0, 0, -2}, 0.45}},
	}
}
