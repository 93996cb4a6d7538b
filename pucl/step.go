package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/puclab/puclab/pucl/engine"
)

// stepper takes the steps of a training run: inputs to views, views to projections, projections to the loss, the loss to
// new weights.
type stepper struct {
	exec *model.Exec
}

// taken is what a step tells: the loss before it, and how long the vectors are that could make it infinite.
type taken struct {
	loss           float64 // in nats
	gradientNorm   float64 // length of the gradient, all weights together
	projectionNorm float64 // largest length of a projection
}

// newStepper builds the step of a run. Its configuration has its defaults filled in.
func (m *Model) newStepper(eng *engine.Engine, c PretrainConfig, from feed) (*stepper, error) {
	exec, err := model.NewExec(eng.Backend, m.store, m.trainingStep(c, from))
	if err != nil {
		return nil, fmt.Errorf("pucl: building the training step: %w", err)
	}
	return &stepper{exec}, nil
}

// take takes one step at the given learning rate.
func (s *stepper) take(inputs []any, rate float64) (taken, error) {
	out, err := s.exec.Call(append(inputs, float32(rate))...)
	if err != nil {
		return taken{}, err
	}
	number := func(i int) float64 { return float64(tensors.ToScalar[float32](out[i])) }
	return taken{loss: number(0), gradientNorm: number(1), projectionNorm: number(2)}, nil
}

func (s *stepper) finalize() { s.exec.Finalize() }

// updater is what a step needs of an optimizer.
type updater interface {
	UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType)
}

// trainingStep is the graph of one step. Its last input is the learning rate; it returns what taken holds.
func (m *Model) trainingStep(c PretrainConfig, from feed) func(scope *model.Scope, inputs []*Node) []*Node {
	return func(scope *model.Scope, inputs []*Node) []*Node {
		last := len(inputs) - 1
		views, labeled := from.views(inputs[:last])
		_, projections := m.graph(scope, views, true)
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

// norm is the length of all of x taken together as one vector.
func norm(x ...*Node) *Node {
	sum := ScalarZero(x[0].Graph(), x[0].DType())
	for _, part := range x {
		sum = Add(sum, ReduceAllSum(Square(part)))
	}
	return Sqrt(sum)
}
