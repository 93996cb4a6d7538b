package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/pixels"
)

// Images are images of known size, in memory or in files: *datasets.Images and every datasets.Source, which declares
// the same methods, implement it.
type Images interface {
	// Len returns the number of images.
	Len() int
	// Shape returns the size of every image.
	Shape() (height, width, channels int)
	// ReadImage writes image i to dst, height×width×channels bytes.
	ReadImage(i int, dst []uint8) error
}

// Shape returns the shape of the images that the model embeds, zeros if it embeds features.
func (m *Model) Shape() augment.Shape { return m.shape }

// ImageShape returns height, width and channels of the images that the model embeds, zeros if it embeds features.
func (m *Model) ImageShape() (height, width, channels int) {
	return m.shape.Height, m.shape.Width, m.shape.Channels
}

// CheckImages returns an error if the model is nil or embeds features instead of images.
func (m *Model) CheckImages() error {
	if m != nil && m.features > 0 {
		return fmt.Errorf("train: this model embeds rows of %d features, not images; use EmbedFeatures", m.features)
	}
	return m.check()
}

// CheckShape returns an error unless the model embeds images of this shape. Functions that take images as bytes, such
// as [Model.Embed], cannot distinguish shapes with the same number of bytes. If a data set has a shape, compare it
// first:
//
//	err := model.CheckShape(images.Shape())
func (m *Model) CheckShape(height, width, channels int) error {
	if err := m.CheckImages(); err != nil {
		return err
	}
	if s := m.shape; s != (augment.Shape{Height: height, Width: width, Channels: channels}) {
		return fmt.Errorf("train: images of %d×%d×%d (height×width×channels), but this model embeds images of %d×%d×%d; "+
			"bring them to that size, or train a model on these", height, width, channels, s.Height, s.Width, s.Channels)
	}
	return nil
}

// CheckLabeled returns an error if images hold no whole image of the model's shape, or if labels differs from their
// number. what names the labels in the error, such as "true classes".
func (m *Model) CheckLabeled(images []uint8, labels int, what string) error {
	if err := m.CheckImages(); err != nil {
		return err
	}
	return named(pixels.CheckLabeled(images, labels, "images", what, m.shape))
}

// named returns err prefixed with the name of this package, nil for nil.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("train: %w", err)
}

// Embed embeds images, height×width×channels bytes each, without augmentation and with running statistics in the batch
// normalization. Bytes do not determine a shape: [Model.EmbedImages] compares shapes, and [Model.CheckShape] does it
// alone.
func (m *Model) Embed(eng *engine.Engine, images []uint8) (*Embedding, error) {
	if err := m.CheckImages(); err != nil {
		return nil, err
	}
	n, err := pixels.Count(images, "images", m.shape)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return embedAll(m, eng, n, from(images, pixels.Bytes(m.shape)), m.imageDims(), ScalePixels)
}

