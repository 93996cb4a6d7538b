package pucl

import (
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/optim"
)

// probeStep is the graph of one step of Adam on a linear classifier, as a function of all that it depends on, so that one
// compiled program serves any number of fits:
//
//	inputs   rows [size, k]; labels [size]; parameters, first and second moments [outputs, k+1];
//	         numbers [4]: the rate, 1 − β₁ᵗ and 1 − β₂ᵗ at step t from 1, and λ of the penalty λ‖w‖²/2
//	outputs  loss; parameters and moments after the step
//
// The last column of the parameters is the bias. risk maps logits [size, outputs] and labels to the loss without penalty.
//
// Source: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", arXiv 1412.6980, 2015, Algorithm 1; ε is gomlx's.
func probeStep(risk func(logits, labels *Node) *Node) func(inputs []*Node) []*Node {
	const epsilon = 1e-7
	return func(inputs []*Node) []*Node {
		x, labels, p, m, v := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]
		number := func(i int) *Node { return Squeeze(Slice(inputs[5], AxisRange(i, i+1))) }
		rate, correction1, correction2, l2 := number(0), number(1), number(2), number(3)
		w := Slice(p, AxisRange(), AxisRange(0, -1))
		b := Transpose(Slice(p, AxisRange(), AxisRange(-1)), 0, 1) // [1, outputs]
		logits := Add(DotGeneral(x, []int{1}, nil, w, []int{1}, nil), b)
		loss := Add(risk(logits, labels), Mul(ReduceAllSum(Square(w)), MulScalar(l2, 0.5)))
		g := Gradient(loss, p)[0]
		m = Add(MulScalar(m, beta1), MulScalar(g, 1-beta1))
		v = Add(MulScalar(v, beta2), MulScalar(Square(g), 1-beta2))
		move := Div(Div(m, correction1), AddScalar(Sqrt(Div(v, correction2)), epsilon))
		return []*Node{loss, Sub(p, Mul(rate, move)), m, v}
	}
}

// beta1 and beta2 are the decay rates of Adam's moments.
const beta1, beta2 = 0.9, 0.999

// probeFit is the training of a linear classifier on standardised rows.
type probeFit struct {
	exec    *Exec // of probeStep
	rows    standardised
	config  ProbeConfig
	steps   int
	size    int                              // rows a step
	batch   func() []int                     // numbers of the rows of the next step
	labels  func(rows []int) *tensors.Tensor // what the graph is told of them, [size]
	start   []float32                        // parameters, [outputs, k+1]
	outputs int                              // logits of a row
}

// probeBatch is the data of a step.
type probeBatch struct{ x, labels *tensors.Tensor }

// prepare puts the next rows into b.
func (f probeFit) prepare(b *probeBatch) error {
	rows, k := f.batch(), len(f.rows.mean)
	if b.labels != nil {
		if err := b.labels.FinalizeAll(); err != nil {
			return err
		}
	}
	b.labels = f.labels(rows)
	return tensors.MutableFlatData(b.x, func(flat []float32) {
		for i, row := range rows {
			copy(flat[i*k:(i+1)*k], f.rows.flat[row*k:(row+1)*k])
		}
	})
}

// run takes all steps and returns the parameters.
func (f probeFit) run() (parameters []float32, err error) {
	if f.steps == 0 {
		return f.start, nil
	}
	k := len(f.rows.mean)
	state := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(f.start, f.outputs, k+1),
		tensors.FromShape(shapes.Make(dtypes.Float32, f.outputs, k+1)),
		tensors.FromShape(shapes.Make(dtypes.Float32, f.outputs, k+1)),
	}
	var batches [2]probeBatch // of this step and of the next
	for i := range batches {
		batches[i].x = tensors.FromShape(shapes.Make(dtypes.Float32, f.size, k))
	}
	// Freed at once: the garbage collector does not see what lies with the engine.
	defer func() {
		for _, t := range append(state, batches[0].x, batches[0].labels, batches[1].x, batches[1].labels) {
			if t != nil {
				err = errors.Join(err, t.FinalizeAll())
			}
		}
	}()
	if err := f.prepare(&batches[0]); err != nil {
		return nil, fmt.Errorf("pucl: training the probe: %w", err)
	}
	for step := range f.steps {
		prepared := make(chan error, 1)
		if step+1 < f.steps {
			go func() { prepared <- f.prepare(&batches[(step+1)%2]) }() // while the engine computes
		} else {
			prepared <- nil
		}
		loss, next, err := f.step(step, batches[step%2], state)
		if err = errors.Join(err, <-prepared); err != nil {
			return nil, fmt.Errorf("pucl: training the probe, step %d: %w", step, err)
		}
		state = next
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, fmt.Errorf("pucl: the probe's loss is %g at step %d; are the features finite?", loss, step)
		}
	}
	err = tensors.ConstFlatData(state[0], func(flat []float32) { parameters = append(parameters, flat...) })
	if err != nil {
		return nil, fmt.Errorf("pucl: reading the probe: %w", err)
	}
	return parameters, nil
}

// step takes one step with a batch and frees the state before it.
func (f probeFit) step(step int, b probeBatch, state []*tensors.Tensor) (loss float64, next []*tensors.Tensor, err error) {
	t := float64(step + 1)
	numbers := []float32{
		float32(optim.Cosine{Warmup: -1}.Rate(f.config.LearningRate, step, f.steps)),
		float32(1 - math.Pow(beta1, t)), float32(1 - math.Pow(beta2, t)), float32(f.config.L2),
	}
	out, err := f.exec.Call(b.x, b.labels, state[0], state[1], state[2], numbers)
	if err != nil {
		return 0, nil, err
	}
	loss = float64(tensors.ToScalar[float32](out[0]))
	for _, old := range append(state, out[0]) {
		err = errors.Join(err, old.FinalizeAll())
	}
	return loss, out[1:], err
}

// standardised are rows, flat, with every column at mean 0 and standard deviation 1, and both statistics.
type standardised struct {
	flat      []float32
	mean, std []float64
}

// standardise shifts and scales the columns of x. A column that never changes is only shifted.
func standardise(x *mat.Dense) standardised {
	n, k := x.Dims()
	s := standardised{flat: make([]float32, n*k), mean: make([]float64, k), std: make([]float64, k)}
	for i := range n {
		floats.Add(s.mean, x.RawRowView(i))
	}
	floats.Scale(1/float64(n), s.mean)
	apart := make([]float64, k)
	for i := range n {
		floats.SubTo(apart, x.RawRowView(i), s.mean)
		floats.Mul(apart, apart)
		floats.Add(s.std, apart)
	}
	factor := make([]float64, k)
	for j, sum := range s.std {
		if s.std[j] = math.Sqrt(sum / float64(n-1)); !(s.std[j] > 0) {
			s.std[j] = 1
		}
		factor[j] = 1 / s.std[j]
	}
	overSpans(n, func(_, first, end int) {
		for i := first; i < end; i++ {
			flat := s.flat[i*k : (i+1)*k]
			for j, value := range x.RawRowView(i) {
				flat[j] = float32((value - s.mean[j]) * factor[j])
			}
		}
	})
	return s
}
