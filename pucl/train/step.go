package train

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
)

// stepper takes the steps of a run: inputs to outputs, outputs to the loss, the loss to new weights.
type stepper struct {
	task     Task
	settings Settings
	devices  devices
	views    int // rows of outputs for each example; 0 before the first step

	whole *program     // the whole step; nil before the first one
	parts microBatches // the step in micro-batches
}

// metrics are the numbers of a step: the loss before it, and the norms of the vectors that could make it infinite.
type metrics struct {
	loss         float64
	gradientNorm float64 // norm of the gradient, all weights together
	outputNorm   float64 // largest length of a row of outputs
}

// newStepper prepares the steps of a run, whose settings have their defaults filled in.
func newStepper(eng *engine.Engine, task Task, settings Settings) (*stepper, error) {
	devices, err := newDevices(eng, settings.Compute.devices())
	if err != nil {
		return nil, err
	}
	return &stepper{task: task, settings: settings, devices: devices}, nil
}

// take takes one step at the given learning rate, with a batch that Compute can split.
func (s *stepper) take(batch Batch, rate float64) (metrics, error) {
	if s.settings.Compute.microBatches() > 1 {
		return s.takeMicroBatches(batch, rate)
	}
	inputs, err := s.devices.shard(append(batch.Inputs[:len(batch.Inputs):len(batch.Inputs)], tensors.FromScalar(float32(rate)))...)
	if err != nil {
		return metrics{}, err
	}
	if s.whole == nil {
		split := layout{append(slices.Repeat([]bool{true}, len(batch.Inputs)), false), []bool{false}} // all inputs except the rate have rows
		if s.whole, err = s.devices.newProgram(s.task.Store, s.graph, split); err != nil {
			return metrics{}, fmt.Errorf("building the training step: %w", err)
		}
	}
	out, err := s.whole.run(len(inputs), inputs...)
	if err != nil {
		return metrics{}, err
	}
	return metrics{loss: number(out[0]), gradientNorm: number(out[1]), outputNorm: number(out[2])}, nil
}

// number returns the value of a scalar replicated on every device.
func number(x sharded) float64 { return float64(tensors.ToScalar[float32](x[0])) }

// finalize frees the compiled programs and gathers the weights in one place.
func (s *stepper) finalize() {
	s.whole.finalize()
	s.parts.finalize()
	s.devices.gather(s.task.Store)
}

// graph builds the graph of one step. Its last input is the learning rate; it returns metrics.
func (s *stepper) graph(scope *model.Scope, inputs []*Node) []*Node {
	inputs, rate := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	outputs := s.outputs(scope, inputs)
	s.views = outputs.Shape().Dim(0) / fewestRows(inputs)
	loss := s.loss(outputs, inputs)
	gradients := s.gradients(scope, loss)
	s.update(scope, gradients, rate)
	return []*Node{loss, norm(gradients...), longestRow(outputs)}
}

// fewestRows returns the number of examples in inputs: some have a row for each example, some for each view.
func fewestRows(inputs []*Node) int {
	fewest := inputs[0].Shape().Dim(0)
	for _, x := range inputs {
		fewest = min(fewest, x.Shape().Dim(0))
	}
	return fewest
}

// outputs returns the outputs of the task.
func (s *stepper) outputs(scope *model.Scope, inputs []*Node) *Node {
	defer fault.Annotate(s.task.Outputs, "the outputs")
	return s.task.Outputs(scope, inputs)
}

// loss returns the loss of the task, which must be a scalar in float32.
func (s *stepper) loss(outputs *Node, inputs []*Node) *Node {
	loss := s.lossOfTask(outputs, inputs)
	if shape := loss.Shape(); !shape.IsScalar() || shape.DType != dtypes.Float32 {
		panic(fmt.Errorf("the loss has shape %s; it must be a scalar in Float32", shape))
	}
	return loss
}

func (s *stepper) lossOfTask(outputs *Node, inputs []*Node) *Node {
	defer fault.Annotate(s.task.Loss, "the loss")
	loss := s.task.Loss(outputs, inputs)
	fault.PanicIf(loss == nil, "it is nil; it must be a scalar in Float32")
	return loss
}

// gradients returns the gradients of a scalar with respect to all trained variables.
func (s *stepper) gradients(scope *model.Scope, loss *Node) []*Node {
	defer fault.Annotate(nil, "the gradient")
	return s.trained(scope).BuildTrainableVariablesGradientsGraph(loss)
}

// trained returns the scope of the trained variables.
func (s *stepper) trained(scope *model.Scope) *model.Scope {
	if s.task.Trained == "" {
		return scope
	}
	return scope.At("%s", s.task.Trained)
}

// updater is the part of an optimizer that a step uses.
type updater interface {
	UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType)
}

// update updates the weights by their gradients, with gomlx's Adam if no optimizer is given.
func (s *stepper) update(scope *model.Scope, gradients []*Node, rate *Node) {
	trained := s.trained(scope)
	var update updater = optimizer.Adam().Done().(updater)
	if s.settings.Optimizer != nil {
		update = s.settings.Optimizer
	}
	optimizer.LearningRateVar(trained, dtypes.Float32, s.settings.LearningRate).SetNodeValue(rate)
	update.UpdateGraphWithGradients(trained, gradients, rate.DType())
	if s.task.AfterUpdate != nil {
		defer fault.Annotate(s.task.AfterUpdate, "what follows the update")
		s.task.AfterUpdate(scope, rate.Graph())
	}
}

// longestRow returns the length of the longest row of x, and NaN if any row's length is NaN: XLA ignores NaN in a
// maximum, but not in a sum.
func longestRow(x *Node) *Node {
	x = ConvertDType(x, dtypes.Float32)
	squares := ReduceSum(Square(x), -1)
	all := ReduceAllSum(squares)
	return Sqrt(Where(IsNaN(all), all, ReduceAllMax(squares)))
}

// norm returns the Euclidean norm of all of x as one vector.
func norm(x ...*Node) *Node {
	sum := ScalarZero(x[0].Graph(), x[0].DType())
	for _, part := range x {
		sum = Add(sum, ReduceAllSum(Square(part)))
	}
	return Sqrt(sum)
}
