package viz

import (
	"os"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// DrawnSVG lets tests count marks, each of which vgsvg writes as an element of its own.
var DrawnSVG = drawnSVG

var tightByDefault = tight

// TestMain has files compressed fast.
func TestMain(m *testing.M) {
	tight = false
	os.Exit(m.Run())
}

// compressed has files of a test compressed as they are elsewhere.
func compressed(t *testing.T) {
	expect.That(t, tightByDefault, "files are not as small as possible")
	tight = true
	t.Cleanup(func() { tight = false })
}
