package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/experiment/slurm"
)

// slurm does the plan on a cluster: the tasks of an array are workers, and the index of a task is that of its run in a list.
func (o options) slurm(ctx context.Context, store *experiment.Store, work string, plan *experiment.Plan, line *liveline.Line) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Join(work, string(plan.Size), "slurm")
	list := filepath.Join(folder, "list.json")
	said := ""
	array := slurm.Config{
		Folder: folder, Command: append([]string{program}, workerArgs(list)...), Threads: plan.Threads(),
		Options: strings.Fields(o.slurmOptions),
		Report: func(s slurm.Status) {
			text := plan.Name + ": " + s.String()
			if line.Set(text); !line.Live() && text != said {
				line.Linef("%s", text)
			}
			said = text
		},
	}
	defer line.Set("")
	err = array.Do(ctx, func() (names []string, err error) { // no task has the list open then
		left, err := plan.Left(store)
		if err != nil || len(left.Todo) == 0 {
			return nil, err
		}
		todo := left.List(store, work)
		for _, entry := range todo.Entries {
			names = append(names, entry.Run)
		}
		return names, todo.Write(list)
	})
	var failed *slurm.Failed
	if errors.As(err, &failed) {
		err = errors.Join(err, keepFailures(store, work, plan, failed.Tasks))
	}
	return err
}

// keepFailures makes those runs ones that failed which Slurm ended for want of memory, which would end so again.
func keepFailures(store *experiment.Store, work string, plan *experiment.Plan, tasks []slurm.Task) error {
	for _, i := range plan.Todo {
		planned := plan.Standings[i]
		if slices.ContainsFunc(tasks, func(t slurm.Task) bool {
			return t.Name == planned.Run.String() && t.State == "OUT_OF_MEMORY"
		}) {
			if _, err := store.Fail(work, plan.Size, planned, "out of memory, by what Slurm says"); err != nil {
				return err
			}
		}
	}
	return nil
}
