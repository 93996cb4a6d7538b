package baseline

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/train"
)

// size returns the number of rows in a batch, without reserved ones.
func (r *run) size() int { return r.config.Positives + r.config.Unlabeled }

// batch returns the batch of a step: the examples and the plan's other inputs, in the order in which read expects them.
func (r *run) batch(step int) (train.Batch, error) {
	c, n := r.config, r.size()
	positives, unlabeled := r.plan.aside.inBatch(c)
	index := slices.Concat(r.positive.deal(step*c.Positives, c.Positives), r.unlabeled.deal(step*c.Unlabeled, c.Unlabeled),
		r.aside[0].deal(step*positives, positives), r.aside[1].deal(step*unlabeled, unlabeled))
	parts := []*tensors.Tensor{r.data.Examples.tensor(index)}
	views := func(stream uint64, n int) error {
		numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed^stream, uint64(step))), r.data.Examples.(Images).Shape, n)
		if err != nil {
			return fmt.Errorf("baseline: %w", err)
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
	if r.plan.memory {
		rows := make([]int32, n)
		for i, row := range index[:n] {
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

// inputs are the tensors of a batch by name.
type inputs struct{ x, numbers, numbersAgain, index, partner, lambda, now, draws *Node }

// read assigns the tensors of a batch to their names.
func (r *run) read(all []*Node) (in inputs) {
	next := func() (x *Node) { x, all = all[0], all[1:]; return x }
	in.x = next()
	if len(r.config.Recipe) > 0 {
		in.numbers = next()
		if r.plan.again {
			in.numbersAgain = next()
		}
	}
	if r.plan.memory {
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

// known returns the parts of a batch that do not depend on the network.
func (r *run) known(in inputs) batch {
	b := batch{positives: r.config.Positives, partner: in.partner, lambda: in.lambda, draws: in.draws}
	if in.now != nil {
		b.now = Squeeze(Slice(in.now, AxisElem(0)), 0)
	}
	return b
}

// outputs builds the graph from a batch to the logits of its rows, then of the mixed ones. r.seen holds the other
// inputs of the loss, since a step is one graph: no batch is split into micro-batches.
func (r *run) outputs(scope *model.Scope, all []*Node) *Node {
	in, n := r.read(all), r.size()
	s := &sight{batch: r.known(in), run: r, scope: scope, index: in.index}
	x := r.data.Examples.scale(in.x)
	var again *Node
	if in.numbers != nil {
		if r.plan.again {
			again = r.config.Recipe.Apply(Slice(x, AxisRange(0, n)), in.numbersAgain)
		}
		x = r.config.Recipe.Apply(x, in.numbers)
	}
	if s.x = x; x.Shape().Dim(0) > n {
		s.x, s.aside = Slice(x, AxisRange(0, n)), Slice(x, AxisRange(n))
	}
	if r.plan.teacher > 0 {
		s.again, again = s.see(scope.At(teacherScope), cmp.Or(again, s.x)), nil
	}
	if r.plan.other != nil {
		s.other = r.plan.other(s)
	}
	if r.plan.choose != nil {
		s.partner = r.plan.choose(s.batch)
	}

	parts, mixed := []*Node{s.x}, 0
	if m := r.plan.mix; m != nil {
		parts = append(parts, s.mix(s.x, m.first(s.positives)))
		if mixed = parts[1].Shape().Dim(0); m.alone {
			parts = parts[1:]
		}
	}
	if again != nil {
		parts = append(parts, again)
	}
	seen := s.see(inNetwork(scope), Concatenate(parts, 0))
	rows := seen.logits.Shape().Dim(0)
	switch {
	case again != nil:
		s.again = seen.rows(rows-n, rows)
		rows -= n
	case r.plan.again && r.plan.teacher == 0:
		s.again = seen.rows(0, n)
	}
	if rows > mixed {
		s.own = seen.rows(0, n)
		s.logits = s.own.logits
	}
	if mixed > 0 {
		s.mixed = Slice(seen.logits, AxisRange(rows-mixed, rows))
	}
	if r.plan.extra != nil {
		s.extra = r.plan.extra(s)
	}
	r.seen = s.batch
	return ExpandDims(Slice(seen.logits, AxisRange(0, rows)), -1)
}
