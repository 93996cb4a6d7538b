//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/notebooks/experiment/slurm"
)

// fakeSlurm are fakes of Slurm's programs: sbatch does the tasks at once, one after the other, and squeue lists only
// tasks that failed: out of memory, or as ENDED specifies. If RUNNING names a file, a task is still running at the
// first query of squeue.
var fakeSlurm = map[string]string{
	"sbatch": `#!/bin/sh
script=$(cat)
for arg; do case "$arg" in --array=0-*) last=${arg#--array=0-};; --time=*) echo "$arg" >> "$TOLD";; esac; done
i=0
while [ $i -le $last ]; do
	SLURM_ARRAY_TASK_ID=$i /bin/sh -c "$script" >> "$TOLD" 2>&1 || echo "12|$i|${ENDED:-OUT_OF_MEMORY|OutOfMemory}" >> "$TOLD.queue"
	i=$((i+1))
done
echo 12
`,
	"squeue": `#!/bin/sh
if [ -n "$RUNNING" ] && [ ! -e "$RUNNING" ]; then touch "$RUNNING"; echo "12|0|RUNNING|None"; exit; fi
[ ! -e "$TOLD.queue" ] || cat "$TOLD.queue"
`,
	"scontrol": "#!/bin/sh\nexit 1\n",
	"sacct":    "#!/bin/sh\nexit 1\n",
}

// withFakeSlurm puts it first in PATH, and returns the file of its tasks' output.
func withFakeSlurm(t *testing.T) (told string) {
	t.Helper()
	bin := t.TempDir()
	for name, text := range fakeSlurm {
		expect.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	told = filepath.Join(t.TempDir(), "told")
	poll = 20 * time.Millisecond
	t.Setenv("TOLD", told)
	return told
}

// Options are split as in a shell.
func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "  --partition=gpu   --time=4:00:00 ": {"--partition=gpu", "--time=4:00:00"},
		`--comment='a "b"' -J "c  d"`: {`--comment=a "b"`, "-J", "c  d"}, `--comment=""`: {"--comment="}, `''`: {""},
	} {
		expect.Equal(t, expect.Must(words(text))(t), want, "%s", text)
	}
	refusal.Check(t, refusal.Err(words("--comment='a b")), "a quote in -slurm --comment='a b is not closed; … close it")
}

// TestSlurm does a table with the tasks of an array; a run that fails is a result there too.
func TestSlurm(t *testing.T) {
	expect.Slow(t)
	told := withFakeSlurm(t)
	t.Setenv(misbehavior, "diverges")
	s := newShop(t)
	s.grid("-on slurm -slurm --time=10 table-2", exitFailed, "table-2: job 12: ", "5 of 6 runs done, 1 failed", "-failed tries them again")
	text := expect.Must(os.ReadFile(told))(t)
	contains(t, string(text), "--time=10\n", "step 0 of 3", "FMNIST-I, 1000 labeled / PUCL / seed 0: 0.", "nnPU / seed 1: failed: train: ")
	s.grid("-on slurm -failed table-2", exitFailed, "5 of 6 runs done, 1 failed") // once only
	t.Setenv(misbehavior, "is killed")
	s.grid("-on slurm -failed table-2", exitFailed, "OUT_OF_MEMORY", "5 of 6 runs done, 1 failed")
	s.grid("-list table-2", exitOK, "failed: out of memory, by what Slurm says; take smaller batches")
	t.Setenv(misbehavior, "")
	s.grid("-on slurm -failed table-2", exitOK, "6 of 6 runs done.")
}

// A run whose task is killed three times has failed. Meanwhile the time left is shown.
func TestSlurmLosesATaskAgainAndAgain(t *testing.T) {
	expect.Slow(t)
	told := withFakeSlurm(t)
	t.Setenv("ENDED", "NODE_FAIL|None")
	t.Setenv("RUNNING", told+".running")
	t.Setenv(misbehavior, "is killed")
	s := newShop(t)
	said := s.grid("-on slurm table-2", exitFailed, "NODE_FAIL, and it left no log", "5 of 6 runs done, 1 failed", "-failed tries them again",
		"nnPU / seed 1: failed: its worker died 3 times on Slurm (the last time: NODE_FAIL)")
	left := regexp.MustCompile(`1 running, 0 waiting, \d+\.\d s left\n`)
	expect.That(t, left.MatchString(said), "no time left is told:\n%s", said)
	expect.Equal(t, strings.Count(string(expect.Must(os.ReadFile(told+".queue"))(t)), "NODE_FAIL"), 3)
	s.grid("-on slurm table-2", exitFailed, "5 of 6 runs done, 1 failed")
	t.Setenv(misbehavior, "")
	s.grid("-on slurm -failed table-2", exitOK, "6 of 6 runs done.")
}

// Jobs of an earlier start are waited for. If they belong to the table, they count as its progress; otherwise the
// output states that they do not, and why the program waits.
func TestSlurmWaitsForJobsOfAnEarlierStart(t *testing.T) {
	expect.Slow(t)
	told := withFakeSlurm(t)
	s := newShop(t)
	interrupted := func(args string) {
		t.Helper()
		t.Setenv("RUNNING", filepath.Join(t.TempDir(), "none", "running")) // cannot be made: a task runs forever
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(filepath.Join(s.folders[3], "smoke", "slurm", "jobs.json")); err == nil {
					cancel()
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		s.gridIn(ctx, args, exitInterrupted, "slurm: job 12 goes on without this program")
	}
	const earlier, why = "job 12 of an earlier start: ", "waits for job 12 of an earlier start, which may do other runs: tables of one size share "
	t.Setenv("ENDED", "NODE_FAIL|None")
	t.Setenv(misbehavior, "is killed")
	interrupted("-on slurm -only nnpu table-2")
	t.Setenv(misbehavior, "")
	t.Setenv("RUNNING", told+".first")
	said := s.grid("-on slurm table-2", exitOK, "table-2: "+earlier, "s left\n", "table-2: 6 of 6 runs done.")
	expect.That(t, !strings.Contains(said, why), "its own runs are told as others':\n%s", said)
	s = newShop(t)
	s.grid("-seeds 0 table-1", exitOK) // this provides the time estimate for the others
	interrupted("-on slurm -only nnpu table-2")
	t.Setenv("RUNNING", told+".second")
	said = s.grid("-on slurm table-1", exitOK, "\n"+earlier, "table-1 "+why, "table-1: 3 of 3 runs done.")
	expect.That(t, !strings.Contains(said, "table-1: "+earlier) && strings.Count(said, why) == 1,
		"others' runs are told as its own, or not once:\n%s", said)
	head, _, _ := strings.Cut(said, "table-1: job")
	expect.That(t, !strings.Contains(head, " left"), "the time left is told by how others' runs get on:\n%s", said)
}

// If a task ends for a reason other than its run, there is no result.
func TestTasksThatTellNothingOfTheirRuns(t *testing.T) {
	for task, want := range map[slurm.Task]string{
		{State: "FAILED", Lost: 3}:        "its worker died 3 times on Slurm (the last time: FAILED)",
		{Lost: 3}:                         "its worker died 3 times on Slurm (the last time: Slurm no longer knows how)",
		{State: "OUT_OF_MEMORY", Lost: 1}: "out of memory, by what Slurm says",
		{State: "FAILED", Lost: 2}:        "",
		{State: "TIMEOUT"}:                "",
		{State: "CANCELLED", Lost: 3}:     "",
		{State: "COMPLETED", Lost: 3}:     "",
	} {
		expect.Equal(t, failure(task), want, "%+v", task)
	}
}
