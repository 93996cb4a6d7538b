package train

import (
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
)

// MovingAverage returns a function for [Task].AfterUpdate that makes a teacher follow a student. After every update
//
//	teacher ← m_t·teacher + (1 − m_t)·student,   m_t = min(momentum, 1 − 1/(t+1)),
//
// where t counts the updates before this one. So the first update copies the student, and the teacher is the plain mean
// of all students until momentum limits m_t. Teacher and student name scopes, which Outputs fills with variables of the
// same names and shapes; the trainable variables of the student are averaged. The teacher's become non-trainable only
// after the first gradient is computed: set Task.Trained to the student's scope, and stop the gradient at the outputs
// of the teacher. Statistics of batch normalization are the teacher's own. The count t is a variable in the teacher's
// scope, and is saved with the others. The graph panics if a variable of the teacher is missing or momentum is not in
// [0, 1].
//
// Source: Tarvainen, Valpola, "Mean teachers are better role models", arXiv 1703.01780, 2017, whose code has the ramp
// m_t.
func MovingAverage(teacher, student string, momentum float64) func(scope *model.Scope, g *Graph) {
	return func(scope *model.Scope, g *Graph) {
		if !(momentum >= 0 && momentum <= 1) {
			panic(fmt.Errorf("train: a moving average with momentum %g; it must lie between 0 and 1", momentum))
		}
		updates := scope.At("%s", teacher).VariableWithValue("updates", int32(0)).SetTrainable(false)
		t := updates.NodeValue(g)
		updates.SetNodeValue(AddScalar(t, 1))
		m := MinScalar(OneMinus(Inverse(AddScalar(ConvertDType(t, dtypes.Float32), 1))), momentum)

		averaged, root := 0, "/"+student+"/"
		for v := range scope.At("%s", student).IterVariables() {
			if !v.Trainable {
				continue
			}
			path := "/" + teacher + "/" + strings.TrimPrefix(v.Path(), root)
			follower := scope.Store().GetVariable(path)
			if follower == nil || !follower.Shape().Equal(v.Shape()) {
				panic(fmt.Errorf("train: a moving average needs %s with shape %s, as %s has it; make the teacher's variables in Outputs, "+
					"like the student's", path, v.Shape(), v.Path()))
			}
			m := ConvertDType(m, v.DType())
			follower.SetNodeValue(Add(Mul(m, follower.NodeValue(g)), Mul(OneMinus(m), v.NodeValue(g))))
			follower.SetTrainable(false)
			averaged++
		}
		if averaged == 0 {
			panic(fmt.Errorf("train: a moving average of scope %q, which has no trainable variable", student))
		}
	}
}
