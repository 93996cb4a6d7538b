package pucl

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// With the τ⁺ of a rate, L_Pos is the N-pair loss of positives of which that share is drawn from the negatives, anchor by anchor.
func TestTauPlusForRate(t *testing.T) {
	eng := enginetest.Open(t)
	for seed := range uint64(3) {
		s := draw(int(seed), 2, 0.5)
		for _, rate := range []float64{0, 0.2, 0.7} {
			want := s.average(func(i int) float64 {
				own, views := s.mass(i, s.own)
				negative, n := s.mass(i, s.foreign)
				pMinus := negative / n
				return math.Log1p(n * pMinus / ((1-rate)*own/views + rate*pMinus))
			})
			o := DebiasedPos(DebiasedPosConfig{TauPlus: TauPlusForRate(rate, len(s.labeled), 2)})
			got := expect.Must(o.Value(eng, s.z, s.labeled, s.tau))(t)
			near(t, "loss", got, want, 1e-12)
		}
	}
	near(t, "three views", TauPlusForRate(0.5, 10, 3), 2/(29*0.5), 1e-15)
	panics := func(f func()) (err error) {
		defer func() { err, _ = recover().(error) }()
		f()
		return nil
	}
	for _, tt := range []struct {
		rate            float64
		examples, views int
		says            string
	}{
		{1, 8, 2, "a share of 1 false positives … below 1"},
		{-0.1, 8, 2, "a share of -0.1 … from 0"},
		{0.5, 1, 2, "batches of 1 examples with 2 views … 2 or more"},
		{0.9, 2, 2, "τ⁺ = 3.33 … above 1; make batches larger"},
	} {
		refusal.Check(t, panics(func() { TauPlusForRate(tt.rate, tt.examples, tt.views) }), tt.says)
	}
}

// The share on the floor is counted by hand: four right angles, where the own view of two of the anchors is opposite.
func TestFloored(t *testing.T) {
	eng := enginetest.Open(t)
	z := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, 1}} // the first example's views are opposite, the second's one
	// e^(−1/τ) − ½ is below 0 for the views of the first example, e^(1/τ) − ½ is not for those of the second.
	pairs, err := (DebiasedPosConfig{TauPlus: 0.5, Mixture: ObservedPositives}).Floored().Value(eng, z, []bool{false, false}, 0.5)
	expect.NoError(t, err)
	near(t, "of pairs", pairs, 0.5, 0)
	got := expect.Must((DebiasedPosConfig{TauPlus: 0.5}).Floored().Value(eng, z, []bool{false, false}, 0.5))(t)
	near(t, "with all rows", got, 0, 0)
}
