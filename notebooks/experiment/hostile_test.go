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

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/pucl/engine"
)

// A program with another work folder does not do a run that is already in progress.
func TestTwoWorkFoldersOnOneStore(t *testing.T) {
	var w Worker
	var run Run
	w, run = newWorker(t, func() (*Outcome, error) {
		other := w
		other.Work = t.TempDir()
		second := run
		second.Train = never
		var busy *Busy
		_, err := other.Do(t.Context(), Laptop, Standing{Run: second, State: Missing})
		expect.That(t, errors.As(err, &busy), "%v, want %T", err, busy)
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	})
	expect.Equal(t, expect.Must(w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing}))(t).State, Done)
}

// Without file locks a single notice appears, and a result that another program stored during the run stays.
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
	expect.That(t, err == nil && now.State == Done && now.Result.Points[0].Test.Accuracy() == 0.75,
		"%s, %+v, %v", now.State, now.Result, err)
	said := whole(t, "counting").said.String()
	expect.That(t, strings.Count(said, "no file locks") == 1, "%v", said)
}

// A folder can have any name.
func TestFoldersOfAnyName(t *testing.T) {
	w, run := newWorker(t, func() (*Outcome, error) { return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil })
	w.Store = &Store{filepath.Join(t.TempDir(), "of [Ada's runs")}
	path := w.Store.file(Laptop, run)
	expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.NoError(t, os.WriteFile(path+".1.part", nil, 0o644))
	expect.Equal(t, expect.Must(w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing}))(t).State, Done)
	expect.Equal(t, len(expect.Must(os.ReadDir(filepath.Dir(path)))(t)), 1)
}

// A store that cannot be written to is an error before training.
func TestAStoreThatCannotBeWritten(t *testing.T) {
	w, run := newWorker(t, func() (*Outcome, error) {
		t.Error("it was trained")
		return nil, nil
	})
	folder := filepath.Dir(w.Store.file(Laptop, run))
	expect.NoError(t, os.MkdirAll(filepath.Dir(folder), 0o755))
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere"), folder); err != nil { // this stops root too
		t.Fatal(err)
	}
	_, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
	expect.Error(t, err, folder, "nothing was trained yet")
}

// A heartbeat that cannot be written does not end a run.
func TestAHeartbeatThatIsMissed(t *testing.T) {
	defer func(real time.Duration) { heartbeat = real }(heartbeat)
	heartbeat = 5 * time.Millisecond
	w, run := newWorker(t, nil)
	run.Train = func(_ context.Context, _ *engine.Engine, place Place) (*Outcome, error) {
		in := deskOf(w.Work, Laptop, run).sittings()
		for err := errors.New("not yet"); err != nil; err = os.MkdirAll(filepath.Join(in, "the way"), 0o755) {
			os.Remove(in) // it may be rewritten before the folder exists
		}
		time.Sleep(20 * heartbeat)
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, os.RemoveAll(in)
	}
	expect.Equal(t, expect.Must(w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing}))(t).State, Done)
}

// A worker whose coordinator is gone saves its state before it ends.
func TestNobodyListens(t *testing.T) {
	expect.Slow(t)
	b := newBench(t, "endless")
	grid, plan := expect.Must2(b.plan())(t)
	list := filepath.Join(b.folder, "list.json")
	expect.NoError(t, plan.List(b.store(), b.work()).Write(list))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s 0", asWorker, list))
	stdin := expect.Must(cmd.StdinPipe())(t)
	defer stdin.Close()
	out := expect.Must(cmd.StdoutPipe())(t)
	expect.NoError(t, cmd.Start())
	expect.NoError(t, expect.Err(out.Read(make([]byte, 1))))
	out.Close()
	cmd.Wait() // its status is checked below
	expect.Equal(t, cmd.ProcessState.ExitCode(), exitInterrupted)
	expect.NoError(t, expect.Err(os.Stat(filepath.Join(deskOf(b.work(), Smoke, grid.Runs[0]).run(), "count.json"))))
}

// A result of another version that appears meanwhile is reported as stale, and the other runs continue.
func TestAResultOfAnotherVersionThatCameMeanwhile(t *testing.T) {
	b := newBench(t, "diverging")
	grid, plan := expect.Must2(b.plan())(t)
	c := Coordinator{Store: b.store(), Work: b.work(), Workers: 1, Line: liveline.Sized(&b.said, false, 200),
		Command: func(_ string, index int) *exec.Cmd {
			run := grid.Runs[index]
			identity, err := run.Identity()
			expect.That(t, err == nil, "%v", err)
			identity.Version++
			result := sittings{Identity: identity}.result(run)
			result.Points = []Point{scored("", 1, 0.5)}
			if err := b.store().write(Smoke, run, result); err != nil {
				t.Error(err)
			}
			return exec.Command("true")
		}}
	expect.NoError(t, c.Run(t.Context(), plan))
	said := b.said.String()
	expect.That(t, strings.Count(said, ": stale\n") == 3 && !strings.Contains(said, "accuracy"), "%v", said)
}
