//go:build unix

package classify

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Environment of the program that the test below starts, which is this test program itself.
const (
	childModel      = "PUCL_TEST_CHILD_MODEL"      // file of the model to fine-tune
	childResult     = "PUCL_TEST_CHILD_RESULT"     // file to save the classifier to
	childCheckpoint = "PUCL_TEST_CHILD_CHECKPOINT" // folder; empty for none
)

// TestChildTunes is the program that the test below starts; by itself it tests nothing.
func TestChildTunes(t *testing.T) {
	path := os.Getenv(childModel)
	if path == "" {
		return
	}
	eng := expect.Must(engine.Open())(t)
	config := FineTuneConfig{Checkpoint: os.Getenv(childCheckpoint), CheckpointEvery: 1, BatchStatistics: true}
	config.Observer = train.OnStep(func(p train.Progress) {
		fmt.Println("step", p.Step)
		time.Sleep(20 * time.Millisecond) // or the run would be over before it can be killed
	})
	c := expect.Must(tuneKept(context.Background(), eng, expect.Must(train.LoadModel(path, nil))(t), config))(t)
	expect.NoError(t, c.Save(os.Getenv(childResult)))
}

// Fine-tuning that is killed again and again ends in the very numbers of a run that nobody disturbed, the weights of the best
// epoch among them, on both engines.
func TestKilledFineTuningResumesExactly(t *testing.T) {
	backends := []string{"", "go:ops_sequential"}
	if strings.HasPrefix(os.Getenv("GOMLX_BACKEND"), "go") {
		backends = backends[1:]
	}
	for _, backend := range backends {
		t.Run("engine "+backend, func(t *testing.T) {
			dir := t.TempDir()
			model, folder := filepath.Join(dir, "model"), filepath.Join(dir, "run")
			expect.NoError(t, quickModel(t).Save(model))
			rng := rand.New(rand.NewPCG(4, uint64(len(backend))))
			whole, resumed := filepath.Join(dir, "whole"), filepath.Join(dir, "resumed")
			for kills := range 3 {
				cmd, lines := child(t, backend, model, resumed, folder)
				for lines.Scan() && !strings.HasPrefix(lines.Text(), "step") {
				}
				time.Sleep(time.Duration(rng.IntN(30)) * time.Millisecond)
				if err := cmd.Process.Kill(); err != nil { // SIGKILL
					t.Fatal(err)
				}
				err := cmd.Wait()
				expect.Require(t, err != nil, "the run ended well before kill %d", kills)
			}
			for _, run := range []struct{ result, folder string }{{whole, ""}, {resumed, folder}} {
				cmd, lines := child(t, backend, model, run.result, run.folder)
				for lines.Scan() {
				}
				expect.NoError(t, cmd.Wait())
			}
			want := expect.Must(Load(whole, nil))(t)
			expect.That(t, len(want.Tuning.History.Losses) == 12 && len(want.Tuning.Epochs) == 6, "%+v", want.Tuning)
			got := expect.Must(Load(resumed, nil))(t)
			got.Tuning.History.Notes = nil // of a kill between the two renamings of a checkpoint
			sameClassifier(t, got, want)
			left := expect.Must(filepath.Glob(filepath.Join(folder, "*.part")))(t)
			expect.That(t, len(left) == 0, "a run that ended well leaves %v", left)
		})
	}
}

// child starts this test program as a run of its own and returns it with the lines that it prints, one a step.
func child(t *testing.T, backend, model, result, folder string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildTunes$")
	cmd.Env = append(os.Environ(), childModel+"="+model, childResult+"="+result, childCheckpoint+"="+folder)
	if backend != "" {
		cmd.Env = append(cmd.Env, "GOMLX_BACKEND="+backend)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	expect.NoError(t, err)
	return cmd, bufio.NewScanner(out)
}
