package encoder

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/expect"
)

// The product of a dense layer and both gradients against plain loops in float64.
func TestProduct(t *testing.T) {
	const n, k, m = 6, 4, 3
	rng := rand.New(rand.NewPCG(7, 7))
	x, w, v := normals(rng, n*k), normals(rng, k*m), normals(rng, n*m)
	out := outputs(t, pureGo(t), func(in []*Node) []*Node {
		y := product(in[0], in[1])
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, in[2])), in[:2]...)...)
	}, tensorOf(x, n, k), tensorOf(w, k, m), tensorOf(v, n, m))
	y, dx, dw := make([]float64, n*m), make([]float64, n*k), make([]float64, k*m)
	for i := range n {
		for j := range k {
			for l := range m {
				y[i*m+l] += x[i*k+j] * w[j*m+l]
				dx[i*k+j] += v[i*m+l] * w[j*m+l]
				dw[j*m+l] += x[i*k+j] * v[i*m+l]
			}
		}
	}
	for i, want := range [][]float64{y, dx, dw} {
		near(t, fmt.Sprintf("output %d", i), out[i], want, 1e-12)
	}
}

// Products of columns against plain loops, with sums that are and are not cut into a batch, and either factor the
// narrower one.
func TestColumnProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, size := range [][3]int{{1, 2, 3}, {7, 3, 2}, {256, 2, 5}, {768, 5, 4}, {4096, 3, 3}} {
		m, a, b := size[0], size[1], size[2]
		x, y := normals(rng, m*a), normals(rng, m*b)
		got := expect.Must(ExecOnce(pureGo(t), columnProducts, tensorOf(x, m, a), tensorOf(y, m, b)))(t)
		expect.Equal(t, got.Shape().Dimensions, []int{a, b})
		want := make([]float64, a*b)
		for row := range m {
			for k := range want {
				want[k] += x[row*a+k/b] * y[row*b+k%b]
			}
		}
		near(t, fmt.Sprint(size), got, want, 1e-11)
	}
}
