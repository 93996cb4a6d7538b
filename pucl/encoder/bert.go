package encoder

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// BERT is a text encoder. Every token of a text becomes the normalized sum of three trained rows, for its number, its
// position and its segment. Layers of attention and of a two-layer perceptron follow, each around a shortcut and before
// a layer normalization (post-norm). The zero value is BERT-base, uncased; there is no dropout.
//
// Fusion adds layers in which every token also attends to other tokens, for example of an image, between the attention
// and the perceptron. They are numbered after the text layers, as in ALBEF and TCL, which divide BERT-base into 6 and
// 6.
//
// Weights have the names and shapes of Hugging Face's BertModel, through [StateDict]. Like all graph code, the methods
// panic on settings out of range and on inputs of a wrong shape.
//
// Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", arXiv
// 1810.04805, 2018; for the fusion Li et al., "Align before Fuse", arXiv 2107.07651, 2021, Section 3.1.
type BERT struct {
	Vocabulary int // number of tokens in the vocabulary; 0 means 30,522
	Positions  int // maximum number of tokens in a text; 0 means 512
	Segments   int // number of segments; 0 means 2; all tokens belong to the first
	Layers     int // layers of text alone; 0 means 12
	Fusion     int // layers with cross-attention, after the others; 0 means none
	Heads      int // attention heads of a layer; 0 means 12
	Dim        int // length of a token; 0 means 768
	Hidden     int // size of the perceptrons' hidden layer; 0 means 4·Dim
}

// bertEpsilon is added to variances in layer normalization.
const bertEpsilon = 1e-12

// Text returns the tokens of texts after the text layers, [n, length, Dim]. tokens holds their numbers, Int32 [n,
// length], with length at most Positions. mask, Bool of the same shape, is false after the end of a text, and no token
// attends there. Numbers outside the vocabulary are clamped to the nearest valid one.
func (b BERT) Text(scope *model.Scope, tokens, mask *Node) *Node {
	b = b.checked()
	shape := tokens.Shape()
	fault.PanicIf(shape.Rank() != 2 || !shape.DType.IsInt(), "encoder: BERT reads the numbers of tokens, Int32 [n, length], not %s", shape)
	length := shape.Dim(1)
	fault.PanicIf(length > b.Positions, "encoder: texts of %d tokens, and this BERT has %d positions; cut the texts, or set Positions",
		length, b.Positions)
	checkMask(mask, shape.Dimensions)
	g, s := tokens.Graph(), scope.In("embeddings")
	like := Scalar(g, dtypes.Float32, 0) // the precision of the weights
	rows := func(name string, count int) *Node { return normal(s.In("%s", name), "rows", like, 0.02, count, b.Dim) }
	words := Gather(rows("word_embeddings", b.Vocabulary), ExpandAxes(MinScalar(MaxScalar(tokens, 0), b.Vocabulary-1), -1))
	places := Slice(rows("position_embeddings", b.Positions), AxisRange(0, length))
	first := Slice(rows("token_type_embeddings", b.Segments), AxisRange(0, 1))
	x := Add(words, ExpandLeftToRank(Add(places, BroadcastToDims(first, length, b.Dim)), 3))
	x = layerNorm(s.In("LayerNorm"), x, bertEpsilon)
	for i := range b.Layers {
		x = b.layer(scope.At("encoder").At("layer").In("%d", i), x, x, mask, nil)
	}
	return x
}

// Fuse returns the tokens after the fusion layers, [n, length, Dim]: x is the result and mask the argument of
// [BERT.Text]. seen [n, others, any] holds the other tokens, and every token attends to all of them.
func (b BERT) Fuse(scope *model.Scope, x, mask, seen *Node) *Node {
	return b.fuse(scope, x, mask, seen, func(x *Node) *Node { return x })
}

// FuseFirst returns the first token of [BERT.Fuse], [n, Dim], in less time: the last layer computes it alone.
func (b BERT) FuseFirst(scope *model.Scope, x, mask, seen *Node) *Node {
	first := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, 1)) }
	return Squeeze(first(b.fuse(scope, x, mask, seen, first)), 1)
}

