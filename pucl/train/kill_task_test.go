//go:build unix

package train

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
)

// childTrainsTask trains a task with a teacher and a state of its own, slowly, and writes all that is known in the end to a file.
func childTrainsTask(t *testing.T, eng *engine.Engine, path string) {
	const steps = 40
	task, state := tallied()
	teaching := taught(0.9)
	task.Outputs, task.Loss, task.AfterUpdate = teaching.Outputs, teaching.Loss, teaching.AfterUpdate
	task.Trained, task.Networks = teaching.Trained, teaching.Networks
	task.AfterStep = func(done int) (*Reading, error) {
		state.Waiting = false
		state.Seen = append(state.Seen, done)
		time.Sleep(5 * time.Millisecond)
		return nil, nil
	}
	history := expect.Must(Run(context.Background(), eng, task, Settings{
		Steps: steps, LearningRate: 0.05, Checkpoint: os.Getenv(childCheckpoint), CheckpointEvery: 1,
		Observer: OnStep(func(p Progress) { fmt.Println("step", p.Step) }),
	}))(t)
	text := fmt.Sprintf("%v\n%v\n%+v\n", history.Losses, history.GradientNorms, *state)
	weights := networkOf(t, task)
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		text += fmt.Sprintln(name, weights[name])
	}
	expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// A task with a teacher and a state of its own that is killed at random moments ends as one that nobody disturbed.
func TestKilledTasksResumeExactly(t *testing.T) {
	t.Setenv(childTask, "1")
	for _, backend := range childBackends() {
		t.Run("engine "+backend, func(t *testing.T) {
			dir := t.TempDir()
			whole, resumed, folder := filepath.Join(dir, "whole"), filepath.Join(dir, "resumed"), filepath.Join(dir, "run")
			finish(t, backend, whole, "")
			rng := rand.New(rand.NewPCG(5, uint64(len(backend))))
			kills := 1
			if runsOnGo(backend) {
				kills = 4
			}
			for range kills {
				killAfter(t, backend, resumed, folder, 1, time.Duration(rng.IntN(30))*time.Millisecond)
			}
			finish(t, backend, resumed, folder)
			want := expect.Must(os.ReadFile(whole))(t)
			if got, err := os.ReadFile(resumed); err != nil || len(want) == 0 || string(got) != string(want) {
				t.Errorf("killed, it ends in %v\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}
