package rival

import (
	"fmt"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/train"
)

// size returns the number of rows in a batch.
func (r *run) size() int {
	return r.config.Positives + r.config.Unlabeled + r.plan.paced.aside(r.config)
}

// batch returns the batch of a step: the examples, and what else the plan needs, in the order in which inputs reads them.
func (r *run) batch(step int) (train.Batch, error) {
	c, n := r.config, r.size()
	index := append(r.positive.deal(step*c.Positives, c.Positives), r.unlabeled.deal(step*c.Unlabeled, c.Unlabeled)...)
	if count := r.plan.paced.aside(c); count > 0 {
		index = append(index, r.aside.deal(step*count, count)...)
	}
	parts := []*tensors.Tensor{r.data.Examples.tensor(index)}
	if len(c.Recipe) > 0 {
		numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed^viewStream, uint64(step))), r.data.Examples.(Images).Shape, n)
		if err != nil {
			return train.Batch{}, fmt.Errorf("rival: %w", err)
		}
		parts = append(parts, tensors.FromFlatDataAndDimensions(numbers, n, c.Recipe.Numbers()))
	}
	if r.plan.remembers() {
		rows := make([]int32, n)
		for i, row := range index {
			rows[i] = int32(row)
		}
		parts = append(parts, tensors.FromFlatDataAndDimensions(rows, n))
	}
	if m := r.plan.mix; m != nil {
		rng := rand.New(rand.NewPCG(c.Seed^mixStream, uint64(step)))
		partner := m.draw(rng, c.Positives, n)
		lambda := m.weights(rng, len(partner))
		parts = append(parts, tensors.FromFlatDataAndDimensions(partner, len(partner)),
			tensors.FromFlatDataAndDimensions(lambda, len(lambda)))
	}
	if r.plan.schedule != nil { // the same numbers for every row, since inputs have rows
		now := r.plan.schedule(float64(step) / float64(c.Settings.Steps))
		flat := make([]float32, 0, n*len(now))
		for range n {
			flat = append(flat, now...)
		}
		parts = append(parts, tensors.FromFlatDataAndDimensions(flat, n, len(now)))
	}
	return train.Batch{Inputs: parts, Examples: n}, nil
}

// inputs are the tensors of a batch by their names.
type inputs struct{ x, numbers, index, partner, lambda, now *Node }

// read tells the tensors of a batch apart.
func (r *run) read(all []*Node) (in inputs) {
	next := func() (x *Node) { x, all = all[0], all[1:]; return x }
	in.x = next()
	if len(r.config.Recipe) > 0 {
		in.numbers = next()
	}
	if r.plan.remembers() {
		in.index = next()
	}
	if r.plan.mix != nil {
		in.partner, in.lambda = next(), next()
	}
	if r.plan.schedule != nil {
		in.now = next()
	}
	return in
}

// known returns what is known of a batch before it is in the network.
func (r *run) known(in inputs) batch {
	b := batch{positives: r.config.Positives, partner: in.partner, lambda: in.lambda}
	if in.now != nil {
		b.now = Squeeze(Slice(in.now, AxisElem(0)), 0)
	}
	return b
}

// outputs is the graph from a batch to the logits of its rows, then those of the mixed ones: a column for the network, and one
// for the second network, for the teacher, who sees the rows as they are, or for what is remembered of them.
func (r *run) outputs(scope *model.Scope, all []*Node) *Node {
	in := r.read(all)
	x := r.data.Examples.scale(in.x)
	if in.numbers != nil {
		x = r.config.Recipe.Apply(x, in.numbers)
	}
	if r.plan.paced != nil {
		return r.studentOutputs(scope, in.index, x)
	}
	compute := r.config.Settings.Compute
	logits := func(name string, x *Node) *Node {
		return ExpandDims(r.network.logits(scope.In("%s", name), compute.Prepare(x), true), -1)
	}
	b := r.known(in)
	var other []*Node
	if r.plan.teacher > 0 {
		other = []*Node{StopGradient(logits(teacherScope, x))}
		b.other = Squeeze(other[0], -1)
		b.partner = r.plan.choose(b)
	}
	if m := r.plan.mix; m != nil {
		own := Slice(x, AxisRange(m.first(b.positives)))
		lambda := Reshape(b.lambda, append([]int{-1}, slices.Repeat([]int{1}, x.Rank()-1)...)...)
		mixed := Add(Mul(own, lambda), Mul(b.ofPartners(x), OneMinus(lambda)))
		if x = Concatenate([]*Node{x, mixed}, 0); m.alone {
			x = mixed
		}
	}
	if r.plan.second {
		other = []*Node{logits(secondScope, x)}
	}
	out := logits(networkScope, x)
	if r.plan.remember != nil {
		other = []*Node{ExpandDims(Gather(r.remembered(scope).NodeValue(x.Graph()), ExpandDims(in.index, -1)), -1)}
	}
	if other != nil && other[0].Shape().Dim(0) < out.Shape().Dim(0) {
		none := ZerosLike(Slice(out, AxisRange(r.size()))) // of mixed rows
		other[0] = Concatenate([]*Node{other[0], none}, 0)
	}
	return Concatenate(append([]*Node{out}, other...), -1)
}

// loss is the graph from the outputs to the loss of the method.
func (r *run) loss(outputs *Node, all []*Node) *Node {
	b, n := r.known(r.read(all)), r.size()
	if r.plan.paced != nil {
		b.students = readStudents(Slice(outputs, AxisRange(0, r.config.Positives+r.config.Unlabeled)))
		return r.plan.loss(b)
	}
	column := func(i int) *Node { return Squeeze(Slice(outputs, AxisRange(), AxisElem(i)), -1) }
	logits := column(0)
	switch m := r.plan.mix; {
	case m == nil:
		b.logits = logits
	case m.alone:
		b.mixed = logits
	default:
		b.logits, b.mixed = Slice(logits, AxisRange(0, n)), Slice(logits, AxisRange(n))
	}
	if r.plan.second || r.plan.teacher > 0 || r.plan.remember != nil {
		b.other = Slice(column(1), AxisRange(0, n))
	}
	return r.plan.loss(b)
}
