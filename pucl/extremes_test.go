package pucl

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
)

// extremes returns batches of five examples in two views that break careless implementations of a loss.
func extremes(tau float64) map[string]sample {
	all := map[string]sample{}
	for pattern, p := range batches {
		all[p.name] = draw(pattern, 2, tau)
	}
	zeros := draw(0, 2, tau)
	for _, i := range []int{0, 2, 5} { // both views of the first example, one of the third
		zeros.z[i] = make([]float64, 3)
	}
	all["zero rows"] = zeros
	onlyZeros := draw(0, 2, tau)
	for i := range onlyZeros.z {
		onlyZeros.z[i] = make([]float64, 3)
	}
	all["only zero rows"] = onlyZeros
	sizes := draw(0, 2, tau)
	for k := range 3 {
		sizes.z[1][k] *= 1e-30
		sizes.z[8][k] *= 1e30
	}
	short := draw(0, 2, tau) // zero at the precision of float32
	for k := range 3 {
		short.z[1][k] *= 1e-40
	}
	all["a row too short"] = short
	all["tiny and huge rows"] = sizes
	constant := draw(3, 2, tau)
	for i := range constant.z {
		constant.z[i] = []float64{1, -2, 3}
	}
	all["constant rows"] = constant
	alone := draw(0, 2, tau) // one row is opposite to all others, including its own other view
	for i := range alone.z {
		alone.z[i] = []float64{-1, 2, 3}
	}
	alone.z[0] = []float64{1, -2, -3}
	all["a row alone"] = alone
	return all
}

// At τ = 0.01 similarities reach ±100, where float32 holds them to some 1e-5 and exponentials overflow. The cosine of
// unit rows is off by a few roundings of 2⁻²⁴, so a similarity, and with it a loss, by a few times 2⁻²⁴/τ: 32 of them
// are allowed, 2e-4. Losses that do not divide by τ are allowed the same. The slopes of a loss are of the size of 1/τ,
// and the soft-max in them is off by as much as the similarities: the same again, of the largest slope.
func TestFloat32AtTinyTemperature(t *testing.T) {
	const tau = 0.01
	c := scorer{views: 2, tau: tau, dtype: dtypes.Float32}
	for name, s := range extremes(tau) {
		for _, row := range s.z {
			for k, x := range row {
				row[k] = float64(float32(x))
			}
		}
		for _, got := range c.score(t, s) {
			what := got.objective.Name + ", " + name
			expect.Near(t, got.value, got.reference(zeroed(s)), 32*0x1p-24/tau, what)
			checkFinite(t, what, got.grad)
			if p := slices.IndexFunc(batches, func(b batchPattern) bool { return b.name == name }); p >= 0 && !(batches[p].rough && got.objective.Name == "pairwise") {
				nearGradient(t, what, got.grad, differences(s, got.reference), 32*0x1p-24/tau, 1/tau)
			}
		}
	}
}

func TestBFloat16(t *testing.T) {
	for _, xla := range []bool{false, true} {
		t.Run(fmt.Sprintf("XLA %v", xla), func(t *testing.T) { checkBFloat16(t, xla) })
	}
}

func checkBFloat16(t *testing.T, xla bool) {
	c := scorer{views: 2, tau: 0.5, dtype: dtypes.BFloat16, xla: xla}
	for name, s := range extremes(0.5) {
		for _, row := range s.z {
			for k, x := range row {
				row[k] = float64(bfloat16.FromFloat32(float32(x)).Float32())
			}
		}
		for _, got := range c.score(t, s) {
			what := got.objective.Name + ", " + name
			near(t, what, got.value, got.reference(zeroed(s)), 2e-6) // the rows are exact, the loss is computed in float32
			checkFinite(t, what, got.grad)
		}
	}
}

// resharpened returns the block with its similarities as a new node, so that a term treats them like similarities made
// by a user.
func resharpened(b *Block) *Block {
	copied := *b
	copied.Sim = MulScalar(b.Sim, 1)
	return &copied
}

