//go:build onnx

package encoder

import (
	"bytes"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/onnx"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// The ONNX runtime computes from the exported file what torchvision does. The test needs that runtime:
//
//	ONNXRUNTIME_SHARED_LIBRARY_PATH=/path/to/libonnxruntime.so go test -tags onnx -run ONNX ./pucl/encoder
func TestONNXIsTorchvisions(t *testing.T) {
	eng := enginetest.Open(t)
	forward := fixtures(t).Forward
	for name, e := range map[string]Encoder{
		"resnet18": ResNet{Classes: 10},
		"vit tiny": ViT{Patch: 8, Layers: 2, Heads: 3, Dim: 24, Hidden: 40, Classes: 10},
		"lenet":    LeNet{Dim: 7},
	} {
		want := forward[name]
		shapes, _ := shapesOf(t, e, want.Height, want.Width, 3)
		store := model.NewStore()
		if err := LoadStateDict(eng.Backend, store, "encoder", e, want.Height, want.Width, 3, formulaDict(t, shapes)); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := WriteONNX(&file, eng.Backend, store, "encoder", e, want.Batch, want.Height, want.Width, 3); err != nil {
			t.Fatal(err)
		}
		runtime, err := compute.NewWithConfig("onnx")
		if err != nil {
			t.Fatal(err)
		}
		exec, err := onnx.Load(runtime, &file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(want.Images(), want.Batch, want.Height, want.Width, 3))
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range out[0].Value().([][]float32) {
			for j, got := range row {
				if w := want.Outputs[i][j]; !(math.Abs(float64(got)-w) <= 1e-4*max(1, math.Abs(w))) {
					t.Errorf("%s, image %d, output %d: %g, torchvision's %g", name, i, j, got, w)
				}
			}
		}
		exec.Finalize()
		runtime.Finalize()
	}
}
