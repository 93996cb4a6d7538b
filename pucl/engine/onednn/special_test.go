package onednn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
)

// denormal is a factor that makes numbers near 1 too small for their usual form. XLA takes such numbers for 0.
const denormal = 1e-40

// specials are put into arrays in the tests below.
var specials = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, 1e30, denormal}

// spoil writes special to two places of a, or makes all of it zeros or denormal.
func spoil(a *tensors.Tensor, special float32, rng *rand.Rand) {
	if special == 0 || special == denormal {
		scale(special, a)
		return
	}
	tensors.MustMutableFlatData(a, func(flat []float32) {
		for range 2 {
			flat[rng.IntN(len(flat))] = special
		}
	})
}

// class returns what kind of number v is: NaN, an infinity, zero or another.
func class(v float64) string {
	switch {
	case v != v:
		return "NaN"
	case math.IsInf(v, 0):
		return fmt.Sprint(v)
	case math.Abs(v) < 0x1p-126:
		return "0"
	}
	return "a number"
}

// alike fails the test where a number of got is of another class than XLA's, or a number of another size. The definition has NaNs at
// fewer places than XLA, which multiplies NaNs and infinities with the zeros of the padding: there either is right.
func alike(t *testing.T, what string, got, xla *tensors.Tensor, definition []float64) {
	t.Helper()
	want := tensors.MustCopyFlatData[float32](xla)
	for i, v := range tensors.MustCopyFlatData[float32](got) {
		here, there := class(float64(v)), class(float64(want[i]))
		if here != there && !(there == "NaN" && here == class(definition[i])) {
			t.Fatalf("%s: number %d is %v, XLA's is %v, by definition %v", what, i, v, want[i], definition[i])
		}
		size := math.Abs(definition[i])
		if here == "a number" && !(math.Abs(float64(v)-definition[i]) <= 1e-3+1e-4*size) && size < 1e20 {
			t.Fatalf("%s: number %d is %v, by definition %v", what, i, v, definition[i])
		}
	}
}

// TestSpecialValuesInConvolutions: a NaN or an infinity comes out where it comes out of XLA, and nowhere else, so that one bad image
// spoils no other; numbers that XLA takes for 0 are 0.
func TestSpecialValuesInConvolutions(t *testing.T) {
	eng := withOneDNN(t)
	for _, f := range []filter{
		{6, 9, 8, 16, 17, 3, 3, 1, 1, 1, 1},
		{6, 9, 8, 15, 17, 3, 3, 2, 1, 1, 1},
		{6, 9, 8, 3, 64, 5, 5, 1, 1, 2, 2},
		{6, 9, 8, 64, 33, 1, 1, 2, 1, 0, 0},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		called, alone, _ := bothExecs(t, eng, 3, f.graph, f.inputs(rng)...)
		for _, special := range specials {
			for where, name := range []string{"x", "w", "v"} {
				in := f.inputs(rng)
				spoil(in[where], special, rng)
				got, want := called.MustCall(anyOf(in)...), alone.MustCall(anyOf(in)...)
				y, dx, dw := f.loops(in)
				for i, definition := range [][]float64{y, dx, dw} {
					alike(t, fmt.Sprintf("%+v, %v in %s, %s", f, special, name, []string{"y", "dx", "dw"}[i]), got[i], want[i], definition)
				}
			}
		}
	}
}

// TestSpecialValuesInProducts: a NaN in a row spoils this row of the product, and so on.
func TestSpecialValuesInProducts(t *testing.T) {
	eng := withOneDNN(t)
	for _, d := range []dot{
		{[]int{70, 80}, []int{80, 90}, nil, []int{1}, nil, []int{0}},
		{[]int{83, 71}, []int{93, 83}, nil, []int{0}, nil, []int{1}},
		{[]int{6, 50, 41}, []int{6, 41, 33}, []int{0}, []int{2}, []int{0}, []int{1}},
		{[]int{50, 6, 41}, []int{41, 6, 33}, []int{1}, []int{2}, []int{1}, []int{0}},
		{[]int{300, 300}, []int{300, 300}, nil, []int{1}, nil, []int{1}},
	} {
		rng := rand.New(rand.NewPCG(13, 14))
		called, alone, _ := bothExecs(t, eng, 1, func(in []*Node) []*Node {
			return []*Node{d.graph(in[0], in[1])}
		}, values(rng, d.left...), values(rng, d.right...))
		for _, special := range specials {
			for where := range 2 {
				in := []*tensors.Tensor{values(rng, d.left...), values(rng, d.right...)}
				spoil(in[where], special, rng)
				definition, _ := d.loops(in[0], in[1])
				got, want := called.MustCall(anyOf(in)...), alone.MustCall(anyOf(in)...)
				alike(t, fmt.Sprintf("%+v, %v in %d", d, special, where), got[0], want[0], definition)
			}
		}
	}
}
