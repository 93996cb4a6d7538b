//go:build unix

package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/pucl/engine"
)

// A run that is at work is not done by a program with a work folder of its own either.
func TestTwoWorkFoldersOnOneStore(t *testing.T) {
	var w Worker
	var run Run
	w, run = newWorker(t, func() (*Outcome, error) {
		other := w
		other.Work = t.TempDir()
		second := run
		second.Train = never
		var busy *Busy
		if _, err := other.Do(t.Context(), Laptop, Standing{Run: second, State: Missing}); !errors.As(err, &busy) {
			t.Errorf("%v, want %T", err, busy)
		}
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	})
	now, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
	if err != nil || now.State != Done {
		t.Errorf("%s, %v", now.State, err)
	}
}

// Where there are no locks, that is said once, and a result that came from elsewhere while a run was at work stands.
func TestAFileSystemWithoutLocks(t *testing.T) {
	defer func(real func(string, bool) (*os.File, error)) { tryLock = real }(tryLock)
	tryLock = func(string, bool) (*os.File, error) { return nil, filelock.ErrNone }
	var w Worker
	var run Run
	w, run = newWorker(t, func() (*Outcome, error) {
		faster := run
		faster.Train = func(context.Context, *engine.Engine, Place) (*Outcome, error) {
			return &Outcome{Points: []Point{scored("", 1, 0.75)}}, nil
		}
		other := w
		other.Work = t.TempDir()
		if _, err := other.Do(t.Context(), Laptop, Standing{Run: faster, State: Missing}); err != nil {
			t.Error(err)
		}
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	})
	now, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
	if err != nil || now.State != Done || now.Result.Points[0].Test.Accuracy() != 0.75 {
		t.Errorf("%s, %+v, %v", now.State, now.Result, err)
	}
	if said := whole(t, "counting").said.String(); strings.Count(said, "no file locks") != 1 {
		t.Error(said)
	}
}

// A folder can have any name.
func TestFoldersOfAnyName(t *testing.T) {
	w, run := newWorker(t, func() (*Outcome, error) {
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	})
	w.Store = &Store{filepath.Join(t.TempDir(), "of [Ada's runs")}
	path := w.Store.file(Laptop, run)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".1.part", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if now, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing}); err != nil || now.State != Done {
		t.Errorf("%s, %v", now.State, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// A store that cannot be written to is known before hours of training, not after them.
func TestAStoreThatCannotBeWritten(t *testing.T) {
	w, run := newWorker(t, func() (*Outcome, error) {
		t.Error("it was trained")
		return nil, nil
	})
	folder := filepath.Dir(w.Store.file(Laptop, run))
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere"), folder); err != nil { // which stops root too
		t.Fatal(err)
	}
	_, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
	if err == nil || !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), "nothing was trained yet") {
		t.Error(err)
	}
}

// A moment in which nothing could be written down costs no run.
func TestAHeartbeatThatIsMissed(t *testing.T) {
	defer func(real time.Duration) { heartbeat = real }(heartbeat)
	heartbeat = 5 * time.Millisecond
	w, run := newWorker(t, nil)
	run.Train = func(_ context.Context, _ *engine.Engine, place Place) (*Outcome, error) {
		in := deskOf(w.Work, Laptop, run).sittings()
		for err := errors.New("not yet"); err != nil; err = os.MkdirAll(filepath.Join(in, "the way"), 0o755) {
			os.Remove(in) // it may be written again before the folder is there
		}
		time.Sleep(20 * heartbeat)
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, os.RemoveAll(in)
	}
	now, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
	if err != nil || now.State != Done {
		t.Errorf("%s, %v", now.State, err)
	}
}

// A worker that nobody listens to any more saves its state before it ends.
func TestNobodyListens(t *testing.T) {
	b := newBench(t, "endless")
	grid, plan, err := b.plan()
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(b.folder, "list.json")
	if err := plan.List(b.store(), b.work()).Write(list); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s 0", asWorker, list))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	out.Close()
	cmd.Wait() // its status is checked below
	if cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("it ended with %s", cmd.ProcessState)
	}
	if _, err := os.Stat(filepath.Join(deskOf(b.work(), Smoke, grid.Runs[0]).run(), "count.json")); err != nil {
		t.Error(err)
	}
}

// A result that a program of another version left meanwhile is no mistake of the worker that found it, and no result of this grid:
// it is told as what it is, and the other runs go on.
func TestAResultOfAnotherVersionThatCameMeanwhile(t *testing.T) {
	b := newBench(t, "diverging")
	grid, plan, err := b.plan()
	if err != nil {
		t.Fatal(err)
	}
	c := Coordinator{Store: b.store(), Work: b.work(), Workers: 1, Line: liveline.Sized(&b.said, false, 200),
		Command: func(_ string, index int) *exec.Cmd {
			run := grid.Runs[index]
			identity, err := run.Identity()
			if err != nil {
				t.Error(err)
			}
			identity.Version++
			result := sittings{Identity: identity}.result(run)
			result.Points = []Point{scored("", 1, 0.5)}
			if err := b.store().write(Smoke, run, result); err != nil {
				t.Error(err)
			}
			return exec.Command("true")
		}}
	if err := c.Run(t.Context(), plan); err != nil {
		t.Error(err)
	}
	if said := b.said.String(); strings.Count(said, ": stale\n") != 3 || strings.Contains(said, "accuracy") {
		t.Error(said)
	}
}
