package vqa

import (
	"context"
	"math"
	"testing"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// On XLA the first losses are those of the pure-Go engine.
func TestFirstLossesOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	config := tiny()
	config.Settings.Steps = 4
	losses := func(eng *engine.Engine) []float64 {
		m, err := Train(context.Background(), eng, testData(t, 16), config)
		if err != nil {
			t.Fatal(err)
		}
		return m.History.Losses
	}
	got := losses(xla)
	for i, want := range losses(pureGo) {
		if !(math.Abs(got[i]-want) <= 1e-3*want) {
			t.Errorf("loss %g of step %d, and %g in pure Go", got[i], i, want)
		}
	}
}
