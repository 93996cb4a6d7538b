package pucl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// headScope is where the head of fine-tuning has its variables.
const headScope = "head"

// tuningViews sets the views of fine-tuning apart from those of pretraining with the same seed.
const tuningViews = 0xf17e << 32

// tuner is one run of fine-tuning, whatever the labels mean.
type tuner struct {
	outputs int                                                // of the head
	data    string                                             // what is learned from, in words
	loss    func(logits, labels *Node) *Node                   // of logits [n, outputs]
	labels  func(rows []int) *tensors.Tensor                   // of these images, as loss takes them
	batches func(size int, rng *rand.Rand) func() (rows []int) // deals out batches for ever

	model    *Model        // the copy that is tuned
	mean     []float64     // of the embeddings before tuning
	std      []float64     // one number, their spread, for every entry
	start    *ClassProbe   // where the head starts
	head     *model.Scope  // set while a graph is built
	embedder *model.Exec   // the encoder as it will be used
	shape    augment.Shape // of an image

	told     observers
	progress Progress // what they were told last

	tuned  *Model      // the result: encoder,
	result *ClassProbe // head,
	tuning *Tuning     // and how it went
}

// run tunes a copy of m and returns it; the head is in t.result.
func (t *tuner) run(ctx context.Context, eng *engine.Engine, m *Model, pixels []uint8, n int, head *ClassProbe,
	config FineTuneConfig) (tuned *Model, err error) {
	if err := m.tunable(); err != nil {
		return nil, err
	}
	t.shape = m.shape()
	if err := labeledImages(pixels, n, "images", "labels", t.shape); err != nil {
		return nil, err
	}
	c := config.withDefaults(n)
	if err := errors.Join(c.check(n, t.shape), checkEngine(eng), c.HeldOut.check(t.shape)); err != nil {
		return nil, err
	}
	t.told, t.progress = observers{c.OnStep, c.Observer}, Progress{Steps: c.steps(n), Example: "image"}
	t.told.start(t.progress)
	defer func() { t.told.end(t.progress, err) }()
	clock := stopwatch{start: time.Now()}
	defer func() {
		if t.embedder != nil {
			t.embedder.Finalize()
		}
	}()
	if err := t.prepare(eng, m, pixels, head); err != nil {
		return nil, err
	}
	t.tuning = &Tuning{Record: newRecord(eng, t.data, c.String())}
	if err := t.train(ctx, eng, c, pixels, n, &clock); err != nil {
		return nil, err
	}
	return t.tuned, t.tuned.dropOptimizer()
}

// tunable refuses a model that is not there, and one that takes no images.
func (m *Model) tunable() error {
	switch {
	case m == nil:
		return errors.New("pucl: no model to fine-tune; Pretrain makes one, LoadModel reads one")
	case m.features > 0:
		return fmt.Errorf("pucl: this model embeds rows of %d features, and FineTune takes images; "+
			"train a probe on its embeddings with FitClassProbe or FitProbe", m.features)
	}
	return nil
}

// prepare copies m, looks where its embeddings lie, and puts the head where it starts.
func (t *tuner) prepare(eng *engine.Engine, m *Model, pixels []uint8, head *ClassProbe) error {
	var err error
	if t.model, err = m.clone(); err != nil {
		return err
	}
	t.embedder, err = model.NewExec(eng.Backend, t.model.store, func(scope *model.Scope, pixels *Node) *Node {
		return encoder.Embed(t.model.encoder, scope.In(encoderScope), scalePixels(pixels), false)
	})
	if err != nil {
		return fmt.Errorf("pucl: building the encoder: %w", rootCause(err))
	}
	x, err := t.embed(pixels)
	if err != nil {
		return err
	}
	_, k := x.Dims()
	t.mean, t.std = meanAndSpread(x)
	if t.start = head; head == nil {
		t.start = &ClassProbe{Weights: mat.NewDense(t.outputs, k, nil), Bias: make([]float64, t.outputs)}
	}
	if _, entries := t.start.Weights.Dims(); entries != k {
		return fmt.Errorf("pucl: the head to start at reads rows of %d entries, the encoder's embeddings have %d", entries, k)
	}
	return nil
}

// images is the tensor of these bytes.
func (t *tuner) images(pixels []uint8) *tensors.Tensor {
	s := t.shape
	return tensors.FromFlatDataAndDimensions(pixels, len(pixels)/imageBytes(s), s.Height, s.Width, s.Channels)
}

// embed returns the embeddings of images by the encoder as it is now, scaled to length one.
func (t *tuner) embed(pixels []uint8) (*mat.Dense, error) {
	size := imageBytes(t.shape)
	out, err := inCalls(len(pixels)/size, size, from(pixels, size), "images", func(batch []uint8) ([]*tensors.Tensor, error) {
		return t.embedder.Call(t.images(batch))
	})
	if err != nil {
		return nil, err
	}
	return UnitRows(out[0]), nil
}

// meanAndSpread returns the mean of the rows of x and, once for each column, the root of the mean variance of a column. One number
// for all of them, since an entry that hardly varies now may do so when the encoder has moved.
func meanAndSpread(x *mat.Dense) (mean, std []float64) {
	n, k := x.Dims()
	mean, std = make([]float64, k), make([]float64, k)
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
	for j := range std {
		std[j] = scale
	}
	return mean, std
}

