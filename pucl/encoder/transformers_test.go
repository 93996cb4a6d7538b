package encoder

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/safetensors"
)

// testBERT is the BERT of the gradient tests.
var testBERT = BERT{Vocabulary: 5, Positions: 4, Layers: 1, Fusion: 1, Heads: 2, Dim: 4, Hidden: 5}

// listed holds the output of testdata/make_transformers.py for a model.
type listed struct {
	Parameters int
	Shapes     map[string][]int
}

func transformers(t *testing.T) (f struct {
	BERT, ViT listed
	Outputs   struct{ Image, Text, Fusion []float64 }
}) {
	t.Helper()
	vectortest.ReadJSON(t, "testdata/transformers.json", &f)
	return f
}

// texts returns the tokens of make_transformers.py; each text is one token shorter than the one before.
func texts(count, length, vocabulary int) (tokens []int32, mask []bool) {
	u := vectortest.Formula("tokens", count*length)
	for i := range count {
		for j := range length {
			there := j < length-i
			id := int32(0)
			if there {
				id = int32((u[i*length+j] + 0.5) * float64(vocabulary))
			}
			tokens, mask = append(tokens, id), append(mask, there)
		}
	}
	return tokens, mask
}

// buildBERT makes the variables of b.
func buildBERT(b BERT, fuse bool) func(scope *model.Scope, g *Graph) {
	return func(scope *model.Scope, g *Graph) {
		tokens := Parameter(g, "tokens", shapes.Make(dtypes.Int32, 1, 2))
		mask := Parameter(g, "mask", shapes.Make(dtypes.Bool, 1, 2))
		x := b.Text(scope, tokens, mask)
		if fuse {
			b.Fuse(scope, x, mask, x)
		}
	}
}

// bertShapes lists the shapes of a BERT's tensors by PyTorch's names.
func bertShapes(t *testing.T, b BERT) map[string][]int {
	shapes, _ := declared(t, buildBERT(b, true))
	return shapes
}

// BERT-base has Hugging Face's names and shapes, one to one, and so has the result of HuggingFaceViT for ViT-B/16.
func TestShapesAreTransformers(t *testing.T) {
	lists := transformers(t)
	expect.Equal(t, bertShapes(t, BERT{}), lists.BERT.Shapes, "BERT-base")
	theirs := map[string]safetensors.Tensor{}
	for name, shape := range lists.ViT.Shapes {
		theirs["module.vit."+name] = safetensors.Tensor{DType: safetensors.F32, Shape: shape}
	}
	renamed := map[string][]int{}
	for name, tensor := range expect.Must(HuggingFaceViT(theirs))(t) {
		renamed[name] = tensor.Shape
	}
	want, _ := shapesOf(t, ViTB16(), 224, 224, 3)
	expect.Equal(t, renamed, want, "ViT-B/16")
}

// With equal weights, ViT, BERT and its fusion give the outputs of transformers, including texts of different lengths.
func TestForwardIsTransformers(t *testing.T) {
	for _, eng := range enginetest.All(t) {
		t.Run(eng.Kind, func(t *testing.T) { checkTransformers(t, eng) })
	}
}

