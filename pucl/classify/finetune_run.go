package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// headScope is the scope of the head's variables.
const headScope = "head"

// viewStream separates the views of fine-tuning from those of pretraining with the same seed, and batchStream the
// batches.
const (
	viewStream  = 0xf17e << 32
	batchStream = 0xf17e
)

// finetuning is one run of fine-tuning, for any kind of labels.
type finetuning struct {
	config  FineTuneConfig
	outputs int // of the head
	images  []uint8
	n       int                                                // images
	data    string                                             // description of the training data
	loss    func(logits, labels *Node) *Node                   // of logits [n, outputs]
	labels  func(rows []int) *tensors.Tensor                   // of these images, in the format of loss
	batches func(size int, rng *rand.Rand) func() (rows []int) // returns a function that returns batches endlessly

	model     *train.Model // the copy that is tuned
	mean, std []float64    // of the embeddings before tuning; std is one number, their spread, for every entry
	start     *probe.Probe // the initial head
	embedder  *train.Embedder
	state     state
}

// state is the state of a run besides its variables.
type state struct {
	Epochs []evaluate.Epoch
	Best   evaluate.Epoch // the one whose weights are kept in bestScope; zero for none
}

// run tunes a copy of m.
func (t *finetuning) run(ctx context.Context, eng *engine.Engine, m *train.Model) (*Tuned, error) {
	if err := checkModel(m); err != nil {
		return nil, err
	}
	shape := m.Shape()
	if err := checkLabeled(t.images, t.n, "images", "labels", shape); err != nil {
		return nil, err
	}
	t.config = t.config.withDefaults(t.n)
	if err := errors.Join(t.config.check(shape), eng.Check()); err != nil {
		return nil, err
	}
	if err := t.prepare(eng, m); err != nil {
		return nil, err
	}
	defer t.embedder.Finalize()
	task, err := t.task(eng, m)
	if err != nil {
		return nil, err
	}
	history, err := train.Run(ctx, eng, task, t.config.settings(t.n))
	if err != nil {
		return nil, err
	}
	record := train.NewRecord(eng, t.data, t.config.String(), history.Earlier...)
	return t.result(&Tuning{History: *history, Epochs: t.state.Epochs, Record: record})
}

// checkModel returns an error if the model is nil or does not take images.
func checkModel(m *train.Model) error {
	if m == nil {
		return errors.New("classify: no model to fine-tune; train.Pretrain makes one, train.LoadModel reads one")
	}
	if err := m.CheckImages(); err != nil {
		return fmt.Errorf("classify: fine-tuning takes images: %w and fit a probe on what it gives", err)
	}
	return nil
}

// prepare copies m, measures mean and spread of its embeddings, and initializes the head.
func (t *finetuning) prepare(eng *engine.Engine, m *train.Model) (err error) {
	if t.model, err = m.Clone(); err != nil {
		return err
	}
	if t.embedder, err = t.model.NewEmbedder(eng); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.embedder.Finalize()
		}
	}()
	x, err := t.embed(t.images)
	if err != nil {
		return err
	}
	_, k := x.Dims()
	t.mean, t.std = meanAndSpread(x)
	if t.start = t.config.Head; t.start == nil {
		t.start, err = probe.New(t.outputs, k)
		return err
	}
	if _, entries := t.start.Weights.Dims(); entries != k {
		return fmt.Errorf("classify: the head to start at reads rows of %d entries, the encoder's embeddings have %d; fit one on embeddings of this model", entries, k)
	}
	return nil
}

// embed returns the embeddings of images by the current encoder, scaled to length one.
func (t *finetuning) embed(images []uint8) (*mat.Dense, error) {
	h, err := t.embedder.Embed(images)
	if err != nil {
		return nil, err
	}
	return rows.Unit(h), nil
}

// meanAndSpread returns the mean of the rows of x and, once for each column, the root of the mean variance of a column.
// It is one number for all columns, since an entry that hardly varies now may vary when the encoder has changed.
func meanAndSpread(x *mat.Dense) (mean, std []float64) {
	n, k := x.Dims()
	mean = make([]float64, k)
	total, column := 0.0, make([]float64, n)
	for j := range k {
		var variance float64
		mean[j], variance = stat.PopMeanVariance(mat.Col(column, j, x), nil)
		total += variance / float64(k)
	}
	scale := math.Sqrt(total)
	if !(scale > 1e-6) { // embeddings that are all the same
		scale = 1
	}
	return mean, slices.Repeat([]float64{scale}, k)
}

