package pucl

import (
	"context"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// FeatureBatches hands out training batches of features, such as the rows of a table. As for [Batches], what it returns for
// a step must depend on the step alone, the randomness of the views included; tabular.Batches is one.
type FeatureBatches interface {
	// Batch returns two views of each of b examples, 2b rows of Features numbers one after the other: first a view of every
	// example, then a second view of every example in the same order. Labeled says which of the b are labeled positives.
	Batch(step int) (views []float32, labeled []bool)
	// Features returns the length of a row.
	Features() int
}

// PretrainFeatures is [Pretrain] on rows of features instead of images. How views differ is up to the batches, so
// config.Recipe must stay nil; the encoder, by default an encoder.MLP, must take rows [n, d].
//
// A network learns best from features of one size: bring each to mean 0 and standard deviation 1 first, and the rows to be
// embedded later by the same numbers. Table.Standardize and Rescale of the package tabular do that.
func PretrainFeatures(ctx context.Context, eng *engine.Engine, batches FeatureBatches, config PretrainConfig) (*Model, error) {
	if config.Recipe != nil {
		return nil, errors.New("pucl: Recipe makes views of images; views of features come from the batches: leave it nil")
	}
	c := config.withDefaults()
	if c.Encoder == nil {
		c.Encoder = encoder.MLP{}
	}
	if err := errors.Join(c.check(), checkEngine(eng)); err != nil {
		return nil, err
	}
	features := batches.Features()
	if features < 1 {
		return nil, fmt.Errorf("pucl: batches of rows with %d features; there must be at least one", features)
	}
	m := newModel(c.Encoder, c.Projection, 0, 0, 0)
	m.features = features
	data := fmt.Sprintf("rows of %d features", features) + ownWords(batches)
	m.Record = newRecord(eng, data, c.describe("from the batches"))
	return m.train(ctx, eng, c, feed{
		inputs: func(step int) ([]any, int, error) {
			views, labeled := batches.Batch(step)
			b := len(labeled)
			if len(views) != 2*b*features {
				return nil, 0, fmt.Errorf("pucl: batch %d holds %d labels and %d numbers; two views of rows of %d need %d numbers for each label",
					step, b, len(views), features, 2*features)
			}
			if b < 2 {
				return nil, 0, smallBatch(step, b)
			}
			for i, x := range views {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					return nil, 0, fmt.Errorf("pucl: batch %d: feature %d of view %d is %g; features must be finite", step, i%features, i/features, x)
				}
			}
			return []any{
				tensors.FromFlatDataAndDimensions(views, 2*b, features),
				tensors.FromFlatDataAndDimensions(labeled, b),
			}, b, nil
		},
		views:   func(inputs []*Node) (views, labeled *Node) { return inputs[0], inputs[1] },
		watched: func(w Watch) (*watched, looks, error) { return watchedRows(w, batches) },
		example: "row",
	})
}

// EmbedFeatures embeds rows of features [n, d] as they are, one row each: nothing is corrupted, and the batch normalisation
// uses running statistics. It is for models of [PretrainFeatures]; models compute in float32.
func (m *Model) EmbedFeatures(eng *engine.Engine, x *mat.Dense) (*Embedding, error) {
	if m.features == 0 {
		return nil, fmt.Errorf("pucl: this model embeds images of %d×%d×%d bytes, not features; use Embed",
			m.height, m.width, m.channels)
	}
	if x == nil || x.IsEmpty() {
		return nil, errors.New("pucl: no rows given to embed")
	}
	n, d := x.Dims()
	if d != m.features {
		return nil, fmt.Errorf("pucl: rows of %d features given, but this model was trained on rows of %d", d, m.features)
	}
	values := make([]float32, 0, n*d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if !(math.Abs(v) <= math.MaxFloat32) { // this form also refuses NaN
				return nil, fmt.Errorf("pucl: feature %d of row %d is %g; it must be a finite number in the range of float32", j, i, v)
			}
			values = append(values, float32(v))
		}
	}
	return embed(m, eng, n, from(values, d), []int{d}, func(x *Node) *Node { return x })
}

// ProbabilitiesOfFeatures is [Classifier.Probabilities] for rows of features [n, d].
func (c *Classifier) ProbabilitiesOfFeatures(eng *engine.Engine, x *mat.Dense) ([]float64, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, err := c.Model.EmbedFeatures(eng, x)
	if err != nil {
		return nil, err
	}
	return c.ofEmbeddings(e)
}
