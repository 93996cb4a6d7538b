package encoder

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/safetensors"
)

// torchvision is what testdata/make_fixtures.py wrote.
type torchvision struct {
	Lists map[string]struct {
		Parameters int
		Shapes     map[string][]int
	}
	Forward map[string]vectortest.Network
}

func fixtures(t *testing.T) (f torchvision) {
	t.Helper()
	data, err := os.ReadFile("testdata/torchvision.json")
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// formulaDict makes weights of the given names and shapes, as make_fixtures.py does.
func formulaDict(t *testing.T, shapes map[string][]int) map[string]safetensors.Tensor {
	t.Helper()
	dict := map[string]safetensors.Tensor{}
	for name, shape := range shapes {
		x, err := safetensors.New(safetensors.F32, shape, vectortest.TorchWeights(name, shape))
		if err != nil {
			t.Fatal(err)
		}
		dict[name] = x
	}
	return dict
}

// float32s is a shape of float32 numbers.
func float32s(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }

// shapesOf lists the shapes of an encoder's tensors by PyTorch's names, and counts its trained numbers.
func shapesOf(t *testing.T, e Encoder, height, width, channels int) (shapes map[string][]int, parameters int) {
	t.Helper()
	store := model.NewStore()
	if err := declare(enginetest.Open(t).Backend, store, "encoder", func(scope *model.Scope, g *Graph) {
		e.Embed(scope, Parameter(g, "images", float32s(1, height, width, channels)), false)
	}); err != nil {
		t.Fatal(err)
	}
	shapes = map[string][]int{}
	for variable, name := range torchNames(store, "encoder") {
		v := store.GetVariable(variable)
		shapes[name], _ = layout(variable, v.Shape().Dimensions)
		if v.Trainable {
			parameters += v.Shape().Size()
		}
	}
	return shapes, parameters
}

// Names, shapes and numbers of weights are torchvision's, one to one.
func TestShapesAreTorchvisions(t *testing.T) {
	lists := fixtures(t).Lists
	for name, e := range map[string]Encoder{
		"resnet18": ResNet{Classes: 1000},
		"resnet34": ResNet{Depth: 34, Classes: 1000},
		"resnet50": ResNet{Depth: 50, Classes: 1000},
		"vit_b_16": func() ViT { v := ViTB16(); v.Classes = 1000; return v }(),
	} {
		want, ok := lists[name]
		if !ok {
			t.Fatalf("no list of %s", name)
		}
		got, parameters := shapesOf(t, e, 224, 224, 3)
		if parameters != want.Parameters {
			t.Errorf("%s has %d parameters, torchvision's %d", name, parameters, want.Parameters)
		}
		for tensor, shape := range want.Shapes {
			if !slices.Equal(got[tensor], shape) {
				t.Errorf("%s: %s is %v, torchvision's %v", name, tensor, got[tensor], shape)
			}
			delete(got, tensor)
		}
		if len(got) > 0 {
			t.Errorf("%s has more than torchvision's: %v", name, got)
		}
	}
}

// Sizes of the other networks, counted by hand.
func TestParameterCounts(t *testing.T) {
	bn := func(channels int) int { return 2 * channels }
	for _, tt := range []struct {
		e      Encoder
		edge   int
		colors int
		want   int
	}{
		{LeNet{}, 28, 1, (25*1+1)*6 + (25*6+1)*16 + (25*16+1)*120 + (120+1)*84 + bn(84)},
		{ShortConv{}, 32, 3, (9*3+1)*96 + (9*96+1)*96 + (96+1)*192 + (192+1)*10 + (1960+1)*1000 + 1001*1000},
		{AllConv{}, 32, 3, 9*3*96 + 2*9*96*96 + 3*bn(96) + 9*96*192 + 3*9*192*192 + 192*192 + 5*bn(192) + 192*10 + bn(10) +
			(640+1)*1000 + 1001*1000},
		// ResNet-18 of Width 64 less its last layer of 512·1000 + 1000, and a 3×3 stem for the 7×7 one.
		{ResNet{CIFAR: true}, 32, 3, 11689512 - 513000 - (49-9)*3*64},
		// Published as 22 million: 12 layers of (qkv, out, two of the perceptron, four of two normalizations), the rest as in ViT.
		{ViTS16(), 224, 3, 12*(385*3*384+385*384+385*1536+1537*384+4*384) + 769*384 + 384 + 197*384 + 2*384},
	} {
		if _, got := shapesOf(t, tt.e, tt.edge, tt.edge, tt.colors); got != tt.want {
			t.Errorf("%v has %d parameters, want %d", tt.e, got, tt.want)
		}
	}
}

// With equal weights the networks compute what torchvision's do in eval mode, and those that torchvision does not have, what
// PyTorch's layers in the same order do. The weights travel by a safetensors file, and what
// is exported afterwards is what was loaded.
func TestForwardIsTorchvisions(t *testing.T) {
	expect.Slow(t)
	forward := fixtures(t).Forward
	networks := map[string]Encoder{
		"resnet18":       ResNet{Classes: 10},
		"resnet50 cifar": ResNet{Depth: 50, CIFAR: true, Classes: 10},
		"vit tiny":       ViT{Patch: 8, Layers: 2, Heads: 3, Dim: 24, Hidden: 40, Classes: 10},
		"lenet":          LeNet{Dim: 7},
		"shortconv":      ShortConv{Width: 4, Dim: 6},
		"allconv":        AllConv{Width: 4, Dim: 6},
	}
	check := func(eng *engine.Engine, name string, e Encoder) {
		t.Run(name+" on "+eng.Kind, func(t *testing.T) {
			want, ok := forward[name]
			if !ok {
				t.Fatalf("no outputs of %s", name)
			}
			shapes, _ := shapesOf(t, e, want.Height, want.Width, 3)
			dict := formulaDict(t, shapes)
			path := filepath.Join(t.TempDir(), "weights.safetensors")
			if err := (&safetensors.File{Tensors: dict}).WriteFile(path); err != nil {
				t.Fatal(err)
			}
			file, err := safetensors.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			store := model.NewStore()
			if err := LoadStateDict(eng.Backend, store, "encoder", e, want.Height, want.Width, 3, file.Tensors); err != nil {
				t.Fatal(err)
			}
			exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node {
				return e.Embed(scope.In("encoder"), inputs[0], false)
			})
			defer exec.Finalize()
			out, err := exec.Call1(tensors.FromFlatDataAndDimensions(want.Images(), want.Batch, want.Height, want.Width, 3))
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range out.Value().([][]float32) {
				for j, got := range row {
					if w := want.Outputs[i][j]; !(math.Abs(float64(got)-w) <= 1e-4*max(1, math.Abs(w))) {
						t.Errorf("image %d, output %d: %g, torchvision's %g", i, j, got, w)
					}
				}
			}
			back, err := StateDict(store, "encoder")
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, dict) {
				t.Errorf("exported %d tensors that are not the %d loaded", len(back), len(dict))
			}
		})
	}
	for name, e := range networks {
		check(enginetest.Open(t), name, e)
	}
	for _, name := range []string{"lenet", "vit tiny"} { // XLA compiles the others for a minute
		check(enginetest.XLA(t), name, networks[name])
	}
}
