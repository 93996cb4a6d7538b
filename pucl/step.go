package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
)

// stepper takes the steps of a training run: inputs to views, views to projections, projections to the loss, the loss to
// new weights.
type stepper struct {
	model   *Model
	config  PretrainConfig
	from    feed
	devices devices

	// network is the graph from views to their projections.
	network func(scope *model.Scope, views *Node) *Node

	whole *program // the whole step; nil before the first one
	parts inParts  // the same in micro-batches
}

// taken is what a step tells: the loss before it, and how long the vectors are that could make it infinite.
type taken struct {
	loss           float64 // in nats
	gradientNorm   float64 // length of the gradient, all weights together
	projectionNorm float64 // largest length of a projection
}

// newStepper prepares the steps of a run. Its configuration has its defaults filled in.
func (m *Model) newStepper(eng *engine.Engine, c PretrainConfig, from feed) (*stepper, error) {
	if err := c.Compute.checkEngine(eng); err != nil {
		return nil, err
	}
	devices, err := newDevices(eng, c.Compute.devices())
	if err != nil {
		return nil, err
	}
	if n := c.Compute.devices(); n > 1 {
		m.Record.Hardware += fmt.Sprintf("; each batch split over %d devices", n)
	}
	return &stepper{model: m, config: c, from: from, devices: devices, network: m.projector(c.Compute)}, nil
}

// take takes one step at the given learning rate. Inputs are tensors with a row for every example or for every view, of a batch
// that Compute can split.
func (s *stepper) take(inputs []any, rate float64) (taken, error) {
	batch := make([]*tensors.Tensor, len(inputs))
	for i, input := range inputs {
		batch[i] = input.(*tensors.Tensor)
	}
	if s.config.Compute.microBatches() > 1 {
		return s.takeInParts(batch, rate)
	}
	placed, err := s.devices.place(append(batch, tensors.FromScalar(float32(rate)))...)
	if err != nil {
		return taken{}, err
	}
	if s.whole == nil {
		split := layout{inputs: make([]bool, len(placed)), outputs: []bool{false}} // all inputs but the rate have rows
		for i := range batch {
			split.inputs[i] = true
		}
		if s.whole, err = s.devices.newProgram(s.model.store, s.graph, split); err != nil {
			return taken{}, fmt.Errorf("building the training step: %w", err)
		}
	}
	out, err := s.whole.run(len(placed), placed...)
	if err != nil {
		return taken{}, err
	}
	return taken{loss: number(out[0]), gradientNorm: number(out[1]), projectionNorm: number(out[2])}, nil
}

// number is a scalar that lies on every device.
func number(x spread) float64 { return float64(tensors.ToScalar[float32](x[0])) }

// examples is how many examples the tensors of a batch tell of: some have a row for each, some one for each of its views.
func examples(batch []*tensors.Tensor) int {
	fewest := batch[0].Shape().Dim(0)
	for _, x := range batch {
		fewest = min(fewest, x.Shape().Dim(0))
	}
	return fewest
}

// finalize frees what the steps were compiled to and brings the weights back to one place.
func (s *stepper) finalize() {
	s.whole.finalize()
	s.parts.finalize()
	s.devices.gather(s.model.store)
}

// updater is what a step needs of an optimizer.
type updater interface {
	UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType)
}

// graph is the graph of one step. Its last input is the learning rate; it returns what taken holds.
func (s *stepper) graph(scope *model.Scope, inputs []*Node) []*Node {
	last := len(inputs) - 1
	views, labeled := s.from.views(inputs[:last])
	projections := s.network(scope, views)
	loss := s.config.Objective.Loss(Views{Z: projections, Labeled: labeled}, s.config.Tau)
	gradients := scope.BuildTrainableVariablesGradientsGraph(loss)
	s.update(scope, gradients, inputs[last])
	return []*Node{loss, norm(gradients...), longest(projections)}
}

// update moves the weights along their gradients.
func (s *stepper) update(scope *model.Scope, gradients []*Node, rate *Node) {
	moveWeights(scope, s.config.Optimizer, gradients, rate, s.config.LearningRate)
}

// moveWeights moves the weights of scope along their gradients, by gomlx's Adam where no optimizer is given. rate is a scalar, the
// learning rate of this step; peak is the highest of the run.
func moveWeights(scope *model.Scope, given optim.Optimizer, gradients []*Node, rate *Node, peak float64) {
	var update updater = optimizer.Adam().Done().(updater)
	if given != nil {
		update = given
	}
	optimizer.LearningRateVar(scope, dtypes.Float32, peak).SetNodeValue(rate)
	update.UpdateGraphWithGradients(scope, gradients, rate.DType())
}

// projector is the graph from views to their projections as training has it. Projections are never less than float32.
func (m *Model) projector(c Compute) func(scope *model.Scope, views *Node) *Node {
	return func(scope *model.Scope, views *Node) *Node {
		if c.Recompute {
			encoder.RecomputeBlocks(views.Graph())
		}
		if c.BFloat16 {
			views = ConvertDType(views, dtypes.BFloat16)
		}
		_, projections := m.graph(scope, views, true)
		for v := range scope.IterVariables() {
			if v.InUseByGraph(views.Graph()) && v.DType().IsFloat() && v.DType().Size() < dtypes.Float32.Size() {
				panic(fmt.Errorf("the encoder keeps variable %s in %s, which is too coarse to train; make variables with "+
					"encoder.Weight, or in float32", v.Path(), v.DType()))
			}
		}
		if projections.DType().Size() < dtypes.Float32.Size() {
			projections = ConvertDType(projections, dtypes.Float32)
		}
		return projections
	}
}

// longest is the length of the longest row of x, and NaN where any row's is: XLA leaves NaN out of a maximum, but not of a sum.
func longest(x *Node) *Node {
	squares := ReduceSum(Square(x), -1)
	all := ReduceAllSum(squares)
	return Sqrt(Where(IsNaN(all), all, ReduceAllMax(squares)))
}

// norm is the length of all of x taken together as one vector.
func norm(x ...*Node) *Node {
	sum := ScalarZero(x[0].Graph(), x[0].DType())
	for _, part := range x {
		sum = Add(sum, ReduceAllSum(Square(part)))
	}
	return Sqrt(sum)
}
