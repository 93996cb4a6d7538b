package onnx

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/internal/onnxtest"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
)

// disturb sets variables of a model with equal initial values, such as biases and running averages, to different
// numbers.
func disturb(t *testing.T, store *model.Store, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	for v := range store.IterVariables() {
		if v.DType() != dtypes.Float32 || v.Shape().Rank() > 1 && !strings.HasSuffix(v.Path(), "token") {
			continue
		}
		values := make([]float32, v.Shape().Size())
		for i := range values {
			values[i] = float32(0.3 * rng.NormFloat64())
			switch {
			case strings.HasSuffix(v.Path(), "/variance"):
				values[i] = float32(0.2 + rng.Float64())
			case strings.HasSuffix(v.Path(), "/scale"):
				values[i]++
			}
		}
		expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
	}
}

// flat returns the numbers of a matrix row by row.
func flat(x *mat.Dense) []float64 { return mat.DenseCopyOf(x).RawMatrix().Data }

// Every encoder of images can be written as an ONNX model. ONNX Runtime compares its embeddings with those here.
func TestONNXOfEncoders(t *testing.T) {
	eng := enginetest.Open(t)
	color := encoder.Pixels{Mean: []float64{0.4, 0.5, 0.6}, Std: []float64{0.2, 0.3, 0.4}}
	gray, rng := encoder.Pixels{Mean: []float64{0.3}, Std: []float64{0.5}}, rand.New(rand.NewPCG(1, 4))
	for name, c := range map[string]struct {
		encoder                 encoder.Encoder
		height, width, channels int
	}{
		"SmallCNN":            {encoder.SmallCNN{Width: 4, Dim: 10}, 28, 28, 1},
		"SmallCNN odd sizes":  {&encoder.SmallCNN{Width: 3, Dim: 5, Mean: 0.1, Std: 0.5}, 13, 10, 3},
		"LeNet":               {encoder.LeNet{Pixels: gray}, 28, 28, 1},
		"LeNet of 33×30":      {encoder.LeNet{Dim: 7}, 33, 30, 3},
		"AllConv":             {encoder.AllConv{Width: 4, Dim: 12, Pixels: color}, 11, 12, 3},
		"ShortConv":           {encoder.ShortConv{Width: 4, Dim: 12, Pixels: color}, 12, 9, 3},
		"MLP":                 {encoder.MLP{Hidden: []int{9}, Dim: 6}, 5, 4, 3},
		"ResNet-18":           {encoder.ResNet{Width: 4, Pixels: color}, 33, 32, 3},
		"ResNet-10 CIFAR":     {encoder.ResNet{Depth: 10, CIFAR: true, Width: 4, Classes: 3}, 9, 8, 1},
		"ResNet-34":           {encoder.ResNet{Depth: 34, Width: 2}, 32, 40, 1},
		"ResNet-50 CIFAR":     {encoder.ResNet{Depth: 50, CIFAR: true, Width: 2, Pixels: color}, 8, 9, 3},
		"ViT":                 {encoder.ViT{Patch: 4, Layers: 2, Heads: 3, Dim: 12, Pixels: color}, 12, 8, 3},
		"ViT of even patches": {encoder.ViT{Patch: 2, Layers: 1, Heads: 1, Dim: 4, Hidden: 5, Classes: 2}, 4, 4, 1},
		"ViT of one patch":    {encoder.ViT{Patch: 3, Layers: 1, Heads: 2, Dim: 4}, 3, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			config := train.Config{Encoder: c.encoder, Seed: 2}
			m := expect.Must(train.NewModel(eng, c.height, c.width, c.channels, config))(t)
			disturb(t, m.Store(), 3)
			pixels := make([]uint8, 9*c.height*c.width*c.channels)
			for i := range pixels {
				pixels[i] = uint8(rng.IntN(256))
			}
			inputs := map[string]onnxtest.Tensor{"images": onnxtest.Bytes(pixels, 9, c.height, c.width, c.channels)}
			h := expect.Must(m.Embed(eng, pixels))(t).H
			var file bytes.Buffer
			expect.NoError(t, WriteEncoder(&file, m))
			onnxtest.Check(t, "encoder "+name, file.Bytes(), inputs, map[string][]float64{"embeddings": flat(h)}, 1e-5)
		})
	}
}

