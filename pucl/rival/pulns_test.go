package rival

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// judges is how many rows judge, of which two are labeled positives.
const judges = 5

// classifierLoss is L_C in loops for selection k: labeled positives against what it selects of the others.
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

// reward is that of selection k in loops: the last layer takes a step along the gradient of its L_C, which finite differences give.
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

// Selecting nothing leaves the positives alone, and one that is selected counts in full.
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
