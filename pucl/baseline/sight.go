package baseline

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
)

// sight holds the outputs of the networks for a batch, the input of a plan's other and extra.
type sight struct {
	batch
	run   *run
	scope *model.Scope // the root

	x     *Node // the rows of the batch in their first view
	aside *Node // the reserved rows, labeled positives first; nil without any
	index *Node // int32 [n], the example of each row; nil without a memory
	own   pass  // of the rows in their first view; empty if the network computes mixed rows only
	again pass  // of the rows in their second view, or in the first one without views; by the teacher if there is one
}

// see returns the outputs for rows of the network in the given scope, in training mode.
func (s *sight) see(scope *model.Scope, x *Node) pass {
	p := s.run.network.see(scope.ResetVisited(), s.run.config.Settings.Compute.Prepare(x), true)
	return pass{p.scope, ConvertDType(p.h, dtypes.Float32), p.logits}
}

// rows returns the outputs for rows first to end.
func (p pass) rows(first, end int) pass {
	return pass{p.scope, Slice(p.h, AxisRange(first, end)), Slice(p.logits, AxisRange(first, end))}
}

// judges returns the outputs for the reserved rows, labeled positives and others, without gradient.
func (s *sight) judges() (positive, unlabeled pass) {
	p := s.see(inNetwork(s.scope), s.aside)
	p.h, p.logits = StopGradient(p.h), StopGradient(p.logits)
	positives, _ := s.run.plan.aside.inBatch(s.run.config)
	return p.rows(0, positives), p.rows(positives, s.aside.Shape().Dim(0))
}

// byTeacher returns the logits of the rows by the teacher.
func byTeacher(s *sight) *Node { return StopGradient(s.again.logits) }

// remembered returns the values stored under the name what for every row.
func (s *sight) remembered(what string, columns ...int) *Node {
	return Gather(s.run.memory(s.scope, what, columns...).NodeValue(s.index.Graph()), ExpandDims(s.index, -1))
}

// labeling returns the stored labels of the rows, and 1 for labeled positives.
func (s *sight) labeling() *Node {
	y := s.remembered("labels")
	return Where(s.labels(y), OnesLike(y), y)
}

// move moves the stored labels towards target, so that a part e^(−1) of the current labels remains after the given
// share of the run, and returns the labels of the rows. Labeled positives keep 1. Nothing moves if due is 0.
func (s *sight) move(target, share, due *Node) *Node {
	y, memory := s.labeling(), s.run.memory(s.scope, "labels")
	c := s.run.config
	epochs := float64(c.Settings.Steps) * float64(c.Unlabeled) / float64(len(s.run.unlabeled.examples))
	rate := OneMinus(Exp(Neg(Reciprocal(MulScalar(share, epochs)))))
	change := Mul(Sub(target, y), Mul(rate, due))
	change = Where(s.labels(y), ZerosLike(y), change)
	// An example can be in a batch twice, at the border of two passes over the examples.
	all := ScatterSum(memory.NodeValue(y.Graph()), ExpandDims(s.index, -1), change, false, false)
	memory.SetNodeValue(ClipScalar(all, 0, 1))
	return Add(y, change)
}

// projectionDim is the length of a projection.
const projectionDim = 128

// project returns the projections of embeddings by the network in the given scope, on the unit sphere: [n,
// projectionDim].
func project(scope *model.Scope, name string, h *Node, training bool) *Node {
	return L2Normalize(encoder.Projector(scope.In("%s", name), h, projectionDim, training), -1)
}
