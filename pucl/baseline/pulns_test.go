package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// judges is the number of reserved rows, of which two are labeled positives.
const judges = 5

// classifierLoss computes L_C in loops for selection k: labeled positives against its selection of the others.
func classifierLoss(n seen, k int) float64 {
	chosen, negative := 0., 0.
	for i := somePositives; i < someRows; i++ {
		if n.draws[i][k] < sigma(n.extra[i][0]) {
			chosen++
			negative += logistic(-n.logits[i])
		}
	}
	return mean(n.logits[:somePositives], logistic) + negative/max(chosen, 1)
}

// reward computes the reward of selection k in loops: the last layer takes a step along the gradient of its L_C, by
// finite differences.
func reward(n seen, k int, rate float64) float64 {
	d := len(n.extra[0]) - 1
	at := func(step []float64) seen { // with another last layer: d weights, and a bias
		moved := n
		moved.logits = append([]float64(nil), n.logits...)
		for i, row := range n.extra {
			for j, w := range step[:d] {
				moved.logits[i] += w * row[1+j]
			}
			moved.logits[i] += step[d]
		}
		return moved
	}
	step := slope(func(x []float64) float64 { return classifierLoss(at(x), k) }, make([]float64, d+1))
	for i := range step {
		step[i] *= -rate
	}
	after := at(step).logits[someRows:]
	return 2*math.Log(mean(after[:positiveJudges], sigma)) - math.Log(mean(after[positiveJudges:], sigma))
}

func TestPULNSAgainstLoops(t *testing.T) {
	m := PULNS{Selections: 3, Rate: 0.4}
	n := drawSeen(m, judges, 1, 4)
	first := func(n seen) float64 { return classifierLoss(n, 0) }
	checkSeen(t, m, n, first, func(n, frozen seen) float64 {
		middle, rewards := 0., make([]float64, 3)
		for k := range rewards {
			rewards[k] = reward(frozen, k, 0.4)
			middle += rewards[k] / 3
		}
		loss := classifierLoss(seen{logits: n.logits, extra: frozen.extra, draws: n.draws}, 0)
		for k := range rewards {
			for i := somePositives; i < someRows; i++ {
				p := sigma(n.extra[i][0])
				if n.draws[i][k] >= sigma(frozen.extra[i][0]) { // not selected
					p = 1 - p
				}
				loss -= (rewards[k] - middle) / 0.4 * math.Log(p) / 3 / (someRows - somePositives)
			}
		}
		return loss
	})
}

// An empty selection leaves only the positives, and a single selected example has full weight.
func TestPULNSOfFewSelected(t *testing.T) {
	m := PULNS{Selections: 2}
	n := drawSeen(m, judges, 1, 4)
	for i := range n.extra {
		n.extra[i][0] = -50
	}
	want := mean(n.logits[:somePositives], logistic)
	for _, row := range []int{-1, somePositives + 1} {
		if row > 0 {
			n.extra[row][0] = 50
			want += logistic(-n.logits[row])
		}
		got, _ := lossOfSeen(t, m, n)
		expect.That(t, math.Abs(got-want) <= 1e-12, "loss %g, want %g", got, want)
	}
}

