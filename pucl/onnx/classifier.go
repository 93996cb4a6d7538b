package onnx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/gomlx/compute-onnx/support/protos"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
)

// Classifier is a classifier of positives against negatives for [Classifier.Write]. It reads images or the rows of a
// table: either Shape is set, or Columns are.
type Classifier struct {
	Shape   augment.Shape // of an image
	Columns []Column      // of the table

	// Joined makes one input "features" [n, columns] of all columns, which must be of numbers, in place of an input for
	// each column: for rows of a matrix.
	Joined bool

	Members []Member // decide by the mean of their logits
	Doc     string   // describes the classifier, for readers of the model
}

// Member is a scorer: trees, or a linear layer of the features or of the outputs of a network.
type Member struct {
	Trees   *prior.Forest
	Network *train.Model // nil for trees and for a linear layer of the features
	Unit    bool         // the input of Head is scaled to length one
	Head    *probe.Probe // one output, the logit of the positive class
}

// Write writes the classifier as an ONNX model. Its outputs, float32 [n], are "probability", of the positive class, and
// "logit". Its inputs are raw:
//
//   - images: "images", uint8 [n, height, width, channels], of the size of the training images;
//   - tables: an input [n, 1] for each column, with its name: float32 numbers, where NaN is a gap, or strings, where ""
//     is a gap. A category that the training rows lack has no feature, and a number beyond the range of float32 is
//     infinite;
//   - with Joined: "features", float32 [n, columns], where NaN is a gap.
//
// It is an error if a network has an encoder that is not one of package encoder, and if a column has the name of an
// output. Nothing is written before all is checked.
func (c Classifier) Write(w io.Writer) error {
	if len(c.Members) == 0 || (c.Shape == augment.Shape{}) == (len(c.Columns) == 0) {
		return errors.New("onnx: a classifier without members, or without either a shape of images or columns of " +
			"rows; give one of a training")
	}
	if c.Joined && slices.ContainsFunc(c.Columns, func(c Column) bool { return c.Categories != nil }) {
		return errors.New("onnx: Joined, but a column holds words; leave it false")
	}
	g := newGraph("probability", "logit")
	var images value
	var rows *table
	if len(c.Columns) > 0 {
		rows = tableInputs(g, c.Columns, c.Joined)
	} else {
		images = imageInput(g, c.Shape)
	}
	var logits []string
	for _, m := range c.Members {
		logits = append(logits, m.logit(g, images, rows).name)
	}
	mean := value{logits[0], []int{1}}
	if len(logits) > 1 {
		mean = g.node("Mean", []int{1}, logits)
	}
	logit := g.reshape(mean)
	g.output("probability", "probability of the positive class", g.node("Sigmoid", nil, []string{logit.name}))
	g.output("logit", "logit of the positive class, above 0 for positive", logit)
	return g.write(w, c.Doc)
}

// WriteEncoder writes the encoder of a model as an ONNX model. Its output is "embeddings", float32 [n, k]. Its input is
// "images", uint8 [n, height, width, channels], or "features", float32 [n, d], for a model of rows. It is an error if
// the encoder is not one of package encoder.
func WriteEncoder(w io.Writer, m *train.Model) error {
	if m == nil || m.Store() == nil {
		return errNoModel
	}
	g := newGraph("embeddings")
	var x value
	if m.Features() > 0 {
		x = g.input("features", float32Type, "rows of features", m.Features())
	} else {
		x = imageInput(g, m.Shape())
	}
	g.output("embeddings", "outputs of the encoder", g.encode(m, x))
	return g.write(w, m.Record.String())
}

// imageInput adds the input of images and scales their pixels to [0, 1].
func imageInput(g *graph, shape augment.Shape) value {
	x := g.input("images", uint8Type, "pixels from 0 to 255, height × width × channels", shape.Height, shape.Width,
		shape.Channels)
	return g.binary("Mul", g.cast(x, float32Type), g.scalar(1.0/255))
}

// logit returns the logits [n, 1] of the member for images or for rows.
func (m Member) logit(g *graph, images value, rows *table) value {
	if m.Trees != nil && rows != nil {
		if err := m.Trees.Check(); err != nil {
			g.fail("%w", err)
			return images
		}
		return rows.trees(m.Trees)
	}
	outputs, entries, err := m.Head.Shape()
	if err != nil || outputs != 1 || rows == nil && m.Network == nil {
		g.fail("a member without a network, trees of rows or a linear layer of one output; give one of a training")
		return images
	}
	x := images
	if rows != nil {
		x = rows.features(false)
	}
	if m.Network != nil {
		if err := m.fits(x); err != nil {
			g.fail("%w", err)
			return x
		}
		x = g.encode(m.Network, x)
	}
	if m.Unit {
		x = g.unit(x)
	}
	l := layers{graph: g, path: "head"}
	l.fits(entries, x.dims[0])
	var weights []float32
	for _, weight := range m.Head.Weights.RawRowView(0) {
		weights = append(weights, float32(weight))
	}
	return g.node("Gemm", []int{1}, []string{x.name, constant(g, "head/weights", weights, entries, 1),
		constant(g, "head/bias", []float32{float32(m.Head.Bias[0])}, 1)})
}

// fits returns an error unless the network reads examples such as x.
func (m Member) fits(x value) error {
	if m.Network.Store() == nil {
		return errNoModel
	}
	if len(x.dims) == 3 {
		return m.Network.CheckShape(x.dims[0], x.dims[1], x.dims[2])
	}
	if m.Network.Features() != x.dims[0] {
		return fmt.Errorf("a network of rows of %d features for rows of %d; give the table that it was trained on",
			m.Network.Features(), x.dims[0])
	}
	return nil
}

// write writes the model, or returns the first error of the graph.
func (g *graph) write(w io.Writer, doc string) error {
	if g.err != nil {
		return g.err
	}
	m := &protos.ModelProto{
		IrVersion: 8, ProducerName: "puclab", DocString: strings.ToValidUTF8(doc, "\uFFFD"), Graph: &g.proto,
		OpsetImport: []*protos.OperatorSetIdProto{{Version: 17}},
	}
	if g.ml {
		m.OpsetImport = append(m.OpsetImport, &protos.OperatorSetIdProto{Domain: mlDomain, Version: 3})
	}
	if size := proto.Size(m); size > math.MaxInt32 {
		return fmt.Errorf("onnx: the model has %d bytes, and ONNX allows 2 GB in one file; train a smaller network",
			size)
	}
	file, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return fmt.Errorf("onnx: encoding the model: %w", err)
	}
	if _, err := w.Write(file); err != nil {
		return fmt.Errorf("onnx: writing the model: %w", err)
	}
	return nil
}
