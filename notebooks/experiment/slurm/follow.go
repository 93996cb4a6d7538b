package slurm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status is how far the tasks that were submitted are.
type Status struct {
	Jobs                           []string // "123"
	Earlier                        bool     // whether an earlier start in this folder submitted them, perhaps to do something else
	Tasks, Running, Waiting, Ended int
	Reason                         string // why the first that waits does, in Slurm's words: "Resources"
	Trouble                        string // what hinders now: Slurm does not answer; "" where nothing does
}

// String returns "job 123: 3 of 10 tasks ended, 2 running, 5 waiting (Resources)".
func (s Status) String() string {
	text := fmt.Sprintf("%d of %d tasks ended, %d running, %d waiting", s.Ended, s.Tasks, s.Running, s.Waiting)
	if len(s.Jobs) > 0 {
		of := ""
		if s.Earlier {
			of = " of an earlier start"
		}
		text = "job " + strings.Join(s.Jobs, ", ") + of + ": " + text
	}
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	if s.Trouble != "" {
		text += "; " + s.Trouble
	}
	return text
}

// taskID names a task to Slurm: the index is that in its array.
type taskID struct {
	job   string
	index int
}

// end is how a task ended, in Slurm's words; the zero value is a way that Slurm no longer knows.
type end struct {
	state string // "FAILED"
	own   bool   // with an exit code of its own, other than 0
}

// over lists the states of tasks that will not run any more. Others, among them those to come, are of tasks that may.
var over = []string{
	"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT",
}

// follow waits until all tasks of the arrays, submitted by this start or an earlier one, have ended and returns how, as far as Slurm knows.
func (c Config) follow(ctx context.Context, arrays []array, earlier bool) (map[taskID]end, error) {
	ends := map[taskID]end{}
	if len(arrays) == 0 {
		return ends, nil
	}
	status := Status{Tasks: tasks(arrays), Earlier: earlier}
	for _, a := range arrays {
		status.Jobs = append(status.Jobs, a.Job)
	}
	for wait := min(time.Second, c.Poll); ; wait = min(wait*3/2, c.Poll) {
		rows, err := squeue(ctx, status.Jobs)
		if ctx.Err() != nil {
			return nil, &Left{Jobs: status.Jobs, Err: ctx.Err()}
		}
		if status.Trouble = ""; err != nil { // that Slurm does not answer does not end tasks
			status.Trouble = err.Error()
		} else {
			status.count(rows, ends)
		}
		c.Report(status)
		if err == nil && status.Running+status.Waiting == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return nil, &Left{Jobs: status.Jobs, Err: ctx.Err()}
		case <-time.After(wait):
		}
	}
	if len(ends) < status.Tasks {
		sacct(status.Jobs, ends)
	}
	return ends, nil
}

// count takes the numbers of the status from what squeue said, and keeps how tasks ended: Slurm forgets them after a while, and
// so a task that is in no row has ended.
func (s *Status) count(rows []row, ends map[taskID]end) {
	s.Running, s.Waiting, s.Reason = 0, 0, ""
	for _, r := range rows {
		switch {
		case slices.Contains(over, r.state):
			ends[r.id] = end{r.state, r.state == "FAILED" && r.reason == "NonZeroExitCode"}
		case r.state == "PENDING":
			if s.Waiting++; s.Reason == "" && r.reason != "None" {
				s.Reason = r.reason
			}
		default:
			s.Running++
		}
	}
	s.Ended = s.Tasks - s.Running - s.Waiting
}

// row is what squeue says of a task.
type row struct {
	id            taskID
	state, reason string
}

// squeue returns the tasks of the jobs that Slurm knows, whatever their state. It asks for all jobs of the user: asked for a job
// that it has forgotten, Slurm calls it invalid.
func squeue(ctx context.Context, jobs []string) (rows []row, err error) {
	out, err := output(exec.CommandContext(ctx, "squeue", "--user="+strconv.Itoa(os.Getuid()), "--states=all", "--array",
		"--noheader", "--format=%F|%K|%T|%r"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(fields) < 4 || !slices.Contains(jobs, fields[0]) {
			continue
		}
		index, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("slurm: squeue said %q, which names no task", strings.TrimSpace(line))
		}
		rows = append(rows, row{taskID{fields[0], index}, fields[2], fields[3]})
	}
	return rows, nil
}

// sacct adds how tasks ended that squeue has forgotten. Where the cluster keeps no accounts it adds nothing.
func sacct(jobs []string, ends map[taskID]end) {
	out, err := exec.Command("sacct", "--jobs="+strings.Join(jobs, ","), "--allocations", "--noheader", "--parsable2",
		"--format=JobID,State,ExitCode").Output()
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "|") // 12_3|CANCELLED by 0|0:15
		if len(fields) != 3 {
			continue
		}
		job, index, _ := strings.Cut(fields[0], "_")
		state, _, _ := strings.Cut(fields[1], " ")
		n, err := strconv.Atoi(index)
		if id := (taskID{job, n}); err == nil && ends[id].state == "" && slices.Contains(over, state) {
			ends[id] = end{state, state == "FAILED" && !strings.HasPrefix(fields[2], "0:")}
		}
	}
}

// lost returns the tasks of the arrays that have ended and are missing all the same.
func (c Config) lost(arrays []array, missing []string, ends map[taskID]end) (lost []Task) {
	for _, a := range arrays {
		for i, name := range a.Names {
			if slices.Contains(missing, name) {
				e, log := ends[taskID{a.Job, i}], fmt.Sprintf("%s_%d.log", a.Job, i)
				lost = append(lost, Task{Name: name, State: e.state, Log: filepath.Join(c.Folder, "logs", log), own: e.own})
			}
		}
	}
	return lost
}

// Left says that tasks are queued or running that are no longer followed.
type Left struct {
	Jobs []string
	Err  error // that of the context
}

func (e *Left) Error() string {
	return fmt.Sprintf("slurm: job %s goes on without this program; start the same again to wait for it, or end it with `scancel %s`",
		strings.Join(e.Jobs, ", "), strings.Join(e.Jobs, " "))
}

// Unwrap returns why nobody follows.
func (e *Left) Unwrap() error { return e.Err }
