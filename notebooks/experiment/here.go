package experiment

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// Here does what is missing of a grid in this process, one run after the other, and returns what came of all: for a small grid in a
// cell of a notebook. It shows how far it is in the notebook, or on w unless that is nil. Runs that are not done keep their state in
// the folder work, "" meaning [WorkFolder]; the runs have the threads that eng has, whatever theirs are.
//
// Run again after an interrupt, or after the program was killed, it goes on from there.
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
	worker := Worker{Store: s, Work: work, Engine: eng}
	for n, i := range plan.Todo {
		planned := plan.Standings[i]
		at.Left = at.Left[:0]
		for _, later := range plan.Todo[n+1:] {
			at.Left = append(at.Left, expected(plan.Standings[later].Run, plan.Standings))
		}
		at.AtWork = []AtWork{{Run: planned.Run, Since: time.Now(), Expected: expected(planned.Run, plan.Standings)}}
		shown.Say(at.Text(time.Now()))
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
	return &Cells{plan.Standings}, nil
}
