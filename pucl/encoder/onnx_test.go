//go:build onnx

package encoder

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/onnx"
	"github.com/puclab/puclab/internal/expect"
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
		expect.NoError(t, LoadStateDict(eng.Backend, store, "encoder", e, want.Height, want.Width, 3, formulaDict(t, shapes)))
		var file bytes.Buffer
		expect.NoError(t, WriteONNX(&file, eng.Backend, store, "encoder", e, want.Batch, want.Height, want.Width, 3))
		runtime := expect.Must(compute.NewWithConfig("onnx"))(t)
		exec := expect.Must(onnx.Load(runtime, &file))(t)
		images := tensors.FromFlatDataAndDimensions(want.Images(), want.Batch, want.Height, want.Width, 3)
		near(t, name, expect.Must(exec.Call(images))(t)[0], slices.Concat(want.Outputs...), 1e-4)
		exec.Finalize()
		runtime.Finalize()
	}
}
