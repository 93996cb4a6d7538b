package rival

import (
	"testing"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// On XLA every method begins with the frozen losses, which TestFirstLossesAndResume compares with those of the pure-Go engine.
func TestFirstLossesOnXLA(t *testing.T) {
	eng := enginetest.XLA(t)
	for name, method := range methods {
		t.Run(name, func(t *testing.T) {
			config := quick(method, 10)
			config.Encoder = encoder.MLP{Hidden: []int{}, Dim: 4}
			checkFrozen(t, name, method, must(t, eng, mixture(20, 150, 1), config).History.Losses)
		})
	}
}
