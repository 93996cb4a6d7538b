package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// work is a list of tasks, each of which must leave a file named after it.
type work struct {
	fake
	Config
	results string
	names   []string
}

// newWork returns n tasks "run 0", "run 1", … that run a line of the shell. In it $name is the task's name, $tries the
// number of earlier starts, and `result` writes the result.
func newWork(t *testing.T, n int, line string) *work {
	t.Helper()
	w := newRealWork(t, n, line)
	w.fake, w.Poll = newFake(t), time.Millisecond
	return w
}

// newRealWork is newWork for the Slurm of this machine.
func newRealWork(t *testing.T, n int, line string) *work {
	t.Helper()
	w := &work{results: t.TempDir()}
	list := filepath.Join(w.results, "list")
	program := filepath.Join(w.results, "program")
	script := `#!/bin/sh
cd "$RESULTS"
name=$(sed -n "$(($1 + 1))p" list)
tries=$(cat "tries $name" 2>/dev/null || echo 0)
echo $((tries + 1)) >"tries $name"
result() { echo "$name $1" >"done $name"; }
` + line + "\n"
	expect.NoError(t, os.WriteFile(program, []byte(script), 0o755))
	for i := range n {
		w.names = append(w.names, fmt.Sprintf("run %d", i))
	}
	w.Config = Config{Folder: filepath.Join(t.TempDir(), "100%A mine", "table-1"), Command: []string{program}}
	t.Setenv("RESULTS", w.results)
	expect.NoError(t, os.WriteFile(list, nil, 0o644))
	return w
}

