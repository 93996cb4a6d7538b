package viz

import (
	"compress/zlib"
	"image/png"
	"os"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// DrawnSVG lets tests count marks, each of which vgsvg writes as an element of its own.
var DrawnSVG = drawnSVG

// The levels of files elsewhere.
var smallPNG, smallZlib = pngLevel, zlibLevel

// TestMain has files compressed fast.
func TestMain(m *testing.M) {
	pngLevel, zlibLevel = png.BestSpeed, zlib.BestSpeed
	os.Exit(m.Run())
}

// compressed has files of a test compressed as they are elsewhere.
func compressed(t *testing.T) {
	expect.That(t, smallPNG == png.BestCompression && smallZlib == zlib.BestCompression, "files are not as small as possible")
	pngLevel, zlibLevel = smallPNG, smallZlib
	t.Cleanup(func() { pngLevel, zlibLevel = png.BestSpeed, zlib.BestSpeed })
}
