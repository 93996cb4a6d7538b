package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/filelock"
)

// Config describes the tasks of an array. Folder and Command are required.
type Config struct {
	Folder  string        // for the record of the jobs, the program and the logs of the tasks; made if missing
	Command []string      // a program and its arguments; a task adds its index. It runs in the current folder
	Threads int           // CPUs of a task; 0 means 1
	Options []string      // of sbatch, after the options set here: "--partition=gpu"
	Tries   int           // losses of a task, except time limits, before it is given up; 0 means 3
	Poll    time.Duration // the longest interval between queries of Slurm; 0 means 15 s
	Report  func(Status)  // receives the progress of the tasks; may be nil
}

// mostSubmissions limits the submissions of tasks that run out of time: otherwise a time limit that is too short for
// any progress would cause an endless loop.
const mostSubmissions = 50

// Do runs the missing tasks on the cluster until none is missing. It calls missing while no task is queued or running;
// missing returns a name for each of the indices 0, 1, … that tasks receive. A task whose result appears late, as on a
// network file system, is submitted again; it must leave an existing result unchanged.
//
// Besides the errors of missing, it returns [Failed], [Left], and errors about Slurm and the folder.
func (c Config) Do(ctx context.Context, missing func() ([]string, error)) error {
	c.Threads, c.Tries, c.Poll = cmp.Or(c.Threads, 1), cmp.Or(c.Tries, 3), cmp.Or(c.Poll, 15*time.Second)
	if c.Report == nil {
		c.Report = func(Status) {}
	}
	release, err := c.open()
	if err != nil {
		return err
	}
	defer release()

	losses := map[string]int{} // by task
	for submissions := 0; ; submissions++ {
		submitted, err := c.readRecord()
		if err != nil {
			return err
		}
		ends, err := c.follow(ctx, submitted, submissions == 0)
		if err != nil {
			return err
		}
		names, err := missing()
		if err != nil {
			return err
		}
		lost := c.lost(submitted, names, ends)
		for i, t := range lost {
			if !t.outOfTime() {
				losses[t.Name]++
			}
			lost[i].Lost = losses[t.Name]
		}
		givenUp := func(t Task) bool { return t.Final() || t.Lost >= c.Tries }
		if slices.ContainsFunc(lost, givenUp) || len(lost) > 0 && submissions >= mostSubmissions {
			// The next start retries and does not report this again.
			return errors.Join(&Failed{Tasks: worstFirst(lost)}, c.writeRecord(nil))
		}
		if len(names) == 0 {
			return c.writeRecord(nil)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("slurm: stopped, with %d tasks not submitted: %w", len(names), err)
		}
		if err := c.submit(names); err != nil {
			return err
		}
	}
}

// open validates the requirements of Do, creates the folder, makes its paths absolute, and takes its lock.
func (c *Config) open() (release func(), err error) {
	own := func(option string) bool {
		if !strings.HasPrefix(option, "--") { // -M other, and -Mother too
			return len(option) > 1 && option[0] == '-' && strings.ContainsRune("MaoW", rune(option[1]))
		}
		name, _, _ := strings.Cut(option, "=")
		return slices.Contains([]string{"--clusters", "--array", "--output", "--wait", "--wrap"}, name)
	}
	taken := slices.IndexFunc(c.Options, own)
	err = cmp.Or(
		fault.If(c.Folder == "", "slurm: a folder is needed that the nodes of the cluster share"),
		fault.If(len(c.Command) == 0, "slurm: a command is needed"),
		fault.If(c.Threads < 0, "slurm: a task cannot have %d threads", c.Threads))
	if err == nil && taken >= 0 {
		err = fmt.Errorf("slurm: %s is not for you to choose here: the array, its logs and the cluster, which is that of this "+
			"machine, are taken care of; leave it out", c.Options[taken])
	}
	if err != nil {
		return nil, err
	}
	for _, program := range []string{"sbatch", "squeue"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("there is no Slurm on this machine (no program %s): start this where jobs of the cluster are "+
				"submitted, or do the work here, without Slurm: %w", program, err)
		}
	}
	if c.Folder, err = filepath.Abs(c.Folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(c.Folder, "logs"), 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(c.Folder, "lock")
	lock, err := filelock.Try(path, false)
	switch {
	case errors.Is(err, filelock.ErrBusy):
		return nil, fmt.Errorf("slurm: another program follows the jobs of %s already; wait for it, or end it: the jobs go on",
			c.Folder)
	case errors.Is(err, filelock.ErrNone):
		return func() {}, nil
	case err != nil:
		return nil, err
	}
	return func() { filelock.Release(lock, path) }, nil
}
