package encoder

import (
	"fmt"
	"io"
	"os"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/onnx"
	"github.com/gomlx/gomlx/support/exceptions"
)

// onnxLibrary is the environment variable by which gomlx finds the ONNX runtime.
const onnxLibrary = "ONNXRUNTIME_SHARED_LIBRARY_PATH"

// WriteONNX writes e, with the variables that store has under path, to w as an ONNX model for use: running averages in the batch
// normalization. Its input "images" is float32 [n, height, width, channels] with values in [0, 1], its output "embeddings"
// [n, k]; n is fixed, since the graph is built for it.
//
// It is gomlx's own export, which builds the model with the ONNX runtime. So the program must be built with -tags=onnx, and
// $ONNXRUNTIME_SHARED_LIBRARY_PATH must name the runtime's shared library, libonnxruntime.so.1.31.1 in the Python wheel
// onnxruntime for example; without either, WriteONNX says so and fails. Nothing is downloaded.
func WriteONNX(w io.Writer, backend compute.Backend, store *model.Store, path string, e Encoder, n, height, width, channels int) error {
	if n < 1 {
		return fmt.Errorf("encoder: an ONNX model for %d images at a time; it needs at least 1", n)
	}
	if os.Getenv(onnxLibrary) == "" {
		return fmt.Errorf("encoder: writing ONNX needs the ONNX runtime; set $%s to its shared library", onnxLibrary)
	}
	// A store of its own, since the weights become constants of the model.
	own := model.NewStore()
	dict, err := StateDict(store, path)
	if err == nil {
		err = LoadStateDict(backend, own, path, e, height, width, channels, dict)
	}
	if err != nil {
		return err
	}
	var runtime compute.Backend
	if missing := exceptions.TryCatch[error](func() { runtime, err = compute.NewWithConfig("onnx") }); missing != nil {
		return fmt.Errorf("encoder: this program was built without ONNX; build it with -tags=onnx (%w)", missing)
	}
	if err != nil {
		return fmt.Errorf("encoder: opening the ONNX runtime: %w", err)
	}
	defer runtime.Finalize()
	exec, err := model.NewExec(runtime, own, func(scope *model.Scope, images *Node) *Node {
		return e.Embed(scope.Store().Scope(path), images, false)
	})
	if err != nil {
		return fmt.Errorf("encoder: %w", err)
	}
	defer exec.Finalize()
	images := shapes.Make(dtypes.Float32, n, height, width, channels)
	if err := onnx.Save(runtime, exec, w, []shapes.Shape{images}, []string{"images"}, []string{"embeddings"}); err != nil {
		return fmt.Errorf("encoder: writing %v as ONNX: %w", e, err)
	}
	return nil
}
