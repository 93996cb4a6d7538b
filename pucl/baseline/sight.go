package baseline

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
)

// sight is what a plan's other and extra build on: what the networks make of a batch.
type sight struct {
	batch
	run   *run
	scope *model.Scope // the root

	x     *Node // the rows of the batch in their first view
	aside *Node // the rows set aside, labeled positives first; nil where there are none
	index *Node // int32 [n], which examples the rows are; nil without a memory
	own   pass  // of the rows in their first view; empty where the network sees mixed rows only
	again pass  // of the rows in their second view, or in the first one where there are no views; by the teacher where there is one
}

// see returns what a network in that scope makes of rows in training.
func (s *sight) see(scope *model.Scope, x *Node) pass {
	p := s.run.network.see(scope.ResetVisited(), s.run.config.Settings.Compute.Prepare(x), true)
	return pass{p.scope, ConvertDType(p.h, dtypes.Float32), p.logits}
}

// rows returns what the network makes of rows first to end.
func (p pass) rows(first, end int) pass {
	return pass{p.scope, Slice(p.h, AxisRange(first, end)), Slice(p.logits, AxisRange(first, end))}
}

// judges returns what the network makes of the rows set aside, of labeled positives and of others, in a pass that needs no way back.
func (s *sight) judges() (positive, unlabeled pass) {
	p := s.see(inNetwork(s.scope), s.aside)
	p.h, p.logits = StopGradient(p.h), StopGradient(p.logits)
	positives, _ := s.run.plan.aside.inBatch(s.run.config)
	return p.rows(0, positives), p.rows(positives, s.aside.Shape().Dim(0))
}

// byTeacher returns the logits of the rows by the teacher.
func byTeacher(s *sight) *Node { return StopGradient(s.again.logits) }

// remembered returns what is remembered of every row by that name.
func (s *sight) remembered(what string, columns ...int) *Node {
	return Gather(s.run.memory(s.scope, what, columns...).NodeValue(s.index.Graph()), ExpandDims(s.index, -1))
}

// labeling returns the labels that are remembered of the rows; those of labeled positives are 1, whatever is remembered.
func (s *sight) labeling() *Node {
	y := s.remembered("labels")
	return Where(s.labels(y), OnesLike(y), y)
}

// move brings the labels that are remembered nearer to target, so that of what they are now a part e^(−1) is left after the given
// share of the run, and returns those of the rows. Labeled positives keep their 1. Where due is 0 nothing moves.
func (s *sight) move(target, share, due *Node) *Node {
	y, memory := s.labeling(), s.run.memory(s.scope, "labels")
	c := s.run.config
	epochs := float64(c.Settings.Steps) * float64(c.Unlabeled) / float64(len(s.run.unlabeled.examples))
	rate := OneMinus(Exp(Neg(Reciprocal(MulScalar(share, epochs)))))
	change := Mul(Sub(target, y), Mul(rate, due))
	change = Where(s.labels(y), ZerosLike(y), change)
	// An example can be in a batch twice where one round through all ends and the next begins.
	all := ScatterSum(memory.NodeValue(y.Graph()), ExpandDims(s.index, -1), change, false, false)
	memory.SetNodeValue(ClipScalar(all, 0, 1))
	return Add(y, change)
}

// projectionDim is how many numbers a projection has.
const projectionDim = 128

// project returns the projections of embeddings by a network in that scope, on the unit sphere: [n, projectionDim].
func project(scope *model.Scope, name string, h *Node, training bool) *Node {
	return L2Normalize(encoder.Projector(scope.In("%s", name), h, projectionDim, training), -1)
}