// Where a mask selects nothing, a log-sum is −∞ and has no gradient, and the excluded pairs cannot overflow: the own
// views are opposite, similarity −100, while a row of the other example agrees, +100. The test covers τ = 0.5 and 0.01,
// with the similarities of the block and with new ones.
func TestLogSumExpOfMasks(t *testing.T) {
	z := [][]float32{{1, 0}, {1, 0}, {-1, 0}, {-1, 0}}
	labeled := []bool{false, false}
	for _, tau := range []float64{0.5, 0.01} {
		exec := MustNewExec(enginetest.Open(t).Backend, func(z, labeled *Node) []*Node {
			var out []*Node
			for _, of := range []func(*Block) *Block{func(b *Block) *Block { return b }, resharpened} {
				b := of(Views{Z: z, Labeled: labeled}.Block(tau))
				own, none := LogSumExp(b, b.OwnView), LogSumExp(b, b.Labeled)
				some := IsFinite(none)
				sum := Add(ReduceAllSum(own), ReduceAllSum(onlyWhere(some, none)))
				out = append(out, own, none, Gradient(sum, z)[0])
			}
			return out
		})
		out := expect.Must(exec.Call(z, labeled))(t)
		for k := 0; k < len(out); k += 3 {
			for i := range z {
				near(t, "own views", float64(out[k].Value().([]float32)[i]), -1/tau, 1e-6)
				x := float64(out[k+1].Value().([]float32)[i])
				expect.That(t, math.IsInf(x, -1), "over nothing: %g, want −∞", x)
			}
			// The similarity of two opposite unit rows is minimal: no gradient along them, none across.
			nearGradient(t, "gradient", widened(out[k+2].Value().([][]float32)), make2(4, 2), 1e-6, 1/tau)
		}
	}
}

// A row that is opposite to all others has a partition of e^(−1000) at τ = 0.001, far below the smallest float64.
func TestPartitionOfARowAlone(t *testing.T) {
	z := [][]float64{{1, 0}, {-1, 0}, {-2, 0}, {-1, 0}}
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(z *Node) *Node {
		return LogPartition(Views{Z: z, Labeled: Const(z.Graph(), []bool{false, false})}.Block(0.001))
	}, z))(t)
	for i, want := range []float64{-1000 + math.Log(3), 1000 + math.Log(2), 1000 + math.Log(2), 1000 + math.Log(2)} {
		near(t, "log partition", out.Value().([]float64)[i], want, 1e-14)
	}
}

func widened(rows [][]float32) [][]float64 {
	wide := make([][]float64, len(rows))
	for i, row := range rows {
		for _, x := range row {
			wide[i] = append(wide[i], float64(x))
		}
	}
	return wide
}

func make2(n, d int) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, d)
	}
	return z
}

// On the floor DCL is log(1 + 2e⁻²⁰), 4e-9, the difference of two terms near 10; float32 must keep it, in a sum too.
func TestDirectKeepsTheDigitsOfATinyLoss(t *testing.T) {
	z := [][]float32{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	o := DCL(DCLConfig{TauPlus: 0.5})
	exec := MustNewExec(enginetest.Open(t).Backend, func(z *Node) []*Node {
		v := Views{Z: z, Labeled: Const(z.Graph(), []bool{false, false})}
		return []*Node{o.Loss(v, 0.1), WeightedSum("twice", Part{2, o}).Loss(v, 0.1)}
	})
	out := expect.Must(exec.Call(z))(t)
	want := math.Log1p(2 * math.Exp(-20))
	for i, factor := range []float64{1, 2} {
		got := float64(out[i].Value().(float32))
		expect.That(t, math.Abs(got/(factor*want)-1) <= 1e-5, "%d times DCL = %g, want %g", i+1, got, factor*want)
	}
}

func TestSquaredDistanceOfAllPairs(t *testing.T) {
	s := draw(0, 2, 0.3)
	s.z[4] = make([]float64, 3)
	out := expect.Must(ExecOnce(enginetest.Open(t).Backend, func(z, labeled *Node) *Node {
		return SquaredDistance(Views{Z: z, Labeled: labeled}.Block(s.tau))
	}, s.z, s.labeled))(t)
	for i, row := range out.Value().([][]float64) {
		for j, got := range row {
			near(t, "squared distance", got, s.distance(i, j), 1e-14)
		}
	}
}

// zeroed returns s with the rows that are too short set to zero.
func zeroed(s sample) sample {
	s.z = slices.Clone(s.z)
	for i, row := range s.z {
		if max(math.Abs(row[0]), math.Abs(row[1]), math.Abs(row[2])) < 1e-35 {
			s.z[i] = make([]float64, 3)
		}
	}
	return s
}

func checkFinite(t *testing.T, what string, grad [][]float64) {
	t.Helper()
	for i, row := range grad {
		for _, x := range row {
			expect.Require(t, !math.IsNaN(x) && !math.IsInf(x, 0), "%s: gradient of row %d is %v", what, i, row)
		}
	}
}