// task returns the task for the loop. Its batches are images, the numbers of their views, and labels.
func (t *finetuning) task(eng *engine.Engine, m *train.Model) (train.Task, error) {
	c := t.config
	task := train.Task{
		Store: t.model.Store(), Batch: t.batch(), State: &t.state, AfterStep: t.afterStep,
		Outputs: func(scope *model.Scope, inputs []*Node) *Node {
			return t.logits(scope, c.Recipe.Apply(train.ScalePixels(inputs[0]), inputs[1]), true)
		},
		Loss: func(logits *Node, inputs []*Node) *Node {
			return ConvertDType(t.loss(logits, inputs[2]), dtypes.Float32)
		},
		Networks: append(m.Networks(), headScope),
		Name:     "fine-tuning", Example: "image", Data: t.data, Seed: c.Seed,
	}
	if c.FreezeEncoder {
		task.Trained = headScope
	}
	if c.Checkpoint == "" {
		return task, nil
	}
	var err error
	task.Identity, err = t.identity(eng, m)
	return task, err
}

// logits builds the graph of the network: encoder, scaling to length one, head; for images with values in [0, 1].
func (t *finetuning) logits(scope *model.Scope, images *Node, training bool) *Node {
	x := t.model.Encode(scope, images, training && t.config.BatchStatistics)
	if t.config.FreezeEncoder {
		x = StopGradient(x)
	}
	x = pucl.UnitRows(x)
	g, dtype, k := x.Graph(), x.DType(), len(t.mean)
	weights, bias := t.start.Standardized(t.mean, t.std)
	head := scope.In(headScope)
	variable := func(name string, start []float32, dims ...int) *Node {
		initial := func(g *Graph, shape shapes.Shape) *Node {
			return ConvertDType(ConstTensor(g, tensors.FromFlatDataAndDimensions(start, dims...)), shape.DType)
		}
		return head.WithInitializer(initial).VariableWithShape(name, shapes.Make(dtype, dims...)).NodeValue(g)
	}
	w, b := variable("weights", weights, t.outputs, k), variable("bias", bias, t.outputs)
	mean := ConvertDType(Const(g, t.mean), dtype)
	x = MulScalar(Sub(x, ExpandDims(mean, 0)), 1/t.std[0])
	return Add(DotGeneral(x, []int{1}, nil, w, []int{1}, nil), ExpandDims(b, 0))
}

// batch returns the function that makes the batch of a step. The draws go through the steps in order, so resuming at a
// later step first repeats the earlier draws.
func (t *finetuning) batch() func(step int) (train.Batch, error) {
	c, shape := t.config, t.model.Shape()
	next, drawn := t.batches(c.BatchSize, rand.New(rand.NewPCG(c.Seed, batchStream))), 0
	return func(step int) (train.Batch, error) {
		if step < drawn {
			next, drawn = t.batches(c.BatchSize, rand.New(rand.NewPCG(c.Seed, batchStream))), 0
		}
		for ; drawn < step; drawn++ {
			next()
		}
		rows := next()
		drawn++
		numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed^viewStream, uint64(step))), shape, len(rows))
		if err != nil {
			return train.Batch{}, fmt.Errorf("classify: %w", err)
		}
		images := pixels.Pick(t.images, rows, pixels.Bytes(shape))
		return train.Batch{Examples: len(rows), Inputs: []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(images, len(rows), shape.Height, shape.Width, shape.Channels),
			tensors.FromFlatDataAndDimensions(numbers, len(rows), c.Recipe.Numbers()),
			t.labels(rows),
		}}, nil
	}
}

// afterStep evaluates the held-out images after every epoch, and keeps the weights of the best.
func (t *finetuning) afterStep(done int) (*train.Reading, error) {
	perEpoch := t.n / t.config.BatchSize
	if t.config.HeldOut == nil || done%perEpoch != 0 {
		return nil, nil
	}
	epoch, err := t.config.HeldOut.measure(done/perEpoch, t.scores)
	if err != nil {
		return nil, fmt.Errorf("classify: measuring after epoch %d: %w", done/perEpoch, err)
	}
	t.state.Epochs = append(t.state.Epochs, epoch)
	// A proxy that is NaN ranks below all others.
	if t.config.Keep != evaluate.WithoutNegatives || t.state.Best.Epoch > 0 && cmp.Compare(epoch.Proxy, t.state.Best.Proxy) <= 0 {
		return nil, nil
	}
	t.state.Best = epoch
	return nil, t.keepBest()
}
