package probe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/puclab/puclab/internal/ahead"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/rows"
)

// stepGraph returns the graph of one step of Adam on a linear classifier. All variables are inputs, so that one
// compiled program serves any number of trainings:
//
//	inputs   rows [size, k]; labels [size]; parameters, first and second moments [outputs, k+1];
//	         numbers [4]: the rate, 1 − β₁ᵗ and 1 − β₂ᵗ at step t from 1, and λ of the penalty λ‖w‖²/2
//	outputs  loss; parameters and moments after the step
//
// The last column of the parameters is the bias. The function loss maps logits [size, outputs] and labels to the loss
// without penalty.
//
// Source: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", arXiv 1412.6980, 2015, Algorithm 1; ε is gomlx's.
func stepGraph(loss func(logits, labels *Node) *Node) func(inputs []*Node) []*Node {
	const epsilon = 1e-7
	return func(inputs []*Node) []*Node {
		x, labels, p, m, v := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]
		number := func(i int) *Node { return Squeeze(Slice(inputs[5], AxisRange(i, i+1))) }
		rate, correction1, correction2, l2 := number(0), number(1), number(2), number(3)
		w := Slice(p, AxisRange(), AxisRange(0, -1))
		b := Transpose(Slice(p, AxisRange(), AxisRange(-1)), 0, 1) // [1, outputs]
		logits := Add(DotGeneral(x, []int{1}, nil, w, []int{1}, nil), b)
		total := Add(loss(logits, labels), Mul(ReduceAllSum(Square(w)), MulScalar(l2, 0.5)))
		g := Gradient(total, p)[0]
		m = Add(MulScalar(m, beta1), MulScalar(g, 1-beta1))
		v = Add(MulScalar(v, beta2), MulScalar(Square(g), 1-beta2))
		move := Div(Div(m, correction1), AddScalar(Sqrt(Div(v, correction2)), epsilon))
		return []*Node{total, Sub(p, Mul(rate, move)), m, v}
	}
}

// beta1 and beta2 are the decay rates of Adam's moments.
const beta1, beta2 = 0.9, 0.999

// training is the training of one probe.
type training struct {
	config  Config
	outputs int
	labels  func(index []int) *tensors.Tensor // labels of a batch, [size], in the type of the loss
	batches func() []int                      // rows of the next batch

	size, steps int       // rows per step, number of steps
	flat        []float32 // standardized rows, concatenated
	mean, std   []float64 // statistics of the standardization
	start       []float32 // parameters, [outputs, k+1]
}

// prepare checks everything except the values of labels, and standardizes x; labels is the number of labels.
func (t *training) prepare(eng *engine.Engine, x *mat.Dense, labels int) error {
	n, k, err := rows.Check(x, labels, "labels")
	if err != nil {
		return err
	}
	if err := cmp.Or(eng.Check(), t.config.check(n, k, t.outputs), rows.CheckFinite(x)); err != nil {
		return err
	}
	if t.config.Epochs > 0 {
		t.size = min(t.config.BatchSize, n)
		t.steps = t.config.Epochs * (n / t.size)
	}
	t.flat, t.mean, t.std = standardize(x)
	start := t.config.Start
	if start == nil {
		if start, err = New(t.outputs, k); err != nil {
			return err
		}
	}
	t.start = joinBias(start.Standardized(t.mean, t.std))
	return nil
}

// converge minimizes the loss over all rows plus the penalty, see [Config], and returns the probe.
func (t *training) converge(loss lossOf) (*Probe, error) {
	k := len(t.mean)
	start := make([]float64, len(t.start))
	for i, v := range t.start {
		start[i] = float64(v)
	}
	found, err := newObjective(t.flat, k, t.outputs, t.config.L2, loss).minimize(start)
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	weights, bias := splitBias(found, k)
	return FromStandardized(weights, bias, t.mean, t.std), nil
}

// batch is the data of a step: rows [size, k] and labels [size].
type batch []*tensors.Tensor

// next returns the next batch.
func (t *training) next(int) (batch, error) {
	index, k := t.batches(), len(t.mean)
	x := tensors.FromShape(shapes.Make(dtypes.Float32, t.size, k))
	return batch{x, t.labels(index)}, tensors.MutableFlatData(x, func(flat []float32) {
		for i, row := range index {
			copy(flat[i*k:(i+1)*k], t.flat[row*k:(row+1)*k])
		}
	})
}

// run takes all steps by exec, which runs stepGraph, and returns the probe. It takes both results of building exec.
func (t *training) run(exec *Exec, err error) (p *Probe, failed error) {
	if err != nil {
		return nil, fmt.Errorf("probe: building the step: %w", err)
	}
	k := len(t.mean)
	state := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(t.start, t.outputs, k+1),
		tensors.FromShape(shapes.Make(dtypes.Float32, t.outputs, k+1)),
		tensors.FromShape(shapes.Make(dtypes.Float32, t.outputs, k+1)),
	}
	defer func() { failed = errors.Join(failed, free(state)) }()
	batches := ahead.Start(0, t.steps, 2, t.next) // prepared while the engine computes
	defer batches.Close()
	for step := range t.steps {
		var loss float64
		b, err := batches.Next()
		if err == nil {
			loss, state, err = t.step(exec, step, b, state)
		}
		if err != nil {
			return nil, fmt.Errorf("probe: step %d: %w", step, err)
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, fmt.Errorf("probe: the loss is %g at step %d; a lower learning rate than %g, or features of smaller numbers, "+
				"may mend it", loss, step, t.config.LearningRate)
		}
	}
	parameters, err := tensors.CopyFlatData[float32](state[0])
	if err != nil {
		return nil, fmt.Errorf("probe: reading the parameters: %w", err)
	}
	weights, bias := splitBias(parameters, k)
	return FromStandardized(weights, bias, t.mean, t.std), nil
}

// free releases tensors at once: the garbage collector does not account for engine memory.
func free(all []*tensors.Tensor) (err error) {
	for _, tensor := range all {
		err = errors.Join(err, tensor.FinalizeAll())
	}
	return err
}

// step takes one step with a batch, and frees the batch and the previous state.
func (t *training) step(exec *Exec, step int, b batch, state []*tensors.Tensor) (loss float64, next []*tensors.Tensor, err error) {
	at := float64(step + 1)
	numbers := []float32{
		float32(optim.Cosine{Warmup: -1}.Rate(t.config.LearningRate, step, t.steps)),
		float32(1 - math.Pow(beta1, at)), float32(1 - math.Pow(beta2, at)), float32(t.config.L2),
	}
	out, err := exec.Call(b[0], b[1], state[0], state[1], state[2], numbers)
	if err != nil {
		return 0, state, errors.Join(engine.RootCause(err), free(b))
	}
	loss = float64(tensors.ToScalar[float32](out[0]))
	return loss, out[1:], free(slices.Concat(b, state, out[:1]))
}
