package theory

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

// Blocks of unequal weight and mean must give what one block gives.
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
	if k.value() != 2 {
		t.Errorf("1 + 1e100 + 1 − 1e100 = %g", k.value())
	}
}

// Multisets must cover the sequences: every sorted sequence once, with the summed probability of its orders.
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
			if !slices.IsSorted(drawn) {
				t.Errorf("%v is not ascending", drawn)
			}
			var counts [4]int
			for _, o := range drawn {
				counts[o]++
			}
			near(t, "probability of a multiset", probability, want[counts], 1e-15)
			delete(want, counts)
		}
		if len(want) != 0 || countDraws(len(p), size, false) != float64(multisets) {
			t.Errorf("size %d: %d multisets, counted %g; missing %v", size, multisets, countDraws(len(p), size, false), want)
		}
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
	if seen != 3 {
		t.Errorf("%d draws seen", seen)
	}
	if n := countDraws(6, 500, false); !(n > 2e11 && n < 4e11) { // C(505, 5)
		t.Errorf("%g multisets of 500 draws from 6", n)
	}
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
	if shifted := a.Minus(Exactly(1)); shifted != (Number{4, 1, 8}) {
		t.Errorf("%v", shifted)
	}
	if s := Exactly(1.0 / 3).String(); s != "0.333333" {
		t.Error(s)
	}
	if s := a.String(); s != "5 [2, 9]" {
		t.Error(s)
	}
	if !a.Contains(2) || !a.Contains(9) || a.Contains(9.1) || a.Contains(1.9) || a.Contains(math.NaN()) {
		t.Error("Contains is wrong at an end")
	}
}
