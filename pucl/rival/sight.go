package rival

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
)

// sight is what a plan's extra builds on: what the networks make of a batch.
type sight struct {
	batch      // positives, logits, other, now and draws; and how many judge
	own   pass // of all rows: those of the batch first, those that judge last
	again pass // of the rows of the batch in their second view, or in the first one where there are no views

	index  *Node           // int32 [n], which examples the rows are; nil without a memory
	memory *model.Variable // [all examples]; nil without one
	group  *Node           // [n], the number of the row's group, 0 before there are groups; nil without them

	epochs float64 // how many times the run goes through the unlabeled examples
}

// sighted is the graph from a batch to the logits of its rows, then those of the mixed ones, then those that judge, with the columns
// of the plan's extra beside them.
func (r *run) sighted(scope *model.Scope, in inputs) *Node {
	n := r.size()
	x := r.data.Examples.scale(in.x)
	var again *Node
	if in.numbers != nil {
		if r.plan.again {
			again = r.config.Recipe.Apply(Slice(x, AxisRange(0, n)), in.numbersAgain)
		}
		x = r.config.Recipe.Apply(x, in.numbers)
	}
	s := &sight{
		batch: r.known(in), index: in.index,
		epochs: float64(r.config.Settings.Steps) * float64(r.config.Unlabeled) / float64(len(r.unlabeled.examples)),
	}
	if r.plan.memory {
		s.memory = r.memory(scope, "labels")
	}
	if r.plan.groups > 0 {
		s.group = Gather(r.memory(scope, "groups").NodeValue(x.Graph()), ExpandDims(s.index, -1))
	}
	see := func(name string, x *Node) pass {
		p := r.network.see(scope.At("%s", name), r.config.Settings.Compute.Prepare(x), true)
		return pass{p.scope, ConvertDType(p.h, dtypes.Float32), p.logits}
	}
	parts := []*Node{Slice(x, AxisRange(0, n))}
	if r.plan.teacher > 0 {
		seen := parts[0]
		if again != nil {
			seen, again = again, nil
		}
		s.again = see(teacherScope, seen)
	}
	if r.plan.mix != nil {
		parts = append(parts, s.mix(parts[0], 0))
	}
	rows := n * len(parts)
	if again != nil {
		parts = append(parts, again)
	}
	seen := see(networkScope, Concatenate(parts, 0))
	s.own = seen.rows(0, rows)
	s.logits = Slice(s.own.logits, AxisRange(0, n))
	if r.plan.teacher == 0 && r.plan.again {
		if s.again = s.own.rows(0, n); again != nil {
			s.again = seen.rows(rows, rows+n)
		}
	}
	if r.plan.judges > 0 { // in a pass of its own, which needs no way back
		judges := see(networkScope, Slice(x, AxisRange(n)))
		s.own.h = Concatenate([]*Node{s.own.h, StopGradient(judges.h)}, 0)
		s.own.logits = Concatenate([]*Node{s.own.logits, StopGradient(judges.logits)}, 0)
	}
	extra := r.plan.extra(s)
	if short := s.own.logits.Shape().Dim(0) - extra.Shape().Dim(0); short > 0 {
		extra = Concatenate([]*Node{extra, Zeros(extra.Graph(), shapes.Make(extra.DType(), short, extra.Shape().Dim(1)))}, 0)
	}
	return Concatenate([]*Node{ExpandDims(s.own.logits, -1), extra}, -1)
}

// rows returns what the network makes of rows first to end.
func (p pass) rows(first, end int) pass {
	return pass{p.scope, Slice(p.h, AxisRange(first, end)), Slice(p.logits, AxisRange(first, end))}
}

// rows returns the rows of the batch.
func (s *sight) rows(x *Node) *Node { return Slice(x, AxisRange(0, s.logits.Shape().Dim(0))) }

// recall returns what is remembered of every row of the batch; that of labeled positives is 1, whatever is remembered.
func (s *sight) recall() *Node {
	y := Gather(s.memory.NodeValue(s.index.Graph()), ExpandDims(s.index, -1))
	return Where(s.labels(y), OnesLike(y), y)
}

// move brings what is remembered of every row of the batch nearer to target, so that of what it is now a part e^(−1) is left after
// the given share of the run, and returns it. Labeled positives keep their 1. Where due is 0 nothing moves.
func (s *sight) move(target, share, due *Node) *Node {
	y := s.recall()
	rate := OneMinus(Exp(Neg(Reciprocal(MulScalar(share, s.epochs)))))
	change := Mul(Sub(target, y), Mul(rate, due))
	change = Where(s.labels(y), ZerosLike(y), change)
	g := y.Graph()
	// An example can be in a batch twice where one round through all ends and the next begins.
	all := ScatterSum(s.memory.NodeValue(g), ExpandDims(s.index, -1), change, false, false)
	s.memory.SetNodeValue(ClipScalar(all, 0, 1))
	return Add(y, change)
}

// setAside returns a share of the pool, at least one and not all, to judge, and the others.
func setAside(pool []int, share float64, seed uint64) (others, judges []int) {
	count := min(max(int(math.Round(share*float64(len(pool)))), 1), len(pool)-1)
	for i, at := range rand.New(rand.NewPCG(seed, 0)).Perm(len(pool)) {
		if i < count {
			judges = append(judges, pool[at])
		} else {
			others = append(others, pool[at])
		}
	}
	return others, judges
}

// projectionDim is how many numbers a projection has.
const projectionDim = 128

// project returns the projections of embeddings by a network in that scope, on the unit sphere: [n, projectionDim].
func project(scope *model.Scope, name string, h *Node, training bool) *Node {
	return L2Normalize(encoder.Projector(scope.In("%s", name), h, projectionDim, training), -1)
}