// modelOfRows returns an untrained MLP of rows of four features.
func modelOfRows(t *testing.T) *train.Model {
	t.Helper()
	e, store := encoder.MLP{Hidden: []int{6}, Dim: 5}, model.NewStore()
	exec := expect.Must(model.NewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) *Node {
		return encoder.Embed(e, scope.In("mine"), x, false)
	}))(t)
	expect.NoError(t, expect.Err(exec.Call(tensors.FromFlatDataAndDimensions(make([]float32, 4), 1, 4))))
	disturb(t, store, 5)
	return expect.Must(train.FromEncoder(store, "mine", e, augment.Shape{}, 4))(t)
}

// An encoder of rows has one input for all features. Rows that it maps to zeros stay zeros where they are scaled to
// length one.
func TestONNXOfRows(t *testing.T) {
	eng, m := enginetest.Open(t), modelOfRows(t)
	x := mat.NewDense(8, 4, nil)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 8 {
		for j := range 4 {
			x.Set(i, j, float64(float32(rng.NormFloat64())))
		}
	}
	inputs := map[string]onnxtest.Tensor{"features": onnxtest.Numbers32(flat(x), 8, 4)}
	h := expect.Must(m.EmbedFeatures(eng, x))(t).H
	var file bytes.Buffer
	expect.NoError(t, WriteEncoder(&file, m))
	onnxtest.Check(t, "encoder of rows", file.Bytes(), inputs, map[string][]float64{"embeddings": flat(h)}, 1e-5)

	zeros, columns := &probe.Probe{Weights: mat.NewDense(1, 4, []float64{1, 2, 3, 4}), Bias: []float64{0.5}}, []Column{}
	for _, name := range []string{"a", "b", "c", "d"} {
		columns = append(columns, Column{Name: name, Deviation: 1})
	}
	file.Reset()
	expect.NoError(t, Classifier{Columns: columns, Members: []Member{{Head: zeros, Unit: true}}}.Write(&file))
	inputs = map[string]onnxtest.Tensor{}
	for _, name := range []string{"a", "b", "c", "d"} {
		inputs[name] = onnxtest.Numbers32([]float64{0, 2}, 2, 1)
	}
	onnxtest.Check(t, "rows of zeros", file.Bytes(), inputs, map[string][]float64{"logit": {0.5, 5.5}}, 1e-5)
}

