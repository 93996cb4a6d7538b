package pu_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/internal/onnxtest"
	"github.com/puclab/puclab/pucl/pu"
	"github.com/puclab/puclab/pucl/train"
)

// onnxOf returns the classifier as an ONNX model.
func onnxOf(t *testing.T, c *pu.Classifier) []byte {
	t.Helper()
	var file bytes.Buffer
	expect.NoError(t, c.WriteONNX(&file))
	return file.Bytes()
}

// predictions returns the outputs that the model of a classifier must have.
func predictions(t *testing.T, c *pu.Classifier, test *pu.Dataset) map[string][]float64 {
	t.Helper()
	return map[string][]float64{
		"probability": expect.Must(c.Predict(test))(t), "logit": expect.Must(c.Scores(test))(t),
	}
}

// checkONNXOfRows compares the predictions of a classifier of blobs as an ONNX model with its own.
func checkONNXOfRows(t *testing.T, number int, m pu.Method, c *pu.Classifier) {
	t.Helper()
	x, _ := blobs(41, 3)
	x.Set(2, 1, 0)
	for i := range 41 { // the model reads float32
		for j := range 4 {
			x.Set(i, j, float64(float32(x.At(i, j))))
		}
	}
	test := expect.Must(pu.Features(x, nil))(t)
	inputs := map[string]onnxtest.Tensor{"features": onnxtest.Numbers32(mat.DenseCopyOf(x).RawMatrix().Data, 41, 4)}
	name := fmt.Sprintf("rows %02d %T", number, m)
	if b, ok := m.(pu.Baseline); ok {
		name = fmt.Sprintf("rows %02d %T", number, b.Method)
	}
	onnxtest.Check(t, name, onnxOf(t, c), inputs, predictions(t, c, test), 1e-5)
}

// pictures returns n pictures, every third positive.
func pictures(n int, seed uint64) (pixels []uint8, positive []bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		positive = append(positive, i%3 == 0)
		pixels = append(pixels, picture(i%3 == 0, rng).Pix...)
	}
	return pixels, positive
}

// Every method of images can be written as an ONNX model. ONNX Runtime compares its predictions with those here.
func TestONNXOfImages(t *testing.T) {
	expect.Slow(t)
	eng := enginetest.Open(t)
	shape := pu.Shape{Height: 12, Width: 12, Channels: 1}
	pixels, positive := pictures(90, 1)
	for i := range positive {
		positive[i] = positive[i] && i%2 == 0
	}
	data := expect.Must(pu.Images(pixels, shape, positive))(t)
	pixels, _ = pictures(23, 2)
	test := expect.Must(pu.Images(pixels, shape, nil))(t)
	inputs := map[string]onnxtest.Tensor{"images": onnxtest.Bytes(pixels, 23, 12, 12, 1)}
	base := func(m baseline.Method, e encoder.Encoder) pu.Method {
		return pu.Baseline{Method: m, Encoder: e, Positives: 8, Unlabeled: 16, Settings: train.Settings{Steps: 8}}
	}
	of := func(e encoder.Encoder) pu.Pretraining {
		p := smallCNN()
		p.Encoder, p.Steps = cmp.Or(e, p.Encoder), 8
		return p
	}
	cnn, tuned := of(nil), &classify.FineTuneConfig{Epochs: 1}
	for name, m := range map[string]pu.Method{
		"Algorithm 1": pu.Algorithm1{Pretraining: cnn}, "Mixture": pu.Mixture{Pretraining: cnn},
		"Algorithm 1 fine-tuned": pu.Algorithm1{Pretraining: cnn, FineTune: tuned},
		"Mixture debiased":       pu.Mixture{Pretraining: cnn, Debiased: true},
		"Mixture fine-tuned":     pu.Mixture{Pretraining: cnn, FineTune: tuned},
		"Mixture of ViT":         pu.Mixture{Pretraining: of(encoder.ViT{Patch: 4, Layers: 2, Heads: 2, Dim: 16})},
		"CrossFit":               pu.CrossFit{Pretraining: cnn},
		"CrossFit of ResNet": pu.CrossFit{Pretraining: of(encoder.ResNet{Depth: 10, CIFAR: true, Width: 4}),
			Folds: 2},
		"VPU":            base(baseline.VPU{}, nil),
		"nnPU of MLP":    base(baseline.NNPU{Prior: 0.3}, encoder.MLP{Hidden: []int{12}, Dim: 8}),
		"nnPU of ResNet": base(baseline.NNPU{Prior: 0.3}, encoder.ResNet{Depth: 10, Width: 4}),
		"PULNS":          base(baseline.PULNS{}, encoder.SmallCNN{Width: 4, Dim: 16}),
	} {
		t.Run(name, func(t *testing.T) {
			config := pu.Config{Method: m, Seed: 1, Prior: 0.25, Engine: eng}
			c := expect.Must(pu.Fit(context.Background(), data, config))(t)
			onnxtest.Check(t, "images "+name, onnxOf(t, c), inputs, predictions(t, c, test), 1e-5)
		})
	}
}

