package rival

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
)

// student is one of two networks that are trained together, by what the batch of a step tells of it.
type student struct {
	logits  *Node // [n]
	teacher *Node // [n], logits of its moving average, through which no gradient flows
	trusted *Node // [n], 1 for the examples that it trusts itself to know, else 0
	moved   *Node // [n], by how much its logits move in a trial step; 0 where none is taken
}

// inSecond is where the second student has its variables: within the scope of the first, so that both are trained, and both
// averaged by their teachers, as one network is.
func inSecond(root *model.Scope) *model.Scope { return inNetwork(root).At(secondScope) }

// studentOutputs is the graph from the rows of a batch to what is known of both students, four columns for each, the last ones 0
// where nobody looks ahead. Rows that are set aside have zeros.
func (r *run) studentOutputs(scope *model.Scope, index, x *Node) *Node {
	n := r.config.Positives + r.config.Unlabeled
	rows, held := Slice(x, AxisRange(0, n)), (*Node)(nil)
	if r.plan.paced.looksAhead {
		held = Slice(x, AxisRange(n))
	}
	trusted := Gather(r.trusted(scope).NodeValue(x.Graph()), ExpandDims(Slice(index, AxisRange(0, n)), -1)) // [n, 2]
	teachers := scope.At(teacherScope)
	var columns []*Node
	for i, s := range [2]struct{ own, teacher *model.Scope }{{inNetwork(scope), teachers}, {inSecond(scope), teachers.At(secondScope)}} {
		logits := func(scope *model.Scope, x *Node) *Node {
			return r.network.logits(scope.ResetVisited(), r.config.Settings.Compute.Prepare(x), true)
		}
		z := logits(s.own, rows)
		moved := ZerosLike(z)
		if held != nil {
			moved = trial(s.own, func(x *Node) *Node { return logits(s.own, x) }, z, rows, held)
		}
		columns = append(columns, z, StopGradient(logits(s.teacher, rows)), Squeeze(Slice(trusted, AxisRange(), AxisElem(i)), -1), moved)
	}
	out := Stack(columns, -1)
	if held == nil {
		return out
	}
	none := Zeros(x.Graph(), shapes.Make(out.DType(), held.Shape().Dim(0), out.Shape().Dim(1)))
	return Concatenate([]*Node{out, none}, 0)
}

// readStudents tells the columns of studentOutputs apart.
func readStudents(outputs *Node) (students [2]student) {
	for i := range students {
		column := func(j int) *Node { return Squeeze(Slice(outputs, AxisRange(), AxisElem(4*i+j)), -1) }
		students[i] = student{column(0), column(1), column(2), column(3)}
	}
	return students
}

// trialLength is the length of a trial step. It is short beside the parameters, so that logits move almost as their derivatives
// say, and long enough that float32 holds the difference.
const trialLength = 0.01

// trial returns by how much the logits z of rows move in a step against the gradient of the entropy of the predictions for the
// examples held out. It leaves all variables as they were.
func trial(scope *model.Scope, logits func(x *Node) *Node, z, rows, held *Node) *Node {
	g := rows.Graph()
	var variables []*model.Variable
	var values, weights []*Node
	for _, part := range []string{"encoder", "head"} {
		for v := range scope.At("%s", part).IterVariables() {
			variables, values = append(variables, v), append(values, v.NodeValue(g))
			if v.Trainable {
				weights = append(weights, v.NodeValue(g))
			}
		}
	}
	gradients := Gradient(ReduceAllMean(entropy(logits(held))), weights...)
	square := ScalarZero(g, z.DType())
	for _, d := range gradients {
		square = Add(square, ConvertDType(ReduceAllSum(Square(d)), z.DType()))
	}
	size := Div(Scalar(g, z.DType(), trialLength), Sqrt(MaxScalar(square, math.SmallestNonzeroFloat32)))
	i := 0
	for j, v := range variables {
		if v.Trainable {
			v.SetNodeValue(Sub(values[j], Mul(gradients[i], ConvertDType(size, values[j].DType()))))
			i++
		}
	}
	moved := Sub(logits(rows), z)
	for j, v := range variables {
		v.SetNodeValue(values[j])
	}
	return StopGradient(moved)
}