// A model that cannot be written is an error, and nothing is written.
func TestONNXRefusals(t *testing.T) {
	m := modelOfRows(t)
	head := &probe.Probe{Weights: mat.NewDense(1, 5, nil), Bias: []float64{0}}
	four := []Column{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	words := Column{Name: "w", Categories: []string{"x", "y"}, Frequent: "x"}
	shape, members := augment.Shape{Height: 8, Width: 8, Channels: 1}, []Member{{Head: head}}
	other := expect.Must(train.FromEncoder(m.Store(), "encoder", encoder.SmallCNN{}, shape, 0))(t)
	unknown := Column{Name: "w", Categories: []string{"x"}, Frequent: "z"}
	for want, c := range map[string]Classifier{
		"without members":     {Columns: four},
		"either a shape":      {Members: members},
		"column holds words":  {Columns: []Column{words}, Joined: true, Members: members},
		`named "a"`:           {Columns: []Column{{Name: "a"}, {Name: "a"}}, Members: members},
		`no category "z"`:     {Columns: []Column{unknown}, Members: members},
		"takes 5 numbers":     {Columns: four, Members: members},
		"rows of 4 features":  {Columns: four[:3], Members: []Member{{Head: head, Network: m}}},
		"one output":          {Columns: four, Members: []Member{{}}},
		"without a network":   {Shape: shape, Members: members},
		"do not hold":         {Columns: four, Members: []Member{{Trees: &prior.Forest{}}}},
		"trees of 1 features": {Columns: four, Members: []Member{{Trees: stump()}}},
		"images of 8×9×1": {Shape: augment.Shape{Height: 8, Width: 9, Channels: 1},
			Members: []Member{{Head: head, Network: other}}},
		"/encoder/conv1/kernel; give the model": {Shape: shape, Members: []Member{{Head: head, Network: other}}},
	} {
		var file bytes.Buffer
		expect.Error(t, c.Write(&file), want)
		expect.Equal(t, file.Len(), 0, "%s", want)
	}
	expect.Error(t, WriteEncoder(io.Discard, nil), "no model")
	full := Classifier{Columns: four, Members: []Member{{Head: head, Network: m}}}
	expect.Error(t, full.Write(failing{}), "writing the model: short write")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// stump returns a tree of one split of one feature.
func stump() *prior.Forest {
	return &prior.Forest{Edges: [][]float64{{-1, 0.5}}, Roots: []int{0}, Nodes: []prior.Node{
		{Feature: 0, Low: 1, High: 2}, {Feature: -1, Value: -1}, {Feature: -1, Value: 2},
	}}
}

// Trees that are a leaf, that never split a constant column and whose last bin has no edge after it are written as the
// leaves that rows reach.
func TestONNXOfOddTrees(t *testing.T) {
	constant := Column{Name: "constant", Mean: 3}
	number := Column{Name: "number", Mean: 10, Deviation: 2, Median: 11, Missing: true}
	zero := Column{Name: "zero", Mean: 3.3, Deviation: 4.9} // 0 becomes an edge, and the way back ends at 4e-16
	atZero := (0 - zero.Mean) / zero.Deviation
	leaf := func(value float64) prior.Node { return prior.Node{Feature: -1, Value: value} }
	f := &prior.Forest{Bias: 0.25, Edges: [][]float64{{-1, 0, 1}, {-1, 0.5}, {0, 1}, {-9, atZero}},
		Roots: []int{0, 1, 4, 7, 10, 13, 16},
		Nodes: []prior.Node{
			leaf(1),
			{Feature: 0, Bin: 0, Low: 2, High: 3}, leaf(2), leaf(4), // 0 lies in bin 1
			{Feature: 0, Bin: 1, Low: 5, High: 6}, leaf(8), leaf(16),
			{Feature: 1, Bin: 1, Low: 8, High: 9}, leaf(32), leaf(64), // no bin above
			{Feature: 1, Bin: 0, Low: 11, High: 12}, leaf(128), leaf(256), // from 11 on
			{Feature: 2, Bin: 0, Low: 14, High: 15}, leaf(512), leaf(1024), // a gap
			{Feature: 3, Bin: 0, Low: 17, High: 18}, leaf(2048), leaf(4096), // from 0 on
		}}
	var file bytes.Buffer
	expect.NoError(t, Classifier{Columns: []Column{constant, number, zero}, Members: []Member{{Trees: f}}}.Write(&file))
	rows := []float64{10.9, 11, 12, math.NaN()}
	inputs := map[string]onnxtest.Tensor{"constant": onnxtest.Numbers32([]float64{3, 4, -5, math.NaN()}, 4, 1),
		"number": onnxtest.Numbers32(rows, 4, 1), "zero": onnxtest.Numbers32([]float64{0, -1e-3, 0, 1}, 4, 1)}
	encoded := mat.NewDense(4, 4, []float64{0, 0.45, 0, atZero, 0, 0.5, 0, -1, 0, 1, 0, atZero, 0, 0.5, 1, 0})
	want := expect.Must(f.Scores(encoded))(t)
	expect.Equal(t, want, []float64{4781.25, 2861.25, 4909.25, 5421.25})
	onnxtest.Check(t, "odd trees", file.Bytes(), inputs, map[string][]float64{"logit": want}, 1e-6)
}

// The threshold of a column lies between the number that the edge was made of and the next smaller one that
// standardizes to less.
func TestRawEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Column{Mean: rapid.Float64Range(-1e6, 1e6).Draw(t, "mean")}
		c.Deviation = rapid.Float64Range(1e-3, 1e5).Draw(t, "deviation")
		v := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-1e7, 1e7)).Draw(t, "number")
		standardized := func(v float64) float64 { return (v - c.Mean) / c.Deviation }
		edge := c.rawEdge(standardized(v))
		if below := math.Nextafter(edge, math.Inf(-1)); edge > v || standardized(edge) < standardized(v) ||
			v != edge && edge != 0 && standardized(below) >= standardized(v) {
			t.Fatalf("the edge of %g is %g", v, edge)
		}
	})
}
