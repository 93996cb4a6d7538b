//go:build !onnx

package encoder

import (
	"bytes"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// What WriteONNX needs and does not find is told before anything is written.
func TestONNXRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	store := model.NewStore()
	write := func(n int) error {
		var file bytes.Buffer
		err := WriteONNX(&file, eng.Backend, store, "e", LeNet{}, n, 28, 28, 1)
		expect.That(t, file.Len() == 0, "%d bytes were written", file.Len())
		return err
	}
	t.Setenv(onnxLibrary, "")
	refusal.Check(t, write(1), "writing ONNX needs the ONNX runtime … set $"+onnxLibrary)
	refusal.Check(t, write(0), "an ONNX model for 0 images at a time … at least 1")
	t.Setenv(onnxLibrary, "/no/such/library")
	refusal.Check(t, write(1), "no variables under e … run or load the encoder first")
	shapes, _ := shapesOf(t, LeNet{}, 28, 28, 1)
	expect.NoError(t, LoadStateDict(eng.Backend, store, "e", LeNet{}, 28, 28, 1, formulaDict(t, shapes)))
	refusal.Check(t, write(1), "this program was built without ONNX … -tags=onnx")
}
