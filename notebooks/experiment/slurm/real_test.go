package slurm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

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

// What a real Slurm says of tasks that end with an error, are cancelled, or cannot be submitted.
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
