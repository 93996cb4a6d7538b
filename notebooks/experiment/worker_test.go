package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// newWorker returns a worker with folders of its own, and a run that does what train says.
func newWorker(t *testing.T, train func() (*Outcome, error)) (Worker, Run) {
	t.Helper()
	run := newRun(settings{Steps: 1})
	run.Train = func(context.Context, *engine.Engine, Place) (*Outcome, error) { return train() }
	return Worker{Store: &Store{t.TempDir()}, Work: t.TempDir(), Engine: enginetest.Open(t)}, run
}

// A run that was done since it was planned is not done again, nor is one that another program is doing.
func TestAWorkerLooksFirst(t *testing.T) {
	trained := 0
	w, run := newWorker(t, func() (*Outcome, error) {
		trained++
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, nil
	})
	planned := Standing{Run: run, State: Missing}
	release, locked, err := w.Store.lock(Laptop, run, deskOf(w.Work, Laptop, run))
	if err != nil || !locked {
		t.Fatal(locked, err)
	}
	var busy *Busy
	_, err = w.Do(t.Context(), Laptop, planned)
	if !errors.As(err, &busy) || trained != 0 || !strings.Contains(err.Error(), run.String()) {
		t.Errorf("%v, trained %d times", err, trained)
	}
	release()
	for range 2 {
		if now, err := w.Do(t.Context(), Laptop, planned); err != nil || now.State != Done || trained != 1 {
			t.Errorf("%s, %v, trained %d times", now.State, err, trained)
		}
	}
	// One that is stale is done again by who knows the file as it is, and by nobody else.
	run.Version++
	planned, err = w.Store.Look(Laptop, run)
	if err != nil || planned.State != Stale {
		t.Fatal(planned, err)
	}
	for range 2 {
		if now, err := w.Do(t.Context(), Laptop, planned); err != nil || now.State != Done || trained != 2 {
			t.Errorf("%s, %v, trained %d times", now.State, err, trained)
		}
	}
}

// What a run leaves in the shared folder is there for other runs of the size, and for none of another size.
func TestSharedFolder(t *testing.T) {
	w, run := newWorker(t, nil)
	var found []bool
	run.Train = func(_ context.Context, _ *engine.Engine, place Place) (*Outcome, error) {
		path := filepath.Join(place.Shared, "encoder")
		_, err := os.Stat(path)
		found = append(found, err == nil)
		return &Outcome{Points: []Point{scored("", 1, 0.5)}}, os.WriteFile(path, nil, 0o644)
	}
	other := run
	other.Method = "another one"
	for _, size := range []Size{Laptop, Smoke} {
		for _, r := range []Run{run, other} {
			if now, err := w.Do(t.Context(), size, Standing{Run: r, State: Missing}); err != nil || now.State != Done {
				t.Fatalf("%s, %v", now.State, err)
			}
		}
	}
	if !slices.Equal(found, []bool{false, true, false, true}) {
		t.Errorf("found %t", found)
	}
}

// Want of memory is a result, and so is what another try would end in as well; what else a run says when it ends is none.
func TestErrorsOfRuns(t *testing.T) {
	collapsed := &Failure{errors.New("the embedding has collapsed")}
	for cause, failure := range map[error]string{
		errors.New("RESOURCE_EXHAUSTED: 3 GB"): "out of memory: RESOURCE_EXHAUSTED: 3 GB; take smaller batches",
		errors.New("the images are not here"):  "",
		collapsed:                              "training: the embedding has collapsed",
	} {
		w, run := newWorker(t, func() (*Outcome, error) { return nil, fmt.Errorf("training: %w", cause) })
		now, err := w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing})
		if failed := failure != ""; failed != (err == nil && now.State == Failed) {
			t.Errorf("%s: %v, %v", cause, now, err)
		} else if failed && !strings.HasPrefix(now.Result.Failure, failure) {
			t.Error(now.Result.Failure)
		} else if !failed && !strings.Contains(err.Error(), fmt.Sprintf("%s: training: %v", run, cause)) {
			t.Error(err)
		}
	}
}

func TestSetThreads(t *testing.T) {
	t.Setenv("NPROC", "")
	t.Setenv("OMP_NUM_THREADS", "")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	err := SetThreads(3)
	if err != nil || runtime.GOMAXPROCS(0) != 3 || os.Getenv("NPROC") != "3" || os.Getenv("OMP_NUM_THREADS") != "3" {
		t.Errorf("%v: %d, %s, %s", err, runtime.GOMAXPROCS(0), os.Getenv("NPROC"), os.Getenv("OMP_NUM_THREADS"))
	}
}
