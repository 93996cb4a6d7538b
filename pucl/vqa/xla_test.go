package vqa

import (
	"context"
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// On XLA the first losses are those of the pure-Go engine.
func TestFirstLossesOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	config := tiny()
	config.Settings.Steps = 4
	losses := func(eng *engine.Engine) []float64 {
		m := expect.Must(Train(context.Background(), eng, testData(t, 16), config))(t)
		return m.History.Losses
	}
	got := losses(xla)
	for i, want := range losses(pureGo) {
		expect.That(t, math.Abs(got[i]-want) <= 1e-3*want, "loss %g of step %d, and %g in pure Go", got[i], i, want)
	}
}
