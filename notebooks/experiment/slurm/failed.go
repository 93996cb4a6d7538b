package slurm

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Failed says which tasks ended without what they should leave: those that are given up, and others that are not tried
// again for that.
type Failed struct{ Tasks []Task }

// Task is one that ended.
type Task struct {
	Name  string
	State string // in which Slurm saw it end: "FAILED", "TIMEOUT"; "" where the cluster has forgotten
	Log   string // path
	Lost  int    // how often it ended so, save for want of time

	own bool // it ended by itself, with an error
}

// Final reports whether the task would end so again: it ended by itself with an error, or somebody cancelled it.
func (t Task) Final() bool { return t.own || t.State == "CANCELLED" }

// worstFirst sorts tasks so that those which would end so again come first, and then those that were lost most often.
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

// outOfTime reports whether the task had to make room, and will go on from where it was.
func (t Task) outOfTime() bool { return t.State == "TIMEOUT" || t.State == "PREEMPTED" }

// shownTasks and shownLines bound an error.
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

// how returns how the task ended, and the last lines of its log.
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
