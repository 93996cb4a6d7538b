package evaluate

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
)

// At its ends the Wilson interval has proportions that lie just z standard errors, their own, from the share that was seen; of
// none in n it is from 0 to z²/(n+z²).
func TestWilson(t *testing.T) {
	const z = 1.959963984540054 // the normal quantile of 0.975
	for _, tt := range []struct {
		share float64
		n     int
	}{{0.5, 10}, {0.07, 300}, {1. / 3, 3}, {0.999, 1000}} {
		low, high, err := Wilson(tt.share, tt.n, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []float64{low, high} {
			if far := math.Abs(tt.share-p) / math.Sqrt(p*(1-p)/float64(tt.n)); !(math.Abs(far-z) < 1e-9) {
				t.Errorf("share %g of %d: %g lies %g standard errors away, want %g", tt.share, tt.n, p, far, z)
			}
		}
	}
	low, high, err := Wilson(0, 8, 0.95)
	if err != nil || low != 0 || math.Abs(high-z*z/(8+z*z)) > 1e-12 {
		t.Errorf("none of 8: %g to %g, %v", low, high, err)
	}
	for n := range 100 { // exactly, whatever rounding does
		none, _, err := Wilson(0, n+1, 0.95)
		_, all, otherErr := Wilson(1, n+1, 0.95)
		if none != 0 || all != 1 || err != nil || otherErr != nil {
			t.Errorf("none and all of %d: from %g, to %g, %v, %v", n+1, none, all, err, otherErr)
		}
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
