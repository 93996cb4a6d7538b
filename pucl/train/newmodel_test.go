package train

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/safetensors"
)

// A ResNet-18 with PyTorch's weights embeds frozen images as torchvision does, without a step of training, and keeps the weights bit for bit:
// running averages too. So does what it is saved as.
func TestNewModelIsTorchvisions(t *testing.T) {
	eng := enginetest.Open(t)
	data := expect.Must(os.ReadFile("../encoder/testdata/torchvision.json"))(t)
	var fixtures struct {
		Forward map[string]vectortest.Network
	}
	expect.NoError(t, json.Unmarshal(data, &fixtures))
	want := fixtures.Forward["resnet18 cifar"]
	config := Config{Encoder: encoder.ResNet{CIFAR: true, Classes: 10}, Projection: 4}
	drawn := expect.Must(NewModel(eng, want.Height, want.Width, 3, config))(t)
	shapes := expect.Must(drawn.Weights())(t)
	config.Weights = map[string]safetensors.Tensor{}
	for name, tensor := range shapes {
		config.Weights[name] = expect.Must(safetensors.New(safetensors.F32, tensor.Shape, vectortest.TorchWeights(name, tensor.Shape)))(t)
	}
	m := expect.Must(NewModel(eng, want.Height, want.Width, 3, config))(t)
	path := filepath.Join(t.TempDir(), "m.model")
	expect.NoError(t, m.Save(path))
	loaded := expect.Must(LoadModel(path, nil))(t)
	for name, m := range map[string]*Model{"new": m, "loaded": loaded} {
		if weights, err := m.Weights(); err != nil || !reflect.DeepEqual(weights, config.Weights) {
			t.Errorf("%s: the weights are not those given (%v)", name, err)
		}
		exec := model.MustNewExec(eng.Backend, m.Store(), func(scope *model.Scope, images *Node) *Node { return m.Encode(scope, images, false) })
		defer exec.Finalize()
		out, err := exec.Call1(tensors.FromFlatDataAndDimensions(want.Images(), want.Batch, want.Height, want.Width, 3))
		expect.NoError(t, err)
		for i, row := range out.Value().([][]float32) {
			for j, got := range row {
				if w := want.Outputs[i][j]; !(math.Abs(float64(got)-w) <= 1e-5*max(1, math.Abs(w))) {
					t.Errorf("%s: image %d, output %d: %g, torchvision's %g", name, i, j, got, w)
				}
			}
		}
	}
	expect.That(t, strings.Contains(m.Record.Settings, "not trained") &&
		strings.Contains(m.Record.Settings, "given tensors"), "the record says %q", m.Record.Settings)
}

// Without weights it is what a training by the same seed begins with.
func TestNewModelIsTheStartOfTraining(t *testing.T) {
	eng := enginetest.Open(t)
	config := light(2)
	config.Encoder = encoder.SmallCNN{Width: 2, Dim: 4}
	trained := expect.Must(Pretrain(context.Background(), eng, stripes{8, 2}, config))(t)
	m := expect.Must(NewModel(eng, 12, 12, 1, config))(t)
	config.Weights = expect.Must(m.Weights())(t)
	again, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
	expect.That(t, err == nil && slices.Equal(again.History.Losses, trained.History.Losses),
		"losses %v from its weights, %v from the seed; %v", again.History.Losses, trained.History.Losses, err)
	pixels := make([]uint8, 5*144)
	if e, err := m.Embed(eng, pixels); err != nil || e.H.RawMatrix().Rows != 5 || e.H.RawMatrix().Cols != 4 || e.Z.RawMatrix().Cols != 4 {
		t.Errorf("embedding %+v, %v", e, err)
	}
	expect.That(t, len(m.History.Losses) == 0, "a history of %d steps", len(m.History.Losses))
}

func TestNewModelRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	m := expect.Must(NewModel(eng, 12, 12, 1, Config{Encoder: encoder.SmallCNN{Width: 2, Dim: 4}}))(t)
	weights := expect.Must(m.Weights())(t)
	for want, tt := range map[string]struct {
		height int
		config Config
	}{
		"0×12×1 … height, width and channels must be at least 1":                          {0, Config{}},
		"Projection -1 … it must not be negative, and 0 means 128":                        {12, Config{Projection: -1}},
		"these weights are not those of SmallCNN width … of another shape":                {12, Config{Encoder: encoder.SmallCNN{Width: 4, Dim: 4}, Weights: weights}},
		"these weights are not those of SmallCNN width … missing":                         {12, Config{Encoder: encoder.SmallCNN{Width: 2, Dim: 4}, Weights: map[string]safetensors.Tensor{}}},
		"images of at least 28×28, not 12×12 … give larger ones, or take another encoder": {12, Config{Encoder: encoder.LeNet{}}},
	} {
		refusal.Check(t, refusal.Err(NewModel(eng, tt.height, 12, 1, tt.config)), want)
	}
}