func checkTransformers(t *testing.T, eng *engine.Engine) {
	want := transformers(t).Outputs
	vit := ViT{Patch: 8, Layers: 2, Heads: 3, Dim: 24, Hidden: 40}
	bert := BERT{Vocabulary: 31, Positions: 12, Layers: 2, Fusion: 2, Heads: 3, Dim: 24, Hidden: 40}
	// In transformers the fusion was a separate model with layers 0 and 1.
	dict := map[string]safetensors.Tensor{}
	for name, shape := range bertShapes(t, bert) {
		formula := name
		for i := range 2 {
			if rest, ok := strings.CutPrefix(name, fmt.Sprintf("encoder.layer.%d.", 2+i)); ok {
				formula = fmt.Sprintf("encoder.layer.%d.%s", i, rest)
			}
		}
		dict[name] = formulaTensor(t, formula, shape)
	}
	hf := map[string]safetensors.Tensor{}
	for name, shape := range transformers(t).ViT.Shapes {
		small := slices.Clone(shape)
		for i, n := range small { // the sizes of ViT-B/16 and the test's
			small[i] = cmp.Or(map[int]int{768: 24, 3072: 40, 197: 5, 16: 8}[n], n)
		}
		layer := 0
		if _, err := fmt.Sscanf(name, "layers.%d.", &layer); err != nil || layer < 2 {
			hf[name] = formulaTensor(t, name, small)
		}
	}
	images, store := expect.Must(HuggingFaceViT(hf))(t), model.NewStore()
	expect.NoError(t, LoadStateDict(eng.Backend, store, "vit", vit, 16, 16, 3, images))
	expect.NoError(t, LoadWeights(eng.Backend, store, "bert", bert.String(), buildBERT(bert, true), dict))
	exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, in []*Node) []*Node {
		seen := vit.Tokens(scope.In("vit"), in[0])
		b := scope.In("bert")
		text := bert.Text(b, in[1], in[2])
		return []*Node{seen, text, bert.Fuse(b, text, in[2], seen), bert.FuseFirst(scope.At("bert"), text, in[2], seen)}
	})
	defer exec.Finalize()
	tokens, mask := texts(3, 7, 31)
	out := expect.Must(exec.Call(tensors.FromFlatDataAndDimensions(vectortest.Network{Batch: 3, Height: 16, Width: 16}.Images(), 3, 16, 16, 3),
		tensors.FromFlatDataAndDimensions(tokens, 3, 7), tensors.FromFlatDataAndDimensions(mask, 3, 7)))(t)
	near(t, "ViT", out[0], want.Image, 1e-4)
	near(t, "BERT", out[1], want.Text, 1e-4)
	near(t, "fusion", out[2], want.Fusion, 1e-4)
	var first []float64
	for text := range slices.Chunk(want.Fusion, 7*24) {
		first = append(first, text[:24]...)
	}
	near(t, "first token of the fusion", out[3], first, 1e-4)
}

// The full-size models, ViT-B/16 and BERT-base, are read from the folder $PUCL_TRANSFORMERS, which
// `make_transformers.py base FOLDER` creates.
func TestBaseSizes(t *testing.T) {
	folder := os.Getenv("PUCL_TRANSFORMERS")
	if folder == "" {
		t.Skip("set PUCL_TRANSFORMERS to the folder that testdata/make_transformers.py filled")
	}
	read := func(name string) map[string]safetensors.Tensor {
		return expect.Must(safetensors.ReadFile(filepath.Join(folder, name)))(t).Tensors
	}
	eng, store, want := enginetest.Open(t), model.NewStore(), read("outputs.safetensors")
	images, bert := expect.Must(HuggingFaceViT(read("vit/model.safetensors")))(t), read("bert/model.safetensors")
	expect.NoError(t, LoadStateDict(eng.Backend, store, "vit", ViTB16(), 224, 224, 3, images))
	expect.NoError(t, LoadWeights(eng.Backend, store, "bert", "BERT-base", buildBERT(BERT{}, false), bert))
	exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, in []*Node) []*Node {
		return []*Node{ViTB16().Tokens(scope.In("vit"), in[0]), BERT{}.Text(scope.In("bert"), in[1], in[2])}
	})
	defer exec.Finalize()
	tokens, mask := texts(2, 9, 30522)
	out := expect.Must(exec.Call(tensors.FromFlatDataAndDimensions(vectortest.Network{Batch: 2, Height: 224, Width: 224}.Images(), 2, 224, 224, 3),
		tensors.FromFlatDataAndDimensions(tokens, 2, 9), tensors.FromFlatDataAndDimensions(mask, 2, 9)))(t)
	for i, name := range []string{"image", "text"} {
		near(t, name, out[i], expect.Must(want[name].Float64s())(t), 1e-3)
	}
}

