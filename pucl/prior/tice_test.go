package prior

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

// TIcE agrees with testdata/make_tice.py, which is written in loops and shares the folds.
func TestTIcEAgainstReference(t *testing.T) {
	var cases []struct {
		X       [][]float64
		Labeled int
		Fold    []int
		C       float64
	}
	data := expect.Must(os.ReadFile("testdata/tice.json"))(t)
	expect.NoError(t, json.Unmarshal(data, &cases))
	expect.Equal(t, len(cases), 6)
	for i, c := range cases {
		once := ticeOf(c.X, c.Labeled, c.Fold)
		expect.Near(t, once.labelFrequency(), c.C, 1e-12, "case %d", i)
		// A row of weight 2 counts as two rows.
		twice := ticeOf(slices.Concat(c.X[:c.Labeled], c.X), 2*c.Labeled, slices.Concat(c.Fold[:c.Labeled], c.Fold))
		for row := range c.Labeled {
			once.weights[row] = 2
		}
		expect.Near(t, once.labelFrequency(), twice.labelFrequency(), 1e-12, "case %d, labeled rows twice", i)
	}
}

// ticeOf returns the data of TIcE, the first rows labeled.
func ticeOf(x [][]float64, labeled int, fold []int) tice {
	t := tice{labeled: make([]bool, len(x)), fold: fold, weights: slices.Repeat([]float64{1}, len(x))}
	for row := range labeled {
		t.labeled[row] = true
	}
	features := mat.NewDense(len(x), len(x[0]), slices.Concat(x...))
	for j := range x[0] {
		t.parts = append(t.parts, partsOf(mat.Col(nil, j, features)))
	}
	return t
}

// Parts have equal width, a border belongs to the part above it, and a constant feature has one part.
func TestPartsOfARange(t *testing.T) {
	expect.Equal(t, partsOf([]float64{-1, -0.01, 0, 1, 2.99, 3, 1.99, 0.99}), []uint8{0, 0, 1, 2, 3, 3, 2, 1})
	expect.Equal(t, partsOf([]float64{7, 7}), []uint8{0, 0})
}

// With large nodes the estimate is an upper bound: for Gaussian classes 3 apart in one of two features it is above
// the prior, by at most 0.2.
func TestTIcEIsABoundWithManyRows(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 77))
		x, labeled := mat.NewDense(5000, 2, nil), make([]bool, 5000)
		for i := range labeled {
			labeled[i] = i < 1000
			for j := range 2 {
				x.Set(i, j, random.NormFloat64())
			}
			if i >= 1000+2000 {
				x.Set(i, 0, x.At(i, 0)+3)
			}
		}
		got := expect.Must(TIcE(x, labeled, Config{Resamples: -1, Seed: seed}))(t)
		expect.That(t, got.Prior > 0.5 && got.Prior < 0.7 && got.OverlapUnknown, "seed %d: %v, want 0.5 to 0.7", seed, got)
	}
}
