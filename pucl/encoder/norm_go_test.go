package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
)

// Value, statistics and the three gradients of batch normalization against plain loops and their central differences in
// float64, for numbers of rows with and without divisors.
func TestNormalizeByProducts(t *testing.T) {
	const epsilon = 1e-5
	backend := pureGo(t)
	for _, dims := range [][]int{{7, 3}, {2, 3, 4, 2}, {128, 1}, {1, 1, 1, 2}} {
		channels := dims[len(dims)-1]
		rows := 1
		for _, n := range dims[:len(dims)-1] {
			rows *= n
		}
		rng := rand.New(rand.NewPCG(5, 5))
		numbers := func(size int) []float64 {
			flat := make([]float64, size)
			for i := range flat {
				flat[i] = 3 + rng.NormFloat64()
			}
			return flat
		}
		in := [3][]float64{numbers(rows * channels), numbers(channels), numbers(channels)} // x, γ, β
		v := numbers(rows * channels)
		out, err := ExecOnceN(backend, func(x, gamma, beta, v *Node) []*Node {
			y, mean, variance := normalizeBatchByProducts(x, gamma, beta)
			return append([]*Node{y, mean, variance}, Gradient(ReduceAllSum(Mul(y, v)), x, gamma, beta)...)
		}, tensors.FromFlatDataAndDimensions(in[0], dims...), in[1], in[2], tensors.FromFlatDataAndDimensions(v, dims...))
		if err != nil {
			t.Fatal(err)
		}
		reference := func() (y, mean, variance []float64, loss float64) {
			y, mean, variance = make([]float64, rows*channels), make([]float64, channels), make([]float64, channels)
			for c := range channels {
				for i := range rows {
					mean[c] += in[0][i*channels+c] / float64(rows)
				}
				for i := range rows {
					variance[c] += math.Pow(in[0][i*channels+c]-mean[c], 2) / float64(rows)
				}
				for i := range rows {
					k := i*channels + c
					y[k] = (in[0][k]-mean[c])/math.Sqrt(variance[c]+epsilon)*in[1][c] + in[2][c]
					loss += y[k] * v[k]
				}
			}
			return y, mean, variance, loss
		}
		near := func(name string, got *tensors.Tensor, want []float64, tolerance float64) {
			t.Helper()
			for i, x := range tensors.MustCopyFlatData[float64](got) {
				if !(math.Abs(x-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
					t.Errorf("%v, %s, entry %d: %g, want %g", dims, name, i, x, want[i])
				}
			}
		}
		y, mean, variance, _ := reference()
		near("y", out[0], y, 1e-11)
		near("mean", out[1], mean, 1e-13)
		near("variance", out[2], variance, 1e-13)
		for k, name := range []string{"dx", "dγ", "dβ"} {
			const h = 1e-5
			slopes := make([]float64, len(in[k]))
			for i := range slopes {
				was := in[k][i]
				in[k][i] = was + h
				_, _, _, up := reference()
				in[k][i] = was - h
				_, _, _, down := reference()
				in[k][i] = was
				slopes[i] = (up - down) / (2 * h)
			}
			near(name, out[3+k], slopes, 1e-6)
		}
	}
}

// ReLU on the pure-Go engine: the gradient passes where the output is positive, however small or large, and what is not a
// number stays that.
func TestReLUOnGo(t *testing.T) {
	x := []float32{-2, 0, 1e-30, 3, 1e30, float32(math.Inf(-1)), float32(math.NaN())}
	out, err := ExecOnceN(pureGo(t), func(x *Node) []*Node {
		y := ReLU(x)
		return []*Node{y, Gradient(ReduceAllSum(MulScalar(y, 5)), x)[0]}
	}, x)
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	for k, want := range [][]float32{{0, 0, 1e-30, 3, 1e30, 0, nan}, {0, 0, 5, 5, 5, 0, nan}} {
		for i, got := range tensors.MustCopyFlatData[float32](out[k]) {
			if got != want[i] && !(got != got && want[i] != want[i]) {
				t.Errorf("output %d of %g: %g, want %g", k, x[i], got, want[i])
			}
		}
	}
}