// The rows of tokens are trained: the gradient of a text with respect to each of the three kinds of rows is compared
// with differences.
func TestTextRowsLearn(t *testing.T) {
	eng, store := enginetest.Open(t), model.NewStore()
	names := []string{"word_embeddings", "position_embeddings", "token_type_embeddings"}
	exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, tokens, mask *Node) []*Node {
		x := testBERT.Text(scope.In("bert"), tokens, mask)
		loss := ReduceAllSum(Mul(Add(x, Square(x)), Sin(AddScalar(IotaFull(x.Graph(), x.Shape()), 1))))
		wrt := []*Node{}
		for _, name := range names {
			wrt = append(wrt, store.GetVariable("/bert/embeddings/"+name+"/rows").NodeValue(x.Graph()))
		}
		return append([]*Node{loss}, Gradient(loss, wrt...)...)
	})
	defer exec.Finalize()
	call := func() []*tensors.Tensor {
		return expect.Must(exec.Call([][]int32{{2, 4, 2}, {1, 2, 0}}, [][]bool{{true, true, true}, {true, true, false}}))(t)
	}
	out := call()
	for k, name := range names {
		v := store.GetVariable("/bert/embeddings/" + name + "/rows")
		rows := numbers(v.MustValue())
		want := slopes(rows, 1e-4, func() float64 { // the rows have a standard deviation of 0.02
			var flat []float32
			for _, x := range rows {
				flat = append(flat, float32(x))
			}
			expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(flat, v.Shape().Dimensions...)))
			return float64(tensors.ToScalar[float32](call()[0]))
		})
		for i, got := range numbers(out[1+k]) {
			expect.Near(t, got, want[i], 0.03*max(10, math.Abs(want[i])), "%s, entry %d", name, i)
		}
		expect.That(t, largest(want) > 1, "nothing depends on %s", name)
	}
}

func TestBERTRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	build := func(b BERT, tokens, mask shapes.Shape) error {
		return declare(eng.Backend, model.NewStore(), "bert", func(scope *model.Scope, g *Graph) {
			b.Text(scope, Parameter(g, "tokens", tokens), Parameter(g, "mask", mask))
		})
	}
	ids, bools := shapes.Make(dtypes.Int32, 2, 4), shapes.Make(dtypes.Bool, 2, 4)
	small := testBERT
	small.Dim = 5
	dict := map[string]safetensors.Tensor{"embeddings.LayerNorm.bias": {DType: safetensors.F32, Shape: []int{7}, Data: make([]byte, 28)}}
	for _, tt := range []struct {
		err  error
		says string
	}{
		{build(testBERT, shapes.Make(dtypes.Int32, 2, 5), shapes.Make(dtypes.Bool, 2, 5)), "encoder: texts of 5 tokens, and this BERT has 4 positions … cut the texts"},
		{build(testBERT, shapes.Make(dtypes.Float32, 2, 4), bools), "encoder: BERT reads … Int32 [n, length]"},
		{build(testBERT, ids, shapes.Make(dtypes.Bool, 2, 3)), "encoder: a mask … must be Bool of that shape"},
		{build(small, ids, bools), "encoder: the 2 heads of a BERT share its dim 5 evenly … change Heads or Dim"},
		{build(BERT{Layers: -1}, ids, bools), "encoder: … Layers"},
		{LoadWeights(eng.Backend, model.NewStore(), "bert", "a small BERT", buildBERT(testBERT, false), dict),
			"encoder: these weights are not those of a small BERT … rename the tensors … missing … of another shape (1): embeddings.LayerNorm.bias [7] instead of [4]"},
		{refusal.Err(HuggingFaceViT(map[string]safetensors.Tensor{"bert.x": {}})), "encoder: tensor bert.x is none … give the weights of one"},
		{refusal.Err(HuggingFaceViT(map[string]safetensors.Tensor{"layers.0.attention.q_proj.bias": {}})), "encoder: of the queries … one is missing … whole ViTModel"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}
