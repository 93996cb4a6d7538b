package onednn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// dot is a product of arrays with the axes that DotGeneral is told of.
type dot struct {
	left, right                                    []int
	leftBatch, leftSummed, rightBatch, rightSummed []int
}

// axis is one of an array, the number-th of its kind.
type axis struct{ size, kind, number int }

const (
	ofBatch = iota
	summed
	outer // a row or column
)

// randomProduct draws one of eight thousand to a million multiplications. Its axes lie in any order, some of them of size 1.
func randomProduct(rng *rand.Rand) (d dot) {
	for {
		var left, right []axis
		work := 1
		draw := func(kind, count int) (axes []axis) {
			for number := range count {
				size := 1 + rng.IntN(60)
				switch rng.IntN(5) {
				case 0:
					size = 1
				case 1:
					size = 200 + rng.IntN(200)
				}
				work *= size
				axes = append(axes, axis{size, kind, number})
			}
			return axes
		}
		both := append(draw(ofBatch, rng.IntN(3)), draw(summed, rng.IntN(3))...)
		left = append(append(left, both...), draw(outer, 1+rng.IntN(2))...)
		right = append(append(right, both...), draw(outer, 1+rng.IntN(2))...)
		if work < 1<<13 || work > 1<<20 {
			continue
		}
		d.left, d.leftBatch, d.leftSummed = lay(rng, left)
		d.right, d.rightBatch, d.rightSummed = lay(rng, right)
		return d
	}
}

// lay puts the axes in an order, mostly with those of a kind side by side, and tells where those of the first two kinds are.
func lay(rng *rand.Rand, axes []axis) (dims, batch, sums []int) {
	if rng.IntN(2) == 0 {
		rng.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	}
	if rng.IntN(6) > 0 {
		order := rng.Perm(3)
		slices.SortStableFunc(axes, func(a, b axis) int { return order[a.kind] - order[b.kind] })
	}
	for number := range axes {
		if at := slices.IndexFunc(axes, func(a axis) bool { return a.kind == ofBatch && a.number == number }); at >= 0 {
			batch = append(batch, at)
		}
		if at := slices.IndexFunc(axes, func(a axis) bool { return a.kind == summed && a.number == number }); at >= 0 {
			sums = append(sums, at)
		}
	}
	for _, a := range axes {
		dims = append(dims, a.size)
	}
	return dims, batch, sums
}

func (d dot) graph(a, b *Node) *Node {
	return DotGeneral(a, d.leftSummed, d.leftBatch, b, d.rightSummed, d.rightBatch)
}

// loops computes the product by its definition, in float64.
func (d dot) loops(a, b *tensors.Tensor) (product []float64, inner int) {
	left, batch, inner := arranged(a, d.leftBatch, d.leftSummed)
	right, _, _ := arranged(b, d.rightBatch, d.rightSummed)
	rows, columns := len(left)/batch/inner, len(right)/batch/inner
	product = make([]float64, batch*rows*columns)
	for i := range product {
		at, row, column := i/(rows*columns), i/columns%rows, i%columns
		x, y := left[(at*rows+row)*inner:][:inner], right[(at*columns+column)*inner:][:inner]
		for k := range x {
			product[i] += x[k] * y[k]
		}
	}
	return product, inner
}

// TestRandomProducts compares products of random sizes, with their axes in any order, with loops.
func TestRandomProducts(t *testing.T) {
	eng := withOneDNN(t)
	const cases = 150
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(9, round))
		onednn.Forget()
		for i := range cases {
			d := randomProduct(rng)
			a, b := values(rng, d.left...), values(rng, d.right...)
			got, err := CallOnce(eng.Backend, d.graph, a, b)
			if err != nil {
				t.Fatalf("round %d, %d, %+v: %v", round, i, d, err)
			}
			want, inner := d.loops(a, b)
			near(t, fmt.Sprintf("round %d, %d, %+v", round, i, d), got, want, inner)
		}
		if made := onednn.Made(); made.Product < cases/3 {
			t.Errorf("round %d: of %d products oneDNN did only %d", round, cases, made.Product)
		}
	}
}
