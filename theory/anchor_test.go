package theory

import (
	"math"
	"testing"
)

// Positives at +1 and −1 with probability ¾ and ¼, negatives at −1, π = 0.4 and e^(1/τ) = 2.
func TestAnchorsByHand(t *testing.T) {
	p := Population{
		Positive: []Atom{{[]float64{1}, 0.75}, {[]float64{-1}, 0.25}},
		Negative: []Atom{{[]float64{-1}, 1}},
	}
	anchors, err := Anchors(p, 0.4, 1/math.Ln2)
	if err != nil {
		t.Fatal(err)
	}
	if len(anchors) != 3 {
		t.Fatalf("%d anchors, want 3", len(anchors))
	}
	for i, want := range []struct {
		positive               bool
		p, tauPlus             float64
		own, other, all, meanS float64
	}{
		{true, 0.3, 0.4, 0.75*2 + 0.25*0.5, 0.5, 0.4*1.625 + 0.6*0.5, 0.5 * math.Ln2},
		{true, 0.1, 0.4, 0.75*0.5 + 0.25*2, 2, 0.4*0.875 + 0.6*2, -0.5 * math.Ln2},
		{false, 0.6, 0.6, 2, 0.75*0.5 + 0.25*2, 0.6*2 + 0.4*0.875, math.Ln2},
	} {
		a := anchors[i]
		if a.Positive != want.positive {
			t.Errorf("anchor %d is of the wrong class", i)
		}
		near(t, "probability", a.P, want.p, 1e-15)
		near(t, "τ⁺", a.TauPlus, want.tauPlus, 1e-15)
		near(t, "own", MeanExp(a.Own), want.own, 1e-14)
		near(t, "other", MeanExp(a.Other), want.other, 1e-14)
		near(t, "all", MeanExp(a.All()), want.all, 1e-14)
		near(t, "mean s", Mean(a.Own, func(s float64) float64 { return s }), want.meanS, 1e-14)
	}
	if one, err := Anchors(p, 1, 1); err != nil || len(one) != 2 {
		t.Errorf("with π = 1: %d anchors, %v; want the 2 positive ones", len(one), err)
	}
	_, err = Anchors(p, -0.1, 1)
	wantError(t, "prior", err, "π = -0.1")
	_, err = Anchors(p, 0.5, 0)
	wantError(t, "temperature", err, "τ = 0")
}

func TestExpectMeanExpAgainstAllSequences(t *testing.T) {
	of := []Encounter{{0.3, 0.2}, {-1, 0.5}, {0.3, 0.1}, {0.8, 0.2}} // one value twice
	p := make([]float64, len(of))
	for i, e := range of {
		p[i] = e.P
	}
	for _, n := range []int{1, 2, 4} {
		want := 0.0
		sequences(p, n, func(drawn []int, probability float64) {
			sum := 0.0
			for _, k := range drawn {
				sum += math.Exp(of[k].S)
			}
			want += probability * math.Sqrt(sum/float64(n))
		})
		got, err := ExpectMeanExp(of, n, math.Sqrt)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "expectation", got, want, 1e-14)
	}
	_, err := ExpectMeanExp(of, 0, math.Sqrt)
	wantError(t, "no draws", err, "0 draws")
	if merged := mergeEqual(of); len(merged) != 3 || !(math.Abs(merged[0].P-0.3) <= 1e-15) {
		t.Errorf("merged into %v", merged)
	}
}
