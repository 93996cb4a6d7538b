package rival

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// mixPUL is the loss of MixPUL in loops, with two of five unlabeled rows for negatives.
func mixPUL(m MixPUL, n numbers) float64 {
	const count = 2
	order := []int32{3, 4, 5, 6, 7} // of unlabeled rows
	if n.now[0] == 1 {
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(n.other[a], n.other[b]) })
	}
	loss := 0.0
	for i, t := range n.mixed {
		row, drawn := int32(i), n.partner[i]
		negative := slices.Contains(order[:count], row)
		mix := func(of func(row int32) float64, partner int32) float64 {
			return n.lambda[i]*of(row) + (1-n.lambda[i])*of(partner)
		}
		if i >= somePositives && !negative {
			partner := somePositives + drawn*(someRows-somePositives)/someRows
			miss := sigma(t) - mix(func(row int32) float64 { return sigma(n.other[row]) }, partner)
			loss += n.now[0] * m.Consistency * miss * miss / (someRows - somePositives - count)
			continue
		}
		partner := 2 * drawn * somePositives / someRows
		if 2*drawn >= someRows {
			partner = order[(2*drawn-someRows)*count/someRows]
		}
		y := mix(func(row int32) float64 {
			if row < somePositives {
				return 1
			}
			return 0
		}, partner)
		size := 2. * somePositives
		if negative {
			size = 2 * count
		}
		loss -= (y*math.Log(sigma(t)) + (1-y)*math.Log(1-sigma(t))) / size
	}
	return loss + m.Ranking*max(0, m.Margin-mean(n.logits[:somePositives], sigma)+mean(n.logits[somePositives:], sigma))
}

// The loss of MixPUL has the value of its formula in loops, before and after its warm-up, and the gradient that its finite
// differences have.
func TestMixPULLossAgainstLoops(t *testing.T) {
	for name, m := range map[string]MixPUL{
		"after the warm-up": {Consistency: 1.3, Ranking: 0.7, Margin: 0.9},
		"ranked well":       {Margin: 1e-9, Warmup: 0.5},
		"warming up":        {Consistency: 1.3, Ranking: 0.7, Margin: 0.5, Warmup: 0.9},
		"alone":             {Consistency: -1, Ranking: -1},
	} {
		t.Run(name, func(t *testing.T) {
			n, all := draw(m, 0), m.withDefaults()
			value, grad := lossOf(t, m, n)
			vectortest.Near(t, "loss", value, mixPUL(all, n), 1e-12)
			want := slope(func(x []float64) float64 {
				at := n.with(x)
				at.other = n.other // the teacher
				return mixPUL(all, at)
			}, n.variables())
			vectortest.NearGradient(t, "loss", [][]float64{grad}, [][]float64{want}, 1e-6, 0)
		})
	}
}
