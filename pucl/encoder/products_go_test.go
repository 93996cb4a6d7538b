package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
)

// The product of a dense layer and both gradients against plain loops in float64.
func TestProduct(t *testing.T) {
	const n, k, m = 6, 4, 3
	rng := rand.New(rand.NewPCG(7, 7))
	x, w, v := normals(rng, n*k), normals(rng, k*m), normals(rng, n*m)
	out, err := ExecOnceN(pureGo(t), func(x, w, v *Node) []*Node {
		y := product(x, w)
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, v)), x, w)...)
	}, tensors.FromFlatDataAndDimensions(x, n, k), tensors.FromFlatDataAndDimensions(w, k, m), tensors.FromFlatDataAndDimensions(v, n, m))
	if err != nil {
		t.Fatal(err)
	}
	want := [3][]float64{make([]float64, n*m), make([]float64, n*k), make([]float64, k*m)}
	for i := range n {
		for j := range k {
			for l := range m {
				want[0][i*m+l] += x[i*k+j] * w[j*m+l]
				want[1][i*k+j] += v[i*m+l] * w[j*m+l]
				want[2][j*m+l] += x[i*k+j] * v[i*m+l]
			}
		}
	}
	for o, tensor := range out {
		for i, got := range tensors.MustCopyFlatData[float64](tensor) {
			if !(math.Abs(got-want[o][i]) <= 1e-12) {
				t.Errorf("output %d, entry %d: %g, want %g", o, i, got, want[o][i])
			}
		}
	}
}

// Products of columns against plain loops, with sums that are and are not cut into a batch, and either factor the narrower one.
func TestColumnProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, size := range [][3]int{{1, 2, 3}, {7, 3, 2}, {256, 2, 5}, {768, 5, 4}, {4096, 3, 3}} {
		m, a, b := size[0], size[1], size[2]
		x, y := normals(rng, m*a), normals(rng, m*b)
		got, err := ExecOnce(pureGo(t), columnProducts, tensors.FromFlatDataAndDimensions(x, m, a), tensors.FromFlatDataAndDimensions(y, m, b))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Shape().Dimensions, []int{a, b}) {
			t.Fatalf("%v: shape %s", size, got.Shape())
		}
		for k, value := range tensors.MustCopyFlatData[float64](got) {
			want := 0.0
			for row := range m {
				want += x[row*a+k/b] * y[row*b+k%b]
			}
			if !(math.Abs(value-want) <= 1e-11) {
				t.Errorf("%v, entry %d: %g, want %g", size, k, value, want)
			}
		}
	}
}
