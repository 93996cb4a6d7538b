package rival

import (
	"math"
	"testing"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// A run in bfloat16, on two devices or with activations worked out again is the same run up to rounding.
func TestComputeIsTheSameUpToRounding(t *testing.T) {
	eng := enginetest.Preferred(t)
	data, config := mixture(20, 150, 1), quick(P3Mix{Warmup: -1}, 3)
	config.Encoder = encoder.MLP{Hidden: []int{}, Dim: 4}
	config.Test = points(30, 15, 3) // scored while training stands still, wherever the variables are
	whole := must(t, eng, data, config)
	ways := map[float64]train.Compute{0.03: {BFloat16: true}} // bfloat16 has 8 binary digits
	if eng.Backend.NumDevices() > 1 {
		ways[1e-5] = train.Compute{Devices: 2, Recompute: true}
	}
	for margin, way := range ways {
		config.Settings.Compute = way
		r := must(t, eng, data, config)
		if got, want := r.Epochs[0].Test[0], whole.Epochs[0].Test[0]; !(math.Abs(got-want) <= 3*margin) {
			t.Errorf("%v: a score of %g, want %g", way, got, want)
		}
		for i, loss := range r.History.Losses {
			if want := whole.History.Losses[i]; !(math.Abs(loss-want) <= margin) || way.BFloat16 && loss == want {
				t.Errorf("%v: loss %g of step %d, want %g", way, loss, i, want)
			}
		}
	}
}
