package slurm

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Failed lists the tasks that ended without their result: the tasks given up, and others that are not retried because
// of them.
type Failed struct{ Tasks []Task }

// Task is an ended task.
type Task struct {
	Name  string
	State string // final state in Slurm: "FAILED", "TIMEOUT"; "" if the cluster has forgotten it
	Log   string // path
	Lost  int    // number of such ends, except time limits

	own bool // it ended by itself, with an error
}

// Final reports whether a retry would end the same way: it ended by itself with an error, or a user cancelled it.
func (t Task) Final() bool { return t.own || t.State == "CANCELLED" }

// worstFirst sorts tasks: final ones first, then by the number of losses, largest first.
func worstFirst(tasks []Task) []Task {
	slices.SortStableFunc(tasks, func(a, b Task) int {
		switch {
		case a.Final() == b.Final():
			return b.Lost - a.Lost
		case a.Final():
			return -1
		}
		return 1
	})
	return tasks
}

// outOfTime reports whether the task reached its time limit or was preempted, and can resume.
func (t Task) outOfTime() bool { return t.State == "TIMEOUT" || t.State == "PREEMPTED" }

// shownTasks and shownLines limit the length of an error.
const shownTasks, shownLines = 3, 5

func (e *Failed) Error() string {
	var b strings.Builder
	what := fmt.Sprintf("%d tasks", len(e.Tasks))
	if len(e.Tasks) == 1 {
		what = "a task"
	}
	b.WriteString("slurm: " + what + " ended without a result. What is done is kept; the same again does what is missing")
	for i, t := range e.Tasks {
		if i == shownTasks {
			fmt.Fprintf(&b, "\nand %d more", len(e.Tasks)-i)
			break
		}
		fmt.Fprintf(&b, "\n%s: %s", t.Name, t.how())
	}
	return b.String()
}

// how describes the end of the task, with the last lines of its log.
func (t Task) how() string {
	state := "how it ended, Slurm no longer knows"
	if t.State != "" {
		state = t.State
	}
	data, err := os.ReadFile(t.Log)
	if err != nil {
		return fmt.Sprintf("%s, and it left no log: %v. Do the nodes see this folder?", state, err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return fmt.Sprintf("%s; the end of %s:\n  %s", state, t.Log, strings.Join(lines[max(0, len(lines)-shownLines):], "\n  "))
}
