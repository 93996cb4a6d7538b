//go:build unix

package train

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// Environment of the program that the tests below start, which is this test program itself.
const (
	childModel      = "PUCL_TEST_CHILD_MODEL"      // file to save the model to
	childCheckpoint = "PUCL_TEST_CHILD_CHECKPOINT" // folder; empty for none
	childTask       = "PUCL_TEST_CHILD_TASK"       // not empty: a task of its own instead of pretraining
	childLimit      = "PUCL_TEST_CHILD_LIMIT"      // bytes that a file may have after the fourth step; empty for any number
)

// childRun returns the run of that program. Its weights are many enough that a checkpoint takes a while to write.
func childRun() Config {
	return Config{
		Steps: 12, Encoder: encoder.MLP{Hidden: []int{}, Dim: 256}, Projection: 32, LearningRate: 0.01, Seed: 9,
		Recipe: augment.Recipe{augment.Flip{Probability: 0.5}}, CheckpointEvery: 1, Monitor: Monitor{Every: 5, Examples: 40},
	}
}

// child starts this test program as a training run of its own and returns it with the lines that it prints, one a step.
func child(t *testing.T, backend, model, checkpoint string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildTrains$")
	cmd.Env = append(os.Environ(), childModel+"="+model, childCheckpoint+"="+checkpoint)
	if backend != "" {
		cmd.Env = append(cmd.Env, "GOMLX_BACKEND="+backend)
	}
	cmd.Stderr = os.Stderr
	out := expect.Must(cmd.StdoutPipe())(t)
	expect.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// TestChildTrains is the program that the other tests start; by itself it tests nothing.
func TestChildTrains(t *testing.T) {
	model := os.Getenv(childModel)
	if model == "" {
		return
	}
	eng := expect.Must(engine.Open())(t)
	if os.Getenv(childTask) != "" {
		childTrainsTask(t, eng, model)
		return
	}
	config := childRun()
	config.Checkpoint = os.Getenv(childCheckpoint)
	config.Observer = OnStep(func(p Progress) {
		fmt.Println("step", p.Step)
		if limit := os.Getenv(childLimit); limit != "" && p.Step == 4 {
			limitFiles(t, limit)
		}
	})
	m, err := Pretrain(context.Background(), eng, stripes{16, 4}, config)
	if err != nil && os.Getenv(childLimit) != "" {
		fmt.Println(err)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, m.Save(model))
}

// childBackends returns the engines that children run on: the default one and the pure-Go engine.
func childBackends() []string {
	if runsOnGo("") {
		return []string{""}
	}
	return []string{"", "go:ops_sequential"}
}

// limitFiles makes writes beyond so many bytes of a file fail, as a full disk does.
func limitFiles(t *testing.T, limit string) {
	bytes := expect.Must(strconv.ParseUint(limit, 10, 64))(t)
	signal.Ignore(syscall.SIGXFSZ)
	expect.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}))
}

// A checkpoint that finds no room ends the run with a sentence, leaves the one before it whole and nothing half written, and
// the run goes on from it once there is room.
func TestFullDisk(t *testing.T) {
	const backend = "go:ops_sequential" // the engine plays no part
	dir := t.TempDir()
	whole, resumed, folder := filepath.Join(dir, "whole"), filepath.Join(dir, "resumed"), filepath.Join(dir, "run")
	finish(t, backend, whole, "")
	t.Setenv(childLimit, "50000")
	cmd, lines := child(t, backend, resumed, folder)
	var said string
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "train:") {
			said = lines.Text()
		}
	}
	expect.NoError(t, cmd.Wait())
	for _, want := range []string{"the checkpoint after 5 steps could not be saved", folder, "that after 4 steps is still there, whole", "make room"} {
		expect.That(t, strings.Contains(said, want), "%q lacks %q", said, want)
	}
	left := parts(t, folder)
	expect.That(t, len(left) == 0, "the full disk leaves %v", left)
	t.Setenv(childLimit, "")
	finish(t, backend, resumed, folder)
	sameModels(t, whole, resumed)
}

