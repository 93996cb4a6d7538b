package rival

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/train"
)

// size returns the number of rows in a batch, without those that judge.
func (r *run) size() int {
	return r.config.Positives + r.config.Unlabeled + r.plan.paced.aside(r.config)
}

// judging returns how many rows of both kinds judge: as many as there are in the batch, since fewer are too much noise to learn from.
func (r *run) judging() (positives, unlabeled int) {
	if r.plan.judges == 0 {
		return 0, 0
	}
	return r.config.Positives, r.config.Unlabeled
}

// batch returns the batch of a step: the examples, and what else the plan needs, in the order in which inputs reads them.
func (r *run) batch(step int) (train.Batch, error) {
	c, n := r.config, r.size()
	index := append(r.positive.deal(step*c.Positives, c.Positives), r.unlabeled.deal(step*c.Unlabeled, c.Unlabeled)...)
	positives, unlabeled := r.judging()
	index = append(index, r.judges[0].deal(step*positives, positives)...)
	index = append(index, r.judges[1].deal(step*unlabeled, unlabeled)...)
	if count := r.plan.paced.aside(c); count > 0 {
		index = append(index, r.aside.deal(step*count, count)...)
	}
	parts := []*tensors.Tensor{r.data.Examples.tensor(index)}
	views := func(stream uint64, n int) error {
		numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed^stream, uint64(step))), r.data.Examples.(Images).Shape, n)
		if err != nil {
			return fmt.Errorf("rival: %w", err)
		}
		parts = append(parts, tensors.FromFlatDataAndDimensions(numbers, n, c.Recipe.Numbers()))
		return nil
	}
	if len(c.Recipe) > 0 {
		if err := views(viewStream, len(index)); err != nil {
			return train.Batch{}, err
		}
		if r.plan.again {
			if err := views(againStream, n); err != nil {
				return train.Batch{}, err
			}
		}
	}
	index = index[:n]
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
	if k := r.plan.draws; k > 0 {
		rng := rand.New(rand.NewPCG(c.Seed^drawStream, uint64(step)))
		flat := make([]float32, n*k)
		for i := range flat {
			flat[i] = rng.Float32()
		}
		parts = append(parts, tensors.FromFlatDataAndDimensions(flat, n, k))
	}
	return train.Batch{Inputs: parts, Examples: n}, nil
}

// inputs are the tensors of a batch by their names.
type inputs struct{ x, numbers, numbersAgain, index, partner, lambda, now, draws *Node }

// read tells the tensors of a batch apart.
func (r *run) read(all []*Node) (in inputs) {
	next := func() (x *Node) { x, all = all[0], all[1:]; return x }
	in.x = next()
	if len(r.config.Recipe) > 0 {
		in.numbers = next()
		if r.plan.again {
			in.numbersAgain = next()
		}
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
	if r.plan.draws > 0 {
		in.draws = next()
	}
	return in
}

// known returns what is known of a batch before it is in the network.
func (r *run) known(in inputs) batch {
	b := batch{positives: r.config.Positives, partner: in.partner, lambda: in.lambda, draws: in.draws}
	b.positiveJudges, b.unlabeledJudges = r.judging()
	if in.now != nil {
		b.now = Squeeze(Slice(in.now, AxisElem(0)), 0)
	}
	return b
}

// outputs is the graph from a batch to the logits of its rows, then those of the mixed ones: a column for the network, and one
// for the second network, for the teacher, who sees the rows as they are, or for what is remembered of them.
func (r *run) outputs(scope *model.Scope, all []*Node) *Node {
	in := r.read(all)
	if r.plan.extra != nil {
		return r.sighted(scope, in)
	}
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
		mixed := b.mix(x, m.first(b.positives))
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
	if r.plan.extra != nil {
		b.extra = Slice(outputs, AxisRange(), AxisRange(1))
		b.logits, b.mixed = Slice(logits, AxisRange(0, n)), nil
		if r.plan.mix != nil {
			b.mixed = Slice(logits, AxisRange(n, 2*n))
		}
		b.judging = logits
		return r.plan.loss(b)
	}
	if r.plan.second || r.plan.teacher > 0 || r.plan.remember != nil {
		b.other = Slice(column(1), AxisRange(0, n))
	}
	return r.plan.loss(b)
}
