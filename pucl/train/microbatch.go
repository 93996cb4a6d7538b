package train

import (
	"errors"
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// microBatches holds the programs of a step in micro-batches. They are separate programs, and not one graph, so that
// the memory of one part is free again before the next one begins.
type microBatches struct {
	project  *program // from a part to its projections
	compare  *program // from all projections to the loss and its gradient with respect to them
	backward *program // from a part and the gradient of its projections to the sum of the weights' gradients
	update   *program // from that sum to new weights

	weights []*model.Variable // the variables whose gradients are summed
}

func (p *microBatches) finalize() {
	for _, program := range []*program{p.project, p.compare, p.backward, p.update} {
		program.finalize()
	}
}

// takeMicroBatches takes a step in micro-batches.
func (s *stepper) takeMicroBatches(whole Batch, rate float64) (metrics, error) {
	batch, b, count := whole.Inputs, whole.Examples, s.settings.Compute.microBatches()
	if s.parts.project == nil {
		if err := s.prepareMicroBatches(len(batch), count); err != nil {
			return metrics{}, fmt.Errorf("building the training step: %w", err)
		}
	}
	parts := make([][]sharded, count)
	projections := make([]sharded, count)
	for i := range parts {
		first, end := i*b/count, (i+1)*b/count
		part := make([]*tensors.Tensor, len(batch))
		for j, x := range batch {
			var err error
			if part[j], err = rowsOf(x, b, first, end); err != nil {
				return metrics{}, err
			}
		}
		var err error
		if parts[i], err = s.devices.shard(part...); err != nil {
			return metrics{}, err
		}
		z, err := s.parts.project.run(len(batch), parts[i]...)
		if err != nil {
			return metrics{}, err
		}
		projections[i] = z[0]
	}

	// The loss needs the labels of the whole batch; the graph drops the unused other inputs.
	placed, err := s.devices.shard(batch...)
	if err != nil {
		return metrics{}, err
	}
	compared, err := s.parts.compare.run(len(batch)+count, append(placed, projections...)...)
	if err != nil {
		return metrics{}, err
	}
	slopes := compared[2:]

	var zeros []*tensors.Tensor
	for _, v := range s.parts.weights {
		zeros = append(zeros, tensors.FromShape(v.Shape()))
	}
	sums, err := s.devices.replicate(zeros...)
	if err != nil {
		return metrics{}, err
	}
	for i, part := range parts {
		inputs := append(append(part, slopes[i]), sums...)
		if sums, err = s.parts.backward.run(len(batch)+1, inputs...); err != nil {
			return metrics{}, err
		}
	}
	placed, err = s.devices.shard(tensors.FromScalar(float32(rate)))
	if err != nil {
		return metrics{}, err
	}
	updated, err := s.parts.update.run(1, append(placed, sums...)...)
	if err != nil {
		return metrics{}, err
	}
	return metrics{loss: number(compared[0]), outputNorm: number(compared[1]), gradientNorm: number(updated[0])}, nil
}

// prepareMicroBatches prepares the programs for batches of the given number of tensors.
func (s *stepper) prepareMicroBatches(tensors, count int) (err error) {
	whole, split := []bool{false}, []bool{true}
	store := s.task.Store
	p := &s.parts
	for _, part := range []struct {
		program **program
		graph   func(scope *model.Scope, inputs []*Node) []*Node
		split   layout
	}{
		{&p.project, s.projectPart, layout{split, split}},
		{&p.compare, func(_ *model.Scope, inputs []*Node) []*Node {
			return s.compareParts(inputs[:tensors], inputs[tensors:])
		}, layout{split, []bool{false, false, true}}},
		{&p.backward, func(scope *model.Scope, inputs []*Node) []*Node {
			return s.backwardPart(scope, inputs[:tensors], inputs[tensors], inputs[tensors+1:])
		}, layout{append(slices.Repeat(split, tensors+1), false), whole}},
		{&p.update, func(scope *model.Scope, inputs []*Node) []*Node {
			for _, v := range p.weights {
				v.NodeValue(inputs[0].Graph()) // an optimizer updates the variables that the graph uses
			}
			s.update(scope, inputs[1:], inputs[0])
			return []*Node{norm(inputs[1:]...)}
		}, layout{whole, whole}},
	} {
		if *part.program, err = s.devices.newProgram(store, part.graph, part.split); err != nil {
			return err
		}
	}
	return nil
}

// projectPart builds the graph from a part to its projections. It changes no variable; backwardPart updates the running
// averages.
func (s *stepper) projectPart(scope *model.Scope, inputs []*Node) []*Node {
	z := s.outputs(scope, inputs)
	s.views = z.Shape().Dim(0) / fewestRows(inputs)
	g := z.Graph()
	s.parts.weights = nil
	for v := range scope.IterVariables() {
		if v.ChangedInGraph(g) {
			if !v.DType().IsFloat() {
				panic(fmt.Errorf("the encoder changes variable %s, %s, as a generator of random numbers does: with MicroBatches "+
					"it runs twice on every part and must do the same both times; use one without, or MicroBatches 1", v.Path(), v.DType()))
			}
			v.SetNodeValue(g.GetParameterByName(v.Path()))
		}
	}
	for v := range s.trained(scope).IterVariables() {
		if v.Trainable && v.InUseByGraph(g) {
			s.parts.weights = append(s.parts.weights, v)
		}
	}
	return []*Node{z}
}

// compareParts builds the graph from the projections of all parts to the loss, the length of the longest projection,
// and the gradient of the loss with respect to each part's projections.
func (s *stepper) compareParts(batch, parts []*Node) []*Node {
	examples := parts[0].Shape().Dim(0) / s.views
	var all []*Node // every part has its first views first, and the whole must too
	for view := range s.views {
		for _, z := range parts {
			all = append(all, SliceAxis(z, 0, AxisRange(view*examples, (view+1)*examples)))
		}
	}
	z := Concatenate(all, 0)
	loss := s.loss(z, batch)
	return append([]*Node{loss, longestRow(z)}, Gradient(loss, parts...)...)
}

// backwardPart builds the graph that adds one part's share of the weights' gradients to sums: the gradients of Σ
// z·slope, where slope is the gradient of the loss with respect to the part's projections z.
func (s *stepper) backwardPart(scope *model.Scope, inputs []*Node, slope *Node, sums []*Node) []*Node {
	z := s.outputs(scope, inputs)
	gradients := s.gradients(scope, ReduceAllSum(Mul(z, StopGradient(slope))))
	out := make([]*Node, len(gradients))
	for i, gradient := range gradients {
		out[i] = Add(sums[i], gradient)
	}
	return out
}

// rowsOf returns the rows of examples first to end of a tensor, which has b rows for the examples, or b for each of
// several views of them one after the other.
func rowsOf(x *tensors.Tensor, b, first, end int) (*tensors.Tensor, error) {
	shape := x.Shape().Clone()
	views := shape.Dim(0) / b
	if shape.Dim(0) != views*b {
		return nil, fmt.Errorf("%s has no whole number of rows for each of %d examples", shape, b)
	}
	shape.Dimensions[0] = views * (end - first)
	part := tensors.FromShape(shape)
	var inner error
	err := x.ConstBytes(func(from []byte) {
		row := len(from) / (views * b)
		inner = part.MutableBytes(func(to []byte) {
			for view := range views {
				copy(to[view*(end-first)*row:], from[(view*b+first)*row:(view*b+end)*row])
			}
		})
	})
	return part, errors.Join(err, inner)
}
