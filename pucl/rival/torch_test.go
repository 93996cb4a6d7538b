package rival

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/puclab/puclab/pucl/internal/vectortest"
)

// The losses and their gradients are those of the PyTorch that peers/step.py times: peers/train_rivals.py wrote the file.
func TestLossesOfPyTorch(t *testing.T) {
	var cases []struct {
		Method                     string
		Prior, Beta, Gamma, Mu     float64
		Logits, Before, Mixed, Lam []float64
		Partner                    []int32
		Loss                       float64
		Slope                      []float64
		SlopeMixed                 []float64 `json:"slope_mixed"`
	}
	vectortest.ReadJSON(t, filepath.Join("testdata", "torch.json"), &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.Method), func(t *testing.T) {
			var m Method = NNPU{Prior: c.Prior, Beta: c.Beta, Gamma: c.Gamma}
			n := numbers{logits: c.Logits, other: c.Before}
			if c.Method == "Dist-PU" {
				m = DistPU{Prior: c.Prior}
				n.mixed, n.partner, n.lambda, n.now = c.Mixed, c.Partner, c.Lam, []float64{c.Mu, 1}
			}
			loss, slope := lossOf(t, m, n)
			vectortest.Near(t, "loss", loss, c.Loss, 1e-12)
			want := append(append(c.Slope, make([]float64, len(n.other))...), c.SlopeMixed[:len(n.mixed)]...)
			for i := range slope {
				vectortest.Near(t, fmt.Sprintf("slope %d", i), slope[i], want[i], 1e-12)
			}
		})
	}
}
