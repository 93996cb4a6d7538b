package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// Entries of every size must come to lie on one grid, on which sums are exact, near the rows they stand for.
func TestRowsLieOnAGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	x := Float32s{D: 3}
	for range 900 {
		x.Data = append(x.Data, float32(1e4+math.Exp(20*rng.Float64()-10)))
	}
	rows := tableOf(t, x)
	largest := 0.0
	for i := range 300 {
		square := 0.0
		for j, value := range rows.pieces[i/100].row(i % 100) {
			entry := float64(value)
			if units := entry * (1 << 24); units != math.Trunc(units) {
				t.Fatalf("row %d holds %g, no multiple of 2^-24", i, entry)
			}
			vectortest.Near(t, "entry", entry/rows.scale+rows.mean[j], float64(x.Data[i*3+j]), 1e-7)
			largest = max(largest, math.Abs(entry))
			square += entry * entry
		}
		vectortest.Near(t, "squared length", float64(rows.squares[i]), square, 1e-7)
	}
	if largest <= 0.5 || largest > 1 {
		t.Errorf("the largest entry is %g", largest)
	}
}