// EmbedImages is [Model.Embed] for images with a shape, which must equal the model's. It reads some hundred images at a
// time, so that images in files need not fit into memory.
func (m *Model) EmbedImages(eng *engine.Engine, images Images) (*Embedding, error) {
	none := errors.New("train: no images given to embed; give at least one")
	if images == nil {
		return nil, none
	}
	if set, ok := images.(interface{ Validate() error }); ok { // such as *datasets.Images filled by hand
		if err := set.Validate(); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	if err := m.CheckShape(images.Shape()); err != nil {
		return nil, err
	}
	n := images.Len()
	if n == 0 {
		return nil, none
	}
	size := pixels.Bytes(m.shape)
	read := func(first int, to []uint8) error {
		for i := range len(to) / size {
			if err := images.ReadImage(first+i, pixels.At(to, i, size)); err != nil {
				return fmt.Errorf("train: reading image %d: %w", first+i, err)
			}
		}
		return nil
	}
	return embedAll(m, eng, n, read, m.imageDims(), ScalePixels)
}

// EmbedFeatures embeds rows of features [n, d], one row each, without corruption and with running statistics in the
// batch normalization. It is for models of [PretrainFeatures]; models compute in float32.
func (m *Model) EmbedFeatures(eng *engine.Engine, x *mat.Dense) (*Embedding, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.features == 0 {
		return nil, fmt.Errorf("train: this model embeds images of %d×%d×%d bytes, not features; use Embed",
			m.shape.Height, m.shape.Width, m.shape.Channels)
	}
	if err := checkFeatures(x, m.features); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	return embedAll(m, eng, n, from(float32s(x), d), []int{d}, func(x *Node) *Node { return x })
}

// checkFeatures returns an error unless x has rows of the given number of features, all in the range of float32.
func checkFeatures(x *mat.Dense, features int) error {
	if x == nil || x.IsEmpty() {
		return errors.New("train: no rows given to embed; give at least one")
	}
	n, d := x.Dims()
	if d != features {
		return fmt.Errorf("train: rows of %d features given, but this model was trained on rows of %d; give the columns "+
			"of its training, in their order", d, features)
	}
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if !(math.Abs(v) <= math.MaxFloat32) { // this form also rejects NaN
				return fmt.Errorf("train: feature %d of row %d is %g; it must be a finite number in the range of float32",
					j, i, v)
			}
		}
	}
	return nil
}

func (m *Model) imageDims() []int { return []int{m.shape.Height, m.shape.Width, m.shape.Channels} }

// embedAll embeds n examples of the given shape. read reads them, and scale converts them to the input of the encoder.
func embedAll[T uint8 | float32](m *Model, eng *engine.Engine, n int, read func(first int, to []T) error, shape []int,
	scale func(*Node) *Node) (*Embedding, error) {
	if err := eng.Check(); err != nil {
		return nil, err
	}
	e, err := newEmbedder(m, eng, shape, func(scope *model.Scope, examples *Node) []*Node {
		h, z := m.graph(scope, scale(examples), false)
		return []*Node{h, z}
	})
	if err != nil {
		return nil, err
	}
	defer e.Finalize()
	out, err := embedIn(e, n, read)
	if err != nil {
		return nil, err
	}
	return &Embedding{H: out[0], Z: out[1]}, nil
}

// Embedder embeds examples with the current variables of a model's encoder, by one compiled program for each number of
// examples up to 512. It is safe for concurrent use, and must be finalized.
type Embedder struct {
	exec  *model.Exec
	shape []int // of an example
}

// NewEmbedder returns an [Embedder] for images of the model's shape, or rows of its number of features.
func (m *Model) NewEmbedder(eng *engine.Engine) (*Embedder, error) {
	if err := cmp.Or(m.check(), eng.Check()); err != nil {
		return nil, err
	}
	shape, scale := m.imageDims(), ScalePixels
	if m.features > 0 {
		shape, scale = []int{m.features}, func(x *Node) *Node { return x }
	}
	return newEmbedder(m, eng, shape, func(scope *model.Scope, examples *Node) []*Node {
		return []*Node{m.Encode(scope, scale(examples), false)}
	})
}

func newEmbedder(m *Model, eng *engine.Engine, shape []int, graph func(scope *model.Scope, examples *Node) []*Node) (*Embedder, error) {
	exec, err := model.NewExec(eng.Backend, m.store, func(scope *model.Scope, examples *Node) []*Node {
		known := m.store.NumVariables()
		out := graph(scope, examples)
		m.refuseNew(known)
		return out
	})
	if err != nil {
		return nil, fmt.Errorf("train: building the encoder: %w", engine.RootCause(err))
	}
	return &Embedder{exec, shape}, nil
}

