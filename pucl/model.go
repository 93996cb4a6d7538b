package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// Model is a trained encoder with its projector. It is for one goroutine at a time.
type Model struct {
	Losses  []float64 // of every training step, in nats
	History History   // what else was seen of every step, and measured between them
	Record  Record    // how it was trained

	store                   *model.Store
	encoder                 encoder.Encoder
	projection              int
	height, width, channels int // of an image; 0 where the model embeds features
	features                int // in a row; 0 where the model embeds images
}

func newModel(e encoder.Encoder, projection, height, width, channels int) *Model {
	return &Model{store: model.NewStore(), encoder: e, projection: projection, height: height, width: width, channels: channels}
}

// Scopes of the variables.
const (
	encoderScope   = "encoder"
	projectorScope = "projector"
)

// graph embeds images [n, height, width, channels] or features [n, d] and projects the embeddings.
func (m *Model) graph(scope *model.Scope, examples *Node, training bool) (embeddings, projections *Node) {
	embeddings = encoder.Embed(m.encoder, scope.In(encoderScope), examples, training)
	projections = encoder.Projector(scope.In(projectorScope), embeddings, m.projection, training)
	return embeddings, projections
}

// Embed embeds images, height×width×channels bytes each, as they are: no augmentation, running statistics in the batch
// normalisation. Bytes cannot tell images of one shape from as many of another: [Model.EmbedImages] compares shapes, and
// [Model.CheckShape] does it alone.
func (m *Model) Embed(eng *engine.Engine, pixels []uint8) (*Embedding, error) {
	if m.features > 0 {
		return nil, m.notImages()
	}
	n, err := wholeImages(pixels, "images", m.shape())
	if err != nil {
		return nil, err
	}
	return embed(m, eng, n, from(pixels, len(pixels)/n), []int{m.height, m.width, m.channels}, scalePixels)
}

// embed embeds n examples of that shape, which read hands out; scale makes of them what the encoder takes.
func embed[T uint8 | float32](m *Model, eng *engine.Engine, n int, read func(first int, to []T) error, shape []int,
	scale func(*Node) *Node) (*Embedding, error) {
	if err := checkEngine(eng); err != nil {
		return nil, err
	}
	exec, err := model.NewExec(eng.Backend, m.store, func(scope *model.Scope, examples *Node) (*Node, *Node) {
		return m.graph(scope, scale(examples), false)
	})
	if err != nil {
		return nil, fmt.Errorf("pucl: building the encoder: %w", rootCause(err))
	}
	defer exec.Finalize()

	size := 1
	for _, dim := range shape {
		size *= dim
	}
	out, err := inCalls(n, size, read, "examples", func(batch []T) ([]*tensors.Tensor, error) {
		return exec.Call(tensors.FromFlatDataAndDimensions(batch, append([]int{len(batch) / size}, shape...)...))
	})
	if err != nil {
		return nil, err
	}
	return &Embedding{H: out[0], Z: out[1]}, nil
}

// inCalls hands n rows of size numbers each to call, some rows at a time, and gathers what it returns, tensors with a row for
// each. Read fills to with the rows from first on. Every call has the same number of rows, so that there is one compilation; the
// last one is filled up with zeros.
func inCalls[T uint8 | float32](n, size int, read func(first int, to []T) error, rowsAre string,
	call func(batch []T) ([]*tensors.Tensor, error)) ([]*mat.Dense, error) {
	const perCall = 512
	var all []*mat.Dense
	batch := make([]T, min(n, perCall)*size)
	for first := 0; first < n; first += perCall {
		rows := min(n-first, perCall)
		if err := read(first, batch[:rows*size]); err != nil {
			return nil, err
		}
		clear(batch[rows*size:])
		out, err := call(batch)
		if err != nil {
			return nil, fmt.Errorf("pucl: embedding %s %d to %d: %w", rowsAre, first, first+rows-1, rootCause(err))
		}
		for i, x := range out {
			if first == 0 {
				all = append(all, mat.NewDense(n, x.Shape().Dim(-1), nil))
			}
			if err := copyRows(all[i], x, first, rows); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// from reads rows of size numbers each that lie in values one after the other.
func from[T uint8 | float32](values []T, size int) func(first int, to []T) error {
	return func(first int, to []T) error {
		copy(to, values[first*size:])
		return nil
	}
}

// copyRows writes the first count rows of from, float32, into to, from row first on.
func copyRows(to *mat.Dense, from *tensors.Tensor, first, count int) error {
	_, columns := to.Dims()
	return tensors.ConstFlatData(from, func(flat []float32) {
		out := to.RawMatrix().Data[first*columns : (first+count)*columns]
		for i := range out {
			out[i] = float64(flat[i])
		}
	})
}

// dropOptimizer deletes what only training needs.
func (m *Model) dropOptimizer() error {
	var paths []string
	for v := range m.store.IterVariables() {
		if !isNetwork(v.Path()) {
			paths = append(paths, v.Path())
		}
	}
	for _, path := range paths {
		if err := m.store.DeleteVariable(path); err != nil {
			return fmt.Errorf("pucl: dropping %s: %w", path, err)
		}
	}
	return nil
}
