package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
)

// torchResNet holds the output of testdata/make_torchvision.py: the embeddings of images by torchvision's ResNet-18
// without its last layer, and the digest of PyTorch's file of its weights.
type torchResNet struct {
	vectortest.Network
	Weights string
}

// resnet18 is that network.
var resnet18 = encoder.ResNet{Pixels: encoder.ImageNetPixels()}

func readTorchResNet(t *testing.T) (want torchResNet) {
	t.Helper()
	vectortest.ReadJSON(t, "testdata/torchvision.json", &want)
	return want
}

// torchTensors returns the weights by the formula, for the names and shapes of torchvision's ResNet-18 with its last
// layer and counts of batches, as in a torchvision file. They are computed once.
func torchTensors(t *testing.T) map[string]safetensors.Tensor {
	t.Helper()
	if len(madeTensors) > 0 {
		return madeTensors
	}
	var lists struct {
		Lists map[string]struct{ Shapes map[string][]int }
	}
	vectortest.ReadJSON(t, "../encoder/testdata/torchvision.json", &lists)
	shapes := lists.Lists["resnet18"].Shapes
	expect.Require(t, len(shapes) != 0, "no list of resnet18")
	for name, shape := range shapes {
		weights := vectortest.TorchWeights(name, shape)
		madeTensors[name] = expect.Must(safetensors.New(safetensors.F32, shape, weights))(t)
		if layer, ok := strings.CutSuffix(name, "running_mean"); ok {
			madeTensors[layer+"num_batches_tracked"] = safetensors.Tensor{DType: safetensors.I64, Data: make([]byte, 8)}
		}
	}
	return madeTensors
}

var madeTensors = map[string]safetensors.Tensor{}

// digestOf returns the digest of make_torchvision.py.
func digestOf(tensors map[string]safetensors.Tensor) string {
	sha := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		x := tensors[name]
		fmt.Fprintf(sha, "%s %s %s\n", name, x.DType, strings.Trim(fmt.Sprint(x.Shape), "[]"))
		sha.Write(x.Data)
	}
	return hex.EncodeToString(sha.Sum(nil))
}

// distance returns the largest difference between the encoder's outputs for the fixture's images and torchvision's,
// relative to the largest output.
func (want torchResNet) distance(t *testing.T, eng *engine.Engine, m *Model) float64 {
	t.Helper()
	e := expect.Must(m.Embed(eng, want.Bytes()))(t)
	if rows, columns := e.H.Dims(); rows != len(want.Outputs) || columns != len(want.Outputs[0]) {
		t.Fatalf("outputs %d×%d, torchvision's %d×%d", rows, columns, len(want.Outputs), len(want.Outputs[0]))
	}
	var off, largest float64
	for i, row := range want.Outputs {
		for k, w := range row {
			off, largest = max(off, math.Abs(e.H.At(i, k)-w)), max(largest, math.Abs(w))
		}
	}
	return off / largest
}

// torchModel returns the model for images height×width in color that starts from tensors.
func torchModel(t *testing.T, eng *engine.Engine, height, width int, tensors map[string]safetensors.Tensor) *Model {
	t.Helper()
	m, err := NewModel(eng, height, width, 3, Config{Encoder: resnet18, Weights: tensors, LeaveOut: []string{"fc."}, Projection: 4})
	expect.NoError(t, err)
	return m
}

// A file of torchvision's ResNet-18, with last layer and counts of batches, becomes an encoder that embeds images in
// bytes as torchvision does. Its export equals, tensor by tensor and bit by bit, the file that PyTorch wrote of the
// network and read again to compute the reference outputs.
func TestResNetComesFromTorchvisionAndGoesBack(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	want := readTorchResNet(t)
	path := filepath.Join(t.TempDir(), "torchvision.safetensors")
	expect.NoError(t, (&safetensors.File{Tensors: torchTensors(t)}).WriteFile(path))
	file := expect.Must(safetensors.ReadFile(path))(t)
	m := torchModel(t, eng, want.Height, want.Width, file.Tensors)
	off := want.distance(t, eng, m)
	expect.That(t, off <= 1e-5, "outputs differ from torchvision's by %g of the largest", off)
	expect.Contains(t, m.Record.Settings, "not trained", "given tensors")
	saved := filepath.Join(t.TempDir(), "m.model")
	expect.NoError(t, m.Save(saved))
	traintest.Same(t, "saved and loaded", expect.Must(LoadModel(saved, nil))(t).store, m.store)
	back := filepath.Join(t.TempDir(), "ours.safetensors")
	expect.NoError(t, m.Export(back))
	file = expect.Must(safetensors.ReadFile(back))(t)
	if got := digestOf(file.Tensors); got != want.Weights {
		t.Errorf("the exported weights have the digest %s, those that PyTorch wrote %s", got, want.Weights)
	}
	expect.That(t, file.Metadata["format"] == "pt",
		"the file's notes are %q; readers for PyTorch look for the format pt", file.Metadata)
}

// A network trained here can be loaded by torchvision: every tensor of its file has the name, type and shape of
// torchvision's list, and only the last layer and the counts of batches are missing. The running averages come from the
// training, and a network loaded from the file embeds bit-identically.
func TestTrainedResNetGoesToTorchvision(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	listed := torchTensors(t)
	m := expect.Must(Pretrain(context.Background(), eng, colors{}, Config{Encoder: resnet18, Projection: 4, Steps: 1,
		Weights: listed, LeaveOut: []string{"fc."}, Recipe: augment.CIFAR(0),
		Schedule: optim.Constant{}, Optimizer: optim.SGD{LearningRate: 0.1}}))(t)
	path := filepath.Join(t.TempDir(), "trained.safetensors")
	expect.NoError(t, m.Export(path))
	file := expect.Must(safetensors.ReadFile(path))(t)
	for name, start := range listed {
		got, ok := file.Tensors[name]
		switch {
		case strings.HasPrefix(name, "fc.") || strings.HasSuffix(name, "num_batches_tracked"):
			expect.That(t, !ok, "%s is in the file", name)
		case !ok || got.DType != safetensors.F32 || !slices.Equal(got.Shape, start.Shape):
			t.Errorf("%s is %s %v, torchvision's %v", name, got.DType, got.Shape, start.Shape)
		case slices.Equal(got.Data, start.Data):
			t.Errorf("%s is as it was before training", name)
		}
		delete(file.Tensors, name)
	}
	if len(file.Tensors) > 0 {
		t.Errorf("the file has more than torchvision's: %v", slices.Sorted(maps.Keys(file.Tensors)))
	}
	file = expect.Must(safetensors.ReadFile(path))(t)
	pixels, _, _ := colors{}.Batch(1)
	trained := expect.Must(m.Embed(eng, pixels))(t)
	again, err := torchModel(t, eng, 16, 16, file.Tensors).Embed(eng, pixels)
	expect.That(t, err == nil && reflect.DeepEqual(again.H, trained.H),
		"the file's network embeds in another way than the trained one (%v)", err)
}
