package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// FeatureBatches returns training batches of features, such as the rows of a table. As for [Batches], the batch of a
// step must depend on the step alone, including the randomness of the views; tabular.Batches implements it.
type FeatureBatches interface {
	// Batch returns two views of each of b examples, 2b rows of Features numbers one after the other: first a view of
	// every example, then a second view of every example in the same order. labeled is true for the labeled positives
	// among the b examples.
	Batch(step int) (views []float32, labeled []bool)
	// Features returns the length of a row.
	Features() int
}

// PretrainFeatures is [Pretrain] on rows of features instead of images. The batches make the views, so config.Recipe
// must be nil; the encoder, by default an encoder.MLP, must take rows [n, d].
//
// Networks train best on features of one scale: standardize each feature to mean 0 and standard deviation 1 first, and
// scale rows to embed later by the same parameters. Table.Standardize and Rescale of package tabular do that.
func PretrainFeatures(ctx context.Context, eng *engine.Engine, batches FeatureBatches, config Config) (*Model, error) {
	if config.Views != 0 && config.Views != 2 {
		return nil, fmt.Errorf("train: %d views of every row; batches of features hold 2: leave Views 0", config.Views)
	}
	if config.Recipe != nil {
		return nil, errors.New("train: a Recipe makes views of images; views of features come from the batches: leave it nil")
	}
	c := config.withDefaults()
	if c.Encoder == nil {
		c.Encoder = encoder.MLP{}
	}
	if err := c.check(eng); err != nil {
		return nil, err
	}
	if batches == nil {
		return nil, errors.New("train: no batches of rows; NewBatches of a table makes some")
	}
	features := batches.Features()
	if features < 1 {
		return nil, fmt.Errorf("train: batches of rows with %d features; there must be at least one", features)
	}
	return newModel(c.Encoder, c.Projection, augment.Shape{}, features).pretrain(ctx, eng, c, source{
		example: "row",
		data:    fmt.Sprintf("rows of %d features", features) + describeBatches(batches),
		views:   "from the batches",
		batch: func(step int) (Batch, error) {
			views, labeled, err := readRows(batches, step)
			if err != nil {
				return Batch{}, err
			}
			b := len(labeled)
			return Batch{Examples: b, Inputs: []*tensors.Tensor{
				tensors.FromFlatDataAndDimensions(views, 2*b, features),
				tensors.FromFlatDataAndDimensions(labeled, b),
			}}, checkExamples(step, b)
		},
		makeViews: func(inputs []*Node) *Node { return inputs[0] },
		monitored: func(monitor Monitor) (*monitored, func([]*Node) []*Node, error) {
			return monitoredRows(monitor, batches)
		},
	})
}

// readRows returns two views of the examples of a batch, or an error if their sizes mismatch or a value is not finite.
func readRows(batches FeatureBatches, step int) (views []float32, labeled []bool, err error) {
	views, labeled = batches.Batch(step)
	d := batches.Features()
	if len(views) != 2*len(labeled)*d {
		return nil, nil, fmt.Errorf("train: batch %d holds %d labels and %d numbers; two views of rows of %d need %d numbers for each label",
			step, len(labeled), len(views), d, 2*d)
	}
	for i, x := range views {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, nil, fmt.Errorf("train: batch %d: feature %d of view %d is %g; features must be finite", step, i%d, i/d, x)
		}
	}
	return views, labeled, nil
}
