package claims

import (
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestLeastPlacements(t *testing.T) {
	got := leastPlacements([]float64{2, 1, 1 + 1e-12, 1.1})
	expect.That(t, slices.Equal(got, []bool{false, true, true, false}), "%v", got)
}

// With one point a class nothing is random but the mean over all data, and with one draw of it everything is by hand: π = ½,
// points ±1 and e^(1/τ) = 2, so that the mean is 2 or ½, the debiased one 2·mean − 2 or its floor ½, and the true one ½.
func TestDCLGap(t *testing.T) {
	p := TwoPoints()
	got := expect.Must(DCLGap(p, 0.5, halfTau, 1, 1, 1))(t)
	loss := func(mean float64) float64 { return math.Log1p(mean / 2) }
	near(t, "gap", got, (loss(2)+loss(0.5))/2-loss(0.5), 1e-12)
	wantError(t, "temperature", expect.Err(DCLGap(p, 0.5, 0, 1, 1, 1)), "τ = 0")
}