// refuseNew deletes all variables after the first known ones and panics if there are any: a graph has made them and
// they are untrained.
func (m *Model) refuseNew(known int) {
	var paths []string
	for v := range m.store.IterVariables() {
		paths = append(paths, v.Path())
	}
	for _, path := range paths[known:] {
		if err := m.store.DeleteVariable(path); err != nil {
			panic(err)
		}
	}
	if len(paths) > known {
		panic(fmt.Errorf("train: the encoder %s has variables %q, which this model lacks; load it with the encoder that it was "+
			"trained with", encoder.Describe(m.encoder), paths[known:]))
	}
}

// Embed returns the encoder's outputs for images of height×width×channels bytes each, a row for each.
func (e *Embedder) Embed(images []uint8) (*mat.Dense, error) {
	if len(e.shape) != 3 {
		return nil, fmt.Errorf("train: this model embeds rows of %d features, not images; use EmbedFeatures", e.shape[0])
	}
	n, err := pixels.Count(images, "images", augment.Shape{Height: e.shape[0], Width: e.shape[1], Channels: e.shape[2]})
	if err != nil {
		return nil, named(err)
	}
	return e.embed(embedIn(e, n, from(images, len(images)/n)))
}

// EmbedFeatures returns the encoder's outputs for rows of features [n, d], a row for each.
func (e *Embedder) EmbedFeatures(x *mat.Dense) (*mat.Dense, error) {
	if len(e.shape) != 1 {
		return nil, errors.New("train: this model embeds images, not features; use Embed")
	}
	if err := checkFeatures(x, e.shape[0]); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	return e.embed(embedIn(e, n, from(float32s(x), d)))
}

func (e *Embedder) embed(out []*mat.Dense, err error) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Finalize frees the compiled programs.
func (e *Embedder) Finalize() { e.exec.Finalize() }

// embedIn embeds n examples, some hundred at a time, and returns the outputs of the graph, a row for each example. read
// fills to with the examples from first on. Every call has the same number of rows, so that the graph compiles once;
// the last call is padded with zeros.
func embedIn[T uint8 | float32](e *Embedder, n int, read func(first int, to []T) error) ([]*mat.Dense, error) {
	const perCall = 512
	size := 1
	for _, dim := range e.shape {
		size *= dim
	}
	var all []*mat.Dense
	batch := make([]T, min(n, perCall)*size)
	for first := 0; first < n; first += perCall {
		rows := min(n-first, perCall)
		if err := read(first, batch[:rows*size]); err != nil {
			return nil, err
		}
		clear(batch[rows*size:])
		in := tensors.FromFlatDataAndDimensions(batch, append([]int{len(batch) / size}, e.shape...)...)
		out, err := e.exec.Call(in)
		if err != nil {
			return nil, fmt.Errorf("train: embedding examples %d to %d: %w", first, first+rows-1, engine.RootCause(err))
		}
		for i, x := range out {
			if first == 0 {
				all = append(all, mat.NewDense(n, x.Shape().Dim(-1), nil))
			}
			if err := copyRows(all[i], first, x, 0, rows); err != nil {
				return nil, err
			}
		}
		for _, x := range append(out, in) { // at once: the garbage collector does not track the engine's memory
			if err := x.FinalizeAll(); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// from returns a function that reads rows of size numbers each from values.
func from[T uint8 | float32](values []T, size int) func(first int, to []T) error {
	return func(first int, to []T) error {
		copy(to, values[first*size:])
		return nil
	}
}

// copyRows copies count float32 rows of from, starting at first, to the rows of to starting at at.
func copyRows(to *mat.Dense, at int, from *tensors.Tensor, first, count int) error {
	_, columns := to.Dims()
	return tensors.ConstFlatData(from, func(flat []float32) {
		for i, value := range flat[first*columns : (first+count)*columns] {
			to.RawMatrix().Data[at*columns+i] = float64(value)
		}
	})
}

// float32s returns the entries of x row by row.
func float32s(x *mat.Dense) []float32 {
	n, d := x.Dims()
	values := make([]float32, 0, n*d)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			values = append(values, float32(v))
		}
	}
	return values
}