// A run that is killed, at any moment and in the middle of writing a checkpoint too, ends in the very numbers of one that
// nobody disturbed: losses, norms, readings and weights, bit for bit, on both engines.
func TestKilledRunsResumeExactly(t *testing.T) {
	for _, backend := range childBackends() {
		t.Run("engine "+backend, func(t *testing.T) {
			dir := t.TempDir()
			whole, resumed, folder := filepath.Join(dir, "whole"), filepath.Join(dir, "resumed"), filepath.Join(dir, "run")
			finish(t, backend, whole, "")
			rng := rand.New(rand.NewPCG(4, uint64(len(backend))))
			kills := 1
			if runsOnGo(backend) {
				kills = 5 // nothing to compile, so more of them take no time
			}
			killWhileWriting(t, backend, resumed, folder)
			for range kills {
				killAfter(t, backend, resumed, folder, 1, time.Duration(rng.IntN(30))*time.Millisecond)
			}
			finish(t, backend, resumed, folder)
			sameModels(t, whole, resumed)
			left := parts(t, folder)
			expect.That(t, len(left) == 0, "a run that ended well leaves %v", left)
		})
	}
}

// runsOnGo reports whether a child with that backend runs on the pure-Go engine.
func runsOnGo(backend string) bool {
	if backend == "" {
		backend = os.Getenv("GOMLX_BACKEND")
	}
	return strings.HasPrefix(backend, "go")
}

// finish lets a run end by itself.
func finish(t *testing.T, backend, model, folder string) {
	t.Helper()
	cmd, lines := child(t, backend, model, folder)
	for lines.Scan() {
	}
	expect.NoError(t, cmd.Wait())
}

// killAfter kills a run some time after it took some steps.
func killAfter(t *testing.T, backend, model, folder string, steps int, delay time.Duration) {
	t.Helper()
	cmd, lines := child(t, backend, model, folder)
	for steps > 0 && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "step") {
			steps--
		}
	}
	time.Sleep(delay)
	kill(t, cmd)
	expect.Require(t, steps <= 0, "the run ended before it could be killed")
}

// killWhileWriting kills a run when a half-written checkpoint lies in the folder.
func killWhileWriting(t *testing.T, backend, model, folder string) {
	t.Helper()
	for try := range 3 {
		cmd, lines := child(t, backend, model, folder)
		lines.Scan() // the first step; the part that tries out the folder is gone by then
		for deadline := time.Now().Add(10 * time.Second); len(parts(t, folder)) == 0 && time.Now().Before(deadline); {
			time.Sleep(100 * time.Microsecond)
		}
		kill(t, cmd)
		left := parts(t, folder)
		if len(left) > 0 {
			t.Logf("try %d: killed with %s half written, %v bytes", try, filepath.Base(left[0]), size(t, left[0])) // perhaps the first one
			return
		}
	}
	t.Fatal("no checkpoint was met while it was written")
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	err := cmd.Wait()
	expect.Require(t, err != nil, "the run ended well before it was killed")
}

// parts returns the checkpoints in folder that are not whole.
func parts(t *testing.T, folder string) []string {
	t.Helper()
	return expect.Must(filepath.Glob(filepath.Join(folder, "*.part")))(t)
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info := expect.Must(os.Stat(path))(t)
	return info.Size()
}

// sameModels compares two saved models bit for bit.
func sameModels(t *testing.T, path, other string) {
	t.Helper()
	a := expect.Must(LoadModel(path, nil))(t)
	b := expect.Must(LoadModel(other, nil))(t)
	expect.That(t, len(a.History.Losses) == childRun().Steps && slices.Equal(a.History.Losses, b.History.Losses),
		"losses %v and %v", a.History.Losses, b.History.Losses)
	b.History.Notes = nil // of a kill between the two renamings of a checkpoint
	expect.That(t, len(a.History.Readings) == 3 && reflect.DeepEqual(a.History, b.History),
		"histories %+v and %+v", a.History, b.History)
	paths := moved(t, a, b)
	expect.That(t, paths == nil, "%v differ", paths)
}
