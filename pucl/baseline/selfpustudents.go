package baseline

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
)

// student holds the nodes of one of two networks that are trained together, for the batch of a step.
type student struct {
	logits  *Node // [n]
	teacher *Node // [n], logits of its moving average, without gradient
	trusted *Node // [n], 1 for its trusted examples, else 0
	moved   *Node // [n], change of its logits in a trial step; 0 without one
}

// inSecond returns the scope of the second student's variables. It lies within the scope of the first, so that both are
// trained, and averaged by their teachers, like one network.
func inSecond(root *model.Scope) *model.Scope { return inNetwork(root).At(secondScope) }

// extra returns the logits of the second student and of its teacher, the trusted examples of both students, and the
// changes of their logits.
func (m SelfPU) extra(s *sight) []*Node {
	own, second := inNetwork(s.scope), inSecond(s.scope)
	z := s.see(second, s.x).logits
	teacher := StopGradient(s.see(s.scope.At(teacherScope).At(secondScope), s.x).logits)
	moved := func(scope *model.Scope, z *Node) *Node {
		if s.aside == nil {
			return ZerosLike(z)
		}
		return trial(scope, func(x *Node) *Node { return s.see(scope, x).logits }, z, s.x, s.aside)
	}
	trusted := Transpose(s.remembered("trusted", 2), 0, 1)
	whom := func(i int) *Node { return Squeeze(Slice(trusted, AxisElem(i)), 0) }
	return []*Node{z, teacher, whom(0), whom(1), moved(own, s.logits), moved(second, z)}
}

// readStudents returns the nodes of both students.
func readStudents(b batch) [2]student {
	return [2]student{{b.logits, b.other, b.extra[2], b.extra[4]}, {b.extra[0], b.extra[1], b.extra[3], b.extra[5]}}
}

// trialLength is the length of a trial step. It is short compared with the parameters, so that logits change almost
// linearly, and long enough that float32 represents the difference.
const trialLength = 0.01

// trial returns the change of the logits z of rows in a step against the gradient of the prediction entropy on reserved
// examples. It leaves all variables unchanged.
func trial(scope *model.Scope, logits func(x *Node) *Node, z, rows, aside *Node) *Node {
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
	gradients := Gradient(ReduceAllMean(entropy(logits(aside))), weights...)
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