// clone is a copy of m that can be trained without touching m.
func (m *Model) clone() (*Model, error) {
	store, err := m.store.Clone()
	if err != nil {
		return nil, fmt.Errorf("pucl: copying the model: %w", err)
	}
	out := *m
	out.store = store
	return &out, nil
}

// logits is the graph of the network: encoder, scaling to length one, head; for images with values in [0, 1].
func (t *tuner) logits(scope *model.Scope, images *Node, c FineTuneConfig, training bool) *Node {
	x := encoder.Embed(t.model.encoder, scope.In(encoderScope), images, training && c.BatchStatistics)
	if c.FreezeEncoder {
		x = StopGradient(x)
	}
	x = unitRows(x)
	g, dtype, k := x.Graph(), x.DType(), len(t.mean)
	weights, bias := parted(t.start.standardised(t.mean, t.std), k)
	t.head = scope.In(headScope)
	variable := func(name string, start []float32, dims ...int) *Node {
		initial := func(g *Graph, shape shapes.Shape) *Node {
			return ConvertDType(ConstTensor(g, tensors.FromFlatDataAndDimensions(start, dims...)), shape.DType)
		}
		return t.head.WithInitializer(initial).VariableWithShape(name, shapes.Make(dtype, dims...)).NodeValue(g)
	}
	w, b := variable("weights", weights, t.outputs, k), variable("bias", bias, t.outputs)
	mean := ConvertDType(Const(g, t.mean), dtype)
	x = MulScalar(Sub(x, ExpandDims(mean, 0)), 1/t.std[0])
	return Add(DotGeneral(x, []int{1}, nil, w, []int{1}, nil), ExpandDims(b, 0))
}

// step is the graph of one step: bytes of images, the numbers of their views, labels and the learning rate to the loss.
func (t *tuner) step(c FineTuneConfig) func(scope *model.Scope, inputs []*Node) *Node {
	return func(scope *model.Scope, inputs []*Node) *Node {
		pixels, numbers, labels, rate := inputs[0], inputs[1], inputs[2], inputs[3]
		logits := t.logits(scope, c.Recipe.Apply(scalePixels(pixels), numbers), c, true)
		loss := ConvertDType(t.loss(logits, labels), dtypes.Float32)
		if c.FreezeEncoder {
			scope = t.head // the only variables that training can see
		}
		moveWeights(scope, c.Optimizer, scope.BuildTrainableVariablesGradientsGraph(loss), rate, c.LearningRate)
		return loss
	}
}

// train is the loop.
func (t *tuner) train(ctx context.Context, eng *engine.Engine, c FineTuneConfig, pixels []uint8, n int, clock *stopwatch) error {
	exec, err := model.NewExec(eng.Backend, t.model.store, t.step(c))
	if err != nil {
		return fmt.Errorf("pucl: building the step of fine-tuning: %w", rootCause(err))
	}
	defer exec.Finalize()

	size := imageBytes(t.shape)
	batches := t.batches(c.BatchSize, rand.New(rand.NewPCG(c.Seed, 0xf17e)))
	steps, perEpoch := c.steps(n), n/c.BatchSize
	var best *evaluate.Epoch
	for step := range steps {
		if ctx.Err() != nil {
			return &Stopped{Step: step, Steps: steps, tuning: true, err: ctx.Err(), cause: context.Cause(ctx)}
		}
		asked := time.Now()
		rows := batches()
		images := make([]uint8, 0, len(rows)*size)
		for _, row := range rows {
			images = append(images, pixels[row*size:(row+1)*size]...)
		}
		numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed^tuningViews, uint64(step))), t.shape, len(rows))
		if err != nil {
			return fmt.Errorf("pucl: %w", err)
		}
		clock.waited += time.Since(asked)
		rate := c.Schedule.Rate(c.LearningRate, step, steps)
		out, err := exec.Call1(
			t.images(images),
			tensors.FromFlatDataAndDimensions(numbers, len(rows), c.Recipe.Numbers()),
			t.labels(rows), float32(rate))
		if err != nil {
			return fmt.Errorf("pucl: fine-tuning, step %d: %w", step, rootCause(err))
		}
		loss := float64(tensors.ToScalar[float32](out))
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("pucl: the loss of fine-tuning is %g at step %d of %d (seed %d); a lower learning rate than %g may "+
				"mend it", loss, step, steps, c.Seed, c.LearningRate)
		}
		t.tuning.Losses = append(t.tuning.Losses, loss)
		t.progress = Progress{
			Step: step + 1, Steps: steps, Loss: loss, Rate: rate, Examples: len(rows), Example: "image",
			Views: (step + 1) * len(rows), Elapsed: time.Since(clock.start), Waited: clock.waited, Paused: clock.paused,
		}
		t.told.step(t.progress)
		if c.HeldOut != nil && (step+1)%perEpoch == 0 {
			stood := time.Now()
			e, err := c.HeldOut.measure((step+1)/perEpoch, t.positiveLogits)
			if err != nil {
				return fmt.Errorf("pucl: measuring after epoch %d: %w", (step+1)/perEpoch, err)
			}
			t.tuning.Epochs = append(t.tuning.Epochs, e)
			if c.Keep == evaluate.WithoutNegatives && (best == nil || e.Proxy > best.Proxy) {
				best = &e
				if err := t.keep(pixels); err != nil {
					return err
				}
			}
			clock.paused += time.Since(stood)
		}
	}
	if best == nil {
		return t.keep(pixels)
	}
	return nil
}
