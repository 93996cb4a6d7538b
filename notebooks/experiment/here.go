package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// Here does the missing runs of a grid in this process, one after the other, and returns all results: for a small grid
// in a notebook cell. It shows its progress in the notebook, or on w unless that is nil. Unfinished runs keep their
// state in the folder work; "" means [WorkFolder]. A run computes on eng, or on a new engine if eng does not have the
// threads of the run's worker, so that its numbers equal those of a [Coordinator]. Its [Result.PeakBytes] is the peak
// memory of this process, which includes earlier runs and cells.
//
// After an interrupt or a kill, the same call resumes. At the end the results are packed.
func (s *Store) Here(ctx context.Context, eng *engine.Engine, grid Grid, work string, w io.Writer) (*Cells, error) {
	plan, err := s.NewPlan([]Grid{grid}, false, false)
	if err == nil && work == "" {
		work, err = WorkFolder()
	}
	if err != nil {
		return nil, err
	}
	shown := viz.NewProgress(w, "", len(plan.Todo))
	shown.Unit = "run"
	at := Progress{Name: grid.Name, Workers: 1, Total: len(plan.Todo)}
	worker := Worker{Store: s, Work: work}
	engines := map[int]*engine.Engine{} // by threads per run
	defer func() {
		for _, own := range engines {
			if own != eng && own != nil {
				own.Backend.Finalize()
			}
		}
	}()
	for n, i := range plan.Todo {
		planned := plan.Standings[i]
		at.Left = at.Left[:0]
		for _, later := range plan.Todo[n+1:] {
			run := plan.Standings[later].Run
			at.Left = append(at.Left, remaining(expected(run, plan.Standings), deskOf(work, grid.Size, run).spent(run)))
		}
		at.AtWork = []AtWork{{Run: planned.Run, Since: time.Now(), Before: deskOf(work, grid.Size, planned.Run).spent(planned.Run),
			Expected: expected(planned.Run, plan.Standings)}}
		shown.Say(at.Text(time.Now()))
		threads := planned.Run.threads()
		if engines[threads] == nil {
			if engines[threads], err = withThreads(eng, threads); err != nil {
				shown.Done("stopped")
				return nil, err
			}
		}
		worker.Engine = engines[threads]
		worker.Observer = &onProgress{every: time.Second, tell: func(p train.Progress) {
			at.AtWork[0].update(p.Step, p.Steps, time.Now())
			shown.Say(at.Text(time.Now()))
		}}
		if plan.Standings[i], err = worker.Do(ctx, grid.Size, planned); err != nil {
			shown.Done("stopped")
			return nil, err
		}
		if at.Done++; plan.Standings[i].in(Failed) {
			at.Failed++
		}
		shown.Update(at.Done)
	}
	shown.Done(fmt.Sprintf("%s: %s", grid.Name, Tell(plan.Standings)))
	if err := s.Pack(grid.Size, grid.Runs); err != nil {
		return nil, err
	}
	return &Cells{plan.Standings}, nil
}

// withThreads returns an engine with the threads of a worker for a run with n threads. It returns eng if this matches
// or if results do not depend on the number of threads.
func withThreads(eng *engine.Engine, n int) (*engine.Engine, error) {
	if eng.Environment().Threads == 0 {
		return eng, nil
	}
	const asked = "NPROC" // read by XLA when an engine is opened, see [SetThreads]
	before, set := os.LookupEnv(asked)
	if err := os.Setenv(asked, strconv.Itoa(n)); err != nil {
		return nil, err
	}
	defer func() {
		if os.Unsetenv(asked); set {
			os.Setenv(asked, before)
		}
	}()
	own, err := engine.Open()
	if err != nil {
		return nil, err
	}
	if own.Environment().Threads == eng.Environment().Threads {
		own.Backend.Finalize()
		return eng, nil
	}
	return own, nil
}