// mixedTable returns a table whose columns hold gaps, categories, a constant, numbers that float32 rounds, zeros beside
// large numbers, and years, which are large and differ little. One has the name of a node. Half of the positives are
// labeled.
func mixedTable(t *testing.T, n int, seed uint64) *pu.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	columns := []tabular.Column{{Name: "age, in years"}, {Name: "Städte"}, {Name: "LabelEncoder"}, {Name: "one"},
		{Name: "gain"}, {Name: "color"}, {Name: "year"}}
	labeled := make([]bool, n)
	for i := range n {
		positive := i%3 == 0
		labeled[i] = positive && i%2 == 0
		shift := 0.0
		if positive {
			shift = 1.5
		}
		numbers := []float64{40 + 10*(rng.NormFloat64()+shift), math.NaN(), math.Round(10*rng.NormFloat64()) / 10, 3, 0,
			math.NaN(), 1990 + math.Round(5*(rng.NormFloat64()+shift))}
		if i%7 == 0 {
			numbers[0] = math.NaN()
		}
		if i%11 == 3 {
			numbers[6] = math.NaN()
		}
		if rng.IntN(3) == 0 {
			numbers[4] = math.Round(1e4*rng.NormFloat64()) / 100
		}
		for j, x := range numbers {
			if j != 1 && j != 5 {
				columns[j].Numbers = append(columns[j].Numbers, x)
			}
		}
		city := []string{"Bern", "Genève", "Zürich", ""}[rng.IntN(4)]
		if positive && rng.IntN(2) == 0 {
			city = "Genève"
		}
		columns[1].Words = append(columns[1].Words, city)
		columns[5].Words = append(columns[5].Words, []string{"red", "green", "red"}[rng.IntN(3)])
	}
	d := &pu.Dataset{Table: &tabular.Frame{Columns: columns}, Labeled: labeled}
	expect.NoError(t, d.Validate())
	return d
}

// A table has an input for each column. The test rows are the training rows, whose numbers are edges of the trees'
// bins, and others with gaps where the training rows have none and with unknown categories.
func TestONNXOfTables(t *testing.T) {
	eng := enginetest.Open(t)
	data, test := mixedTable(t, 240, 1), mixedTable(t, 240, 1)
	others := mixedTable(t, 60, 2)
	for i := range others.Len() {
		columns := others.Table.Columns
		switch i % 4 {
		case 0:
			columns[2].Numbers[i], columns[4].Numbers[i] = math.NaN(), math.NaN()
		case 1:
			columns[1].Words[i], columns[5].Words[i] = "Basel", ""
		case 2:
			columns[3].Numbers[i] = 4
		}
	}
	inputs := map[string]onnxtest.Tensor{}
	for j := range test.Table.Columns {
		to, from := &test.Table.Columns[j], others.Table.Columns[j]
		to.Numbers, to.Words = append(to.Numbers, from.Numbers...), append(to.Words, from.Words...)
		inputs[to.Name] = onnxtest.Numbers32(to.Numbers, to.Len(), 1)
		if to.Words != nil {
			inputs[to.Name] = onnxtest.Tensor{Dims: []int{to.Len(), 1}, Texts: to.Words}
		}
	}
	test.Labeled = nil
	for name, m := range map[string]pu.Method{
		"Trees": pu.Trees{}, "Logistic": pu.Logistic{}, "nnPU": pu.Linear{},
		"Mixture": pu.Mixture{Pretraining: small()},
	} {
		t.Run(name, func(t *testing.T) {
			config := pu.Config{Method: m, Seed: 2, Prior: 0.25, Engine: eng}
			c := expect.Must(pu.Fit(context.Background(), data, config))(t)
			onnxtest.Check(t, "table "+name, onnxOf(t, c), inputs, predictions(t, c, test), 1e-5)
		})
	}
}

// A column named like an output is an error, since two values of a model cannot share a name.
func TestONNXRefusesNamesOfOutputs(t *testing.T) {
	data := mixedTable(t, 60, 3)
	data.Table.Columns[2].Name = "logit"
	config := pu.Config{Method: pu.Logistic{}, Engine: enginetest.Open(t)}
	c := expect.Must(pu.Fit(context.Background(), data, config))(t)
	expect.Error(t, c.WriteONNX(io.Discard), `"logit"`, "rename the column")
	expect.Error(t, (&pu.Classifier{}).WriteONNX(io.Discard), "the classifier is empty")
}

// A classifier whose encoder is a Go function is an error before anything is written.
func TestONNXRefusesOwnEncoders(t *testing.T) {
	data, _ := blobData(t)
	p := small()
	p.Encoder, p.Steps = encoder.Func{Name: "mine", Graph: encoder.MLP{Hidden: []int{8}, Dim: 4}.Embed}, 5
	c := expect.Must(pu.Fit(context.Background(), data, pu.Config{Method: pu.Mixture{Pretraining: p},
		Engine: enginetest.Open(t)}))(t)
	var file bytes.Buffer
	expect.Error(t, c.WriteONNX(&file), `own encoder "mine"`, "package encoder", "Model.Export")
	expect.Equal(t, file.Len(), 0)
}
