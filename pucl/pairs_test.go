package pucl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// pairSample is [Pairs] as plain numbers.
type pairSample struct {
	cosine            [][]float64
	positive, counted [][]bool
	tau               float64
}

func drawPairs(seed uint64, r, n int, tau float64, masked bool) (s pairSample) {
	rng := rand.New(rand.NewPCG(seed, 9))
	s.tau, s.cosine = tau, randomCosines(rng, r, n)
	for i := range r {
		positive, counted := make([]bool, n), make([]bool, n)
		for j := range n {
			counted[j] = !masked || rng.IntN(3) > 0
		}
		positive[(i+1)%n], counted[(i+1)%n] = true, !masked || i > 0 // the positive of the first anchor does not count
		s.positive, s.counted = append(s.positive, positive), append(s.counted, counted)
	}
	return s
}

// randomCosines returns r rows of n numbers between −1 and 1.
func randomCosines(rng *rand.Rand, r, n int) [][]float64 {
	rows := make([][]float64, r)
	for i := range rows {
		for range n {
			rows[i] = append(rows[i], 2*rng.Float64()-1)
		}
	}
	return rows
}

// masses returns exp s of the positive, and sum and number of exp s over the negatives.
func (s pairSample) masses(i int) (positive, negatives, count float64, some bool) {
	for j, c := range s.cosine[i] {
		switch e := math.Exp(c / s.tau); {
		case !s.counted[i][j]:
		case s.positive[i][j]:
			positive, some = e, true
		default:
			negatives, count = negatives+e, count+1
		}
	}
	return positive, negatives, count, some && count > 0
}

// pairReferences are loops over plain numbers, from the formulas.
var pairReferences = []struct {
	name string
	o    Objective
	loss func(positive, negatives, count, tau float64) float64
}{
	{"N-pair", NPair(), func(p, n, _, _ float64) float64 { return -math.Log(p / (p + n)) }},
	{"ssCL", SSCL(), func(p, n, _, _ float64) float64 { return -math.Log(p / (p + n)) }},
	{"DebiasedPos", DebiasedPos(DebiasedPosConfig{TauPlus: 0.4}), refPairPos(0.4, 0)},
	{"DebiasedPos with weight", DebiasedPos(DebiasedPosConfig{TauPlus: 0.7, Weight: 3}), refPairPos(0.7, 3)},
	{"DebiasedPos on its floor", DebiasedPos(DebiasedPosConfig{TauPlus: 0.02}), refPairPos(0.02, 0)},
}

func refPairPos(tauPlus, weight float64) func(p, n, count, tau float64) float64 {
	return func(p, n, count, tau float64) float64 {
		all, drawn := (p+n)/(count+1), n/count
		own := max((all-(1-tauPlus)*drawn)/tauPlus, math.Exp(-1/tau))
		if weight == 0 {
			return -math.Log(own / (own + count*drawn))
		}
		return -math.Log(own / (own + weight*drawn))
	}
}

// perPair returns the loss of every anchor, and the gradient of Σ (i+1)·loss_i with respect to the similarities.
func (s pairSample) perPair(t *testing.T, eng *engine.Engine, o Objective) (loss []float64, grad [][]float64) {
	t.Helper()
	out := expect.Must(ExecOnceN(eng.Backend, func(cosine, positive, counted *Node) []*Node {
		l := o.PerPair(Pairs{cosine, positive, counted}, s.tau)
		return []*Node{l, Gradient(weighed(l), cosine)[0]}
	}, s.cosine, s.positive, s.counted))(t)
	return out[0].Value().([]float64), out[1].Value().([][]float64)
}

// weighed adds up the losses of anchors with different weights.
func weighed(l *Node) *Node {
	return ReduceAllSum(Mul(l, AddScalar(IotaFull(l.Graph(), l.Shape()), 1)))
}

