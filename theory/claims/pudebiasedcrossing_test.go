package claims

import (
	"fmt"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory"
)

// The counted errors are those of all batches, and the crossing lies where the errors are measured to cross.
func TestCountedErrors(t *testing.T) {
	c := debiasedCases()[2].contrastCase
	for _, size := range [][2]int{{2, 2}, {3, 2}} {
		d := theory.Design{Labeled: size[0], Unlabeled: size[1], Prior: 0.3}
		s := onBench(t)
		e := s.squaredErrors(c.world, d)
		plain, debiased := countedErrors(c.world, d)
		near(t, fmt.Sprintf("PUCL, %v", size), plain, e.plain, 1e-12)
		near(t, fmt.Sprintf("PU-debiased, %v", size), debiased, e.debiased, 1e-12)
	}
	at := countedCrossing(c, 90, 114)
	expect.That(t, at > 100 && at < 104, "the errors cross at %g examples", at)
}
