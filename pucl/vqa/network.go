package vqa

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
)

// Scopes of the variables.
const (
	networkScope  = "network"
	momentumScope = "momentum"
)

// Seen holds a network's features of images and captions in the common space: rows of unit length.
type Seen struct {
	Image   *Node // [n, k], of the class token
	Patches *Node // [n, patches, k], of parts of the image, row by row
	Text    *Node // [n, k], of the first token of the caption
	Words   *Node // [n, words, k], of the other tokens of the caption
	Mask    *Node // Bool [n, words], true for tokens of the caption
}

// network builds the graph from images, questions and captions (nil for none) to the logits of the answers and the
// features to compare.
func (c Config) network(scope *model.Scope, images, questions, captions *Node, answers int) (logits *Node, seen Seen) {
	patches := c.Image.Tokens(scope.In("image"), images)
	text := func() *model.Scope { return scope.At("text") } // entered once for each use of its weights
	read := func(tokens *Node) (words, mask *Node) {
		mask = NotEqual(tokens, ZerosLike(tokens))
		return c.Text.Text(text(), tokens, mask), mask
	}
	words, mask := read(questions)
	fused := c.Text.FuseFirst(text(), words, mask, patches)
	head := scope.In("head")
	x := activation.Gelu(encoder.Dense(head.In("hidden"), fused, fused.Shape().Dim(1), true))
	logits = encoder.Dense(head.In("out"), x, answers, true)
	if captions != nil {
		words, mask = read(captions)
		seen = c.project(scope, patches, words)
		seen.Mask = Slice(mask, AxisRange(), AxisRange(1))
	}
	return logits, seen
}

// project maps the tokens of images and captions to the common space, each kind by one dense layer shared by its
// tokens.
func (c Config) project(scope *model.Scope, patches, words *Node) Seen {
	common := func(name string, x *Node) (whole, parts *Node) {
		n, tokens := x.Shape().Dim(0), x.Shape().Dim(1)
		z := encoder.Dense(scope.In("%s", name), Reshape(x, n*tokens, x.Shape().Dim(2)), c.Projection, true)
		z = Reshape(z, n, tokens, c.Projection)
		return first(z), Slice(z, AxisRange(), AxisRange(1))
	}
	var s Seen
	s.Image, s.Patches = common("image_projection", patches)
	s.Text, s.Words = common("text_projection", words)
	s.Image, s.Text = pucl.UnitRows(s.Image), pucl.UnitRows(s.Text)
	s.Patches, s.Words = pucl.UnitRows(pooled(s.Patches)), pucl.UnitRows(s.Words)
	return s
}

// first returns the first token of each example, [n, k] of [n, tokens, k].
func first(x *Node) *Node {
	return Reshape(Slice(x, AxisRange(), AxisElem(0)), x.Shape().Dim(0), x.Shape().Dim(2))
}

// pooled reduces the patches of square images, [n, edge², k], to the means of squares of patches: as few as possible
// with four or more along each side, such as 4×4 of the 16×16 of TCL. Other images keep their patches.
func pooled(x *Node) *Node {
	n, patches, k := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	edge := 1
	for edge*edge < patches {
		edge++
	}
	if edge*edge != patches {
		return x
	}
	for side := 4; side < edge; side++ {
		if edge%side == 0 {
			return Reshape(ReduceMean(Reshape(x, n, side, edge/side, side, edge/side, k), 2, 4), n, side*side, k)
		}
	}
	return x
}
