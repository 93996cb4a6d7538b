package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/notebooks/experiment"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as for a program ended by Ctrl-C
)

func main() { os.Exit(run(interrupts.Context(), os.Args[1:], os.Stdout, os.Stderr, tables)) }

// catalog provides the grids.
type catalog struct {
	names func() []string
	find  func(name string, size experiment.Size) (experiment.Grid, error)
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, out, messages io.Writer, tables catalog) int {
	o, err := parse(args, messages, tables)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case o.worker != "":
		return experiment.Serve(ctx, experiment.ServeConfig{List: o.worker, Index: o.index, Find: tables.find, Attached: o.attached})
	}
	line := liveline.New(messages)
	standings, err := o.do(ctx, out, line, tables)
	if standings != nil && !o.list && o.exported == "" {
		line.Linef("%s: %s.", strings.Join(o.tables, ", "), experiment.Tell(standings))
	}
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		line.Linef("%v", err)
		return exitInterrupted
	}
	line.Linef("%v", err)
	return exitFailed
}

// do does the grids, and returns the status of their runs. The error lists the runs that are not done.
func (o options) do(ctx context.Context, out io.Writer, line *liveline.Line, tables catalog) ([]experiment.Standing, error) {
	store, err := experiment.Open(o.results)
	if err != nil {
		return nil, err
	}
	work, err := o.workFolder()
	if err != nil {
		return nil, err
	}
	grids, err := o.grids(tables)
	if err != nil {
		return nil, err
	}
	plan, err := store.NewPlan(grids, o.again, o.failed)
	if err != nil {
		return nil, err
	}
	switch {
	case o.list:
		return plan.Standings, list(out, plan.Standings)
	case o.exported != "":
		return plan.Standings, o.export(out, plan)
	case o.pack:
		return o.packAll(store, grids, plan)
	case len(plan.Todo) == 0:
	case o.on == "slurm":
		err = o.slurm(ctx, store, work, plan, line)
	default:
		c := &experiment.Coordinator{Store: store, Work: work, Workers: o.workers, Line: line, Command: worker}
		err = c.Run(ctx, plan)
	}
	if ctx.Err() != nil && o.on != "slurm" { // Slurm jobs continue, as the error states
		err = errors.New("interrupted; the same again goes on from here")
	}
	err = errors.Join(err, store.Pack(plan.Size, plan.Runs()))
	after, looked := store.NewPlan(grids, false, false)
	if err = errors.Join(err, looked); err != nil || looked != nil {
		return plan.Standings, err
	}
	return after.Standings, rest(after.Standings)
}

// packAll packs the loose results of a plan, and results of another folder that are missing here, and returns the new
// status of its runs.
func (o options) packAll(store *experiment.Store, grids []experiment.Grid, plan *experiment.Plan) ([]experiment.Standing, error) {
	var others []*experiment.Store
	if o.from != "" {
		other, err := experiment.Open(o.from)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(other.Folder); err != nil {
			return nil, fmt.Errorf("-from: %w; name a folder of results", err)
		}
		others = append(others, other)
	}
	if err := store.Pack(plan.Size, plan.Runs(), others...); err != nil {
		return nil, err
	}
	after, err := store.NewPlan(grids, false, false)
	if err != nil {
		return nil, err
	}
	return after.Standings, nil
}

// worker returns a process of this program that does a run of a list.
func worker(list string, index int) *exec.Cmd {
	cmd := exec.Command(self(), append(workerArgs(list), strconv.Itoa(index), "-attached")...)
	cmd.Args[0] = "grid"
	return cmd
}

// self returns the file of this program, on Linux even if the file was replaced since its start.
func self() string {
	const running = "/proc/self/exe"
	if _, err := os.Readlink(running); err == nil {
		return running
	}
	if program, err := os.Executable(); err == nil {
		return program
	}
	return os.Args[0]
}

// workerArgs are the arguments of a worker; the index of its run follows.
func workerArgs(list string) []string { return []string{"-worker", list, "-index"} }

// list prints the status of the runs.
func list(out io.Writer, standings []experiment.Standing) error {
	for _, s := range standings {
		what := s.Why
		if what == "" && s.Result != nil {
			what = s.Result.String()
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-8s %-50s %s", s.State, s.Run.Path(), what), " ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%s\n", experiment.Tell(standings))
	return err
}

// shown is the number of runs of a kind that are listed singly.
const shown = 5

// rest returns an error that lists the runs that are not done, with remedies.
func rest(standings []experiment.Standing) error {
	var lines []string
	for _, kind := range []struct {
		state experiment.State
		help  string
	}{
		{experiment.Failed, "-failed tries them again"},
		{experiment.Stale, "nothing was written over"},
		{experiment.Missing, "the same again does them"},
	} {
		n := 0
		for _, s := range standings {
			if s.State != kind.state {
				continue
			}
			if n++; n <= shown {
				why := s.Why
				if s.Result != nil && s.Result.Failure != "" {
					why = s.Result.String()
				}
				lines = append(lines, strings.TrimRight(fmt.Sprintf("%s: %s: %s", kind.state, s.Run, why), ": "))
			}
		}
		if n > shown {
			lines = append(lines, fmt.Sprintf("and %d more that are %s", n-shown, kind.state))
		}
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s: %s.", n, kind.state, kind.help))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}