// missing lists the tasks without a result.
func (w *work) missing() (names []string, err error) {
	for _, name := range w.names {
		if _, err := os.Stat(filepath.Join(w.results, "done "+name)); err != nil {
			names = append(names, name)
		}
	}
	return names, os.WriteFile(filepath.Join(w.results, "list"), []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

func (w *work) do(t *testing.T) error {
	t.Helper()
	err := w.Do(t.Context(), w.missing)
	left, _ := w.missing()
	expect.That(t, err != nil || len(left) <= 0, "Do is content, and %q are missing", left)
	_, statErr := os.Stat(w.recordPath())
	expect.That(t, errors.Is(statErr, fs.ErrNotExist), "the record stays: %v", statErr)
	return err
}

// submitted compares the number of tasks in each submitted array.
func (w *work) submitted(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, call := range w.calls() {
		if found := arrayOf.FindStringSubmatch(call); found != nil {
			got = append(got, found[1])
		}
	}
	expect.Equal(t, got, want, "the last indices of the arrays")
}

// Arrays are as long as the cluster allows, and every task gets its own index, this environment and this folder.
func TestEveryTaskIsDone(t *testing.T) {
	w := newWork(t, 5, `result "$1 of $2 in $(dirname "$0")"`)
	w.write("config", "MaxArraySize            = 2\n", false)
	w.Threads, w.Options = 3, []string{"-pgpu", "-Aours", "--account=ours", "--cpus-per-task=8"}
	expect.NoError(t, w.do(t))
	w.submitted(t, "1", "1", "0")
	for i, name := range w.names {
		data, err := os.ReadFile(filepath.Join(w.results, "done "+name))
		want := fmt.Sprintf("%s %d of  in %s\n", name, i, w.Folder)
		expect.That(t, err == nil && string(data) == want, "%q, %v, want %q", data, err, want)
	}
	folder := expect.Must(os.Getwd())(t)
	call := w.calls()[0]
	options := "-pgpu -Aours --account=ours --cpus-per-task=8 --parsable"
	expect.Contains(t, call, "--job-name=program ", "--cpus-per-task=3 ", options, "--chdir="+folder+" ")
	if err := w.do(t); err != nil || len(w.calls()) != 3 {
		t.Errorf("where nothing is missing: %v, submitted %d times", err, len(w.calls()))
	}
}

func TestArgumentsOfTheCommandComeFirst(t *testing.T) {
	w := newWork(t, 1, ``)
	w.Command = []string{"sh", "-c", `echo "$1 $2" >"$RESULTS/done run 0"`, "sh", "it's"}
	expect.NoError(t, w.do(t))
	expect.Equal(t, string(expect.Must(os.ReadFile(filepath.Join(w.results, "done run 0")))(t)), "it's 0\n")
}

// Killed tasks are retried, and tasks out of time for longer; tasks that ended by themselves or were cancelled are
// reported at once.
func TestHowTasksEnd(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		what, line string
		arrays     []string // last index of each
		failed     string   // state of the tasks given up; "" for success
	}{
		{"killed once", `[ "$name$tries" = "run 1"0 ] && kill -9 $$; result`, []string{"2", "0"}, ""},
		{"each killed once, and out of time before", `[ $tries -lt "${name#run }" ] && exit 99; [ "$name" = "run $tries" ] && kill -9 $$; result`,
			[]string{"2", "2", "1", "0"}, ""},
		{"killed always", `[ "$name" = "run 1" ] && kill -9 $$; result`, []string{"2", "0", "0"}, "FAILED"},
		{"out of time for long", `[ "$name" = "run 1" ] && [ $tries -lt 5 ] && exit 99; result`,
			[]string{"2", "0", "0", "0", "0", "0"}, ""},
		{"out of time for ever", `[ "$name" = "run 1" ] && exit 99; result`,
			append([]string{"2"}, slices.Repeat([]string{"0"}, mostSubmissions-1)...), "TIMEOUT"},
		{"an error of its own", `[ "$name" = "run 1" ] && exit 1; [ "$name" = "run 2" ] && kill -9 $$; result`,
			[]string{"2"}, "FAILED"},
		{"cancelled", `[ "$name" = "run 1" ] && exit 98; result`, []string{"2"}, "CANCELLED"},
		{"content with nothing", `[ "$name" = "run 1" ] || result`, []string{"2", "0", "0"}, "COMPLETED"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			w := newWork(t, 3, tt.line)
			err := w.do(t)
			w.submitted(t, tt.arrays...)
			failed := (*Failed)(nil)
			expect.Require(t, errors.As(err, &failed) == (tt.failed != "") && (failed != nil || err == nil),
				"got %v", err)
			if failed != nil {
				expect.Equal(t, failed.Tasks[0].State, tt.failed)
			}
		})
	}
}

// The error shows the last log lines of tasks that ended by themselves, before those of killed tasks.
func TestFailedTellsTheEndOfTheLog(t *testing.T) {
	w := newWork(t, 9, `[ $1 -lt 4 ] && kill -9 $$; for i in 1 2 3 4 5 6 7; do echo "line $i of $name"; done; exit 1`)
	err := w.do(t)
	expect.Require(t, err != nil, "no error")
	text := err.Error()
	expect.Contains(t, text,
		"9 tasks", "run 4: FAILED; ", "logs/100_4.log:\n  line 3 of run 4\n", "line 7 of run 6", "and 6 more")
	expect.That(t, !strings.Contains(text, "line 2") && !strings.Contains(text, "run 0"), "%q tells too much", text)
}

// waiting starts Do with tasks that stay in the queue. It returns once Do reports them there with the given text, with
// a function that stops it.
func (w *work) waiting(t *testing.T, says string) (stop func(), result chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(chan Status, 1)
	c := w.Config
	c.Report = func(s Status) {
		select {
		case seen <- s:
		default:
		}
	}
	result = make(chan error, 1)
	go func() { result <- c.Do(ctx, w.missing) }()
	select {
	case s := <-seen:
		expect.Equal(t, s.String(), says+": 0 of 2 tasks ended, 0 running, 2 waiting (Resources)")
	case err := <-result:
		t.Fatalf("Do waits for no task: %v", err)
	}
	return cancel, result
}

