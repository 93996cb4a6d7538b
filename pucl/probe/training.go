package probe

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/rows"
)

// stepGraph returns the graph of one step of Adam on a linear classifier, as a function of all that it depends on, so that one
// compiled program serves any number of trainings:
//
//	inputs   rows [size, k]; labels [size]; parameters, first and second moments [outputs, k+1];
//	         numbers [4]: the rate, 1 − β₁ᵗ and 1 − β₂ᵗ at step t from 1, and λ of the penalty λ‖w‖²/2
//	outputs  loss; parameters and moments after the step
//
// The last column of the parameters is the bias. Loss maps logits [size, outputs] and labels to the loss without penalty.
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
	labels  func(index []int) *tensors.Tensor // labels of a batch, [size], as the loss takes them
	batches func() []int                      // rows of the next batch
	exec    *Exec                             // of stepGraph

	size, steps int       // rows a step, steps in all
	flat        []float32 // rows, standardized, one after the other
	mean, std   []float64 // by which they were
	start       []float32 // parameters, [outputs, k+1]
}

// prepare checks everything but the labels' values, and standardizes x, of whose rows so many have labels.
func (t *training) prepare(eng *engine.Engine, x *mat.Dense, labels int) error {
	n, k, err := rows.Check(x, labels, "labels")
	if err != nil {
		return err
	}
	if err := cmp.Or(eng.Check(), t.config.check(n, k, t.outputs), rows.CheckFinite(x)); err != nil {
		return err
	}
	t.size = min(t.config.BatchSize, n)
	t.steps = t.config.Epochs * (n / t.size)
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

// batch is the data of a step.
type batch struct{ x, labels *tensors.Tensor }

// fill puts the next rows into b.
func (t *training) fill(b *batch) error {
	index, k := t.batches(), len(t.mean)
	if b.labels != nil {
		if err := b.labels.FinalizeAll(); err != nil {
			return err
		}
	}
	b.labels = t.labels(index)
	return tensors.MutableFlatData(b.x, func(flat []float32) {
		for i, row := range index {
			copy(flat[i*k:(i+1)*k], t.flat[row*k:(row+1)*k])
		}
	})
}

// run takes all steps and returns the probe.
func (t *training) run() (p *Probe, err error) {
	k := len(t.mean)
	state := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(t.start, t.outputs, k+1),
		tensors.FromShape(shapes.Make(dtypes.Float32, t.outputs, k+1)),
		tensors.FromShape(shapes.Make(dtypes.Float32, t.outputs, k+1)),
	}
	var batches [2]batch // of this step and of the next
	for i := range batches {
		batches[i].x = tensors.FromShape(shapes.Make(dtypes.Float32, t.size, k))
	}
	// Freed at once: the garbage collector does not see what lies with the engine.
	defer func() {
		for _, tensor := range append(state, batches[0].x, batches[0].labels, batches[1].x, batches[1].labels) {
			if tensor != nil {
				err = errors.Join(err, tensor.FinalizeAll())
			}
		}
	}()
	if err := t.fill(&batches[0]); err != nil {
		return nil, fmt.Errorf("probe: the first batch: %w", err)
	}
	for step := range t.steps {
		filled := make(chan error, 1)
		if step+1 < t.steps {
			go func() { filled <- t.fill(&batches[(step+1)%2]) }() // while the engine computes
		} else {
			filled <- nil
		}
		loss, next, err := t.step(step, batches[step%2], state)
		if err = errors.Join(err, <-filled); err != nil {
			return nil, fmt.Errorf("probe: step %d: %w", step, err)
		}
		state = next
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, fmt.Errorf("probe: the loss is %g at step %d; a lower learning rate than %g, or features of smaller numbers, "+
				"may mend it", loss, step, t.config.LearningRate)
		}
	}
	var parameters []float32
	err = tensors.ConstFlatData(state[0], func(flat []float32) { parameters = append(parameters, flat...) })
	if err != nil {
		return nil, fmt.Errorf("probe: reading the parameters: %w", err)
	}
	weights, bias := splitBias(parameters, k)
	return FromStandardized(weights, bias, t.mean, t.std), nil
}

// step takes one step with a batch and frees the state before it.
func (t *training) step(step int, b batch, state []*tensors.Tensor) (loss float64, next []*tensors.Tensor, err error) {
	at := float64(step + 1)
	numbers := []float32{
		float32(optim.Cosine{Warmup: -1}.Rate(t.config.LearningRate, step, t.steps)),
		float32(1 - math.Pow(beta1, at)), float32(1 - math.Pow(beta2, at)), float32(t.config.L2),
	}
	out, err := t.exec.Call(b.x, b.labels, state[0], state[1], state[2], numbers)
	if err != nil {
		return 0, nil, engine.RootCause(err)
	}
	loss = float64(tensors.ToScalar[float32](out[0]))
	for _, old := range append(state, out[0]) {
		err = errors.Join(err, old.FinalizeAll())
	}
	return loss, out[1:], err
}
