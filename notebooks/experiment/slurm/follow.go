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

// Status is the progress of the submitted tasks.
type Status struct {
	Jobs []string // "123"
	// Earlier reports whether an earlier start in this folder submitted them, perhaps for other work.
	Earlier                        bool
	Tasks, Running, Waiting, Ended int
	Reason                         string // why the first waiting task waits, in Slurm's words: "Resources"
	Trouble                        string // the current obstacle, such as Slurm not answering; "" for none
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

// taskID identifies a task in Slurm: index is the index in its array.
type taskID struct {
	job   string
	index int
}

// end is how a task ended, in Slurm's words; the zero value means that Slurm has forgotten it.
type end struct {
	state string // "FAILED"
	own   bool   // with a nonzero exit code of the program
}

// over lists the final states. Tasks in any other state, including future ones, may still run.
var over = []string{
	"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT",
}

// follow waits until all tasks of the arrays, submitted by this start or an earlier one, have ended. It returns how
// they ended, if Slurm still has that.
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
		if status.Trouble = ""; err != nil { // tasks continue if Slurm does not answer
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

// count computes the numbers of the status from the output of squeue, and stores how tasks ended, since Slurm forgets
// them after a while. A task without a row has ended.
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

// row is the output of squeue for a task.
type row struct {
	id            taskID
	state, reason string
}

// squeue returns the tasks of the jobs that Slurm has, in all states. It queries all jobs of the user: Slurm rejects
// the number of a job that it has forgotten as invalid.
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

// sacct adds how tasks ended that squeue has forgotten. If the cluster keeps no accounts, it adds nothing.
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

// lost returns the tasks of the arrays that have ended but are missing.
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

// Left is the error for queued or running tasks that Do no longer follows.
type Left struct {
	Jobs []string
	Err  error // that of the context
}

func (e *Left) Error() string {
	return fmt.Sprintf("slurm: job %s goes on without this program; start the same again to wait for it, or end it with `scancel %s`",
		strings.Join(e.Jobs, ", "), strings.Join(e.Jobs, " "))
}

// Unwrap returns the reason.
func (e *Left) Unwrap() error { return e.Err }