// finish makes tasks leave their results, and sets the content of the queue.
func (w *work) finish(t *testing.T, queue string, names ...string) {
	t.Helper()
	for _, name := range names {
		expect.NoError(t, os.WriteFile(filepath.Join(w.results, "done "+name), nil, 0o644))
	}
	w.write("queue.new", queue, false)
	expect.NoError(t, os.Rename(filepath.Join(w.folder, "queue.new"), filepath.Join(w.folder, "queue")))
}

// Jobs outlive the program that submitted them, and the next one waits for them.
func TestTheNextStartWaitsForTheSameJobs(t *testing.T) {
	w := newWork(t, 2, `result`)
	w.write("hold", "yes", false)
	stop, result := w.waiting(t, "job 100")
	expect.Error(t, w.Do(t.Context(), w.missing), "another program follows")
	stop()
	err := <-result
	left := (*Left)(nil)
	expect.Require(t, errors.As(err, &left) && errors.Is(err, context.Canceled) &&
		strings.Contains(err.Error(), "scancel 100"), "got %v", err)
	_, result = w.waiting(t, "job 100 of an earlier start")
	w.finish(t, "100|0|COMPLETED|None\n100|1|RUNNING|None\n", "run 0", "run 1")
	select {
	case err := <-result:
		t.Fatalf("a task runs, and Do returned %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	w.finish(t, "100|0|COMPLETED|None\n100|1|COMPLETED|None\n")
	expect.NoError(t, <-result)
	w.submitted(t, "1")
}

// If squeue has forgotten a task, sacct is queried; without accounts it counts as killed.
func TestForgottenTasks(t *testing.T) {
	for _, tt := range []struct{ accounts, want string }{
		{"100_0|COMPLETED|0:0\n100_1|FAILED|1:0\n", "run 1: FAILED"},
		{"100_0|COMPLETED|0:0\n100_1|CANCELLED by 0|0:15\n", "run 1: CANCELLED"},
		{"100_0|COMPLETED|0:0\n100_1|OUT_OF_MEMORY|0:125\n", ""},
		{"100_0|COMPLETED|0:0\n100_1|FAILED|0:9\n", ""},
		{"", ""},
	} {
		w := newWork(t, 2, `result`)
		w.write("hold", "yes", false)
		w.write("accounts", tt.accounts, false)
		_, result := w.waiting(t, "job 100")
		w.write("hold", "", false)
		w.finish(t, "", "run 0")
		if err := <-result; (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("accounts %q: got %v, want %q", tt.accounts, err, tt.want)
		}
		if tt.want == "" {
			w.submitted(t, "1", "0")
		} else {
			w.submitted(t, "1")
		}
	}
}

// If Slurm does not answer, no task counts as ended.
func TestASilentSlurmIsWaitedFor(t *testing.T) {
	w := newWork(t, 2, `result`)
	w.write("down", "3", false)
	var troubles []string
	w.Report = func(s Status) {
		if s.Trouble != "" {
			troubles = append(troubles, s.String())
		}
	}
	expect.NoError(t, w.do(t))
	w.submitted(t, "1")
	expect.That(t, len(troubles) == 3 && strings.Contains(troubles[0], "Unable to contact slurm controller"),
		"told %q", troubles)
}

// A later array that is rejected waits for the first; none of its tasks is lost.
func TestALaterArrayIsRefused(t *testing.T) {
	w := newWork(t, 3, `result`)
	w.write("config", "MaxArraySize = 2\n", false)
	w.write("refuse", "1\nQOSMaxSubmitJobPerUserLimit", false)
	var told []string
	w.Report = func(s Status) { told = append(told, s.Trouble) }
	expect.NoError(t, w.do(t))
	w.submitted(t, "1", "0", "0")
	expect.That(t, strings.Contains(told[0], "QOSMaxSubmitJobPerUserLimit"), "told %q", told)
}
