package slurm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/filelock"
)

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		change func(w *work)
		want   string
	}{
		{func(w *work) { w.Folder = "" }, "slurm: a folder is needed"},
		{func(w *work) { w.Command = nil }, "slurm: a command is needed"},
		{func(w *work) { w.Threads = -1 }, "slurm: a task cannot have -1 threads"},
		{func(w *work) { w.Options = []string{"-p", "gpu", "--array=1-9"} }, "slurm: --array=1-9 is not for you to choose here"},
		{func(w *work) { w.Options = []string{"-M", "other"} }, "slurm: -M is not for you to choose here"},
		{func(w *work) { w.Options = []string{"-Mother"} }, "slurm: -Mother is not for you to choose here"},
		{func(w *work) { w.Options = []string{"-p", "gpu", "-a1-9"} }, "slurm: -a1-9 is not for you to choose here"},
		{func(w *work) { w.Options = []string{"-oelsewhere"} }, "slurm: -oelsewhere is not for you to choose here"},
		{func(w *work) { w.Options = []string{"-W"} }, "slurm: -W is not for you to choose here"},
		{func(w *work) { w.Options = []string{"--wait"} }, "slurm: --wait is not for you to choose here"},
		{func(w *work) { w.Command[0] = "no-such-program" }, `slurm: the program of the tasks: exec: "no-such-program"`},
		{func(w *work) { w.write("say", "welcome to the cluster", false) }, `slurm: sbatch said "welcome to the cluster100\n"`},
		{func(w *work) { w.write("refuse", "0\ninvalid partition specified: gpu", false) }, "sbatch: error: invalid partition specified: gpu"},
	} {
		w := newWork(t, 1, `result`)
		tt.change(w)
		expect.Error(t, w.Do(t.Context(), w.missing), tt.want)
	}
}

func TestNoSlurm(t *testing.T) {
	w := newWork(t, 1, `result`)
	t.Setenv("PATH", t.TempDir())
	err := w.Do(t.Context(), w.missing)
	expect.That(t, errors.Is(err, exec.ErrNotFound) &&
		strings.Contains(err.Error(), "there is no Slurm on this machine"), "got %v", err)
}

// An error of the caller's function ends Do before any submission.
func TestTheCallersErrorEndsIt(t *testing.T) {
	w, cut := newWork(t, 1, `result`), errors.New("a result is cut short")
	if err := w.Do(t.Context(), func() ([]string, error) { return nil, cut }); !errors.Is(err, cut) || w.read("calls") != "" {
		t.Errorf("got %v, and sbatch was called: %q", err, w.read("calls"))
	}
}

func TestStoppedBeforeAnythingIsSubmitted(t *testing.T) {
	w := newWork(t, 2, `result`)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := w.Do(ctx, w.missing)
	expect.That(t, errors.Is(err, context.Canceled) && strings.Contains(err.Error(), "2 tasks not submitted") &&
		w.read("calls") == "", "got %v, and sbatch was called: %q", err, w.read("calls"))
}

// An unreadable record may list running jobs: nothing is submitted.
func TestADamagedRecordIsNotForgotten(t *testing.T) {
	w := newWork(t, 2, `result`)
	w.write("hold", "yes", false)
	stop, result := w.waiting(t, "job 100")
	stop()
	<-result
	data := expect.Must(os.ReadFile(w.recordPath()))(t)
	expect.NoError(t, os.WriteFile(w.recordPath(), data[:len(data)-5], 0o644))
	expect.Error(t, w.Do(t.Context(), w.missing), "jobs.json", "squeue")
	w.submitted(t, "1")
}

// Without a result, a log and Slurm's record of the task, the error states this.
func TestNoLog(t *testing.T) {
	w := newWork(t, 2, `result`)
	w.write("hold", "yes", false)
	w.Tries = 1
	_, result := w.waiting(t, "job 100")
	w.finish(t, "")
	err := <-result
	expect.Error(t, err, "run 0: how it ended, Slurm no longer knows, and it left no log")
}

// Do releases the lock on every return.
func TestTheFolderIsFreeAgain(t *testing.T) {
	w := newWork(t, 1, `result`)
	expect.NoError(t, w.do(t))
	lock := expect.Must(filelock.Try(filepath.Join(w.Folder, "lock"), false))(t)
	lock.Close()
}

// The same with a real Slurm, as .ci/slurm starts it, whose arrays may have three tasks: one task is killed.
func TestRealSlurm(t *testing.T) {
	if os.Getenv("PUCL_SLURM") == "" {
		t.Skip("PUCL_SLURM is not set; .ci/slurm starts a Slurm and sets it")
	}
	w := newRealWork(t, 7, `[ "$name$tries" = "run 4"0 ] && kill -9 $$; sleep 1; result "on $SLURM_CPUS_PER_TASK"`)
	expect.Equal(t, maxArraySize(), 3, "tasks in an array")
	ctx, stop := context.WithCancel(t.Context())
	w.Report = func(s Status) {
		t.Log(s)
		expect.That(t, s.Running <= 2, "%d tasks run on two processors", s.Running)
		if s.Ended > 1 {
			stop()
		}
	}
	left := (*Left)(nil)
	err := w.Do(ctx, w.missing)
	expect.Require(t, errors.As(err, &left) && len(left.Jobs) == 3, "after a stop: %v", err)
	expect.NoError(t, w.do(t))
	for i, name := range w.names {
		expect.Equal(t, string(expect.Must(os.ReadFile(filepath.Join(w.results, "done "+name)))(t)), name+" on 1\n")
		started, err := os.ReadFile(filepath.Join(w.results, "tries "+name))
		if want := map[bool]string{true: "2\n", false: "1\n"}[i == 4]; err != nil || string(started) != want {
			t.Errorf("%s was started %q times, want %q: %v", name, started, want, err)
		}
	}
}

// The report of a real Slurm for tasks that end with an error, are cancelled, or cannot be submitted.
func TestRealSlurmEndsTasks(t *testing.T) {
	if os.Getenv("PUCL_SLURM") == "" {
		t.Skip("PUCL_SLURM is not set; .ci/slurm starts a Slurm and sets it")
	}
	for _, tt := range []struct {
		line    string
		options []string
		want    []string
	}{
		{`[ "$name" = "run 1" ] && { echo no data; exit 1; }; result`, nil, []string{"a task ended", "run 1: FAILED;", "  no data"}},
		{`[ "$name" = "run 1" ] && { scancel "$SLURM_JOB_ID"; sleep 60; }; result`, nil, []string{"a task ended", "run 1: CANCELLED;"}},
		{`result`, []string{"--partition=none"}, []string{"invalid partition specified: none"}},
	} {
		w := newRealWork(t, 2, tt.line)
		w.Options = tt.options
		err := w.do(t)
		if err == nil {
			t.Errorf("%s: no error", tt.line)
			continue
		}
		for _, want := range tt.want {
			expect.That(t, strings.Contains(err.Error(), want), "%s: %q lacks %q", tt.line, err, want)
		}
	}
}