// dotOf returns the inner product of two rows.
func dotOf(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// toUnit scales the numbers of every row of extra from first to end to length one.
func (n seen) toUnit(first, end int) {
	for _, row := range n.extra {
		length := math.Sqrt(dotOf(row[first:end], row[first:end]))
		for i := first; i < end; i++ {
			row[i] /= length
		}
	}
}

// ncpuLoss computes the loss in loops, with the pairs of the frozen batch.
func ncpuLoss(n, frozen seen, align, entropy, tau float64, later bool) float64 {
	const d = 3
	loss := entropy * mean(n.logits, coin)
	for i, row := range n.extra {
		s, share := sigma(n.logits[i]), 1./somePositives
		if i >= somePositives {
			share = 1. / (someRows - somePositives)
		}
		loss -= share * (row[0]*math.Log(s) + (1-row[0])*math.Log(1-s))
		sum, count := 0., 0.
		for j, other := range n.extra {
			a, b := sigma(frozen.logits[i]), sigma(frozen.logits[j])
			apart := 1 - dotOf(row[1:1+d], other[1+d:])
			switch {
			case i == j:
				sum, count = sum+2*apart, count+1
			case later && a*b+(1-a)*(1-b) >= tau:
				sum, count = sum+2*math.Sqrt(apart+1e-6), count+1
			}
		}
		loss += align * sum / count / someRows
	}
	return loss
}

func TestNcPUAgainstLoops(t *testing.T) {
	m := NcPU{Align: 3, Entropy: 0.7, Pair: 0.55}
	for later, now := range map[bool][]float64{false: {0.3, 0}, true: {0.7, 1}} {
		n := drawSeen(m, 0, 1, 3, 3)
		n.toUnit(1, 4)
		n.toUnit(4, 7)
		n.now = now
		for i := range n.extra {
			n.extra[i][0] = sigma(n.extra[i][0])
		}
		checkSeen(t, m, n, func(n seen) float64 { return ncpuLoss(n, n, 3, now[0], 0.55, later) },
			func(n, frozen seen) float64 { return ncpuLoss(n, frozen, 3, now[0], 0.55, later) })
	}
}

// Equal embeddings leave loss and gradient finite.
func TestNcPUOfEqualRows(t *testing.T) {
	n := drawSeen(NcPU{}, 0, 1, 3, 3)
	for i := range n.extra {
		n.extra[i], n.logits[i] = []float64{1, 1, 0, 0, 1, 0, 0}, 2
	}
	loss, grad := lossOfSeen(t, NcPU{}, n)
	for _, v := range append(grad, loss) {
		expect.Require(t, !isInfiniteOrNaN(v), "loss %g, gradient %g", loss, grad)
	}
}

// The warm-up raises the entropy's weight from 0 and then ends.
func TestNcPUWarmsUp(t *testing.T) {
	schedule := NcPU{Entropy: 4, Warmup: 0.2}.plan().schedule
	for done, want := range map[float64][2]float32{0: {0, 0}, 0.1: {2, 0}, 0.2: {4, 1}, 1: {4, 1}} {
		now := schedule(done)
		expect.That(t, [2]float32(now) == want, "after %g of the run: %g, want %g", done, now, want)
	}
}

// In a step prototypes and gate move by their means over the rows, labels move towards the nearer prototype, and the
// gate sets the labels of sure negatives to 0 for that step alone.
func TestNcPUMovesPrototypesGateAndLabels(t *testing.T) {
	const rows, d, m = 6, 4, 0.4 // the first two are labeled positives
	rng := rand.New(rand.NewPCG(8, 8))
	store := model.NewStore()
	store.RootScope().At("remembered").VariableWithValue("labels", []float32{0.2, 0.3, 0.4, 0.5, 0.6, 0.7})
	r := &run{data: Data{Labeled: make([]bool, rows)}, unlabeled: deck{examples: make([]int, 1)}} // one epoch
	r.config.Settings.Steps, r.config.Unlabeled = 1, 1
	exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, h, logits, due *Node) []*Node {
		s := &sight{batch: batch{positives: 2, logits: logits, now: Stack([]*Node{due, due}, 0)}, run: r, scope: scope}
		s.own = pass{scope.In("network"), h, logits}
		s.again = pass{scope.In("teacher"), h, logits}
		s.index = Const(h.Graph(), []int32{0, 1, 2, 3, 4, 5})
		return NcPU{Momentum: m, Memory: 1}.extra(s)
	})
	value := func(path string) []float64 {
		v := expect.Must(store.GetVariable(path).Value())(t)
		var out []float64
		for _, x := range tensors.MustCopyFlatData[float32](v) {
			out = append(out, float64(x))
		}
		return out
	}
	float := func(x []float64) (out []float32) {
		for _, v := range x {
			out = append(out, float32(v))
		}
		return out
	}
	prototypes, gate, clipped := make([]float64, 2*projectionDim), []float64{0.5, 0.5}, false
	for step, due := range []float32{0, 1, 1, 1} {
		h32, logits := [][]float32{}, []float64{-1, 2, 0.5, -3, -0.4, 1.5}
		for range rows {
			h32 = append(h32, float(normals(rng, d)))
		}
		for i := range logits {
			logits[i] *= 1 + float64(step) // surer from step to step
		}
		before := []float64{0.2, 0.3, 0.4, 0.5, 0.6, 0.7}
		if step > 0 {
			before = value("/remembered/labels")
		}
		out := expect.Must(exec.Call(h32, float(logits), due))(t)
		labels, projected := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
		p := func(i int) (row []float64) {
			for _, v := range projected[i*projectionDim:][:projectionDim] {
				row = append(row, float64(v))
			}
			return row
		}
		near := make([]float64, rows)
		for i := range near {
			if dotOf(p(i), prototypes[:projectionDim]) >= dotOf(p(i), prototypes[projectionDim:]) {
				near[i] = 1
			}
		}
		for kind, members := range [][]int{{0, 1, 2, 5}, {3, 4}} { // predicted positive, labeled ones in any case; the others
			at, length, left := prototypes[kind*projectionDim:][:projectionDim], 0., math.Pow(m, float64(len(members)))
			for j := range at {
				middle := 0.
				for _, i := range members {
					middle += p(i)[j] / float64(len(members))
				}
				at[j] = left*at[j] + (1-left)*middle
				length += at[j] * at[j]
			}
			for j := range at {
				at[j] /= math.Sqrt(length)
			}
		}
		sure := mean(logits[2:], func(t float64) float64 { return max(sigma(t), 1-sigma(t)) })
		clipped = clipped || m*gate[0]+(1-m)*sure > 0.8
		gate = []float64{min(m*gate[0]+(1-m)*sure, 0.8), m*gate[1] + (1-m)*mean(logits[2:], sigma)}
		for i, v := range value("/network/state/prototypes") {
			vectortest.Near(t, "prototype", v, prototypes[i], 1e-5)
		}
		for i, v := range value("/network/state/gate") {
			vectortest.Near(t, "gate", v, gate[i], 1e-6)
		}
		needed := gate[0] * (1 - gate[1]) / max(gate[1], 1-gate[1])
		after, gated := value("/remembered/labels"), 0
		for i := range rows {
			want, kept := before[i]+float64(due)*(1-math.Exp(-1))*(near[i]-before[i]), 1.
			if i < 2 {
				want = before[i]
			} else if kept = want; 1-sigma(logits[i]) >= needed {
				kept = 0
				gated++
			}
			vectortest.Near(t, "memory", after[i], want, 1e-6)
			vectortest.Near(t, "label", float64(labels[i]), kept, 1e-6)
		}
		expect.That(t, gated == 1 || gated == 2, "step %d: the gate lets %d negatives pass", step, gated)
	}
	expect.That(t, clipped, "the gate's sureness does not come to its bound")
}