// Losses and gradients must equal loops in float64 and central differences of these loops.
func TestPairsAgainstLoops(t *testing.T) {
	eng := enginetest.Open(t)
	for _, ref := range pairReferences {
		for seed, s := range []pairSample{drawPairs(1, 4, 4, 0.5, false), drawPairs(2, 3, 7, 0.2, true), drawPairs(3, 5, 3, 1, true)} {
			t.Run(fmt.Sprint(ref.name, seed), func(t *testing.T) {
				each := func() (losses []float64) {
					for i := range s.cosine {
						l := 0.0
						if p, n, count, some := s.masses(i); some {
							l = ref.loss(p, n, count, s.tau)
						}
						losses = append(losses, l)
					}
					return losses
				}
				got, grad := s.perPair(t, eng, ref.o)
				for i, want := range each() {
					vectortest.Near(t, fmt.Sprint("loss of anchor ", i), got[i], want, 1e-9)
				}
				differences := slopes(s.cosine, 1e-6, func() (sum float64) {
					for i, l := range each() {
						sum += float64(i+1) * l
					}
					return sum
				})
				vectortest.NearGradient(t, "cosine", grad, differences, 1e-6, 1)
			})
		}
	}
}

// The mean over both directions of pairs is the loss of a batch of two views.
func TestPairsBothWaysAreTwoViews(t *testing.T) {
	eng, rng := enginetest.Open(t), rand.New(rand.NewPCG(4, 4))
	x, y := randomRows(rng, 5, 3), randomRows(rng, 5, 3)
	out, err := ExecOnceN(eng.Backend, func(x, y *Node) []*Node {
		z := StackViews(x, y)
		no := Const(z.Graph(), make([]bool, 5))
		cosine := MatMul(UnitRows(x), TransposeAllAxes(UnitRows(y), 1, 0))
		both := Add(NPair().PerPair(Pairs{Cosine: cosine}, 0.3), NPair().PerPair(Pairs{Cosine: TransposeAllAxes(cosine, 1, 0)}, 0.3))
		// At τ⁺ = 1/n the debiased positive is the positive itself.
		pos := DebiasedPos(DebiasedPosConfig{TauPlus: 0.2}).PerPair(Pairs{Cosine: cosine}, 0.3)
		return []*Node{NPair().Loss(Views{Z: z, Labeled: no}, 0.3), MulScalar(ReduceAllMean(both), 0.5),
			ReduceAllMean(pos), ReduceAllMean(NPair().PerPair(Pairs{Cosine: cosine}, 0.3))}
	}, x, y)
	expect.NoError(t, err)
	vectortest.Near(t, "pairs both ways", tensors.ToScalar[float64](out[1]), tensors.ToScalar[float64](out[0]), 1e-12)
	vectortest.Near(t, "L_Pos at 1/n", tensors.ToScalar[float64](out[2]), tensors.ToScalar[float64](out[3]), 1e-12)
}

// Soft targets: cross-entropy for N-pair, and the weighted losses of hard positives for all.
func TestSoftPairs(t *testing.T) {
	eng, s := enginetest.Open(t), drawPairs(5, 4, 4, 0.3, false)
	rng := rand.New(rand.NewPCG(6, 6))
	weight := make([][]float64, 4)
	for i := range weight {
		for range 4 {
			weight[i] = append(weight[i], rng.Float64()/2)
		}
	}
	for _, ref := range pairReferences {
		out, err := ExecOnce(eng.Backend, func(cosine, weight *Node) *Node { return ref.o.SoftPairs(cosine, weight, s.tau) }, s.cosine, weight)
		expect.NoError(t, err)
		for i, got := range out.Value().([]float64) {
			want := 0.0
			for c := range 4 {
				at := s
				at.positive = make([][]bool, 4)
				for k := range at.positive {
					at.positive[k] = make([]bool, 4)
					at.positive[k][c] = true
				}
				p, n, count, _ := at.masses(i)
				want += weight[i][c] * ref.loss(p, n, count, s.tau)
			}
			vectortest.Near(t, ref.name, got, want, 1e-9)
		}
	}
}

func TestPairsRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	square, wide := [][]float64{{1, 0}, {0, 1}}, [][]float64{{1, 0, 0}, {0, 1, 0}}
	try := func(x any, loss func(x *Node) *Node) error {
		_, err := ExecOnce(eng.Backend, loss, x)
		if err == nil {
			return nil
		}
		return engine.RootCause(err)
	}
	whole := NPair()
	whole.Whole = func(v Views, _ float64) *Node { return Uniformity(v) }
	for _, tt := range []struct {
		err  error
		says string
	}{
		{try(square, func(x *Node) *Node { return NPair().PerPair(Pairs{Cosine: x}, 0) }), "pucl: temperature τ = 0 … must be positive"},
		{try(square, func(x *Node) *Node { return NPair().PerPair(Pairs{}, 1) }), "pucl: Pairs needs Cosine … [.., r, n]"},
		{try(wide, func(x *Node) *Node { return NPair().PerPair(Pairs{Cosine: x}, 1) }), "pucl: 2 anchors and 3 others … as many of both"},
		{try(square, func(x *Node) *Node { return NPair().PerPair(Pairs{Cosine: x, Counted: x}, 1) }), "pucl: Counted is … it must be"},
		{try(square, func(x *Node) *Node { return whole.PerPair(Pairs{Cosine: x}, 1) }), "pucl: objective \"N-pair\" has a part … take one without Whole"},
		{try(square, func(x *Node) *Node { return NPair().SoftPairs(x, Slice(x, AxisRange(0, 1)), 1) }), "pucl: weights … one weight for each pair"},
		{try([][]float64{{1}}, func(x *Node) *Node {
			return DebiasedPos(DebiasedPosConfig{TauPlus: 0.5}).PerPair(Pairs{Cosine: x}, 1)
		}), "pucl: … DebiasedPos of a batch of one example … 2 examples or more"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}

// Values and gradients computed from masses must equal those of the terms: with each of an anchor's own pairs in turn,
// with different negatives per anchor and one anchor without any, and with soft targets.
func TestOfMasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	own, others, weight := randomCosines(rng, 4, 3), randomCosines(rng, 4, 5), randomCosines(rng, 4, 5)
	counted := make([][]bool, 4)
	for i := range counted {
		counted[i] = make([]bool, 5)
		for j := range counted[i] {
			counted[i][j] = i != 2 && rng.IntN(3) > 0
		}
	}
	for _, o := range []Objective{
		NPair(), DebiasedPos(DebiasedPosConfig{TauPlus: 0.3}), DebiasedPos(DebiasedPosConfig{TauPlus: 0.9, Weight: 4}), DebiasedPos(DebiasedPosConfig{TauPlus: 1}),
	} {
		for _, tau := range []float64{0.07, 1} {
			exec := MustNewExec(enginetest.Open(t).Backend, func(in []*Node) (out []*Node) {
				own, others, counted, weight := in[0], in[1], in[2], in[3]
				terms := o
				terms.OfMasses = nil
				for _, o := range []Objective{o, terms} {
					turns, soft := o.InTurn(own, others, counted, tau), o.SoftPairs(others, weight, tau)
					out = append(out, turns, soft)
					out = append(out, Gradient(ReduceAllSum(Square(turns)), own, others)...)
					out = append(out, Gradient(ReduceAllSum(Square(soft)), others, weight)...)
				}
				return out
			})
			out := expect.Must(exec.Call(own, others, counted, weight))(t)
			half := len(out) / 2
			for i := range half {
				what := fmt.Sprintf("%s, τ %g, output %d", o.Name, tau, i)
				got, want := tensors.MustCopyFlatData[float64](out[i]), tensors.MustCopyFlatData[float64](out[half+i])
				for k := range got {
					vectortest.Near(t, what, got[k], want[k], 1e-9*max(1, math.Abs(want[k])))
				}
			}
			if turns := out[0].Value().([][]float64); turns[2][0] != 0 || turns[0][0] == 0 {
				t.Errorf("%s: %v of an anchor without negatives, %v of another", o.Name, turns[2], turns[0])
			}
		}
	}
}