// fuse is Fuse with only the tokens selected by last in the last layer.
func (b BERT) fuse(scope *model.Scope, x, mask, seen *Node, last func(x *Node) *Node) *Node {
	b = b.checked()
	fault.PanicIf(x.Rank() != 3 || x.Shape().Dim(2) != b.Dim, "encoder: a fusion of tokens %s; they must be [n, length, %d], as Text returns them",
		x.Shape(), b.Dim)
	fault.PanicIf(seen.Rank() != 3 || seen.Shape().Dim(0) != x.Shape().Dim(0),
		"encoder: a fusion of tokens %s with %s; the latter must be [n, others, any] for the same n", x.Shape(), seen.Shape())
	checkMask(mask, x.Shape().Dimensions[:2])
	for i := range b.Fusion {
		of := x
		if i == b.Fusion-1 {
			of = last(x)
		}
		x = b.layer(scope.At("encoder").At("layer").In("%d", b.Layers+i), of, x, mask, seen)
	}
	return x
}

// layer returns one layer of a BERT: tokens attend to words, where mask is true, and then to seen unless that is nil.
func (b BERT) layer(scope *model.Scope, tokens, words, mask, seen *Node) *Node {
	x := b.look(scope.In("attention"), tokens, words, mask)
	if seen != nil {
		x = b.look(scope.In("crossattention"), x, seen, nil)
	}
	y := activation.Gelu(tokenDense(scope.In("intermediate").In("dense"), x, cmp.Or(b.Hidden, 4*b.Dim)))
	out := scope.In("output")
	return layerNorm(out.In("LayerNorm"), Add(x, tokenDense(out.In("dense"), y, b.Dim)), bertEpsilon)
}

// look returns the normalized sum of the tokens x and their attention to others.
func (b BERT) look(scope *model.Scope, x, others, mask *Node) *Node {
	self, out := scope.In("self"), scope.In("output")
	query, key, value := self.In("query"), self.In("key"), self.In("value")
	var parts []*Node
	if x == others {
		parts = tokenDenses(x, b.Dim, query, key, value)
	} else {
		parts = append(tokenDenses(x, b.Dim, query), tokenDenses(others, b.Dim, key, value)...)
	}
	for i, part := range parts {
		parts[i] = Reshape(part, part.Shape().Dim(0), part.Shape().Dim(1), b.Heads, b.Dim/b.Heads)
	}
	y := attend(parts[0], parts[1], parts[2], mask)
	return layerNorm(out.In("LayerNorm"), Add(x, tokenDense(out.In("dense"), y, b.Dim)), bertEpsilon)
}

// checkMask panics unless mask has an entry for every token.
func checkMask(mask *Node, dims []int) {
	shape := mask.Shape()
	fault.PanicIf(shape.DType != dtypes.Bool || shape.Rank() != 2 || shape.Dim(0) != dims[0] || shape.Dim(1) != dims[1],
		"encoder: a mask %s of texts of shape %d; it must be Bool of that shape, true for tokens of the text", shape, dims)
}

// String names the network and its sizes.
func (b BERT) String() string {
	b = b.withDefaults()
	fusion := ""
	if b.Fusion > 0 {
		fusion = fmt.Sprintf(" and %d of fusion", b.Fusion)
	}
	return fmt.Sprintf("BERT %d tokens, %d positions, %d layers%s, %d heads, hidden %d, %d-d",
		b.Vocabulary, b.Positions, b.Layers, fusion, b.Heads, b.Hidden, b.Dim)
}

// withDefaults fills in the zero fields.
func (b BERT) withDefaults() BERT {
	b.Vocabulary, b.Positions, b.Segments = cmp.Or(b.Vocabulary, 30_522), cmp.Or(b.Positions, 512), cmp.Or(b.Segments, 2)
	b.Layers, b.Heads, b.Dim = cmp.Or(b.Layers, 12), cmp.Or(b.Heads, 12), cmp.Or(b.Dim, 768)
	b.Hidden = cmp.Or(b.Hidden, 4*b.Dim)
	return b
}

// checked returns b with its defaults, or panics where a size is out of range.
func (b BERT) checked() BERT {
	b = b.withDefaults()
	atLeastOne("BERT", setting{"Vocabulary", b.Vocabulary}, setting{"Positions", b.Positions}, setting{"Segments", b.Segments},
		setting{"Layers", b.Layers}, setting{"Heads", b.Heads}, setting{"Dim", b.Dim}, setting{"Hidden", b.Hidden})
	fault.PanicIf(b.Fusion < 0, "encoder: a BERT with %d layers of fusion; it must be at least 1, or 0 for none", b.Fusion)
	fault.PanicIf(b.Dim%b.Heads != 0, "encoder: the %d heads of a BERT share its dim %d evenly, so %d heads must divide dim %d; change Heads or Dim",
		b.Heads, b.Dim, b.Heads, b.Dim)
	return b
}
