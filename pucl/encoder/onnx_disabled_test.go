//go:build !onnx

package encoder

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// What WriteONNX needs and does not find is told before anything is written.
func TestONNXRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	store := model.NewStore()
	write := func(n int) error {
		var file bytes.Buffer
		err := WriteONNX(&file, eng.Backend, store, "e", LeNet{}, n, 28, 28, 1)
		if file.Len() > 0 {
			t.Errorf("%d bytes were written", file.Len())
		}
		return err
	}
	t.Setenv(onnxLibrary, "")
	if err := write(1); err == nil || !strings.Contains(err.Error(), onnxLibrary) {
		t.Errorf("without the runtime: %v", err)
	}
	if err := write(0); err == nil || !strings.Contains(err.Error(), "at least 1") {
		t.Errorf("no images: %v", err)
	}
	t.Setenv(onnxLibrary, "/no/such/library")
	if err := write(1); err == nil || !strings.Contains(err.Error(), "no variables under e") {
		t.Errorf("an empty store: %v", err)
	}
	shapes, _ := shapesOf(t, LeNet{}, 28, 28, 1)
	if err := LoadStateDict(eng.Backend, store, "e", LeNet{}, 28, 28, 1, formulaDict(t, shapes)); err != nil {
		t.Fatal(err)
	}
	if err := write(1); err == nil || !strings.Contains(err.Error(), "-tags=onnx") {
		t.Errorf("no runtime opens: %v", err)
	}
}
