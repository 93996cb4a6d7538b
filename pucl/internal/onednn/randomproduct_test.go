package onednn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// dot is a product of arrays with the axes of a DotGeneral.
type dot struct {
	left, right                                    []int
	leftBatch, leftSummed, rightBatch, rightSummed []int
}

// axis is an axis of an array, the number-th of its kind.
type axis struct{ size, kind, number int }

const (
	ofBatch = iota
	summed
	outer // a row or column
)

// randomProduct draws a product of eight thousand to a million multiplications. Its axes are in any order, some of them
// of size 1.
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

// lay orders the axes, usually with axes of a kind adjacent, and returns the positions of the first two kinds.
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

// products are common products.
var products = []dot{
	{[]int{70, 80}, []int{80, 90}, nil, []int{1}, nil, []int{0}},                             // plain
	{[]int{80, 70}, []int{80, 90}, nil, []int{0}, nil, []int{0}},                             // left transposed
	{[]int{70, 80}, []int{90, 80}, nil, []int{1}, nil, []int{1}},                             // right transposed
	{[]int{80, 70}, []int{90, 80}, nil, []int{0}, nil, []int{1}},                             // both transposed
	{[]int{5000, 64}, []int{64, 2}, nil, []int{1}, nil, []int{0}},                            // two columns
	{[]int{70, 8, 16}, []int{8, 16, 90}, nil, []int{1, 2}, nil, []int{0, 1}},                 // two sums
	{[]int{70, 8, 16}, []int{16, 8, 90}, nil, []int{1, 2}, nil, []int{1, 0}},                 // two sums crossed
	{[]int{7, 10, 80}, []int{80, 9, 10}, nil, []int{2}, nil, []int{0}},                       // more rows
	{[]int{6, 50, 40}, []int{6, 40, 30}, []int{0}, []int{2}, []int{0}, []int{1}},             // batch
	{[]int{6, 40, 50}, []int{6, 30, 40}, []int{0}, []int{1}, []int{0}, []int{2}},             // batch transposed
	{[]int{50, 6, 40}, []int{40, 6, 30}, []int{1}, []int{2}, []int{1}, []int{0}},             // batch last
	{[]int{2, 3, 50, 40}, []int{2, 3, 40, 30}, []int{0, 1}, []int{3}, []int{0, 1}, []int{2}}, // two batches
	{[]int{50, 6, 40}, []int{6, 40, 30}, []int{1}, []int{2}, []int{0}, []int{1}},             // batch split
}

// TestRandomProducts compares products, common ones and some of random sizes with their axes in any order, with loops.
func TestRandomProducts(t *testing.T) {
	eng := withOneDNN(t)
	const cases = 100
	for round := range *rounds {
		rng := rand.New(rand.NewPCG(9, round))
		onednn.Forget()
		all := slices.Clone(products)
		for range cases {
			all = append(all, randomProduct(rng))
		}
		var args []*tensors.Tensor
		for _, d := range all {
			args = append(args, values(rng, d.left...), values(rng, d.right...))
		}
		results := expect.Must(CallOnceN(eng.Backend, func(in []*Node) (out []*Node) { // one graph compiles several times as fast
			for i, d := range all {
				out = append(out, d.graph(in[2*i], in[2*i+1]))
			}
			return out
		}, anyOf(args)...))(t)
		for i, d := range all {
			want, inner := d.loops(args[2*i], args[2*i+1])
			near(t, fmt.Sprintf("round %d, %d, %+v", round, i, d), results[i], want, inner)
		}
		made := onednn.Made().Product
		expect.That(t, made >= cases/3, "round %d: of %d products oneDNN did only %d", round, cases, made)
	}
}
