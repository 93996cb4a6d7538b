package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/experiment/slurm"
)

// mostLosses is the number of workers that a run may lose on a cluster, except by time limits, before it counts as
// failed.
const mostLosses = 3

// poll is the longest interval between queries of Slurm, 0 for its default. It is a variable so that tests need not
// wait.
var poll time.Duration

// slurm does the plan on a cluster: the tasks of an array are workers, and the index of a task is the index of its run
// in a list. A run that loses its worker repeatedly counts as failed, and the others continue.
func (o options) slurm(ctx context.Context, store *experiment.Store, work string, plan *experiment.Plan, line *liveline.Line) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Join(work, string(plan.Size), "slurm")
	list := filepath.Join(folder, "list.json")
	others := readByOthers(list, store, plan)
	said := ""
	array := slurm.Config{
		Folder: folder, Command: append([]string{program}, workerArgs(list)...), Threads: plan.Threads(),
		Options: o.slurmOptions, Tries: mostLosses, Poll: poll,
		Report: func(s slurm.Status) {
			foreign := s.Earlier && others // so its tasks are no progress of this plan
			text := s.String()
			if !foreign {
				text = plan.Name + ": " + text
			} else if said == "" {
				line.Linef("%s waits for job %s of an earlier start, which may do other runs: tables of one size share runs and a folder, and no "+
					"run is done twice", plan.Name, strings.Join(s.Jobs, ", "))
			}
			told := text
			switch left, err := plan.TimeLeft(store, work, s.Running); {
			case foreign:
			case err != nil:
				told += "; " + err.Error() // this ends the grid where the results are needed
			case left != "":
				told += ", " + left + " left"
			}
			if line.Set(told); !line.Live() && text != said {
				line.Linef("%s", told)
			}
			said = text
		},
	}
	defer line.Set("")
	missing := func() (names []string, err error) { // no task has the list open then
		left, err := plan.Left(store)
		if err != nil || len(left.Todo) == 0 {
			return nil, err
		}
		todo := left.List(store, work)
		for _, entry := range todo.Entries {
			names = append(names, entry.Run)
		}
		return names, todo.Write(list)
	}
	for {
		err := array.Do(ctx, missing)
		var failed *slurm.Failed
		if !errors.As(err, &failed) {
			return err
		}
		kept, problem := keepFailures(store, work, plan, failed.Tasks)
		if problem != nil || kept == 0 || slices.ContainsFunc(failed.Tasks, slurm.Task.Final) {
			return errors.Join(err, problem)
		}
		line.Linef("%v", err)
	}
}

// readByOthers reports whether the list, which jobs of an earlier start may be reading, names runs outside a plan, or
// is unreadable.
func readByOthers(list string, store *experiment.Store, plan *experiment.Plan) bool {
	earlier, err := experiment.ReadList(list)
	return err != nil || earlier.Store != store.Folder || slices.ContainsFunc(earlier.Entries, func(e experiment.Entry) bool {
		return !slices.ContainsFunc(plan.Standings, func(s experiment.Standing) bool { return s.Run.Path() == e.Path })
	})
}

// keepFailures stores failures for the runs whose tasks would end the same way again, and returns their number.
func keepFailures(store *experiment.Store, work string, plan *experiment.Plan, tasks []slurm.Task) (kept int, err error) {
	for _, i := range plan.Todo {
		planned := plan.Standings[i]
		at := slices.IndexFunc(tasks, func(t slurm.Task) bool { return t.Name == planned.Run.String() })
		if at < 0 {
			continue
		}
		if why := failure(tasks[at]); why != "" {
			if _, err := store.Fail(work, plan.Size, planned, why); err != nil {
				return kept, err
			}
			kept++
		}
	}
	return kept, nil
}

// failure returns the reason for marking the run of a task without a result as failed, "" for none. A task that ended
// by itself or was cancelled indicates a problem of the cluster, the data or the program, not of the run.
func failure(t slurm.Task) string {
	switch {
	case t.State == "OUT_OF_MEMORY":
		return "out of memory, by what Slurm says"
	case t.Final() || t.State == "COMPLETED" || t.Lost < mostLosses:
		return ""
	}
	return fmt.Sprintf("its worker died %d times on Slurm (the last time: %s)", t.Lost, cmp.Or(t.State, "Slurm no longer knows how"))
}
