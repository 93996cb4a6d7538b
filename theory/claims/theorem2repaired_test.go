package claims

import (
	"math/big"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestTheorem2InequalityVerdict(t *testing.T) {
	c, err := check(t, Theorem2Inequality())
	if err != nil || c.Verdict != Holds || c.Number.Value <= 0 {
		t.Fatalf("%s, %v", c, err)
	}
}

// ssCL averaged over the pairings is PUCL, and PUCL averaged is PUCL, but neither is SCL-PU.
func TestPairingError(t *testing.T) {
	s := &subject{eng: openEngine(t)}
	near(t, "PUCL", pairingError(s, pucl.PUCL(), pucl.PUCL()), 0, 1e-14)
	if off := pairingError(s, pucl.SSCL(), pucl.SCLPU()); off < 0.01 {
		t.Errorf("SCL-PU is only %g off", off)
	}
	count, seen := 0, map[[4]int]bool{}
	for order := range permutations(4) {
		count++
		seen[[4]int(order)] = true
	}
	if count != 24 || len(seen) != 24 {
		t.Errorf("%d orders of which %d differ", count, len(seen))
	}
}

func TestTheorem2VarianceRepairedVerdict(t *testing.T) {
	c, err := check(t, Theorem2VarianceRepaired())
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	near(t, "number", c.Number.Value, 4/27.0, 1e-15) // 2·2·1/(3·9)
}

// Signs: ζ₂ = 1, and the variances are those of signVariances.
func TestPairMeansOfSigns(t *testing.T) {
	kernel := [][]*big.Rat{{whole(1), whole(-1)}, {whole(-1), whole(1)}}
	half := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}
	separate, all := pairMeans(kernel, half, 2)
	wantSeparate, wantAll := signVariances(2)
	if separate.Cmp(wantSeparate) != 0 || all.Cmp(wantAll) != 0 || pairRest(kernel, half).Cmp(whole(1)) != 0 {
		t.Errorf("%s, %s, ζ₂ = %s", separate, all, pairRest(kernel, half))
	}
	uneven := []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)}
	v, _, err := theory.Population{Positive: onAxis(0.75), Negative: onAxis(1)}.PairVariance(1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ζ₂", decimal(pairRest(kernel, uneven)), v.Rest, 1e-15)
}
