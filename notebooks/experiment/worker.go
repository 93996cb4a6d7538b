package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Worker does runs in this process, one at a time.
type Worker struct {
	Store    *Store
	Work     string // folder for the state of unfinished runs, see [WorkFolder]
	Engine   *engine.Engine
	Observer train.Observer // may be nil
}

// Busy is the error for a run that another program is doing.
type Busy struct{ Run Run }

func (b *Busy) Error() string {
	return fmt.Sprintf("experiment: another program is doing %s; wait for it, or look there why it takes so long", b.Run)
}

// SetThreads sets the number of threads of the next engine that this process opens to n: XLA's, oneDNN's and Go's. XLA
// always has at least four, one for each of its devices, but with n = 1 the other threads are nearly idle.
func SetThreads(n int) error {
	runtime.GOMAXPROCS(n)
	return errors.Join(os.Setenv("NPROC", strconv.Itoa(n)), os.Setenv("OMP_NUM_THREADS", strconv.Itoa(n)))
}

// Do does a run of this size, resuming from saved state, and returns its status. Planned is the status when the run was
// planned. If the status has changed, another program did the run, and Do does nothing. A [Busy] error means that
// another program is doing it.
//
// The state of a run that diverges, runs out of memory or ends with a [Failure] is [Failed]. Every other error is not a
// result: a prerequisite of the run is missing, or ctx is done and the state is saved.
func (w Worker) Do(ctx context.Context, size Size, planned Standing) (Standing, error) {
	run := planned.Run
	identity, err := run.Identity()
	if err != nil {
		return Standing{}, err
	}
	desk := deskOf(w.Work, size, run)
	release, _, err := w.Store.lock(size, run, desk)
	if err != nil {
		return Standing{}, err
	}
	defer release()
	if now, err := w.Store.Look(size, run); err != nil || !now.sameAs(planned) {
		return now, err
	}
	if err := w.Store.writable(size, run); err != nil {
		return Standing{}, err
	}
	result, err := w.sit(ctx, desk, filepath.Join(w.Work, string(size), "shared"), identity, run)
	if err == nil { // without locks, another program may have been faster
		var now Standing
		if now, err = w.Store.Look(size, run); err == nil && now.sameAs(planned) {
			err = w.Store.write(size, run, result)
		}
	}
	if err == nil && result.Failure == "" {
		if err = desk.keepLogs(); err == nil {
			err = desk.clear()
		}
	}
	if err != nil {
		return Standing{}, fmt.Errorf("experiment: %s: %w", run, err)
	}
	return w.Store.Look(size, run)
}

// sit trains the run and returns its result.
func (w Worker) sit(ctx context.Context, desk desk, shared string, identity Identity, run Run) (*Result, error) {
	sitting, err := desk.sit(w.Engine, identity)
	if err != nil {
		return nil, err
	}
	var outcome *Outcome
	if err = os.MkdirAll(shared, 0o755); err == nil {
		outcome, err = run.Train(ctx, w.Engine, Place{Folder: desk.run(), Keep: desk.kept(), Observer: cmp.Or[train.Observer](w.Observer, silent{}), Shared: shared})
	}
	if err == nil {
		err = outcome.check()
	}
	known, failed := sitting.end() // this matters only to a later sitting
	result := known.result(run)
	failure := func(text string) string { // without the folder, which differs elsewhere
		return strings.ReplaceAll(text, desk.folder+string(filepath.Separator), "")
	}
	var diverged *train.Diverged
	var other *Failure
	switch {
	case err == nil:
		dropAnswers(outcome.Points)
		result.Record, result.Points = outcome.Record, outcome.Points
	case ctx.Err() != nil:
		return nil, errors.Join(err, failed)
	case errors.As(err, &diverged), errors.As(err, &other):
		result.Failure = failure(err.Error())
	case outOfMemory(err.Error()):
		result.Failure = "out of memory: " + failure(engine.RootCause(err).Error()) + "; " + moreMemory
	default:
		return nil, errors.Join(err, failed)
	}
	return result, nil
}

// moreMemory states remedies for a run that runs out of memory.
const moreMemory = "take smaller batches or micro-batches, fewer workers at a time or a machine with more memory, " +
	"and run again with -failed"

// outOfMemory reports whether a program's message means lack of memory: the wording of XLA, Go or the system.
func outOfMemory(text string) bool {
	for _, sign := range []string{"RESOURCE_EXHAUSTED", "out of memory", "cannot allocate memory", "std::bad_alloc"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// silent is an observer without output.
type silent struct{}

func (silent) Start(train.Progress)      {}
func (silent) Step(train.Progress)       {}
func (silent) End(train.Progress, error) {}
