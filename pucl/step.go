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
)

// stepper takes the steps of a training run: inputs to views, views to projections, projections to the loss, the loss to
// new weights.
type stepper struct {
	model   *Model
	config  PretrainConfig
	from    feed
	devices devices
	whole   *program // the whole step; nil before the first one
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
	return &stepper{model: m, config: c, from: from, devices: devices}, nil
}

// take takes one step at the given learning rate. Inputs are tensors with a row for every example or for every view.
func (s *stepper) take(inputs []any, rate float64) (taken, error) {
	batch := make([]*tensors.Tensor, len(inputs))
	for i, input := range inputs {
		batch[i] = input.(*tensors.Tensor)
	}
	if err := s.config.Compute.checkBatch(examples(batch)); err != nil {
		return taken{}, err
	}
	placed, err := s.devices.place(append(batch, tensors.FromScalar(float32(rate)))...)
	if err != nil {
		return taken{}, err
	}
	if s.whole == nil {
		split := make([]bool, len(placed)) // all inputs but the rate have rows
		for i := range batch {
			split[i] = true
		}
		if s.whole, err = s.devices.newProgram(s.model.store, s.model.trainingStep(s.config, s.from), split); err != nil {
			return taken{}, fmt.Errorf("building the training step: %w", err)
		}
	}
	out, err := s.whole.run(placed...)
	if err != nil {
		return taken{}, err
	}
	number := func(i int) float64 { return float64(tensors.ToScalar[float32](out[i][0])) }
	return taken{loss: number(0), gradientNorm: number(1), projectionNorm: number(2)}, nil
}

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
	if s.whole != nil {
		s.whole.exec.Finalize()
	}
	s.devices.gather(s.model.store)
}

// updater is what a step needs of an optimizer.
type updater interface {
	UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType)
}

// trainingStep is the graph of one step. Its last input is the learning rate; it returns what taken holds.
func (m *Model) trainingStep(c PretrainConfig, from feed) func(scope *model.Scope, inputs []*Node) []*Node {
	return func(scope *model.Scope, inputs []*Node) []*Node {
		last := len(inputs) - 1
		views, labeled := from.views(inputs[:last])
		projections := m.project(scope, c.Compute, views)
		loss := c.Objective.Loss(Views{Z: projections, Labeled: labeled}, c.Tau)

		var update updater = optimizer.Adam().Done().(updater)
		if c.Optimizer != nil {
			update = c.Optimizer
		}
		optimizer.LearningRateVar(scope, dtypes.Float32, c.LearningRate).SetNodeValue(inputs[last])
		gradients := scope.BuildTrainableVariablesGradientsGraph(loss)
		update.UpdateGraphWithGradients(scope, gradients, loss.DType())
		return []*Node{loss, norm(gradients...), Sqrt(ReduceAllMax(ReduceSum(Square(projections), -1)))}
	}
}

// project is the graph from views to their projections as training has it. Projections are never less than float32.
func (m *Model) project(scope *model.Scope, c Compute, views *Node) *Node {
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

// norm is the length of all of x taken together as one vector.
func norm(x ...*Node) *Node {
	sum := ScalarZero(x[0].Graph(), x[0].DType())
	for _, part := range x {
		sum = Add(sum, ReduceAllSum(Square(part)))
	}
	return Sqrt(sum)
}
