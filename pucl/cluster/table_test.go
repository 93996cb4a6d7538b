package cluster

import (
	"errors"
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

// Wherever the blocks end, columns of numbers of all sizes have the same mean to the last bit.
func TestBlocksChangeNoMean(t *testing.T) {
	rng, x := rand.New(rand.NewPCG(3, 4)), Float32s{D: 3}
	for range 3 * 5000 {
		x.Data = append(x.Data, float32(math.Exp(20*rng.NormFloat64())))
	}
	want := must[*table](t)(newTable(x, nil, 0, 4096))
	for _, block := range []int{1000, 3000} {
		got := must[*table](t)(newTable(x, nil, block, 4096))
		for j, mean := range got.mean {
			if mean != want.mean[j] {
				t.Errorf("blocks of %d: mean %v, want %v", block, mean, want.mean[j])
			}
		}
	}
}

// No more rows than a block are in memory, and as many as whole pieces of 100 fill.
func TestBlockBoundsMemory(t *testing.T) {
	x := blobs(15, 500, 2, 3, 1)
	for _, block := range []int{1, 99, 100, 101, 199, 350, 499, 600} {
		rows := must[*table](t)(newTable(x, nil, block, 100))
		if held := len(rows.pieces) * len(rows.pieces[0].rows) / 2; held > block || held < min(block, 500)/100*100 {
			t.Errorf("%d rows in memory in blocks of %d", held, block)
		}
	}
}

// Where a source fails in the first pass, it is told once and not read on.
func TestTheFirstErrorEnds(t *testing.T) {
	broken := errors.New("disk on fire")
	x := &faulty{Float32s: blobs(12, 20, 2, 3, 1), broken: func(int, []float32) error { return broken }}
	if _, err := (KMeans{K: 2, Block: 20}).Fit(x); err == nil || err.Error() != broken.Error() || x.reads != 1 {
		t.Errorf("%v after %d reads", err, x.reads)
	}
}
