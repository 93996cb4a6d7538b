package train

import (
	"context"
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// taught returns a task whose student learns from the truth and from a teacher, its own moving average.
func taught(momentum float64) Task {
	task := siblings()
	task.Outputs = func(scope *model.Scope, inputs []*Node) *Node {
		return Concatenate([]*Node{line("student")(scope, inputs), StopGradient(line("teacher")(scope, inputs))}, -1)
	}
	task.Trained, task.Networks = "student", []string{"student", "teacher"}
	task.AfterUpdate = MovingAverage("teacher", "student", momentum)
	return task
}

// The teacher is the average that loops in float64 make of the students after every step, in one go, in micro-batches and on
// devices; it is not trainable, and the loss depends on it.
func TestMovingAverage(t *testing.T) {
	eng := enginetest.Preferred(t)
	ways := []Compute{{}, {MicroBatches: 2}}
	if eng.Backend.NumDevices() >= 2 {
		ways = append(ways, Compute{Devices: 2})
	}
	for _, way := range ways {
		for _, momentum := range []float64{0, 0.6, 0.999, 1} {
			task, settings := taught(momentum), plainSGD(0.05)
			settings.Steps, settings.Compute = 7, way
			teacher := map[string][]float64{}
			task.AfterStep = func(done int) (*Reading, error) {
				m := min(momentum, 1-1/float64(done))
				weights := networkOf(t, task)
				for _, name := range []string{"weights", "bias"} {
					for i, v := range weights["/student/"+name] {
						if done == 1 {
							teacher[name] = append(teacher[name], 0)
						}
						teacher[name][i] = m*teacher[name][i] + (1-m)*float64(v)
						near(t, fmt.Sprintf("%v, momentum %g, step %d: teacher's %s", way, momentum, done, name),
							float64(weights["/teacher/"+name][i]), teacher[name][i], 1e-6)
					}
				}
				return nil, nil
			}
			runTask(t, eng, task, settings)
			for _, name := range []string{"weights", "bias"} {
				expect.That(t, !task.Store.GetVariable("/teacher/"+name).Trainable,
					"the teacher's %s are trainable", name)
			}
		}
	}
	settings := plainSGD(0.05)
	settings.Steps = 4
	if a, b := runTask(t, eng, taught(0), settings), runTask(t, eng, taught(0.9), settings); a.Losses[3] == b.Losses[3] {
		t.Error("the loss does not depend on the teacher's momentum")
	}
}

// Teacher and count go on from a checkpoint to the bit.
func TestMovingAverageResumesExactly(t *testing.T) {
	eng := enginetest.Open(t)
	settings := Settings{Steps: 6, LearningRate: 0.05}
	whole := taught(0.75)
	runTask(t, eng, whole, settings)
	for _, after := range []int{1, 3, 5} {
		again, _ := interrupted(t, eng, func() Task { return taught(0.75) }, settings, after)
		paths := differing(t, whole, again)
		expect.That(t, paths == nil, "stopped after %d: %v differ", after, paths)
	}
}

func TestMovingAverageErrors(t *testing.T) {
	eng := enginetest.Open(t)
	for want, update := range map[string]func(*model.Scope, *Graph){
		"momentum 1.5; it must lie between 0 and 1":              MovingAverage("teacher", "student", 1.5),
		"needs /tutor/weights with shape (Float32)[3, 1]":        MovingAverage("tutor", "student", 0.9),
		`scope "pupil", which has no trainable variable`:         MovingAverage("teacher", "pupil", 0.9),
		"as /student/weights has it; make the teacher's variabl": MovingAverage("tutor", "student", 0.9),
	} {
		task := taught(0.9)
		task.AfterUpdate = update
		names(t, want, expect.Err(Run(context.Background(), eng, task, Settings{Steps: 1})), want)
	}
}
